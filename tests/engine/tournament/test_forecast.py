"""Forecasts against evenings whose end is known, and what they are made of."""

from __future__ import annotations

from random import Random
from statistics import fmean
from typing import Any

import pytest
from msgspec.structs import replace

from engine.tournament.dispatch import order_next
from engine.tournament.draws import propose_draw
from engine.tournament.forecast import USUAL_S, USUAL_WALK_S, Outlook, expect_legs, foresee, measure
from protocol.match_spec import Format
from protocol.tournament import (
    Begin,
    Call,
    DrawLadder,
    Enter,
    Forecast,
    Kind,
    Pair,
    Result,
    SetTables,
    TableUse,
    TournamentSpec,
)
from tests.engine.tournament.clubs import BEGINS_S, Club
from tests.engine.tournament.evenings import Evening


def make(kind: Kind, seed: int = 1, **given: Any) -> TournamentSpec:  # Any: fields of the spec
    return TournamentSpec("An evening", kind, format=Format(legs=2 + seed % 2), seed=str(seed), **given)


def play_half(spec: TournamentSpec, count: int, tables: int, seed: int) -> tuple[Club, int]:
    """The evening after half of its matches, and when it will end."""
    whole, half = Club(spec, count, tables, seed), Club(spec, count, tables, seed)
    whole.run()
    half.run(lambda club: club.ended >= whole.ended // 2)
    return half, whole.now_s


def ask(club: Club) -> Forecast:
    found = foresee(club.now, club.now_s).forecast
    assert found is not None
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "count", "tables"),
    [
        ("knock_out", 64, 6),
        ("double_knock_out", 16, 3),
        ("double_knock_out", 32, 4),
        ("round_robin", 8, 2),
        ("round_robin", 7, 1),
        ("groups", 16, 4),
        ("swiss", 21, 5),
    ],
)
def test_after_half_of_the_matches_the_rest_is_known_within_a_quarter(kind: Kind, count: int, tables: int) -> None:
    """Of nearly all: of 14 matches at two tables, the last ones can all end quickly."""
    errors, within = [], 0
    for seed in range(6):
        club, end_s = play_half(make(kind, seed), count, tables, seed)
        found = ask(club)
        errors.append(abs(found.end_s - end_s) / (end_s - club.now_s))
        within += found.early_s <= end_s <= found.late_s
    assert sum(error <= 0.25 for error in errors) >= 5
    assert fmean(errors) <= 0.15
    assert within >= 4  # the range is to hold four of five


def test_a_slow_player_makes_the_rest_longer() -> None:
    club = Club(make("round_robin"), 6, 1, 3)
    club.tempo["P0a"] = 900
    club.run(lambda club: club.ended >= 8)
    pace = measure(club.now, {})
    assert pace.find_leg_s(["P0a"]) > 1.3 * pace.leg_s
    assert all(pace.find_leg_s([f"P{number}a"]) < pace.find_leg_s(["P0a"]) for number in range(1, 6))
    assert pace.find_leg_s(["A stranger"]) == pace.leg_s


def test_before_the_draw_it_is_as_if_it_were_drawn_now() -> None:
    club = Club(make("knock_out"), 8, 2, 1)
    before = ask(club)
    draw = propose_draw(club.now, "")
    assert draw is not None
    club.do(draw, "organiser")
    assert ask(club) == before
    assert before.early_s < before.end_s < before.late_s
    legs = expect_legs(club.now.spec.format)
    match_s = USUAL_WALK_S + legs * USUAL_S
    assert before.end_s - BEGINS_S == pytest.approx(4 * match_s, rel=0.25)  # 2 + 1 + 1 in a row at two tables


def test_what_is_known_of_the_pace_from_elsewhere_counts_before_any_match() -> None:
    club = Club(make("round_robin"), 4, 1, 1)
    known = dict.fromkeys((f"p{number}a" for number in range(4)), 100.0)
    fast = foresee(club.now, club.now_s, known).forecast
    assert fast is not None
    assert fast.end_s - club.now_s < 0.6 * (ask(club).end_s - club.now_s)


def test_the_range_narrows_with_what_is_played() -> None:
    club = Club(make("round_robin"), 8, 2, 1)
    first = ask(club)
    club.run(lambda club: club.ended >= 14)
    later = ask(club)
    assert (later.late_s - later.early_s) / (later.end_s - club.now_s) < 0.8 * (first.late_s - first.early_s) / (
        first.end_s - BEGINS_S
    )


def test_more_tables_end_earlier_and_without_one_there_is_none() -> None:
    ends = [ask(Club(make("round_robin"), 8, tables, 1)).end_s for tables in (1, 2, 4)]
    assert ends == sorted(ends, reverse=True)
    club = Club(make("round_robin"), 8, 2, 1)
    paused = SetTables(tuple(replace(each, paused=True) for each in club.now.tables))
    club.do(paused, "organiser")
    assert foresee(club.now, club.now_s) == Outlook(None, {})


def test_each_match_is_due_after_those_it_waits_for() -> None:
    club, _ = play_half(make("double_knock_out"), 8, 2, 1)
    due_s = foresee(club.now, club.now_s).due_s
    open_matches = {match for match in club.now.list_matches() if club.now.find_status(match) in ("waiting", "ready")}
    assert open_matches - due_s.keys() <= {"final-2"}
    for match, later in club.now.fixtures.dependents.items():
        for each in later:
            if match in due_s and each in due_s:
                assert due_s[match] < due_s[each]


