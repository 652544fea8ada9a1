"""Where a player's darts land, as counts that add up: over visits, matches and tables, in any order.

A board that measures the point of a dart gives three things. The map: how many darts landed in each square of the
board. The scatter: how far from its aim each dart landed of which it is known what it was aimed at, by the bed. The
grouping: how far apart two such darts of one visit landed that were aimed at the same bed. engine/points.py finds them
in a match; here is how they are kept in a tally (engine/tally.py), and what people read of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from msgspec import Struct

from protocol.segment import Point

CELL_MM = 8
"""The side of the squares of the map; the middle one lies around the centre of the board."""
FEWEST_AIMED = 60
"""Of fewer darts nothing is claimed: by then a mean is known to within a few millimetres."""
FARTHEST_MM = 80
"""A dart that lands farther from where it should have been aimed was aimed elsewhere."""
_CELL, _FARTHEST = 10 * CELL_MM, 10 * FARTHEST_MM
_POINT, _PAIRS, _APART = "point:", "pairs", "apart"
_AIMED, _X, _Y, _SQUARES = "aimed:", "aimed_x:", "aimed_y:", "aimed_squares:"
_PREFIXES = (_POINT, _AIMED, _X, _Y, _SQUARES)


def is_of_points(name: str) -> bool:
    """Whether this is the key in `counts` of something that is told here."""
    return name in (_PAIRS, _APART) or name.startswith(_PREFIXES)


def count_point(point: Point) -> dict[str, int]:
    """What a dart at this point adds to the counts."""
    column, row = ((each + _CELL // 2) // _CELL for each in point)
    return {f"{_POINT}{column},{row}": 1}


def is_near(offset: Point) -> bool:
    """Whether a dart that landed so far from where it should have been aimed can have been aimed there."""
    return math.hypot(*offset) <= _FARTHEST


def count_aimed(bed: str, offset: Point) -> dict[str, int]:
    """What a dart adds that was aimed at this bed and landed so far from its middle."""
    x, y = offset
    return {f"{_AIMED}{bed}": 1, f"{_X}{bed}": x, f"{_Y}{bed}": y, f"{_SQUARES}{bed}": x * x + y * y}


def count_pair(one: Point, other: Point) -> dict[str, int]:
    """What two darts of a visit add that were aimed at the same bed."""
    return {_PAIRS: 1, _APART: round(math.dist(one, other))}


def add_counts(total: dict[str, int], more: Mapping[str, int]) -> None:
    """Adds to the counts in `total`."""
    for name, n in more.items():
        total[name] = total.get(name, 0) + n


class Scatter(Struct, frozen=True):
    """How darts scatter around where they were aimed. `deviation_mm` is that in each direction (engine/skill.py).

    What it says of fewer than 60 darts is not claimed, nor used.
    """

    darts: int
    right_mm: float
    """How far right of the aim they land on average; negative: left of it."""
    up_mm: float
    deviation_mm: float

    @property
    def is_enough(self) -> bool:
        """Whether it is of so many darts that it is known well enough."""
        return self.darts >= FEWEST_AIMED


class MeasuredPoints(Struct, frozen=True):
    """What is known of darts of which the board has measured the point.

    `cells` are darts by the square of `cell_mm` in which they landed, "column,row" from the middle one (x to the right,
    y up), the most first. `aimed` counts the darts of which it is known at which bed they were aimed: of fewer than 60
    nothing is said. `scatter` is that of all of them, `beds` that of each bed at which enough were aimed, the one with
    the most first. `grouping_mm` is how far apart two darts of a visit land on average that were aimed at the same bed.
    """

    darts: int
    cell_mm: int
    cells: Mapping[str, int]
    aimed: int
    scatter: Scatter | None
    beds: Mapping[str, Scatter]
    grouping_mm: float | None


def collect_points(counts: Mapping[str, int]) -> MeasuredPoints | None:
    """What these counts say of points; None where there are none."""
    cells = {name.removeprefix(_POINT): n for name, n in counts.items() if name.startswith(_POINT)}
    if not cells:
        return None
    aimed = {name.removeprefix(_AIMED): n for name, n in counts.items() if name.startswith(_AIMED)}
    total, pairs = sum(aimed.values()), counts.get(_PAIRS, 0)
    is_enough = total >= FEWEST_AIMED
    beds = {bed: n for bed, n in sorted(aimed.items(), key=lambda each: (-each[1], each[0])) if n >= FEWEST_AIMED}
    return MeasuredPoints(
        darts=sum(cells.values()),
        cell_mm=CELL_MM,
        cells=dict(sorted(cells.items(), key=lambda each: (-each[1], each[0]))),
        aimed=total,
        scatter=_describe(counts, aimed) if is_enough else None,
        beds={bed: _describe(counts, [bed]) for bed in beds},
        grouping_mm=round(counts[_APART] / pairs / 10, 1) if is_enough and pairs else None,
    )


def find_scatter(counts: Mapping[str, int]) -> Scatter | None:
    """The scatter of all darts in these counts of which it is known at which bed they were aimed, however few."""
    beds = [name.removeprefix(_AIMED) for name in counts if name.startswith(_AIMED)]
    return _describe(counts, beds) if beds else None


def _describe(counts: Mapping[str, int], beds: Iterable[str]) -> Scatter:
    """The scatter of the darts at these beds: of each around its own."""
    listed = [*beds]
    darts, x, y, squares = (sum(counts[f"{kind}{bed}"] for bed in listed) for kind in (_AIMED, _X, _Y, _SQUARES))
    right, up = x / darts, y / darts
    variance = (squares - darts * (right * right + up * up)) / (2 * max(darts - 1, 1))
    return Scatter(darts, round(right / 10, 1), round(up / 10, 1), round(math.sqrt(max(0.0, variance)) / 10, 1))
