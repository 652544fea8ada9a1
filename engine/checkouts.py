"""How to finish: the easiest route for what remains, the darts in hand and the rules of the leg.

A search over all routes of up to three darts, not a table somebody typed in: any in, out or bull rule gives its own
answers, and a number that cannot be finished has none. "Easiest" is a price a dart: a single is cheap, a triple dear,
the last dart wants one of the doubles players like, and the bull comes last.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

Out = Literal["straight", "double", "master"]
Bull = Literal["25/50", "50/50"]

_LIKED = (20, 16, 18, 12, 10, 8, 14, 4, 6, 2)
"""Doubles in the order players like to be left with."""


class _Bed(NamedTuple):
    id: str
    points: int
    multiplier: int
    number: int


@cache
def _beds(bull: Bull) -> tuple[_Bed, ...]:
    rings = (("S", 1), ("D", 2), ("T", 3))
    beds = [_Bed(f"{ring}{n}", n * times, times, n) for ring, times in rings for n in range(20, 0, -1)]
    fat = bull == "50/50"
    return (*beds, _Bed("SB", 50 if fat else 25, 2 if fat else 1, 25), _Bed("DB", 50, 2, 25))


def closes(multiplier: int, rule: Out) -> bool:
    """May a dart of this multiplier be the last (or, for an in rule, the first) one?"""
    return rule == "straight" or multiplier == 2 or (rule == "master" and multiplier == 3)


@cache
def route(remaining: int, darts: int, out: Out = "double", bull: Bull = "25/50") -> tuple[str, ...]:
    """The easiest way from `remaining` to exactly 0 with at most so many darts, as segment ids; () if there is none."""
    found = [_best(remaining, n, out, bull) for n in range(1, darts + 1)]
    ways = [way for way in found if way is not None]
    return min(ways)[1] if ways else ()


def in_one(remaining: int, out: Out, bull: Bull) -> bool:
    """Can a single dart finish?"""
    return bool(route(remaining, 1, out, bull))


@cache
def _best(remaining: int, darts: int, out: Out, bull: Bull) -> tuple[float, tuple[str, ...]] | None:
    """The cheapest route of exactly so many darts, with its price."""
    ways: list[tuple[float, tuple[str, ...]]] = []
    for bed in _beds(bull):
        if darts == 1:
            if bed.points == remaining and closes(bed.multiplier, out):
                ways.append((_last_price(bed), (bed.id,)))
        elif bed.points < remaining:
            rest = _best(remaining - bed.points, darts - 1, out, bull)
            if rest is not None:
                ways.append((_price(bed) + rest[0], (bed.id, *rest[1])))
    return min(ways) if ways else None


def _price(bed: _Bed) -> float:
    if bed.number == 25:
        return 1.7 if bed.id == "SB" else 2.4
    return {1: 1.0, 2: 2.2, 3: 1.8}[bed.multiplier] + 0.02 * (20 - bed.number)


def _last_price(bed: _Bed) -> float:
    if bed.number == 25:
        return 2.6 if bed.id == "DB" else 1.7
    if bed.multiplier == 2:
        return 1.0 + 0.04 * (_LIKED.index(bed.number) if bed.number in _LIKED else 12)
    return {1: 0.9, 3: 1.8}[bed.multiplier] + 0.01 * (20 - bed.number)