def test_what_is_called_first_is_due_first() -> None:
    """Of a round those who have waited longest, wherever they stand in the bracket."""
    evening = Evening(make("knock_out"), 16)
    evening.draw()
    for at, number in enumerate((6, 5, 8, 7, 2, 1, 4, 3)):
        sides = evening.now.find_sides(match := f"winners-1-{number}")
        evening.do(Result(match, sides, sides[0], (2, 0)), at_s=100 * at)
    ready = order_next(evening.now, 1000)
    assert ready == ("winners-2-3", "winners-2-4", "winners-2-1", "winners-2-2")
    due_s = foresee(evening.now, 1000).due_s
    assert [due_s[match] for match in ready] == sorted(due_s[match] for match in ready)


@pytest.mark.parametrize("kind", ["groups", "double_knock_out", "swiss"])
def test_at_any_time_there_is_a_forecast(kind: Kind) -> None:
    """Matches are played in any order, so those after the groups also while other groups are open."""
    evening, random = Evening(make(kind, groups=8, through=3), 16), Random(4)
    evening.draw()
    while (step := evening.find_step(random.choice)) is not None:
        step()
        found = foresee(evening.now, 0).forecast
        assert (found is None) == (evening.now.phase == "over")


def test_rests_between_matches_take_time() -> None:
    without, rested = (ask(Club(make("round_robin", rest_s=rest_s), 4, 2, 1)).end_s for rest_s in (0, 1800))
    assert rested - without == pytest.approx(2 * 1800, rel=0.2)


def test_a_ladder_ends_when_people_end_it_but_its_matches_are_due() -> None:
    club = Club(make("ladder"), 4, 1, 1)
    club.do(DrawLadder((2, 3, 4, 5)), "organiser")
    club.do(Pair((3, 2)), "organiser")
    found = foresee(club.now, club.now_s)
    assert found.forecast is None
    assert list(found.due_s.values()) == [BEGINS_S + USUAL_WALK_S]


def test_results_on_paper_tell_the_pace_from_the_call() -> None:
    spec = TournamentSpec("An evening", "round_robin")
    club = Club(spec, 3, 0, 1)
    club.do(SetTables((TableUse("paper", paper=True),)), "organiser")
    draw = propose_draw(club.now, "")
    assert draw is not None
    club.do(draw, "organiser")
    match = next(iter(club.now.list_matches()))
    club.do(Call(match, "paper"), "organiser")
    club.now_s += 690
    sides = club.now.find_sides(match)
    club.do(Result(match, sides, sides[0], (1, 0)), "organiser")
    pace = measure(club.now, {})
    assert pace.measured == 1
    assert pace.leg_s == pytest.approx((690 - USUAL_WALK_S + USUAL_S) / 2)


def test_a_break_in_a_match_does_not_slow_the_others_down() -> None:
    club, _ = play_half(make("round_robin"), 8, 2, 1)
    before = measure(club.now, {}).leg_s
    match = next(m for m in club.now.list_matches() if club.now.find_status(m) == "ready")
    club.now_s += 10_000
    for other, play in club.now.plays.items():
        if play.active:
            club.do(Call(other, None), "organiser")
    club.do(Call(match, "t0"), "organiser")
    attempt, sides = club.now.play(match).attempt, club.now.find_sides(match)
    club.do(Begin(match, attempt), "table")
    club.now_s += 7200
    club.do(Result(match, sides, sides[0], (2, 0), attempt=attempt), "table")
    assert measure(club.now, {}).leg_s < 1.25 * before


@pytest.mark.parametrize(
    ("format", "legs"),
    [
        (Format(), 1),
        (Format(legs=2), 2.5),
        (Format(legs=3), 4.125),
        (Format(legs=2, sets=2), 6.25),
        (Format(legs=4, play="all"), 4),
    ],
)
def test_how_many_legs_equal_players_play(format: Format, legs: float) -> None:
    assert expect_legs(format) == legs


@pytest.mark.parametrize("kind", ["knock_out", "double_knock_out", "swiss", "groups"])
def test_256_are_foreseen(kind: Kind) -> None:
    spec = TournamentSpec("An evening", kind, groups=32)
    club = Club(replace(spec, seeding="hand"), 0, 16, 1)
    for number in range(256):
        club.do(Enter((f"P{number}",)), "organiser")
    assert ask(club).end_s > BEGINS_S + 16 * USUAL_WALK_S


def test_those_who_rest_are_waited_for_however_many_matches_are_ready() -> None:
    """Without end while only the first of the ready matches were looked at, and time was read from all of them."""
    evening = Evening(make("round_robin", rest_s=3600), 16)
    evening.do(SetTables(tuple(TableUse(f"t{number}") for number in range(3))))
    evening.draw()
    outlook = foresee(evening.now, BEGINS_S)
    assert len(outlook.due_s) == 120
    assert min(outlook.due_s.values()) > BEGINS_S


def test_a_clock_that_was_set_back_gives_no_forecast_in_the_past() -> None:
    evening = Evening(make("knock_out"), 8)
    evening.draw()
    for match in ("winners-1-1", "winners-1-2", "winners-1-3"):
        evening.do(Call(match, "one"), "desk", BEGINS_S + 90_000)
        attempt, sides = evening.now.play(match).attempt, evening.now.find_sides(match)
        evening.do(Begin(match, attempt), "table", BEGINS_S)
        evening.do(Result(match, sides, sides[0], (2, 0), attempt=attempt), "table", BEGINS_S + 300)
    evening.do(Call("winners-1-4", "one"), "desk", BEGINS_S + 90_000)
    outlook = foresee(evening.now, BEGINS_S + 300)
    assert outlook.forecast is not None
    assert BEGINS_S + 300 < outlook.forecast.end_s < BEGINS_S + 10_000
