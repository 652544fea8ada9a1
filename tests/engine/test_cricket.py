"""What the transcripts of the cricket family cannot show: facts, awards, figures, advice, and that nothing leaks."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import pytest
from msgspec.structs import replace

from engine.facts import Award, Closed, PromptOpened
from engine.games import cricket, cricket_advice, tactics
from engine.record import Unreadable
from engine.skill import Skill
from engine.tally import Tally
from protocol.layouts import layout
from tests.engine.people import PAIRS, play
from tests.engine.records import Record, header

FACE = layout("standard")
FOUR = ("Ann", "Bo", "Cy", "Di")
skilled = cache(partial(Skill, FACE))


def begun(game: str = "cricket", players: tuple[str, ...] = ("Ann", "Bo"), **options: Any) -> Record:  # Any: JSON
    return Record(header(game, players, options=options))


def told(given: Record, darts: str) -> list[Any]:
    """The facts of these inputs."""
    facts: list[Any] = []
    for word in darts.split():
        outcome = given.add({"next": True} if word == "/" else {"throw": word})
        assert outcome.accepted, outcome.reason
        facts += outcome.facts
    return facts


def awards(given: Record, darts: str) -> list[str]:
    return [fact.award for fact in told(given, darts) if isinstance(fact, Award)]


def aim(given: Record, sigma_mm: float = 0) -> str | None:
    return given.match.advice(skilled(sigma_mm)).aim


def test_a_side_is_told_once_that_it_has_closed_a_row() -> None:
    given = begun()
    closed = [fact for fact in told(given, "D20 T20 S20 / DB T20 DB /") if isinstance(fact, Closed)]
    assert closed == [Closed(side=0, target="20"), Closed(side=1, target="20"), Closed(side=1, target="bull")]


def test_a_pair_is_told_when_the_second_partner_has_closed_it() -> None:
    given = Record(header("team_cricket", ("Ann", "Bo", "Cy", "Di"), teams=[[0, 2], [1, 3]]))
    assert not [fact for fact in told(given, "T20 S20 S1 / MISS /") if isinstance(fact, Closed)]
    assert [fact for fact in told(given, "T20") if isinstance(fact, Closed)] == [Closed(side=0, target="20")]


@pytest.mark.parametrize(
    ("darts", "award"),
    [
        ("T20 T19 T18", ["white_horse"]),
        ("T20 T20 S19", ["seven_mark"]),
        ("T20 T20 D19", ["eight_mark"]),
        ("T20 T20 T19", ["nine_mark"]),
        ("T20 D19 MISS", ["five_mark"]),
        ("T20 T19 MISS", ["six_mark"]),
        ("T20 S19 MISS", []),
        ("T19 T19 T19", ["three_in_a_bed"]),
        ("T20 T20 T20", ["180"]),
        ("DB SB DB", ["hat_trick"]),
        ("DB DB DB", ["three_in_the_black"]),
        ("T14 T14 T14", []),
        ("T20 T19 T5", ["six_mark"]),
    ],
)
def test_awards_are_for_marks(darts: str, award: list[str]) -> None:
    assert awards(begun(), darts) == award


def test_marks_that_neither_close_nor_score_count_for_no_award() -> None:
    given = begun(scoring="no_score")
    assert awards(given, "T20 T20 D19") == ["five_mark"]
    assert given.state["sides"][0]["detail"]["high_marks"] == [1, 0, 0, 0, 0]
    assert awards(given, "/ MISS / T20 T20 T20") == []
    assert given.match.position.tallies[0].counts["5m"] == 1


def test_marks_per_round_as_the_league_counts_them() -> None:
    assert Tally(darts=46).per_visit(59) == 3.85


def test_the_perfect_player_closes_all_in_eight_darts() -> None:
    match = play("no_score_cricket", 0, "oche", 100)
    assert match.position.winners == (0,)
    assert match.position.visit.round == 3
    tally = match.position.tallies[0]
    assert (tally.darts, tally.counts["marks"]) == (8, 21)
    assert match.panel().detail[0]["mpr"] == 7.88


def test_the_first_80_percent_are_those_up_to_the_visit_in_which_a_side_has_six_rows_closed() -> None:
    given = begun()
    given.play("T20 T19 T18 / S20 / T17 T16 T15 / T19 / T20 / T18 /")
    ann, bo = (tally.counts for tally in given.match.position.tallies)
    assert (ann["marks"], ann["marks_80"], ann["darts_80"]) == (21, 18, 6)
    assert (bo["marks"], bo["marks_80"], bo["darts_80"]) == (7, 1, 3)


def test_a_spread_is_refused_where_points_are_bad() -> None:
    with pytest.raises(Unreadable, match="a spread is for games in which points are good"):
        begun(scoring="cut_throat", spread=200)


@pytest.mark.parametrize("preset", [*cricket.PRESETS, *tactics.PRESETS], ids=lambda preset: preset.id)
def test_a_preset_is_played_by_those_it_is_for(preset: Any) -> None:
    in_pairs = "team_close" in preset.options
    first = header(preset.id, FOUR, teams=PAIRS) if in_pairs else header(preset.id)
    assert Record(first).state["phase"] == "throwing"


@pytest.mark.parametrize("order", ["down", "up"])
@pytest.mark.parametrize("numbers", ["hidden", "wild_card", "crazy"])
def test_numbers_that_are_hidden_or_change_are_closed_in_no_order(order: str, numbers: str) -> None:
    with pytest.raises(Unreadable, match=f"order {order} is for numbers standard or random, not for {numbers}"):
        begun(order=order, numbers=numbers)


def test_drawn_numbers_have_an_order_by_their_worth() -> None:
    given = begun(order="down", numbers="random")
    *numbers, bull = given.state["board"]["rows"]
    assert ([int(n) for n in numbers], bull) == (sorted(map(int, numbers), reverse=True), "B")
    assert given.state["targets"] == numbers[:1]
    assert begun(order="up", numbers="random").state["targets"] == ["bull"]


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({"order": "down"}, "Cricket Top Down"),
        ({"order": "up", "scoring": "cut_throat"}, "Cut-Throat Cricket Bull First"),
        ({"order": "down", "numbers": "random"}, "Random Cricket Top Down"),
    ],
)
def test_the_wall_tells_the_order(options: dict[str, Any], title: str) -> None:
    assert begun(**options).state["title"] == title


@pytest.mark.parametrize(
    ("teams", "team_close", "reason"),
    [
        (None, "both", "team_close both is for teams, and here everybody plays alone: make teams of two or more"),
        (None, "one", "team_close one is for teams, and here everybody plays alone: make teams of two or more"),
        ([[0, 2, 3], [1]], "both", "team_close both needs teams of one size: even them out, or take shared or one"),
    ],
)
def test_partners_who_close_together_are_needed(teams: Any, team_close: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        Record(header("cricket", FOUR, teams=teams, options={"team_close": team_close}))


def test_numbers_are_drawn_again_for_every_leg_and_undo_fishes_for_no_others() -> None:
    given = Record(header("cricket", options={"numbers": "wild_card", "rounds": 1}, format={"legs": 2}))
    first = given.state["board"]["rows"]
    second = given.play("S1 / S1 /")["board"]["rows"]
    assert given.state["leg"] == 2
    assert first != second
    given.play({"undo": True}, {"undo": True}, {"undo": True}, {"undo": True})
    assert given.state["board"]["rows"] == first
    assert given.play("S1 / S2 /")["board"]["rows"] == second


@pytest.mark.parametrize("darts", ["", "T5 S20", "S20 / T5 T1 S19 /", "SB / S8 DB /"])
def test_hidden_numbers_leak_nowhere(darts: str) -> None:
    """Other hidden numbers give the same screen and the same advice, to the last byte."""
    given = begun("hidden_cricket")
    given.play(darts)
    state = given.match.position.state
    before = [given.encoded(seat) for seat in (None, 0, 1)], aim(given), aim(given, 40)
    assert "?" in given.state["board"]["rows"]
    others = iter(n for n in map(str, range(20, 0, -1)) if n not in state.tried and n not in state.rows)
    rows = tuple(next(others) if row in state.hidden else row for row in state.rows)
    changed = replace(state, rows=rows, hidden=frozenset(rows) - {"bull"} - state.tried)
    assert set(rows) != set(state.rows)
    given.match.position = replace(given.match.position, state=changed)
    assert ([given.encoded(seat) for seat in (None, 0, 1)], aim(given), aim(given, 40)) == before


def test_who_seeks_hidden_numbers_does_not_look_twice() -> None:
    given = begun("hidden_cricket")
    assert aim(given) == "DB"
    given.play("DB SB / MISS /")
    tried: set[str] = set()
    for _ in range(3):
        target = aim(given)
        assert target not in tried
        tried.add(target or "")
        given.play({"throw": target})


@pytest.mark.parametrize(
    ("darts", "options", "target"),
    [
        ("", {}, "T20"),
        ("T20", {}, "T19"),
        ("", {"order": "up"}, "DB"),
        ("T20 T19 T18 / MISS / T17 T16 T15 / MISS /", {}, "DB"),
        ("MISS / T20 T20 T20 / T20 T19 T18 / MISS / T17 T16 T15 / MISS / DB SB", {}, "T19"),  # behind: points
        ("T20 T20 T20 / MISS /", {}, "T19"),  # in front: another row
        ("T20 / T19 T19 T19 /", {}, "T19"),  # far behind: first where the other one scores
        ("T20 / T19 T19 T19 / T19", {}, "T20"),  # then points
        ("T20 / T19 T19 T19 /", {"scoring": "no_score"}, "T19"),
    ],
)
def test_the_perfect_player_aims_at(darts: str, options: dict[str, Any], target: str) -> None:
    given = begun(**options)
    given.play(darts)
    assert aim(given) == target


def test_in_cut_throat_the_leader_is_hurt() -> None:
    """Ann has closed all. Bo has fewer points than she has: his open row is worth more than one that Cy has open."""
    given = begun("cut_throat", ("Ann", "Bo", "Cy"))
    given.play("T20 T19 T18 / T17 D17 S1 / MISS / T17 T16 T15 / T20 MISS MISS / T17 T19 MISS / DB SB")
    assert [side["score"] for side in given.state["sides"]] == [34, 0, 34]
    state, turn, rules = given.match.position.state, given.match.turn, cricket.GAMES[0]
    on_bo, on_cy = (cricket_advice.worth(state, turn, rules.uses(state, FACE[bed], turn)[0]) for bed in ("T19", "T20"))
    assert on_bo > on_cy
    assert aim(given) == "T18", "both have it open"


def test_a_weak_player_aims_where_his_scatter_pays() -> None:
    given = begun(order="down")
    assert aim(given, 5) == "T20"
    given.play("T20 / MISS /")
    assert aim(given, 40) in ("O19", "T19")


@pytest.mark.parametrize(("sigma_mm", "most"), [(12, 12), (40, 40)])
@pytest.mark.parametrize("name", ["cricket", "cut_throat", "hidden_cricket", "wild_card"])
def test_two_of_a_kind_come_to_an_end(name: str, sigma_mm: float, most: int) -> None:
    match = play(name, sigma_mm, "oche", 1000)
    assert match.position.over
    assert match.position.visit.round <= most


def test_a_choice_is_asked_for_when_there_is_one() -> None:
    given = begun("tactics")
    assert [fact for fact in told(given, "T20") if isinstance(fact, PromptOpened)] == [
        PromptOpened(side=0, id="use@1", seat=0)
    ]
    assert given.state["prompts"][0]["text"] == "What does T20 count as?"
    assert given.refused({"throw": "T20"}) == "answer use@1 first: What does T20 count as?"
    given.play({"choose": "20"})
    assert not [fact for fact in told(given, "T5 S20") if isinstance(fact, PromptOpened)]


def test_the_default_throws_no_points_away_and_a_player_closes_what_helps_more() -> None:
    given = begun("tactics")
    given.play("S20 S20 T20")
    prompt = given.state["prompts"][0]
    assert (prompt["default"], prompt["values"]) == ("20", {"20": 40, "triple": 0})
    assert given.match.advice(skilled(0)).answer == "triple"
    given.play({"undo": True}, {"undo": True}, {"undo": True}, "T20")
    prompt = given.state["prompts"][0]
    assert (prompt["default"], prompt["values"]) == ("20", {"20": 0, "triple": 0}), "three marks are more than one"
    assert given.match.advice(skilled(0)).answer == "20"


def test_in_cut_throat_an_answer_is_worth_what_all_opponents_get() -> None:
    given = begun("tactics", ("Ann", "Bo", "Cy"), scoring="cut_throat")
    given.play("T20", {"choose": "20"}, "T20")
    prompt = given.state["prompts"][0]
    assert (prompt["default"], prompt["values"]) == ("20", {"20": 120, "triple": 0})


def test_who_leaves_takes_the_open_question_along() -> None:
    given = begun("tactics", ("Ann", "Bo", "Cy"))
    given.play("T20", {"retire": 0})
    assert (given.state["phase"], given.state["turn"]["side"], given.state["prompts"]) == ("throwing", 1, [])


def test_a_choice_stays_open_when_its_points_have_left() -> None:
    """Ann may score on Cy with the 20 or mark a triple; Cy leaves, so the 20 comes to nothing."""
    given = begun("tactics", ("Ann", "Bo", "Cy"), lowest=15)
    given.play("S20 S20 S20 / S20 S20 S20 / MISS / T20", {"retire": 2})
    assert given.state["prompts"][0]["options"] == ["20", "triple"]
    given.play({"choose": "20"})
    assert given.state["sides"][0]["score"] == 0
    assert given.state["phase"] == "throwing"
    assert given.state["turn"]["darts_left"] == 2
