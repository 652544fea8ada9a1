"""Yatzy-Dart: the worked examples of its rules page, what it tells and advises, and corrections of closed visits."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import msgspec
import pytest

from engine.facts import Award, Claimed
from engine.games.yatzy_dart import YatzyDart
from engine.games.yatzy_rows import MOST, Area, Options, values
from protocol.layouts import layout
from tests.engine.naive_yatzy import ROWS
from tests.engine.records import Record, header

FACE = layout("yatzy")


def game(sides: int = 1, **options: Any) -> Record:  # Any: JSON
    return Record(header("yatzy_dart", ("Ann", "Bo", "Cy")[:sides], options=options))


def asked(given: Record) -> dict[str, int]:
    found: dict[str, int] = given.state["prompts"][0]["values"]
    return found


EXAMPLES = [
    ("YD-01", "6i x x", {"sixes": 18}),
    ("YD-02", "6i x x", {"pair": 12}),
    ("YD-03", "* x x", {"yatzy": 50}),
    ("YD-04", "1o 2o 3o", {"single_straight": 6}),
    ("YD-05", "4o 5o 6o", {"single_straight": 15}),
    ("YD-17", "5/6i x x", {"sixes": 18, "fives": 15, "two_pairs": 0, "villa": 0, "pair": 12}),
    ("two fours and a pair of fives with them", "45m 4m 5m", {"pair": 10, "two_pairs": 18, "fours": 16, "villa": 0}),
    ("villa 3 + 3", "5i 6i x", {"villa": 33, "double_straight": 0}),
    ("villa 3 + (2 + 1)", "5i 6m 6o", {"villa": 33, "three_kind": 18}),
    ("villa 3 + (2 + 2)", "1i 2m 2m", {"villa": 9}),
    ("never villa without an inner dart", "56m 56m 56m", {"villa": 0, "two_pairs": 22}),
    ("a straight needs three darts", "123i 123i x", {"single_straight": 0}),
    ("double needs each dart in the middle at least", "1i 2i 3o", {"single_straight": 6, "double_straight": 0}),
    ("no straight over the end", "5i 6i 1i", {"single_straight": 0, "chance": 36}),
]


@pytest.mark.parametrize(("darts", "expected"), [row[1:] for row in EXAMPLES], ids=[row[0] for row in EXAMPLES])
def test_the_worked_examples(darts: str, expected: dict[str, int]) -> None:
    given = game()
    for dart in darts.split():
        given.play({"throw": {"*": "STAR", "x": "NONE"}.get(dart, dart.replace("/", ""))})
    assert {row: asked(given)[row] for row in expected} == expected


@pytest.mark.parametrize(("ones", "bonus"), [("1m", 50), ("1o", 0)], ids=["YD-40: 101", "100"])
def test_the_bonus_is_for_more_than_100(ones: str, bonus: int) -> None:
    given = game()
    given.play("6i 6i 6i", {"choose": "sixes"}, "/ 5i 5i 5i", {"choose": "fives"})
    side = given.play(f"/ {ones} NONE NONE", {"choose": "ones"})["sides"][0]
    assert (side["detail"]["bonus"], side["score"]) == (bonus, side["detail"]["upper"] + bonus)


def test_the_example_of_a_closed_yatzy() -> None:
    """YD-46."""
    given = game()
    given.play("STAR NONE NONE", {"choose": "yatzy"}, "/ STAR NONE NONE")
    assert given.refused({"choose": "yatzy"}).startswith("'yatzy' is not an answer to row@2; possible: ones, ")


def test_the_example_of_a_dart_thrown_again() -> None:
    """YD-48."""
    assert game().play("OFF")["turn"]["darts_left"] == 3
    assert game().play("NONE")["turn"]["darts_left"] == 2
    assert [game(rethrows=1).play(darts)["turn"]["darts_left"] for darts in ("OFF", "OFF OFF")] == [3, 2]


def test_the_example_of_a_foul() -> None:
    """YD-49."""
    given = game()
    given.play("6i FOUL 6i")
    assert asked(given)["sixes"] == 36


def test_the_example_of_a_pushed_dart() -> None:
    """YD-50."""
    given = game()
    given.play("6i 5o 5o", {"amend": 2, "throw": "6m"})
    assert asked(given)["two_pairs"] == 22


@pytest.mark.long
def test_every_row_can_reach_its_most_and_all_of_them_518() -> None:
    found = [values(tuple(map(Area.of, three)), Options()) for three in combinations_with_replacement(FACE, 3)]
    most = dict(zip(ROWS, map(max, zip(*found, strict=True)), strict=True))
    assert most == MOST
    assert sum(most.values()) + 50 == 518


def test_who_follows_the_advice_and_never_misses_plays_the_best_game() -> None:
    given = game()
    while given.match.position.phase != "over":
        advice = given.match.advice()
        if given.match.position.phase == "throwing":
            assert advice.aim is not None
            assert FACE[advice.aim].outline, "nobody can aim at what has no area"
            assert given.state["targets"] == [advice.aim]
        answer = {"choose": advice.answer} if advice.answer else {"next": True}
        given.play({"throw": advice.aim} if advice.aim else answer)
    assert given.state["sides"][0]["score"] == 518


def test_a_bad_visit_is_advised_to_go_where_it_costs_least() -> None:
    given = game()
    given.play("NONE NONE NONE")
    assert given.match.advice().answer == "ones"
    given.play({"undo": True}, "6i")
    assert given.match.advice().answer == "three_kind", "18 is all of Three of a Kind, and a third of Sixes"


def test_the_game_tells_what_was_claimed_and_what_is_to_celebrate() -> None:
    given = game()
    given.play("6i 6i 6i", {"choose": "sixes"}, "/ 5i 5i 5i", {"choose": "fives"}, "/ STAR 1i 1i")
    assert Award(side=0, award="yatzy") in given.add({"choose": "yatzy"}).facts
    given.play("/ 1i 1i 1i")
    facts = given.add({"choose": "ones"}).facts
    assert Claimed(side=0, cell="ones") in facts
    assert Award(side=0, award="bonus") in facts
    given.play("/ NONE NONE NONE")
    assert not any(isinstance(fact, Award) for fact in given.add({"choose": "twos"}).facts)
    given = game()
    given.play("NONE NONE NONE")
    assert not any(isinstance(fact, Award) for fact in given.add({"choose": "yatzy"}).facts), "crossed out"


def test_there_are_no_secrets_and_the_longest_state_is_short() -> None:
    given = Record(header("yatzy_dart", ("N" * 40, "M" * 40), options={"star_in_chance": True}))
    longest = 0
    for row in ROWS:
        for darts in ("456i 456i 456i", "OFF OFF 456i STAR STAR"):
            given.play(darts)
            assert given.encoded(0) == given.encoded(1) == given.encoded()
            longest = max(longest, len(given.encoded()))
            given.play({"choose": row})
            if given.state["phase"] != "over":
                given.play("/")
    assert 1500 < longest < 4096


def test_who_left_does_not_win() -> None:
    given = game(2)
    given.play("6i 6i 6i", {"choose": "sixes"}, "/ NONE NONE NONE", {"choose": "sixes"}, "/", {"retire": 0})
    for row in ROWS:
        if row != "sixes":
            assert given.state["turn"]["side"] == 1
            given.play("/" if given.state["phase"] == "throwing" else {"choose": row})
            given.play({"choose": row})
            if given.state["phase"] != "over":
                given.play("/")
    state = given.state
    assert (state["phase"], state["winners"], state["sides"][0]["score"]) == ("over", [1], 54)


def test_a_lost_dart_of_a_closed_visit_does_not_lose_the_row() -> None:
    """The correction comes when others have thrown: the row that was chosen keeps its place, with what is left."""
    given = game(2)
    given.play("6i 6i 6o", {"choose": "pair"}, "/ 5i")
    corrections = ("OFF", ["6i", "OFF", "6o", "NONE"]), (None, ["6i", "6o", "NONE"]), ("NONE", ["6i", "NONE", "6o"])
    for was, lost in corrections:
        state = given.play({"amend": 3, "throw": was})
        assert state["sides"][0]["detail"]["rows"] == {"pair": 12}
        assert [dart["segment"] for dart in state["last"]["darts"]] == lost
        assert state["turn"]["side"] == 1
    given.play({"amend": 3, "throw": "OFF"})
    assert given.play({"amend": 5, "choose": "sixes"})["sides"][0]["detail"]["rows"] == {"sixes": 24}
    assert given.resumed().position == given.match.position


def test_an_answer_whose_dart_was_to_be_thrown_again_stays_void_when_the_row_was_asked_again() -> None:
    """Folded again, the visit must come out as it was played: the button filled it, and then the row was asked."""
    given = game()
    given.play("6i 6i 6i", {"choose": "pair"}, {"amend": 4, "throw": "OFF"}, "/", {"choose": "pair"})
    filled = given.state["turn"]["darts"]
    given.play("/", {"undo": True})
    assert given.state["turn"]["darts"] == filled
    given.play({"redo": True}, {"undo": True}, {"undo": True})
    assert given.state["turn"]["darts"] == filled
    assert given.state["phase"] == "deciding"


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ({"rethrows": -1}, "option rethrows of yatzy_dart is -1"),
        ({"foul": "game"}, 'option foul of yatzy_dart is "game"'),
        ({"tie": "extra"}, "yatzy_dart has no option 'tie'"),
    ],
)
def test_options_that_cannot_be(option: dict[str, Any], reason: str) -> None:  # Any: JSON
    with pytest.raises(ValueError, match=reason):
        game(**option)


def test_teams_cannot_play_and_the_options_are_those_of_the_page() -> None:
    with pytest.raises(ValueError, match="teams of 1 member"):
        Record(header("yatzy_dart", ("Ann", "Bo"), teams=[[0, 1]]))
    written = msgspec.to_builtins(game().match.options)
    assert written == {"star_in_chance": False, "straight": "any", "rethrows": None, "foul": "dart"}
    assert msgspec.json.decode(msgspec.json.encode(game().match.position.state))["row"] is None
    assert YatzyDart.layouts == ("yatzy",)
