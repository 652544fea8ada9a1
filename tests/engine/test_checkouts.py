"""Checkouts against what every player knows, and against a search that is too plain to be wrong."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import get_args

import pytest
from msgspec import UNSET, UnsetType

from engine import finish_tables
from engine.checkouts import find_totals
from engine.finishing import (
    Bull,
    Out,
    beds,
    can_finish,
    closes,
    finisher,
    judge_all,
    least,
    unpack_landings,
)
from engine.skill import Skill
from protocol.layouts import find_layout
from protocol.standard import SOFT_15_INCH, standard
from tests.bench import finishes as finishes_bench
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


def route(
    remaining: int, darts: int, out: Out = "double", bull: Bull = "25/50", favourites: tuple[int, ...] = ()
) -> tuple[str, ...]:
    routes = finisher(out=out, bull=bull).routes(remaining, darts, favourites)
    return routes[0].darts if routes else ()


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
def test_there_is_a_route_exactly_where_there_is_a_finish_and_it_ends_there(darts: int, out: Out, bull: Bull) -> None:
    for remaining in range(1, 190):
        way = route(remaining, darts, out, bull)
        is_finish = remaining in finishes(darts, out, bull)
        assert bool(way) == can_finish(remaining, darts, out, bull) == is_finish, remaining
        assert len(way) <= darts
        if way:
            assert sum(worth(bed, bull)[0] for bed in way) == remaining
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
    ("remaining", "way"),
    [(77, "T19 D10"), (126, "T19 T19 D6"), (119, "T19 T12 D13"), (80, "T20 D10"), (9, "S1 D4"), (11, "S3 D4")],
)
def test_a_route_looks_at_what_a_miss_leaves(remaining: int, way: str) -> None:
    assert " ".join(route(remaining, 3)) == way


@pytest.mark.parametrize(("out", "bull"), sweep(RULES, lambda case: case == ("double", "25/50")))
def test_at_most_three_routes_and_each_of_them_finishes(out: Out, bull: Bull) -> None:
    for remaining, darts, favourites in product(range(1, 182), (1, 2, 3), ((), (16, 8), (25,))):
        routes = finisher(out=out, bull=bull).routes(remaining, darts, favourites)
        assert len(routes) <= 3
        assert len({route.darts for route in routes}) == len(routes)
        for way in routes:
            assert len(way.darts) <= darts
            assert sum(worth(bed, bull)[0] for bed in way.darts) == remaining
            assert closes(worth(way.darts[-1], bull)[1], out)
            assert 0 <= way.chance <= 100
            assert way.favourite <= (way.darts[-1] in ({f"D{n}" for n in favourites} | {"DB", "SB"}))


def test_a_favourite_that_costs_little_goes_first_and_another_is_shown() -> None:
    cheap = finisher().routes(127, 3, (8,))
    assert cheap[0].favourite
    assert cheap[0].darts[-1] == "D8"
    dear = finisher().routes(72, 3, (16,))
    assert not dear[0].favourite
    assert (dear[-1].darts, dear[-1].favourite) == (("D20", "D16"), True)
    assert dear[-1].chance < dear[0].chance - 1
    assert all(route.darts[-1] != "D16" for route in finisher().routes(72, 3))


@rules
@pytest.mark.parametrize("darts", [1, 2, 3])
def test_what_leaves_a_finish_leaves_one(darts: int, out: Out, bull: Bull) -> None:
    for remaining in range(least(out), 360):
        if can_finish(remaining, darts, out, bull):
            continue
        leave = finisher(out=out, bull=bull).leave(remaining, darts)
        if leave is not None:
            assert len(leave.darts) == darts
            assert leave.left == remaining - sum(worth(bed, bull)[0] for bed in leave.darts)
            assert next(count for count in (1, 2, 3) if can_finish(leave.left, count, out, bull)) == leave.needs
        elif remaining > 10:
            assert remaining > 170 + 57 * (darts - 1), remaining


@pytest.mark.parametrize(
    ("remaining", "darts", "favourites", "way", "left"),
    [
        (171, 3, (), "T20 T20 S11", 40),
        (180, 3, (), "T20 T20 S20", 40),
        (100, 1, (), "T20", 40),
        (120, 2, (), "T20 S20", 40),
        (61, 1, (), "SB", 36),
        (51, 1, (16,), "S19", 32),
    ],
)
def test_players_leave_what_they_know(
    remaining: int, darts: int, favourites: tuple[int, ...], way: str, left: int
) -> None:
    leave = finisher().leave(remaining, darts, favourites)
    assert leave is not None
    assert (" ".join(leave.darts), leave.left) == (way, left)


@pytest.mark.long
def test_the_tables_are_what_the_layout_and_the_scatter_give() -> None:
    skill = Skill(standard(SOFT_15_INCH), 12.0, finish_tables.WHOLE)
    landings = finishes_bench.pack_landings(skill)
    assert finish_tables.TABLES["soft_15.5 12.0"] == landings
    judged = judge_all(unpack_landings(landings, finish_tables.WHOLE), "double", "25/50")
    assert finish_tables.TABLES["soft_15.5 12.0 double 25/50"] == finishes_bench.pack_rule(
        skill, judged, "double", "25/50"
    )


@rules
def test_who_must_not_go_out_never_aims_at_the_end(out: Out, bull: Bull) -> None:
    for remaining in range(least(out) + 1, 240):
        bed = finisher(out=out, bull=bull).approach(remaining)
        assert remaining - worth(bed, bull)[0] >= least(out)


@rules
@pytest.mark.parametrize("enter", get_args(Out))
def test_what_totals_may_be_is_what_some_darts_come_to(out: Out, bull: Bull, enter: Out) -> None:
    """Whether they can be bust, and how little they score before one is thrown at a finish."""
    anything, lasts, firsts = {worth(bed, bull) for bed in BEDS}, last_darts(out, bull), last_darts(enter, bull)
    for remaining in (*range(least(out), 64), *range(98, 124), *range(158, 184)):  # around what one, two and three can
        left = {(remaining, False)}
        bust: int | UnsetType = UNSET
        aimed: int | UnsetType = UNSET
        for darts in (1, 2, 3):
            both = lasts if enter == "straight" else lasts & firsts
            at_finish = [remaining - now for now, opened in left if now in (lasts if opened else both)]
            aimed = min(at_finish) if at_finish else aimed
            thrown = {
                (now - points, ring)
                for now, opened in left
                for points, ring in anything
                if opened or closes(ring, enter)
            }
            over = {now for now, ring in thrown if now < least(out) and not (now == 0 and closes(ring, out))}
            bust = darts if over and bust is UNSET else bust
            left |= {(now, True) for now, _ in thrown if now >= least(out)}
            said = find_totals(remaining, darts, out, bull, enter)
            assert (said.bust, said.at_finish) == (bust, aimed), (remaining, darts)


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
        known = {bed: worth(bed, bull) for bed in BEDS if bull == "25/50" or bed != "DB"}
        assert {bed.id: (bed.points, bed.multiplier) for bed in beds(bull)} == known


def test_the_hint_respects_the_darts_left() -> None:
    given = Record(header(options={"start": 170}))
    assert given.state["hint"] == ["T20", "T20", "DB"]
    assert given.state["targets"] == ["T20"]
    assert given.play("S20")["hint"] == [], "150 takes three darts"
    assert given.play("T20")["hint"] == [], "90 takes two"
    assert given.play("MISS / / ")["hint"] == ["T18", "D18"]
    assert given.play("T18")["hint"] == ["D18"]
    assert given.play("S1")["hint"] == [], "35 cannot be finished with one dart"
    assert given.state["targets"] == ["S3"], "for double 16, not at the triple 20"


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
        if not given.match.position.visit.darts_left:
            given.feed("/")
        given.feed(f"S{min(20, given.match.score(0) - remaining)}")
    given.feed("/" if given.match.position.visit.darts else "", "MISS " * darts)
