"""Where to aim: the point of an area with the most room around it, for people and for programs that play for them.

A dart aimed at the middle of a bed that is no disc (a ring's sickle, a bull's ring) may be aimed at its border; what
counts is the distance to the nearest one.
"""

from __future__ import annotations

import heapq
import math
from functools import lru_cache
from typing import NamedTuple

from protocol.segment import Layout, Ring, Segment, UnknownSegment, inside

_PRECISION = 10
"""An aim is the best one to within a millimetre (in tenths): no player aims finer."""

_Edge = tuple[int, int, int, int, float]
"""Where an edge begins, how far it goes in x and y, and 1 / its length squared."""


class AimPoint(NamedTuple):
    """A point well inside a bed, and how far it is from the nearest border; tenths of a millimetre."""

    x: int
    y: int
    room: float


def aim_at(layout: Layout, target: Segment | str) -> AimPoint:
    """Where to aim for a segment, a segment id or a group label ("20", "bull"); raises UnknownSegment.

    At a label it is the bed of that label with the most room around its aim. The miss is thrown away on purpose.
    """
    name = target.id if isinstance(target, Segment) else target
    if name == layout.miss.id:
        return AimPoint(2 * layout.radius, 0, layout.radius)
    beds = find_beds(layout, name)
    if not beds:
        raise UnknownSegment(f"{name!r} is not a target: the {layout.name} layout has no bed of that name")
    return max((aim_point(bed) for bed in beds), key=lambda aim: aim.room)


def aim_point(segment: Segment) -> AimPoint:
    """The middle of an area, or where it is widest if that is clearly better (a sickle's middle is not in it)."""
    return _widest(segment.outline)


def find_beds(layout: Layout, name: str) -> tuple[Segment, ...]:
    """The areas that a name stands for: one bed, the halves of a merged single, or all of a group."""
    if name in layout:
        wanted = layout[name]
        if wanted.outline:
            return (wanted,)
        touched = (s for s in layout.areas if s.id in wanted.near)
        return tuple(s for s in touched if (s.value, s.multiplier) == (wanted.value, wanted.multiplier))
    return tuple(s for s in layout.group(name) if s.outline)


@lru_cache(maxsize=1024)  # by outline, not by segment: T20 is the same segment on layouts of every size
def _widest(outline: tuple[Ring, ...]) -> AimPoint:
    """Best-first search over ever smaller squares: none is split that cannot hold a clearly better point."""
    xs, ys = [x for ring in outline for x, _ in ring], [y for ring in outline for _, y in ring]
    half = max(max(xs) - min(xs), max(ys) - min(ys)) / 2
    middle_x, middle_y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    best_x, best_y = _centroid(outline[0])
    edges = _edges(outline)
    best = _room(outline, edges, best_x, best_y)
    squares: list[tuple[float, float, float, float]] = []

    def consider(x: float, y: float, half: float) -> None:
        nonlocal best, best_x, best_y
        room = _room(outline, edges, x, y)
        if room > best + _PRECISION:
            best, best_x, best_y = room, x, y
        heapq.heappush(squares, (-(room + half * math.sqrt(2)), x, y, half))

    consider(middle_x, middle_y, half)
    while squares and -squares[0][0] > best + _PRECISION:
        _, x, y, half = heapq.heappop(squares)
        for dx, dy in ((-half, -half), (-half, half), (half, -half), (half, half)):
            consider(x + dx / 2, y + dy / 2, half / 2)
    return AimPoint(round(best_x), round(best_y), best)


def _edges(outline: tuple[Ring, ...]) -> tuple[_Edge, ...]:
    found = []
    for ring in outline:
        for (x, y), (to_x, to_y) in zip(ring, ring[1:] + ring[:1], strict=True):
            dx, dy = to_x - x, to_y - y
            found.append((x, y, dx, dy, 1 / (dx * dx + dy * dy or 1)))
    return tuple(found)


def _room(outline: tuple[Ring, ...], edges: tuple[_Edge, ...], x: float, y: float) -> float:
    """How far a point is from the border of an area; negative outside of it."""
    least = math.inf
    for from_x, from_y, dx, dy, per_square in edges:
        ahead_x, ahead_y = x - from_x, y - from_y
        along = (ahead_x * dx + ahead_y * dy) * per_square
        along = 0.0 if along < 0 else min(along, 1.0)
        ahead_x -= along * dx
        ahead_y -= along * dy
        least = min(least, ahead_x * ahead_x + ahead_y * ahead_y)
    return math.sqrt(least) if inside(outline, x, y) else -math.sqrt(least)


def _centroid(ring: Ring) -> tuple[float, float]:
    area = sum_x = sum_y = 0.0
    for (x1, y1), (x2, y2) in zip(ring, ring[1:] + ring[:1], strict=True):
        cross = x1 * y2 - x2 * y1
        area += cross
        sum_x += (x1 + x2) * cross
        sum_y += (y1 + y2) * cross
    return sum_x / (3 * area), sum_y / (3 * area)
