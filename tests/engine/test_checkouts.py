"""Checkouts against what every player knows, and against a search that is too plain to be wrong."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import get_args

import pytest

from engine.checkouts import Bull, Out, beds, closes, find_approach, route
from protocol.layouts import find_layout
from tests.engine.records import Record, header
from tests.sweep import sweep

BEDS = [f"{ring}{number}" for ring in "SDT" for number in range(1, 21)] + ["SB", "DB"]
RULES = [(out, bull) for out in get_args(Out) for bull in get_args(Bull)]
rules = pytest.mark.parametrize(("out", "bull"), RULES)


def worth(bed: str, bull: Bull) -> tuple[int, int]:
    segment = find_layout("standard")[bed]
    fat = bull == "50/50" and segment.value == 25
    return (50, 2) if fat else (segment.points, segment.multiplier)


def last_darts(out: Out, bull: Bull) -> set[int]:
    rings = {"straight": {1, 2, 3}, "double": {2}, "master": {2, 3}}[out]
    return {points for bed in BEDS for points, ring in [worth(bed, bull)] if ring in rings}


@cache
def finishes(darts: int, out: Out, bull: Bull) -> frozenset[int]:
    """What can be finished with at most so many darts: sums, by trying them all."""
    anything = {worth(bed, bull)[0] for bed in BEDS} | {0}
    first = product(anything, repeat=darts - 1)
    return frozenset(sum(points) + last for points in first for last in last_darts(out, bull))


def finishable(darts: int, out: Out, bull: Bull = "25/50") -> set[int]:
    return {remaining for remaining in range(1, 190) if route(remaining, darts, out, bull)}


def test_double_out() -> None:
    three, two, one = finishable(3, "double"), finishable(2, "double"), finishable(1, "double")
    assert max(three) == 170
    assert set(range(2, 171)) - three == {159, 162, 163, 165, 166, 168, 169}
    assert max(two) == 110
    assert set(range(2, 111)) - two == {99, 102, 103, 105, 106, 108, 109}
    assert one == {*range(2, 41, 2), 50}
    assert len(three) == 162
    assert 1 not in three


@pytest.mark.parametrize("out", ["master", "straight"])
def test_master_and_straight_out(out: Out) -> None:
    three = finishable(3, out)
    assert max(three) == 180
    assert set(range(2, 181)) - three == {163, 166, 169, 172, 173, 175, 176, 178, 179}
    assert (1 in three) == (out == "straight")


@rules
@pytest.mark.parametrize("darts", [1, 2, 3])
def test_there_is_a_route_exactly_where_there_is_a_finish(darts: int, out: Out, bull: Bull) -> None:
    assert finishable(darts, out, bull) == finishes(darts, out, bull)


@rules
def test_every_route_ends_exactly_at_zero_with_a_legal_dart(out: Out, bull: Bull) -> None:
    for remaining, darts in product(range(1, 190), (1, 2, 3)):
        way = route(remaining, darts, out, bull)
        assert len(way) <= darts
        if way:
            assert sum(worth(bed, bull)[0] for bed in way) == remaining
            assert worth(way[-1], bull)[0] in last_darts(out, bull)
            assert closes(worth(way[-1], bull)[1], out)


@pytest.mark.parametrize(
    ("remaining", "darts", "way"),
    [
        (170, 3, "T20 T20 DB"),
        (167, 3, "T20 T19 DB"),
        (160, 3, "T20 T20 D20"),
        (110, 2, "T20 DB"),
        (100, 3, "T20 D20"),
        (60, 3, "S20 D20"),
        (50, 1, "DB"),
        (40, 3, "D20"),
        (32, 3, "D16"),
        (2, 3, "D1"),
    ],
)
def test_routes_are_those_that_players_take(remaining: int, darts: int, way: str) -> None:
    assert " ".join(route(remaining, darts)) == way


def test_where_both_bulls_are_worth_50_the_big_one_is_aimed_at() -> None:
    assert route(50, 1, "double", "50/50") == ("SB",)


@pytest.mark.parametrize(
    ("remaining", "darts", "favourites", "way"),
    [
        (72, 2, (16,), "D20 D16"),
        (72, 3, (16,), "D20 D16"),
        (40, 3, (16,), "D20"),
        (60, 3, (16,), "S20 D20"),
        (57, 2, (16,), "SB D16"),
        (57, 2, (16, 20), "S17 D20"),
        (100, 3, (25,), "DB DB"),
        (110, 2, (20,), "T20 DB"),
    ],
)
def test_a_favourite_double_is_what_a_route_ends_on(
    remaining: int, darts: int, favourites: tuple[int, ...], way: str
) -> None:
    assert " ".join(route(remaining, darts, favourites=favourites)) == way


@rules
def test_a_route_by_favourites_is_as_short_and_as_right_as_any(out: Out, bull: Bull) -> None:
    for remaining, darts, favourites in product(range(1, 182), (1, 2, 3), ((16, 8), (25,), (1, 7))):
        way, usual = route(remaining, darts, out, bull, favourites), route(remaining, darts, out, bull)
        assert bool(way) == bool(usual)
        assert len(way) <= len(usual)
        if way:
            assert sum(worth(bed, bull)[0] for bed in way) == remaining
            assert closes(worth(way[-1], bull)[1], out)


@rules
def test_a_way_towards_the_next_visit_never_goes_out_at_once(out: Out, bull: Bull) -> None:
    for remaining in range(1, 250):
        way = find_approach(remaining, out, bull)
        left = remaining - worth(way[0], bull)[0] if way else 0
        ways_on = [remaining - worth(bed, bull)[0] for bed in BEDS]
        assert bool(way) == any(left > 0 and route(left, 3, out, bull) for left in ways_on)
        assert not way or (len(way) > 1 and route(left, 3, out, bull))


def test_no_darts_no_route() -> None:
    assert route(40, 0) == ()


def ways(remaining: int, darts: int, out: Out = "double") -> int:
    """How many sequences of exactly so many of the solver's own beds go from `remaining` to a legal end."""
    known = beds("25/50")
    sums = {remaining: 1}
    for _ in range(darts - 1):
        following: dict[int, int] = {}
        for left, count in sums.items():
            for bed in known:
                following[left - bed.points] = following.get(left - bed.points, 0) + count
        sums = following
    return sum(sums.get(bed.points, 0) for bed in known if closes(bed.multiplier, out))


