"""The classes of players by their averages, from the tables of others, each with its source.

A table is data: where a class begins, in points per dart and in marks per round. It is the maker's; what is said of a
player is "about class 9 by this table", never a rating of that maker.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

FEWEST_DARTS = 60
"""An average of fewer darts says nothing of a player."""

Part = Literal["80", "100"]
"""How much of a leg an average is of, in per cent: see `average_80` in engine/statistics.py."""


class ClassTable(Struct, frozen=True):
    """A table of classes, numbered from 1: the lower limits of each, of a leg's first 80 per cent or of all of it.

    `names` are those of the classes, each with its first number.
    """

    id: str
    title: str
    source: str
    part: Part
    points: tuple[float, ...]
    """Points in three darts."""
    marks: tuple[float, ...]
    names: Mapping[int, str]

    def find(self, points: float | None = None, marks: float | None = None) -> int | None:
        """Returns the class of these points in three darts, or of these marks per round; None without either."""
        if marks is not None:
            return bisect_right(self.marks, marks)
        return bisect_right(self.points, points) if points is not None else None

    def name(self, number: int) -> str:
        """Returns the name of the group that this class is in."""
        return self.names[max(first for first in self.names if first <= number)]


def _per_visit(*points_per_dart: float) -> tuple[float, ...]:
    return tuple(round(3 * each, 2) for each in points_per_dart)


_FLIGHTS_18 = {1: "C", 4: "CC", 6: "B", 8: "BB", 10: "A", 13: "AA", 16: "SA"}

DARTSLIVE_80 = ClassTable(
    id="dartslive_80",
    title="DARTSLIVE 80 %",
    source="dartslive.com/us/guide/rating",
    part="80",
    points=(0, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 102, 109, 116, 123, 130),
    marks=(0, 1.3, 1.5, 1.7, 1.9, 2.1, 2.3, 2.5, 2.7, 2.9, 3.1, 3.3, 3.5, 3.75, 4.0, 4.25, 4.5, 4.75),
    names=_FLIGHTS_18,
)
DARTSLIVE_100 = ClassTable(
    id="dartslive_100",
    title="DARTSLIVE 100 %",
    source="a table of 2026 that its author calls unofficial: each limit 5 points and 0.25 marks below that of 80 %",
    part="100",
    points=(0, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 97, 104, 111, 118, 125),
    marks=(0, 1.05, 1.25, 1.45, 1.65, 1.85, 2.05, 2.25, 2.45, 2.65, 2.85, 3.05, 3.25, 3.5, 3.75, 4.0, 4.25, 4.5),
    names=_FLIGHTS_18,
)
PHOENIX = ClassTable(
    id="phoenix",
    title="Phoenix",
    source="the same table of 2026, unofficial",
    part="100",
    points=_per_visit(
        *(0, 10.65, 11.9, 13.15, 14.4, 15.65, 16.9, 18.15, 19.45, 20.75, 22.05, 23.35, 24.65, 25.95, 27.3, 28.65),
        *(30.0, 31.35, 32.7, 34.05, 35.4, 36.8, 38.2, 39.6, 41.0, 42.4, 43.8, 45.2, 46.6, 48.0),
    ),
    marks=(
        *(0, 1.1, 1.2, 1.31, 1.46, 1.61, 1.76, 1.91, 2.06, 2.21, 2.36, 2.51, 2.66, 2.81, 2.96, 3.11),
        *(3.26, 3.41, 3.56, 3.71, 3.86, 4.07, 4.28, 4.49, 4.7, 4.96, 5.22, 5.48, 5.74, 6.0),
    ),
    names=dict(
        zip((1, 2, 4, 6, 8, 10, 12, 14, 17, 21, 25, 28), "N C CC CCC B BB BBB A AA AAA MASTER GM".split(), strict=True)
    ),
)
TABLES: Sequence[ClassTable] = (DARTSLIVE_80, DARTSLIVE_100, PHOENIX)


def rate_player(ppd: float, mpr: float) -> float:
    """Returns the player rating (PR) of leagues: points per dart, and ten times the marks per round.

    The sum and its example (23.54 and 2.15 make 45.04) are in the rules of several American leagues.
    """
    return round(ppd + 10 * mpr, 2)
