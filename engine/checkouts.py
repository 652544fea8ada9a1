"""How to finish: the easiest route for what remains, the darts in hand and the rules of the leg.

A search over all routes of up to three darts, not a table somebody typed in: any in, out or bull rule gives its own
answers, and a number that cannot be finished has none. "Easiest" is a price a dart: a single is cheap, a triple dear,
the last dart wants one of the doubles players like, and the bull comes last. At the same price the big number comes
first, as players throw it.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

Out = Literal["straight", "double", "master"]
Bull = Literal["25/50", "50/50"]

_LIKED = (20, 16, 18, 12, 10, 8, 14, 4, 6, 2)
"""Doubles in the order players like to be left with."""


_Way = tuple[int, tuple[str, ...]]
"""A price and the segment ids of a route."""


class _Bed(NamedTuple):
    id: str
    points: int
    multiplier: int
    number: int


@cache
def _beds(bull: Bull) -> tuple[_Bed, ...]:
    """Every bed, those with most points first."""
    rings = (("S", 1), ("D", 2), ("T", 3))
    beds = [_Bed(f"{ring}{n}", n * times, times, n) for ring, times in rings for n in range(20, 0, -1)]
    fat = bull == "50/50"
    beds += [_Bed("SB", 50 if fat else 25, 2 if fat else 1, 25), _Bed("DB", 50, 2, 25)]
    return tuple(sorted(beds, key=lambda bed: -bed.points))


def closes(multiplier: int, rule: Out) -> bool:
    """May a dart of this multiplier be the last (or, for an in rule, the first) one?"""
    return rule == "straight" or multiplier == 2 or (rule == "master" and multiplier == 3)


@cache
def route(remaining: int, darts: int, out: Out = "double", bull: Bull = "25/50") -> tuple[str, ...]:
    """The easiest way from `remaining` to exactly 0 with at most so many darts, as segment ids; () if there is none."""
    found = [_best(remaining, n, out, bull) for n in range(1, darts + 1)]
    return min((way for way in found if way is not None), key=_by_price, default=(0, ()))[1]


def in_one(remaining: int, out: Out, bull: Bull) -> bool:
    """Can a single dart finish?"""
    return bool(route(remaining, 1, out, bull))


@cache
def _best(remaining: int, darts: int, out: Out, bull: Bull) -> _Way | None:
    """The cheapest route of exactly so many darts."""
    ways: list[_Way] = []
    for bed in _beds(bull):
        if darts == 1:
            if bed.points == remaining and closes(bed.multiplier, out):
                ways.append((_last_price(bed), (bed.id,)))
        elif bed.points < remaining:
            rest = _best(remaining - bed.points, darts - 1, out, bull)
            if rest is not None:
                ways.append((_price(bed) + rest[0], (bed.id, *rest[1])))
    return min(ways, key=_by_price, default=None)


def _by_price(way: _Way) -> int:
    return way[0]


def _price(bed: _Bed) -> int:
    if bed.number == 25:
        return 170 if bed.id == "SB" else 240
    return {1: 100, 2: 220, 3: 180}[bed.multiplier] + 2 * (20 - bed.number)


def _last_price(bed: _Bed) -> int:
    if bed.number == 25:
        return 260 if bed.id == "DB" else 170
    if bed.multiplier == 2:
        return 100 + 4 * (_LIKED.index(bed.number) if bed.number in _LIKED else 12)
    return {1: 90, 3: 180}[bed.multiplier] + 20 - bed.number
