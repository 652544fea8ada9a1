"""The seats and matches of a knock-out against published draws."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.tournament.fixtures import Drawn, Fixture, LoserOf, PlaceOf, Source, WinnerOf
from engine.tournament.knockout import (
    DROP_ORDERS,
    count_seats,
    knock_out,
    knock_out_twice,
    order_seats,
    seat_drawn,
    seat_entrants,
    seat_places,
)

MATCHPLAY_2023 = {
    1: "Smith",
    16: "Wade",
    8: "Noppert",
    9: "Aspinall",
    4: "Price",
    13: "Cullen",
    5: "Cross",
    12: "Chisnall",
    2: "Wright",
    15: "Searle",
    7: "Clayton",
    10: "Van den Bergh",
    3: "van Gerwen",
    14: "Heta",
    6: "Humphries",
    11: "van Duijvenbode",
}
"""The seeds in the order in which they stood in the draw (onlinedarts.com, sportinglife.com)."""


def test_seeds_stand_as_in_the_draw_of_the_world_matchplay_2023() -> None:
    assert order_seats(16) == tuple(MATCHPLAY_2023)


def test_the_seats_of_32_are_those_of_its_rule() -> None:
    assert order_seats(32)[:8] == (1, 32, 16, 17, 8, 25, 9, 24)
    assert order_seats(32)[16:20] == (2, 31, 15, 18)


@pytest.mark.parametrize(
    ("count", "byes", "pairs"),
    [
        (5, {1, 2, 3}, {(4, 5)}),
        (6, {1, 2}, {(4, 5), (3, 6)}),
        (7, {1}, {(4, 5), (2, 7), (3, 6)}),
        (9, {1, 2, 3, 4, 5, 6, 7}, {(8, 9)}),
        (11, {1, 2, 3, 4, 5}, {(8, 9), (7, 10), (6, 11)}),
    ],
)
def test_the_best_get_the_byes(count: int, byes: set[int], pairs: set[tuple[int, int]]) -> None:
    seats = seat_entrants(range(1, count + 1))
    met = list(zip(seats[::2], seats[1::2], strict=True))
    assert {max(pair) for pair in met if 0 in pair} == byes
    assert {pair for pair in met if 0 not in pair} == pairs


def test_a_double_knock_out_of_eight_drops_as_newton_does() -> None:
    fixtures = {each.id: each for each in knock_out_twice(seat_drawn(range(1, 9)))}
    sources = {name: set(each.sides) for name, each in fixtures.items()}
    assert sources["winners-2-1"] == {WinnerOf("winners-1-1"), WinnerOf("winners-1-2")}
    assert sources["losers-1-1"] == {LoserOf("winners-1-1"), LoserOf("winners-1-2")}
    assert sources["losers-1-2"] == {LoserOf("winners-1-3"), LoserOf("winners-1-4")}
    assert sources["losers-2-1"] == {LoserOf("winners-2-2"), WinnerOf("losers-1-1")}
    assert sources["losers-2-2"] == {LoserOf("winners-2-1"), WinnerOf("losers-1-2")}
    assert sources["losers-3-1"] == {WinnerOf("losers-2-1"), WinnerOf("losers-2-2")}
    assert sources["losers-4-1"] == {LoserOf("winners-3-1"), WinnerOf("losers-3-1")}
    assert sources["final-1"] == {WinnerOf("winners-3-1"), WinnerOf("losers-4-1")}


@pytest.mark.parametrize("seats", sorted(DROP_ORDERS))
def test_all_but_the_finals_are_lost_twice(seats: int) -> None:
    fixtures = list(knock_out_twice(seat_drawn(range(1, seats + 1)), second_final=False))
    assert len(fixtures) == 2 * seats - 2
    assert_is_whole(fixtures)


@pytest.mark.parametrize("seats", [2, 4, 8, 256])
def test_a_knock_out_has_a_match_for_all_but_one(seats: int) -> None:
    assert len(list(knock_out(seat_drawn(range(1, seats + 1))))) == seats - 1
    with_third = list(knock_out(seat_drawn(range(1, seats + 1)), third_place=True))
    assert len(with_third) == seats - 1 + (seats > 2)
    assert_is_whole(with_third)


def assert_is_whole(fixtures: list[Fixture]) -> None:
    """Each match stands after those that it needs, and nobody is taken to two of them."""
    known: set[str] = set()
    sources: Counter[Source] = Counter()
    for each in fixtures:
        assert all(isinstance(source, Drawn) or source.fixture in known for source in each.sides)  # type: ignore[union-attr]
        known.add(each.id)
        sources.update(each.sides)
    assert set(sources.values()) == {1}
    losers = sum(isinstance(source, LoserOf) for source in sources)
    assert losers == sum(each.loser_rank is None for each in fixtures)


@pytest.mark.parametrize(
    ("groups", "pairs"),
    [
        (2, ["A1-B2", "B1-A2"]),
        (4, ["A1-B2", "C1-D2", "B1-A2", "D1-C2"]),
        (8, ["A1-B2", "C1-D2", "E1-F2", "G1-H2", "B1-A2", "D1-C2", "F1-E2", "H1-G2"]),
    ],
)
def test_two_of_each_group_cross_over(groups: int, pairs: list[str]) -> None:
    names = [name_place(seat) for seat in seat_places(groups, 2)]
    assert [f"{one}-{other}" for one, other in zip(names[::2], names[1::2], strict=True)] == pairs


def name_place(seat: Source) -> str:
    return f"{'ABCDEFGH'[seat.group]}{seat.place}" if isinstance(seat, PlaceOf) else "-"


@pytest.mark.parametrize("groups", [2, 3, 4, 5, 6, 7, 8, 12, 32])
@pytest.mark.parametrize("through", [1, 2, 3, 4])
def test_those_of_one_group_meet_late_and_the_best_get_the_byes(groups: int, through: int) -> None:
    seats = seat_places(groups, through)
    assert len(seats) == count_seats(groups * through)
    by_group: dict[int, list[int]] = {}
    byes: list[int] = []
    rest: list[int] = []
    for at, seat in enumerate(seats):
        if isinstance(seat, PlaceOf):
            by_group.setdefault(seat.group, []).append(at)
            (rest if isinstance(seats[at ^ 1], PlaceOf) else byes).append(seat.place)
    assert max(byes, default=1) <= min(rest, default=1)
    half, quarter = len(seats) // 2, max(2, len(seats) // 4)
    for mates in by_group.values():
        assert len(mates) == through
        # Two of one group are in different halves; of three and four there are two in a half, and in two quarters.
        assert len({at // half for at in mates}) == min(through, 2)
        if groups > 2:
            assert len({at // quarter for at in mates}) >= min(through, 3)
