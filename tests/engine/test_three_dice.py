"""Three Dice against the rules: the worked examples, the questions, who wins, what is seen and advised."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from engine.facts import Award, Eliminated
from engine.game import Turn
from engine.games.three_dice import State, ThreeDice
from engine.luck import Luck
from engine.record import Unreadable
from engine.tally import Tally
from tests.engine.records import Record, header

ID = "d20_elimination"


def game(people: int, **options: Any) -> Record:  # Any: JSON
    return Record(header(ID, ("Ann", "Bo", "Cy", "Di")[:people], options=options))


def turn(side: int = 0, people: int = 2, visit: int = 1) -> Turn:
    return Turn(visit, side, side, 1, (), 3, tuple(range(people)), (Tally(),) * people)


def round_over(scores: tuple[int, ...], **options: Any) -> tuple[State, set[int]]:  # Any: JSON
    """The state after the end of a round that began to end with these scores, and who it put out."""
    given, rules = game(len(scores), **options), ThreeDice()
    state = replace(given.match.position.state, scores=scores)
    step = rules.round_over(state, turn(people=len(scores)), Luck("oche", 1))
    return step.state, {fact.side for fact in step.facts if isinstance(fact, Eliminated) and fact.side is not None}


# --- the worked examples -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "roll", "darts", "marks", "multiplier", "points", "after"),
    [
        (0, "7 16 10", "D7 S7 S16", 4, 3, 12, 12),  # Jim
        (0, "3 3 17", "T3 T17 DB", 10, 5, 50, 50),  # the highest possible
        (10, "7 16 10", "S20 MISS SB", 0, 0, 0, 7),  # no target hit
        (2, "7 16 10", "MISS MISS MISS", 0, 0, 0, 0),  # never below 0
        (0, "7 16 10", "T7 T16 T10", 9, 5, 45, 45),  # the highest of three different numbers
        (0, "3 17 3", "DB DB DB", 12, 1, 12, 12),  # twelve marks, but one target
        (0, "3 17 3", "SB S17 I17", 5, 3, 15, 15),
        (5, "3 17 2", "SB DB SB", 0, 0, 0, 2),  # the bull is no target
    ],
)
def test_a_visit(before: int, roll: str, darts: str, marks: int, multiplier: int, points: int, after: int) -> None:
    given = game(2, dice="manual")
    given.match.position = replace(given.match.position, state=replace(given.match.position.state, scores=(before, 40)))
    state = given.play({"choose": roll, "prompt": "roll@1"}, darts)
    assert state["sides"][0]["score"] == after
    assert state["sides"][0]["detail"] == {"last": {"marks": marks, "multiplier": multiplier, "points": points}}
    assert given.play("/")["last"]["points"] == points


def test_24_behind_stays_and_25_is_out() -> None:
    state, lost = round_over((60, 36, 35))
    assert lost == state.gone == {2}


def test_nobody_is_out_before_all_have_thrown() -> None:
    given = game(2, dice="manual")
    state = given.play({"choose": "3 3 17"}, "T3 T17 DB /")
    assert [side["score"] for side in state["sides"]] == [50, 0]
    assert [side["out"] for side in state["sides"]] == [False, False]
    assert state["turn"]["player"] == "Bo"


def test_cerberus_adds_his_level_every_round() -> None:
    given = game(1, dice="manual")
    assert msgspec.to_builtins(given.match.options)["cerberus"] == (4,)
    for round in range(1, 6):
        given.play({"choose": "1 2 3"}, "S1 MISS MISS")
        assert given.state["sides"][1] == {
            **given.state["sides"][1], "name": "Cerberus", "players": [], "score": 4 * round, "detail": {"last": None}
        }  # fmt: skip
        given.play("/")
    assert given.match.score(1) == 20


def test_the_odds_of_the_dice() -> None:
    """The text's odds are those of fair dice: ours show every face, and differ from visit to visit."""
    rules, state = ThreeDice(), game(2).match.position.state
    rolls = [
        rules.begin(state, turn(visit=visit), Luck(f"seed {n}", visit)).state.roll or ()
        for n in range(2000)
        for visit in range(1, 11)
    ]
    kinds = Counter(len(set(roll)) for roll in rolls)
    seen = [kinds[different] / len(rolls) for different in (3, 2, 1)]
    assert seen == pytest.approx([0.855, 0.1425, 0.0025], abs=0.01)
    assert seen[2] == pytest.approx(0.0025, rel=0.5)
    faces = Counter(face for roll in rolls for face in roll)
    assert set(faces) == set(range(1, 21))
    assert all(2700 < count < 3300 for count in faces.values())


