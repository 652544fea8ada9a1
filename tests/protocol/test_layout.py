"""The laws of every layout: its areas tile it, each point is in the area it should be in, neighbours share an edge.

The geometry is exact, so the tests are too: whether a point is in an outline is asked in whole numbers.
"""

from __future__ import annotations

import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import layouts
from protocol.ground_round import ground_round
from protocol.segment import Layout, Ring, Segment, UnknownSegment, touching
from protocol.source import Source
from protocol.standard import SOFT_13_INCH, SOFT_15_INCH, STEEL, standard
from protocol.yatzy import yatzy
from tests.protocol.tiling import assert_near_is_what_shares_an_edge, assert_tiles, edges, holds, spots

LAYOUTS = {
    "15 inch": standard(SOFT_15_INCH),
    "13 inch": standard(SOFT_13_INCH),
    "steel": standard(STEEL),
    "yatzy": yatzy(),
    "ground_round": ground_round(),
}
EACH = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


def test_the_same_layout_is_the_same_object() -> None:
    assert layouts.find_layout("standard") is LAYOUTS["15 inch"] is standard()
    for name in ("yatzy", "ground_round"):
        assert layouts.find_layout(name) is LAYOUTS[name] is layouts.load(Source(f"[{name}]", "layout.toml"))


@EACH
def test_a_layout_can_be_sent_to_another_process(layout: Layout) -> None:
    sent: Layout = pickle.loads(pickle.dumps(layout))
    assert ([each.id for each in sent], sent.find(layout.miss.id).id) == ([each.id for each in layout], layout.miss.id)


@EACH
def test_the_areas_tile_the_layout(layout: Layout) -> None:
    assert_tiles(layout)


@EACH
def test_near_is_what_shares_an_edge(layout: Layout) -> None:
    assert_near_is_what_shares_an_edge(layout)
    assert layout.miss.near == frozenset()


@EACH
@given(data=st.data())
def test_a_point_is_in_exactly_one_outline_or_in_none(layout: Layout, data: st.DataObject) -> None:
    coordinate = st.integers(-layout.radius - 50, layout.radius + 50)
    corners = [corner for s in layout.areas for corner, _ in edges(s.outline)]
    x, y = data.draw(st.tuples(coordinate, coordinate) | st.sampled_from(corners))
    found = [s.id for s in layout.areas if holds(s.outline, x, y)]
    assert found == ([] if layout.at(x, y) is layout.miss else [layout.at(x, y).id])


@EACH
def test_points_inside_of_every_area_are_that_area(layout: Layout) -> None:
    for segment in layout.areas:
        assert spots(segment.outline)
        assert {layout.at(x, y).id for x, y in spots(segment.outline)} == {segment.id}


@EACH
@pytest.mark.parametrize("where", [(math.nan, 0.0), (math.inf, -math.inf), (0.0, -1e300)])
def test_a_point_that_is_nowhere_is_a_miss(layout: Layout, where: tuple[float, float]) -> None:
    assert layout.at(*where) is layout.landed(*where) is layout.miss


def test_areas_touch_along_an_edge_not_at_a_corner() -> None:
    def square(x: int, y: int) -> tuple[Ring, ...]:
        return (((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)),)

    four = {"sw": square(0, 0), "se": square(1, 0), "ne": square(1, 1), "far": square(5, 5)}
    assert touching(four) == {"sw": {"se"}, "se": {"sw", "ne"}, "ne": {"se"}, "far": set()}


@pytest.mark.parametrize(
    ("layout", "wrong", "meant"),
    [
        ("standard", "T21", "T2"),
        ("standard", "t20", "T20"),
        ("standard", "miss", "MISS"),
        ("standard", "bullseye", "DB"),
        ("standard", "", ""),
        ("yatzy", "6I", "6i"),
        ("yatzy", "star", "STAR"),
        ("yatzy", "13i", "123i"),
        ("yatzy", "none", "NONE"),
    ],
)
def test_an_unknown_segment_names_the_nearest(layout: str, wrong: str, meant: str) -> None:
    assert wrong not in layouts.find_layout(layout)
    with pytest.raises(UnknownSegment) as caught:
        layouts.find_layout(layout)[wrong]
    question = f"; did you mean {meant}?" if meant else ""
    assert str(caught.value) == f"the {layout} layout has no segment '{wrong}'{question}"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("standart", "there is no layout 'standart'; did you mean 'standard'?"),
        ("moon", "there is no layout 'moon'; possible here: ground_round, standard, yatzy"),
    ],
)
def test_an_unknown_layout_names_the_nearest(wrong: str, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole sentence is compared)
        layouts.find_layout(wrong)
    assert str(caught.value) == sentence


def test_a_layout_with_a_segment_named_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^segment A is named twice on the layout odd$"):
        Layout("odd", [Segment("A", 1, 1), Segment("A", 2, 1)], miss="A")