def test_there_are_3944_nine_dart_finishes_of_501() -> None:
    """Counted as the world counts them: sequences of nine beds, the last one a double."""
    assert ways(501, 9) == 3944


def test_there_is_one_way_to_finish_170_and_none_above() -> None:
    assert [ways(170, darts) for darts in (1, 2, 3)] == [0, 0, 1]
    assert ways(180, 3, "master") == ways(180, 3, "straight") == 1
    assert not any(ways(remaining, 3) for remaining in range(171, 181))


def test_the_solvers_beds_are_those_of_the_layout() -> None:
    for bull in get_args(Bull):
        assert {bed.id: (bed.points, bed.multiplier) for bed in beds(bull)} == {bed: worth(bed, bull) for bed in BEDS}


def test_the_hint_respects_the_darts_left() -> None:
    given = Record(header(options={"start": 170}))
    assert given.state["hint"] == ["T20", "T20", "DB"]
    assert given.state["targets"] == ["T20"]
    assert given.play("S20")["hint"] == [], "150 takes three darts"
    assert given.play("T20")["hint"] == [], "90 takes two"
    assert given.play("MISS / / ")["hint"] == ["T18", "D18"]
    assert given.play("T18")["hint"] == ["D18"]
    assert given.play("S1")["hint"] == [], "35 cannot be finished with one dart"
    assert given.state["targets"] == ["S19"], "for the bull's 16, not at the triple 20"


def test_the_hint_waits_for_the_opening_dart() -> None:
    given = Record(header(options={"start": 101, "in": "double"}))
    assert (given.state["hint"], given.state["targets"]) == ([], ["double"])
    assert len(given.play("D20")["hint"]) == 2, "61 with two darts"


@pytest.mark.parametrize(
    ("out", "bull"), sweep(RULES, lambda case: case in {("double", "25/50"), ("straight", "50/50")})
)
def test_no_player_is_advised_to_go_bust(out: Out, bull: Bull) -> None:
    least = 1 if out == "straight" else 2
    for remaining, darts in product(range(least, 101), range(3)):
        given = Record(header(players=["Ann"], options={"start": 101, "out": out, "bull": bull, "in": "straight"}))
        _bring_to(given, remaining, darts)
        if given.match.score(0) != remaining or not given.state["turn"]["darts_left"]:
            continue
        aim = given.match.advice().aim or "none"
        left = remaining - worth(aim, bull)[0]
        assert left >= least or (left == 0 and closes(worth(aim, bull)[1], out)), f"{aim} at {remaining}"
        assert given.state["targets"] == [aim]
        assert not given.state["hint"] or given.state["hint"][0] == aim


def _bring_to(given: Record, remaining: int, darts: int) -> None:
    """Throws until so much is left, in singles, then misses so many darts of a new visit."""
    while given.match.score(0) > remaining:
        if not given.state["turn"]["darts_left"]:
            given.play("/")
        given.play(f"S{min(20, given.match.score(0) - remaining)}")
    given.play("/" if given.match.position.visit.darts else "", "MISS " * darts)