@pytest.mark.parametrize(
    ("roll", "targets"),
    [
        ("7 16 10", ["7", "16", "10"]),
        ("5 9 5", ["5", "9", "bull"]),
        ("9 5 5", ["9", "5", "bull"]),
        ("12 12 12", ["12", "bull"]),  # the wild one is named after the darts
    ],
)
def test_targets(roll: str, targets: list[str]) -> None:
    given = game(2, dice="manual")
    assert given.state["targets"] == []
    assert given.state["board"] == {"roll": None}
    state = given.play({"choose": roll})
    assert state["targets"] == targets
    assert state["board"] == {"roll": [int(number) for number in roll.split()]}


# --- the questions -------------------------------------------------------------------------------------------------


def test_what_the_dice_show_is_asked_before_the_darts() -> None:
    given = game(2, dice="manual")
    (prompt,) = given.state["prompts"]
    assert (prompt["id"], prompt["options"], prompt["default"], prompt["blocking"]) == ("roll@1", None, None, True)
    given.refused({"throw": "T20"})
    given.refused({"next": True})
    for answer in ("7 16", "7 16 21", "0 1 2", "7 16 10 3", "07 16 10", "7,16,10", "", "1 2 ٣"):
        given.refused({"choose": answer})
    given.play({"choose": "20 1 20"})
    given.refused({"choose": "7 16 10"})


def test_the_wild_number_is_asked_after_the_darts_with_the_best_first() -> None:
    given = game(2, dice="manual")
    given.play({"choose": "7 7 7"}, "T7 T19")
    assert not given.state["prompts"]
    (prompt,) = given.play("D5")["prompts"]
    assert (prompt["id"], prompt["default"], prompt["blocking"], prompt["pattern"]) == ("wild@1", "19", True, None)
    assert prompt["options"] == [str(number) for number in range(1, 21) if number != 7]
    assert (prompt["values"]["19"], prompt["values"]["5"], prompt["values"]["1"]) == (18, 15, 3)
    assert given.state["phase"] == "deciding"
    given.refused({"choose": "7"})
    state = given.play({"choose": "5", "prompt": "wild@1"})
    assert state["phase"] == "takeout"
    assert state["sides"][0]["detail"] == {"last": {"marks": 5, "multiplier": 3, "points": 15}}
    assert state["targets"] == ["7", "bull", "5"]


def test_an_open_wild_costs_3_only_when_no_dart_is_in_a_number_or_the_bull() -> None:
    for darts, wild, score in (("MISS MISS MISS", "1", 7), ("S9 MISS MISS", "1", 10), ("S9 MISS MISS", "9", 11)):
        given = game(2, dice="manual")
        given.match.position = replace(given.match.position, state=replace(given.match.position.state, scores=(10, 10)))
        assert given.play({"choose": "7 7 7"}, darts, {"choose": wild})["sides"][0]["score"] == score


# --- who wins ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "options", "winners"),
    [
        ((40, 10), {}, (0,)),
        ((24, 0), {}, None),
        ((40, 10, 39), {"cerberus": []}, None),
        ((40, 10), {"cerberus": [20]}, None),  # 40 to 30: the head is in the way
        ((40, 10), {"cerberus": [20], "cerberus_must_fall": False}, (0,)),
        ((40, 60, 10), {"cerberus": [20], "cerberus_must_fall": False}, None),
        ((0, 0), {"cerberus": [30, 26]}, (2,)),  # nobody is left, and both heads are
        ((0, 0), {"cerberus": [30, 30]}, (2, 3)),
        ((24, 0), {"cerberus": [25]}, None),
    ],
)
def test_who_has_won(scores: tuple[int, ...], options: dict[str, Any], winners: tuple[int, ...] | None) -> None:
    given, rules = game(len(scores), **options), ThreeDice()
    heads = len(options.get("cerberus", []))
    state = replace(given.match.position.state, scores=scores + (0,) * heads)
    step = rules.round_over(state, turn(people=len(scores) + heads), Luck("oche", 1))
    assert step.winners == winners


