"""The geometry of the standard face: its areas tile it, and every point is in the area it should be in.

The geometry is exact, so the tests are too: areas are integer sums, and where a point lies is asked of a rule of the
test's own.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.segment import Layout, Point, Ring, touching
from protocol.standard import SOFT_13_INCH, SOFT_15_INCH, STEEL, Radii, standard

CLOCKWISE = [20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5]
MILLIMETRES = {SOFT_15_INCH: 196.9, SOFT_13_INCH: 170.0, STEEL: 170.0}
FACES = pytest.mark.parametrize("radii", [SOFT_15_INCH, SOFT_13_INCH, STEEL], ids=["15 inch", "13 inch", "steel"])


def edges(outline: tuple[Ring, ...]) -> list[tuple[Point, Point]]:
    return [edge for ring in outline for edge in pairwise((*ring, ring[0]))]


def doubled_area(ring: Ring) -> int:
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in edges((ring,))))


def holds(outline: tuple[Ring, ...], x: int, y: int) -> bool:
    """Is the point in there? Counts the edges that a ray to the right crosses, in integers."""
    crossings = 0
    for (x1, y1), (x2, y2) in edges(outline):
        side = (x2 - x1) * (y - y1) - (x - x1) * (y2 - y1)
        crossings += (y1 <= y < y2 and side > 0) or (y2 <= y < y1 and side < 0)
    return crossings % 2 == 1


def rim(face: Layout) -> Ring:
    """The outer border: the edges that belong to one area only, walked round."""
    shared = Counter(frozenset(edge) for s in face.areas for edge in edges(s.outline))
    assert set(shared.values()) <= {1, 2}
    steps = {a: b for s in face.areas for a, b in edges(s.outline) if shared[frozenset((a, b))] == 1}
    ring = [next(iter(steps))]
    while (vertex := steps[ring[-1]]) != ring[0]:
        ring.append(vertex)
    assert len(ring) == len(steps), "the rim is one closed line"
    return tuple(ring)


def middle(segment_id: str, radii: Radii, lean: float = 0) -> tuple[float, float]:
    """A point half way through the ring, so many degrees clockwise of the middle, from trigonometry alone."""
    if segment_id == "DB":
        return 0.0, 0.0
    if segment_id == "SB":
        return (radii.inner_bull + radii.outer_bull) / 2, 0.0
    low, high = {
        "I": (radii.outer_bull, radii.triple_in),
        "T": (radii.triple_in, radii.triple_out),
        "O": (radii.triple_out, radii.double_in),
        "D": (radii.double_in, radii.double_out),
    }[segment_id[0]]
    angle = math.radians(18 * CLOCKWISE.index(int(segment_id[1:])) + lean)
    return (low + high) / 2 * math.sin(angle), (low + high) / 2 * math.cos(angle)


def by_ring(radius: float, number: int, radii: Radii) -> str:
    """The segment at this distance from the centre, in the wedge of this number."""
    if radius < radii.inner_bull:
        return "DB"
    if radius < radii.outer_bull:
        return "SB"
    for letter, high in zip("ITOD", radii[2:], strict=True):
        if radius < high:
            return f"{letter}{number}"
    return "MISS"


def every_area() -> list[str]:
    return [*(f"{ring}{number}" for ring in "ITOD" for number in range(1, 21)), "SB", "DB"]


@FACES
def test_82_areas_20_merged_singles_and_a_miss(radii: Radii) -> None:
    face = standard(radii)
    assert sorted(s.id for s in face.areas) == sorted(every_area())
    assert {s.id for s in face} - {s.id for s in face.areas} == {*(f"S{n}" for n in range(1, 21)), "MISS"}
    assert len({s.id for s in face}) == len(face) == 103
    assert face.miss is face["MISS"]


@FACES
def test_the_areas_tile_the_face_to_the_last_unit(radii: Radii) -> None:
    face = standard(radii)
    total = 0
    for segment in face.areas:
        outer, *holes = sorted(map(doubled_area, segment.outline), reverse=True)
        assert outer > sum(holes), segment
        assert all(a != b for a, b in edges(segment.outline)), f"{segment} has an edge of no length"
        total += outer - sum(holes)
    assert total == doubled_area(rim(face))
    assert total / 2 / 100 == pytest.approx(math.pi * MILLIMETRES[radii] ** 2, rel=0.001)  # 100: tenths to mm²


@FACES
@given(data=st.data())
def test_a_point_on_the_face_is_in_exactly_one_outline(radii: Radii, data: st.DataObject) -> None:
    face = standard(radii)
    coordinate = st.integers(-face.radius - 50, face.radius + 50)
    x, y = data.draw(coordinate), data.draw(coordinate)
    found = [s for s in face.areas if holds(s.outline, x, y)]
    assert len(found) == (1 if holds((rim(face),), x, y) else 0)
    assert face.at(x, y) == (found[0] if found else face.miss)


@FACES
def test_a_vertex_that_areas_share_is_in_one_of_them_at_most(radii: Radii) -> None:
    face, border = standard(radii), (rim(standard(radii)),)
    corners = {ring[at] for s in face.areas for ring in s.outline for at in (0, len(ring) // 2)}
    for x, y in corners:
        assert sum(holds(s.outline, x, y) for s in face.areas) == holds(border, x, y)
        assert (face.at(x, y) != face.miss) == holds(border, x, y)


@FACES
@pytest.mark.parametrize("lean", [-8.7, 0, 8.7], ids=["left", "middle", "right"])
def test_every_area_is_found_from_wire_to_wire(radii: Radii, lean: float) -> None:
    face = standard(radii)
    for segment_id in every_area():
        assert face.at(*middle(segment_id, radii, lean)).id == segment_id


@FACES
@given(radius=st.floats(0, 2100), number=st.sampled_from(CLOCKWISE), lean=st.floats(-1, 1))
def test_a_point_off_the_wires_is_where_trigonometry_says(
    radii: Radii, radius: float, number: int, lean: float
) -> None:
    clear = min(abs(radius - r) for r in radii) > 3  # a chord runs up to 0.3 mm within its circle
    if not clear:
        radius += 7
    degrees = 18 * CLOCKWISE.index(number) + lean * (8.5 - min(8.4, 150 / max(radius, 1)))
    x, y = radius * math.sin(math.radians(degrees)), radius * math.cos(math.radians(degrees))
    assert standard(radii).at(x, y).id == by_ring(radius, number, radii)


@pytest.mark.parametrize("where", [(math.nan, 0.0), (math.inf, math.inf), (0.0, -1e300)])
def test_a_point_that_is_nowhere_is_a_miss(where: tuple[float, float]) -> None:
    assert standard().at(*where).id == "MISS"


def test_areas_touch_along_an_edge_not_at_a_corner() -> None:
    def square(x: int, y: int) -> tuple[Ring, ...]:
        return (((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)),)

    four = {"sw": square(0, 0), "se": square(1, 0), "ne": square(1, 1), "far": square(5, 5)}
    assert touching(four) == {"sw": {"se"}, "se": {"sw", "ne"}, "ne": {"se"}, "far": set()}
