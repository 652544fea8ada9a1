"""The scoring and race games beside their transcripts: facts, figures, awards, questions, who leaves, advice."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine.facts import Award, Bust, Claimed, Closed, Fact
from engine.games import GAMES, PRESETS
from engine.record import Unreadable
from engine.skill import Skill
from protocol.layouts import layout
from tests.engine.records import Record, header

FACE = layout("standard")
SKILLS = {sigma: Skill(FACE, sigma) for sigma in (0.0, 20.0, 40.0)}
IDS = (
    *("count_up", "low_ball", "around_the_world", "darts_at", "round_the_clock"),
    *("gotcha", "all_fives", "football", "snooker"),
)


def game(name: str, people: int = 2, **options: Any) -> Record:  # Any: JSON
    return Record(header(name, ("Ann", "Bo", "Cy", "Di")[:people], options=options))


def facts(given: Record, dart: str, kind: type[Fact]) -> list[Fact]:
    """The facts of that kind that this dart had."""
    return [fact for fact in given.add({"throw": dart}).facts if isinstance(fact, kind)]


def aim(given: Record, sigma: float = 0.0) -> str | None:
    return given.match.advice(SKILLS[sigma]).aim


# --- counting ------------------------------------------------------------------------------------------------------


def test_count_up_has_the_awards_of_points() -> None:
    given = game("count_up", 1)
    given.play("T20 T20")
    assert facts(given, "T20", Award) == [Award(side=0, award="180")]
    given.play("/ T20 T20")
    assert facts(given, "S1", Award) == [Award(side=0, award="low_ton")]
    assert given.match.turn.tallies[0].counts["award:180"] == 1


def test_three_triples_are_no_award_where_low_is_good() -> None:
    given = game("low_ball", 1)
    given.play("T20 T20")
    assert not facts(given, "T20", Award)


def test_the_most_that_count_up_has_to_give() -> None:
    for dart, most in (("T20", 1440), ("SB", 1200)):
        given = game("count_up", 1)
        given.play(*[f"{dart} {dart} {dart} /"] * 7, f"{dart} {dart} {dart}")
        assert (given.match.score(0), given.state["phase"]) == (most, "over")


def test_of_those_who_throw_on_the_last_one_there_wins() -> None:
    given = game("count_up", 3, rounds=1, tie="one_more_round")
    state = given.play("S20 / S20 / S1 /", {"retire": 0}, "/")
    assert (state["phase"], state["winners"]) == ("over", [1])


def test_a_target_counts_no_rounds() -> None:
    given = game("count_up", 1, rounds=1, target=100)
    state = given.play("S20 / S20 /")
    assert (state["phase"], state["round"]) == ("throwing", 3)


@pytest.mark.parametrize("preset", ["high_score", "nine_dart_shootout", "elimination"])
def test_a_preset_starts(preset: str) -> None:
    assert game(preset).state["game"] == PRESETS[preset].game
    assert PRESETS[preset].line.endswith(".")


def test_teams_take_turns() -> None:
    given = Record(header("count_up", ("Ann", "Bo", "Cy"), teams=[[0, 1], [2]]))
    seen = []
    for _ in range(4):
        seen.append(given.state["turn"]["player"])
        given.play("/")
    assert seen == ["Ann", "Cy", "Bo", "Cy"]


# --- clock ---------------------------------------------------------------------------------------------------------


def test_a_number_done_is_closed_and_counted() -> None:
    given = game("round_the_clock", bull="inner", start=20)
    assert facts(given, "S20", Closed) == [Closed(side=0, target="20")]
    assert not facts(given, "SB", Closed)
    assert facts(given, "DB", Closed) == [Closed(side=0, target="DB")]
    assert given.match.turn.tallies[0].counts["on_target"] == 2


def test_the_drawn_order_is_the_same_again_and_another_with_other_luck() -> None:
    orders = {tuple(Record(header("round_the_clock", options={"order": "random"}, seed=seed)).state["board"]["steps"])
              for seed in ("oche", "oche", "bull")}  # fmt: skip
    assert len(orders) == 2
    assert all(sorted(map(int, order)) == list(range(1, 21)) for order in orders)


def test_a_merged_single_is_a_single() -> None:
    for dart in ("S1", "I1", "O1"):
        assert game("round_the_clock", ring="single").play(dart)["sides"][0]["score"] == 1
    for dart in ("D1", "T1"):
        assert game("round_the_clock", ring="single").play(dart)["sides"][0]["score"] == 0


# --- gotcha --------------------------------------------------------------------------------------------------------


def test_a_score_is_taken_and_both_are_told() -> None:
    given = game("gotcha", 3)
    given.play("S20 / S10")
    outcome = given.add({"throw": "S10"})
    assert Claimed(side=1, cell="20") in outcome.facts
    assert given.state["sides"][0]["score"] == 0
    assert given.match.turn.tallies[1].counts["gotchas"] == 1


def test_nobody_is_caught_at_nothing_or_after_leaving() -> None:
    given = game("gotcha", 3)
    assert not facts(given, "MISS", Claimed)
    given.play("S20 MISS /", {"retire": 0}, "S20")
    assert given.state["sides"][0]["score"] == 20


def test_points_too_many_are_taken_off_as_the_sheet_says() -> None:
    given = game("gotcha", target=101, overage="subtract")
    state = given.play("T20 S20 S10 / / T20")
    assert (state["phase"], state["sides"][0]["score"]) == ("takeout", 41)


def test_a_bust_is_told_and_ends_the_visit() -> None:
    given = game("gotcha", target=101)
    given.play("T20")
    assert facts(given, "T20", Bust) == [Bust(side=0)]
    state = given.play("/")
    assert (state["last"]["points"], state["sides"][0]["detail"]["busts"]) == (0, 1)


def test_a_bust_catches_nobody_after_the_visit_either() -> None:
    given = game("gotcha", target=101, strike="visit", overage="subtract")
    given.play("T20 S20 MISS / T20 S15 S20 / / T7 /")  # Bo: 95, and 15 too many
    assert [given.match.score(side) for side in range(2)] == [80, 80]
    given.play("/")
    assert [given.match.score(side) for side in range(2)] == [80, 0]


def test_gotcha_wants_the_end_then_a_score_then_points() -> None:
    given = game("gotcha", target=101)
    assert aim(given) == "T20"
    given.play("S10 S10 / T20 /")
    assert given.state["targets"] == ["D20"]  # 81 are too many for one dart; at 60 Bo is caught
    assert aim(given) == "D20"
    given.play("D20 S1")
    assert aim(given) == "D20"  # and out


# --- fives ---------------------------------------------------------------------------------------------------------


def test_a_visit_that_does_not_count_is_a_bust() -> None:
    given = game("all_fives")
    given.play("T20 S1")
    assert facts(given, "S1", Bust) == [Bust(side=0)]
    given.play("/ S20 S20")
    assert not facts(given, "S20", Bust)
    assert given.state["sides"][1]["detail"] == {"average": 12.0, "best": 12, "visits": [1, 1]}


def test_the_last_dart_makes_it_fit() -> None:
    given = game("all_fives")
    assert aim(given) == "T20"
    given.play("S20 S1")
    fits = FACE[aim(given) or ""]
    assert (21 + fits.points) % 5 == 0
    assert fits.points == max(segment.points for segment in FACE.areas if segment.points % 5 == 4)


# --- football ------------------------------------------------------------------------------------------------------


def test_the_ball_is_told_and_three_goals_are_a_hat_trick() -> None:
    given = game("football")
    assert facts(given, "DB", Claimed) == [Claimed(side=0, cell="ball")]
    assert not facts(given, "DB", Claimed)
    given.play("/ / D1 D2")
    assert facts(given, "DB", Award) == [Award(side=0, award="hat_trick")]
    assert given.state["sides"][0]["score"] == 4


def test_three_bulls_are_no_hat_trick() -> None:
    given = game("football")
    given.play("DB DB")
    assert not facts(given, "DB", Award)


def test_football_is_for_two_sides() -> None:
    with pytest.raises(Unreadable, match="2 side"):
        game("football", 3)


def test_football_wants_the_ball_then_doubles() -> None:
    given = game("football")
    assert aim(given) == "DB"
    given.play("DB")
    assert aim(given) == "D20"


# --- snooker -------------------------------------------------------------------------------------------------------


def test_a_pot_is_told_and_the_break_grows_over_visits() -> None:
    given = game("snooker")
    assert facts(given, "T3", Claimed) == [Claimed(side=0, cell="3")]
    assert facts(given, "SB", Claimed) == [Claimed(side=0, cell="black")]
    given.play("S4 / S20 MISS / / /")
    assert given.state["turn"]["side"] == 1
    assert given.match.turn.tallies[0].highs["break"] == 15


def test_in_a_team_the_next_member_carries_the_break_on() -> None:
    given = Record(header("snooker", ("Ann", "Bo", "Cy"), teams=[[0, 1], [2]]))
    state = given.play("S1 DB S2 /")
    assert (state["turn"]["player"], state["board"]["on"]) == ("Bo", "colour")
    assert given.play("DB /")["sides"][0]["score"] == 16
    assert [tally.highs.get("break") for tally in given.match.position.tallies] == [9, 16, None]


def test_who_leaves_the_table_takes_the_break_along() -> None:
    given = game("snooker", 3, nominate=True)
    given.play("S1")
    assert given.state["phase"] == "deciding"
    state = given.play({"retire": 0})
    assert (state["turn"]["side"], state["phase"], state["board"]["on"]) == (1, "throwing", "red")


def test_the_next_side_is_passed_over_when_it_has_left() -> None:
    given = game("snooker", 3)
    state = given.play("S1 MISS", {"retire": 1}, "/")
    assert state["turn"]["side"] == 2


def test_a_red_by_the_third_dart_asks_in_the_next_visit() -> None:
    given = game("snooker", nominate=True)
    state = given.play("S1", {"choose": "bull"}, "SB S2")
    assert state["phase"] == "takeout"
    (prompt,) = given.play("/")["prompts"]
    assert prompt["id"] == "colour@2"
    assert prompt["values"] == {"16": 2, "17": 3, "18": 4, "19": 5, "20": 6, "bull": 7}
    assert "pick" in given.refused({"choose": "pick"})


def test_only_those_who_are_level_throw_at_the_black_again() -> None:
    given = game("snooker", 3)
    position = given.match.position
    last = replace(position.state, reds=(), colours=("bull",), scores=(5, 12, 3))
    given.match.position = replace(position, state=last)
    seen = []
    given.add({"throw": "DB"})
    for _ in range(3):
        given.add({"next": True})
        seen.append(given.match.position.visit.side)
        given.add({"throw": "MISS"})
    assert seen == [1, 0, 1]


@pytest.mark.parametrize(
    ("before", "dart", "given_away"),
    [
        ("", "S16", 4),  # the yellow instead of a red
        ("", "SB", 7),
        ("", "MISS", 0),
        ("S1 MISS / MISS /", "S1", 0),  # gone
        ("S1", "S2", 4),  # a red instead of any colour
    ],
)
def test_a_foul_gives_points_to_everybody_else(before: str, dart: str, given_away: int) -> None:
    given = game("snooker", 3, fouls=True)
    given.play(before)
    mine = given.state["turn"]["side"]
    had = [side["score"] for side in given.state["sides"]]
    now = [side["score"] for side in given.play(dart)["sides"]]
    assert now == [score + given_away * (side != mine) for side, score in enumerate(had)]


def test_snooker_wants_the_black_unless_another_colour_is_easier() -> None:
    given = game("snooker", nominate=True)
    given.play("S1")
    assert given.match.advice(SKILLS[0.0]).answer == "bull"
    assert given.match.advice(SKILLS[40.0]).answer in {"17", "18", "19", "20"}
    given.play({"choose": "18"})
    assert FACE[aim(given) or ""].value == 18


# --- advice --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("sigma", [0.0, 40.0])
def test_what_is_advised_can_be_aimed_at_and_ends_the_match(name: str, sigma: float) -> None:
    """Every dart lands where it is aimed at, so the weak thrower's choices are seen through as well."""
    given = game(name)
    for _ in range(600):
        state = given.state
        if state["phase"] == "over":
            break
        advice = given.match.advice(SKILLS[sigma])
        if state["phase"] == "takeout":
            assert advice.aim is None
            given.play("/")
        elif state["phase"] == "deciding":
            given.play({"choose": advice.answer})
        else:
            assert advice.aim is not None
            assert FACE[advice.aim].points
            given.play({"throw": advice.aim})
    assert given.state["phase"] == "over"
    assert given.state["winners"]


@pytest.mark.parametrize(("name", "perfect"), [("count_up", "T20"), ("low_ball", "O1"), ("darts_at", "T20")])
def test_the_perfect_player_gets_the_obvious_target(name: str, perfect: str) -> None:
    assert aim(game(name)) == perfect


def test_a_weak_thrower_is_told_something_else() -> None:
    assert aim(game("count_up"), 20.0) == "DB"  # it is as wide as 50 points get
    assert aim(game("low_ball"), 40.0) not in {"O1", "I1"}
    assert aim(game("darts_at"), 40.0) in {"I20", "O20"}


def test_every_game_of_these_is_registered() -> None:
    assert set(IDS) <= set(GAMES)
