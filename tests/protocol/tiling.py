"""Do the outlines of a layout tile it? Asked in whole numbers, of any layout whose areas all run the same way round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from protocol.segment import Layout, Point, Ring

Edge = tuple[Point, Point]


def edges(outline: tuple[Ring, ...]) -> list[Edge]:
    return [edge for ring in outline for edge in pairwise((*ring, ring[0]))]


def doubled_area(outline: tuple[Ring, ...]) -> int:
    """Holes run the other way round, so they count less."""
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in edges(outline)))


def holds(outline: tuple[Ring, ...], x: int, y: int) -> bool:
    """Counts the edges that a ray to the right crosses."""
    crossings = 0
    for (x1, y1), (x2, y2) in edges(outline):
        side = (x2 - x1) * (y - y1) - (x - x1) * (y2 - y1)
        crossings += (y1 <= y < y2 and side > 0) or (y2 <= y < y1 and side < 0)
    return crossings % 2 == 1


def assert_tiles(layout: Layout) -> None:
    """Nothing overlaps and no gap opens between neighbours.

    When no two edges cross, every edge is walked once in each direction at most, and every area is on the same side of
    its edges, then what is on one side of an edge is one area, and on the other side one other area or none.
    """
    walked = Counter(edge for s in layout.areas for edge in edges(_turn_holes(s.outline)))
    assert set(walked.values()) == {1}, "an edge is walked twice in one direction"
    signs = {sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in edges(s.outline)) > 0 for s in layout.areas}
    assert len(signs) == 1, "areas run in different directions"
    crossing = next(_crossing({tuple(sorted(edge)) for edge in walked}), None)
    assert crossing is None, f"edges meet elsewhere than in a common corner: {crossing}"


def assert_near_is_what_shares_an_edge(layout: Layout) -> None:
    """Of the areas; that they name each other goes for every segment."""
    owners: dict[frozenset[Point], set[str]] = {}
    for segment in layout.areas:
        for edge in edges(segment.outline):
            owners.setdefault(frozenset(edge), set()).add(segment.id)
    for segment in layout.areas:
        sharing = set().union(*(ids for ids in owners.values() if segment.id in ids)) - {segment.id}
        assert {near for near in segment.near if layout[near].outline} == sharing
    assert all(s.id != other and s.id in layout[other].near for s in layout for other in s.near)


def spots(outline: tuple[Ring, ...]) -> list[tuple[float, float]]:
    """A point in the middle of every stretch of the area, along some lines across it."""
    heights = [y for ring in outline for _, y in ring]
    found = []
    for share in (0.13, 0.37, 0.5, 0.71, 0.93):
        level = min(heights) + share * (max(heights) - min(heights)) + 0.003  # on no vertex
        ends = sorted(
            x1 + (level - y1) * (x2 - x1) / (y2 - y1)
            for (x1, y1), (x2, y2) in edges(outline)
            if (y1 > level) != (y2 > level)
        )
        found += [((a + b) / 2, level) for a, b in zip(ends[::2], ends[1::2], strict=True) if b - a > 0.5]
    return found


def _turn_holes(outline: tuple[Ring, ...]) -> tuple[Ring, ...]:
    """The same rings, the largest first; those within it, its holes, run against it."""
    sums = {ring: sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in edges((ring,))) for ring in outline}
    outer, *others = sorted(outline, key=lambda ring: -abs(sums[ring]))
    return outer, *(r[::-1] if holds((outer,), *r[0]) and sums[r] * sums[outer] > 0 else r for r in others)


def _crossing(all_edges: set[tuple[Point, ...]]) -> Iterator[object]:
    """Pairs of edges (each from left to right) that have more in common than an end of both."""
    open_edges: list[tuple[Point, ...]] = []
    for edge in sorted(all_edges):
        open_edges = [other for other in open_edges if other[1][0] >= edge[0][0]]
        low, high = sorted((edge[0][1], edge[1][1]))
        for other in open_edges:
            if min(other[0][1], other[1][1]) <= high and max(other[0][1], other[1][1]) >= low and _meet(edge, other):
                yield edge, other
        open_edges.append(edge)


def _meet(one: tuple[Point, ...], other: tuple[Point, ...]) -> bool:
    common = set(one) & set(other)
    if common:
        corner = common.pop()
        (x1, y1), (x2, y2) = ((b[0] - corner[0], b[1] - corner[1]) for e in (one, other) for b in e if b != corner)
        return x1 * y2 == x2 * y1 and x1 * x2 + y1 * y2 > 0
    (a, b), (c, d) = one, other
    return _turn(a, b, c) * _turn(a, b, d) <= 0 and _turn(c, d, a) * _turn(c, d, b) <= 0


def _turn(a: Point, b: Point, c: Point) -> int:
    turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (turn > 0) - (turn < 0)
