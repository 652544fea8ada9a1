"""How to finish: the easiest route for what remains, the darts in hand, the rules of the leg and the player's doubles.

A search over all routes of up to three darts, not a table typed in: any in, out or bull rule gives its own
answers, and a number that cannot be finished has none. "Easiest" is a price a dart: a single is cheap, a triple dear,
the last dart wants one of the doubles players like, and the bull comes last. At the same price the big number comes
first, as players throw it. A favourite double takes the price of a single off its route; it never costs a dart more.
Straight out needs no double: there the fewest darts come first, and no double is liked.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from protocol.segment import Segment

Out = Literal["straight", "double", "master"]
Bull = Literal["25/50", "50/50"]

_LIKED = (20, 16, 18, 12, 10, 8, 14, 4, 6, 2)
"""Doubles in the order players like to be left with."""


_Way = tuple[int, tuple[str, ...]]
"""A price and the segment ids of a route."""
_MOST = 3
"""The darts of a visit."""
_DEAREST = 60
"""The most that a dart takes off."""
_CHEAPEST = 100
"""The least price of a dart that is not the last one."""


class Bed(NamedTuple):
    """Where a dart can score, with its worth under the rule for the bull."""

    id: str
    points: int
    multiplier: int
    number: int


@cache
def beds(bull: Bull) -> tuple[Bed, ...]:
    """Every bed, those with most points first."""
    rings = (("S", 1), ("D", 2), ("T", 3))
    found = [Bed(f"{ring}{n}", n * times, times, n) for ring, times in rings for n in range(20, 0, -1)]
    fat = bull == "50/50"
    found += [Bed("SB", 50 if fat else 25, 2 if fat else 1, 25), Bed("DB", 50, 2, 25)]
    return tuple(sorted(found, key=lambda bed: -bed.points))


def worth(segment: Segment, bull: Bull) -> tuple[int, int]:
    """Points and multiplier of a dart under the rule for the bull."""
    return (50, 2) if bull == "50/50" and segment.value == 25 else (segment.points, segment.multiplier)


def closes(multiplier: int, rule: Out) -> bool:
    """May a dart of this multiplier be the last (or, for an in rule, the first) one?"""
    return rule == "straight" or multiplier == 2 or (rule == "master" and multiplier == 3)


def least(out: Out) -> int:
    """The least that may be left: no double takes 1."""
    return 1 if out == "straight" else 2


@lru_cache(maxsize=4096)
def route(
    remaining: int, darts: int, out: Out = "double", bull: Bull = "25/50", favourites: tuple[int, ...] = ()
) -> tuple[str, ...]:
    """The easiest way from `remaining` to exactly 0 with at most so many darts, as segment ids; () if there is none.

    `favourites` are the doubles that a player likes (25: the bull), the dearest first.
    """
    if favourites:
        darts = len(route(remaining, darts, out, bull))
    return _easiest(remaining, range(1, darts + 1), out, bull, favourites)


def towards(remaining: int, out: Out, bull: Bull, favourites: tuple[int, ...] = ()) -> tuple[str, ...]:
    """The easiest way out for a dart that is not to be the last one: it, and at most a visit after it; () if none."""
    return _easiest(remaining, range(2, _MOST + 2), out, bull, favourites)


def _easiest(remaining: int, darts: range, out: Out, bull: Bull, favourites: tuple[int, ...]) -> tuple[str, ...]:
    """The easiest way of so many darts."""
    found: _Way | None = None
    for n in darts:
        if found is not None and (out == "straight" or found[0] <= _CHEAPEST * (n - 1)):
            break  # more darts cannot be easier
        way = _best(remaining, n, out, bull, favourites if out != "straight" else ())
        if way is not None and (found is None or way[0] < found[0]):
            found = way
    return found[1] if found is not None else ()


@lru_cache(maxsize=16384)  # favourites are free to choose; a match of many people fits
def _best(remaining: int, darts: int, out: Out, bull: Bull, favourites: tuple[int, ...]) -> _Way | None:
    """The cheapest route of exactly so many darts."""
    if darts == 1:
        return _last_darts(out, bull, favourites).get(remaining)
    if remaining > _DEAREST * darts:
        return None
    ways: list[_Way] = []
    for points, (price, ids) in _first_darts(bull).items():
        rest = _best(remaining - points, darts - 1, out, bull, favourites) if points < remaining else None
        if rest is not None:
            ways.append((price + rest[0], ids + rest[1]))
    return min(ways, key=_by_price, default=None)


@cache
def _first_darts(bull: Bull) -> dict[int, _Way]:
    """The cheapest dart of each worth that is not the last one, those with most points first."""
    return _cheapest((bed.points, (_price(bed), (bed.id,))) for bed in beds(bull))


@lru_cache(maxsize=256)
def _last_darts(out: Out, bull: Bull, favourites: tuple[int, ...]) -> dict[int, _Way]:
    """The cheapest last dart of each worth."""
    lasts = (bed for bed in beds(bull) if closes(bed.multiplier, out))
    return _cheapest((bed.points, (_last_price(bed, out, favourites), (bed.id,))) for bed in lasts)


def _cheapest(darts: Iterable[tuple[int, _Way]]) -> dict[int, _Way]:
    found: dict[int, _Way] = {}
    for points, way in darts:
        found[points] = min(found.get(points, way), way, key=_by_price)
    return found


def _by_price(way: _Way) -> int:
    return way[0]


def _price(bed: Bed) -> int:
    if bed.number == 25:
        return 170 if bed.id == "SB" else 240
    return {1: 100, 2: 220, 3: 180}[bed.multiplier] + 2 * (20 - bed.number)


def _last_price(bed: Bed, out: Out, favourites: tuple[int, ...]) -> int:
    if bed.multiplier == 2 and bed.number in favourites:
        return 4 * favourites.index(bed.number)
    if bed.number == 25:
        return 260 if bed.id == "DB" else 170
    if bed.multiplier == 2 and out != "straight":
        return 100 + 4 * (_LIKED.index(bed.number) if bed.number in _LIKED else 12)
    return {1: 90, 2: 170, 3: 180}[bed.multiplier] + 20 - bed.number