def test_one_person_needs_a_head_and_there_are_three_at_most() -> None:
    for options, people in (({"cerberus": []}, 1), ({"cerberus": [1, 2, 3, 4]}, 2), ({"cerberus": [0]}, 2)):
        with pytest.raises(Unreadable, match="cerberus"):
            game(people, **options)
    three = game(2, cerberus=[1, 2, 3])
    assert [side["name"] for side in three.state["sides"]] == ["Ann", "Bo", "Cerberus", "Cerberus 2", "Cerberus 3"]
    assert [side["name"] for side in game(2).state["sides"]] == ["Ann", "Bo"]
    assert "nobody" in three.refused({"retire": 2})


def test_who_is_left_alone_has_won() -> None:
    given = game(3)
    given.play({"retire": 1}, "MISS MISS MISS / MISS MISS MISS", {"retire": 2})
    assert given.state["phase"] == "over"
    assert given.state["winners"] == [0]
    alone = game(2, dice="manual")
    alone.play({"choose": "1 2 3"}, "S1 /", {"choose": "1 2 3"}, "T1 S2 /", {"retire": 0})
    assert alone.state["winners"] == [1]
    assert [side["score"] for side in alone.state["sides"]] == [1, 12], "the visit that it ends costs nothing"


def test_the_last_who_are_in_can_leave_too() -> None:
    """Cy is out already, so not everybody has left, and still nobody is there to win."""
    given = game(3, dice="manual")
    for darts in ("T1 T2 T3 /", "T1 T2 T3 /", "MISS MISS MISS /"):
        given.play({"choose": "1 2 3"}, darts)
    assert [side["out"] for side in given.state["sides"]] == [False, False, True]
    given.play({"choose": "1 2 3"}, {"retire": 1}, {"retire": 0})
    assert given.state["phase"] == "over"
    assert given.state["winners"] == []


def test_facts_say_who_is_out_and_that_the_best_visit_was_thrown() -> None:
    given = game(2, dice="manual")
    given.play({"choose": "3 3 17"}, "T3 T17")
    assert Award(side=0, award="fifty") in given.add({"throw": "DB"}).facts
    given.play("/", {"choose": "1 2 4"}, "S1 MISS")
    assert Eliminated(side=1) in given.add({"throw": "MISS"}).facts


def test_who_is_out_is_told_once() -> None:
    given = game(3)
    state = replace(given.match.position.state, scores=(60, 36, 0), gone=frozenset({2}))
    step = ThreeDice().round_over(state, turn(people=3), Luck("oche", 1))
    assert step.facts == ()
    assert step.state.gone == {2}


# --- what is seen, and luck ----------------------------------------------------------------------------------------


def test_everybody_sees_the_same_and_the_state_is_small() -> None:
    given = game(2, dice="manual", cerberus=[4, 5, 6])
    given.play({"choose": "20 20 20"}, "T20 T19 DB")
    assert given.encoded(0) == given.encoded(1) == given.encoded()
    assert len(given.encoded()) < 4096


def test_a_roll_belongs_to_its_visit() -> None:
    """Neither a correction nor undo rolls again, and a visit of its own has a roll of its own."""
    given = game(2)
    first = given.state["board"]["roll"]
    given.play("S1 S2 S3 /")
    second = given.state["board"]["roll"]
    given.play("S4", {"amend": 2, "throw": "T20"})
    assert given.state["board"]["roll"] == second != first
    given.play(*[{"undo": True}] * 6)
    assert given.state["board"]["roll"] == first
    assert given.play("T1 T1 T1 /")["board"]["roll"] == second


def test_advice_is_legal_and_goes_for_a_target_that_is_not_hit_yet() -> None:
    given = game(1, dice="manual")
    given.play({"choose": given.match.advice().answer})
    given = game(1, dice="manual")
    given.play({"choose": "7 16 7"})
    assert given.match.advice().aim == "T7"
    given.play("S7")
    assert given.match.advice().aim == "T16"
    given.play("S16")
    assert given.match.advice().aim == "DB"
    given.play("DB")
    assert given.match.advice().answer is None
    given = game(1, dice="manual")
    given.play({"choose": "20 20 20"}, "S20")
    assert given.match.advice().aim == "T19"
    given.play("SB")
    assert given.match.advice().aim == "T19"
    given.play("D5")
    assert given.match.advice().answer == "5"
