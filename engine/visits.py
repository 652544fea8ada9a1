"""How many visits a leg still takes on average, after a dart at a bed and with the best darts from there on.

A visit that ends in a bust, or in three misses, leads back to what it began with: from there the leg takes as long as
`engine/finish_tables.py` knows, which knows the best aims too. So what a dart leads to is a few sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter, mul
from typing import NamedTuple

MOST = 60
"""The points of the best dart."""


class Landing(NamedTuple):
    """An outcome of a dart: points, whether it may be the last one, and its share of 1."""

    points: int
    closes: bool
    share: float

    def ends(self, points: int) -> bool:
        """Whether it ends what a bed of so many points would end."""
        return self.closes and self.points == points


Landings = dict[str, tuple[Landing, ...]]
"""What a dart comes to, by the bed that it is aimed at."""


class AimedDart(NamedTuple):
    """A dart at a bed: what picks its outcomes from a list of `lay_out`, and their shares."""

    pick: Callable[[list[float]], tuple[float, ...]]
    shares: tuple[float, ...]

    def average(self, values: list[float]) -> float:
        """The mean of what it leads to."""
        total: float = sum(map(mul, self.shares, self.pick(values)))
        return total


def make_darts(landings: Landings) -> dict[str, AimedDart]:
    """The darts, by the bed that they are aimed at."""
    return {
        aim: AimedDart(  # the first place once more, without a share: of one place alone itemgetter makes no tuple
            itemgetter(0, *(hit.points + (MOST + 1) * hit.closes for hit in hits)),
            (0.0, *(hit.share for hit in hits)),
        )
        for aim, hits in landings.items()
    }


def lay_out(values: list[float], highest: int, remaining: int, end: float) -> list[float]:
    """What a dart leads to, by its points; and once more for one that may be the last, with what the end is worth.

    `values` are those of the highest number and of all below.
    """
    start = highest - remaining
    found = values[start : start + MOST + 1] * 2
    if remaining <= MOST:
        found[MOST + 1 + remaining] = end
    return found


class BestAims(NamedTuple):
    """What is worked out beforehand for one scatter on one face under one rule.

    `needed` are the visits from each number, with three darts in hand. `aims` are those that bring it to that with
    fewer, by the darts in hand and what remains: several where it depends on what a bust leads back to.
    """

    needed: Sequence[float]
    aims: Mapping[tuple[int, int], tuple[str, ...]]


class VisitCounter:
    """The visits that follow one that began with `before`. Made by `VisitTable.count_from`."""

    def __init__(self, table: VisitTable, before: int) -> None:
        self._table = table
        self._before = before
        self._rows = [table.list_from_highest(0, before, [])]

    def count(self, way: Sequence[tuple[str, int]], remaining: int, darts: int) -> float:
        """The visits after darts at these beds, each with its points, for as long as they hit; then after the best."""
        (aim, points), then = way[0], way[1:]
        values = lay_out(self._row(darts - 1), self._table.highest, remaining, end=0.0)
        if then:
            values[points] = values[MOST + 1 + points] = self.count(then, remaining - points, darts - 1)
        return self._table.darts[aim].average(values)

    def fewest(self, remaining: int, darts: int) -> float:
        """The visits where so many darts (0 to 2) of this one are left to throw, each at the best bed."""
        return self._row(darts)[self._table.highest - remaining]

    def _row(self, darts: int) -> list[float]:
        while len(self._rows) <= darts:
            self._rows.append(self._table.list_from_highest(len(self._rows), self._before, self._rows[-1]))
        return self._rows[darts]


class VisitTable:
    """What a player of one scatter on one face needs under one rule."""

    def __init__(self, landings: Landings, lowest: int, known: BestAims) -> None:
        """`lowest` is the least that may be left."""
        self.darts = make_darts(landings)
        self._lowest = lowest
        self._known = known
        self.highest = len(known.needed) - 1
        self._safe = [list(known.needed[: lowest - 1 : -1])]
        for in_hand in (1, 2):
            numbers = range(self.highest, lowest + MOST * in_hand - 1, -1)
            self._safe.append([self._best(left, in_hand, self._safe[-1]) for left in numbers])

    def count_from(self, before: int) -> VisitCounter:
        """What counts the visits after one that began with `before`."""
        return VisitCounter(self, min(before, self.highest))

    def list_from_highest(self, in_hand: int, before: int, then: list[float]) -> list[float]:
        """The visits from each number downwards, with so many darts in hand; then those after a bust.

        `then` is this list for one dart less. Where no dart in hand can be a bust, it is the same whatever was
        `before`. It has no numbers that the darts of a visit do not lead to.
        """
        safe = self._safe[in_hand]
        numbers = range(self.highest - len(safe), self._lowest - 1, -1)
        reached = range(before - MOST * (3 - in_hand), before + 1)
        others = [self._best(left, in_hand, then) if left in reached else 0.0 for left in numbers]
        return [*safe, *others, *[self._known.needed[before]] * (MOST + self._lowest)]

    def _best(self, remaining: int, in_hand: int, then: list[float]) -> float:
        values, aims = lay_out(then, self.highest, remaining, end=0.0), self._known.aims[in_hand, remaining]
        if len(aims) == 1:  # nearly everywhere
            return self.darts[aims[0]].average(values)
        return min(self.darts[aim].average(values) for aim in aims)
