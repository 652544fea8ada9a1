"""The layout of Yatzy-Dart: every point is where the true circles say, and what a file may change."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from protocol import layouts
from protocol.segment import UnfitLayout
from protocol.source import Source, SourceError
from protocol.yatzy import YatzyDesign, yatzy
from tests.protocol.tiling import assert_near_is_what_shares_an_edge, assert_tiles, doubled_area, spots

LAYOUT = yatzy()

SINGLES = "1 2 3 4 5 6".split()
PAIRS = "12 23 34 45 56 16".split()
TRIPLES = "123 234 345 456 156 126".split()

# What a drawing shows, point by point: millimetres from the centre of the star, and the area.
SAMPLES = """
0 12 1i; 27 46.5 12i; 48.5 28 123i; 0 48 126i; -48.5 28 156i; -27 46.5 16i; 10.5 6 2i; 53.5 0 23i; 48.5 -28 234i;
10.5 -6 3i; 27 -46.5 34i; 0 -62 345i; 0 -12 4i; -27 -46.5 45i; -48.5 -28 456i; -10.5 -6 5i; -53.5 0 56i; -10.5 6 6i;
0 123.5 1m; 61 88.5 12m; 68 39 123m; 0 78 126m; -68 39 156m; -61 88.5 16m; 107 62 2m; 107 -10.5 23m; 68 -39 234m;
107 -62 3m; 58 -90.5 34m; 0 -78 345m; 0 -123.5 4m; -58 -90.5 45m; -68 -39 456m; -107 -62 5m; -107 -10.5 56m;
-107 62 6m; -0.5 175.5 1o; 79 136.5 12o; -79 136.5 16o; 152.5 87 2o; 157.5 0 23o; 149.5 -92 3o; 79 -136.5 34o;
-0.5 -175.5 4o; -79 -136.5 45o; -149.5 -92 5o; -157.5 0 56o; -152.5 87 6o
"""

CENTRES = {1: (0, 110), 2: (95.263, 55), 3: (95.263, -55), 4: (0, -110), 5: (-95.263, -55), 6: (-95.263, 55)}


def by_circles(x: float, y: float) -> str:
    """The area by the page's own numbers, in millimetres."""
    away = math.hypot(x, y)
    digits = "".join(str(n) for n, (cx, cy) in CENTRES.items() if math.hypot(x - cx, y - cy) < 101.2)
    if away < 8:
        return "STAR"
    if not digits or away >= 212:
        return "NONE"
    return digits + ("i" if away < 75 else "m" if away < 140 else "o")


def clearance(x: float, y: float) -> float:
    """How far the nearest border is, in millimetres."""
    rings = [abs(math.hypot(x, y) - radius) for radius in (8, 75, 140, 212)]
    return min(rings + [abs(math.hypot(x - cx, y - cy) - 101.2) for cx, cy in CENTRES.values()])


def samples() -> Iterator[tuple[float, float, str]]:
    for sample in SAMPLES.replace("\n", " ").split(";"):
        x, y, segment_id = sample.split()
        yield float(x), float(y), segment_id


def test_49_areas_and_three_ids_without_one() -> None:
    expected = {s + ring for s in SINGLES + PAIRS + TRIPLES for ring in "im"} | {s + "o" for s in SINGLES + PAIRS}
    assert len(LAYOUT.areas) == 49
    assert {s.id for s in LAYOUT.areas} == expected | {"STAR"}
    assert {s.id for s in LAYOUT} - {s.id for s in LAYOUT.areas} == {"NONE", "OFF", "FOUL"}
    assert len(LAYOUT) == len({s.id for s in LAYOUT}) == 52
    assert LAYOUT.miss is LAYOUT["NONE"]


@given(x=st.floats(-230, 230), y=st.floats(-230, 230))
def test_a_point_off_the_borders_is_where_the_circles_say(x: float, y: float) -> None:
    assume(clearance(x, y) > 0.12)  # a chord, and corners rounded to a tenth
    assert LAYOUT.at(10 * x, 10 * y).id == LAYOUT.landed(10 * x, 10 * y).id == by_circles(x, y)


def test_the_points_of_the_drawing() -> None:
    points = list(samples())
    assert len(points) == 48
    assert {segment_id for _, _, segment_id in points} == {s.id for s in LAYOUT.areas} - {"STAR"}
    for x, y, segment_id in points:
        assert LAYOUT.at(10 * x, 10 * y).id == segment_id


@pytest.mark.parametrize(
    ("x", "y", "segment_id"),
    [
        (0, 0, "STAR"),
        (7.9, 0, "STAR"),
        (0, -8.4, "NONE"),  # between the star and the circles
        (0, 211.5, "NONE"),  # beyond circle 1
        (105, 182, "NONE"),  # in the notch between 1 and 2
        (0, -213, "NONE"),
        (5000, 0, "NONE"),
    ],
)
def test_the_star_and_what_is_no_area(x: float, y: float, segment_id: str) -> None:
    assert LAYOUT.at(10 * x, 10 * y).id == segment_id


def test_areas_are_as_large_as_those_of_the_true_circles() -> None:
    """Square millimetres, measured on the true circles by counting points: ring, and how many circles."""
    measured = {"i1": 355, "i2": 14158, "i3": 2884, "m1": 8778, "m2": 34746, "m3": 372, "o1": 54444, "o2": 10944}
    found: dict[str, float] = defaultdict(float)
    for segment in LAYOUT.areas:
        if segment.id != "STAR":
            found[f"{segment.id[-1]}{len(segment.id) - 1}"] += doubled_area(segment.outline) / 200
    assert found == {key: pytest.approx(area, rel=0.002, abs=6) for key, area in measured.items()}
    assert doubled_area(LAYOUT["STAR"].outline) / 200 == pytest.approx(math.pi * 64, rel=0.01)


@pytest.mark.parametrize(
    ("segment_id", "near"),
    [
        ("1i", "12i 16i"),
        ("12i", "1i 2i 123i 126i 12m"),
        ("123i", "12i 23i 123m"),
        ("126i", "12i 16i 126m"),
        ("156m", "156i 16m 56m"),
        ("4m", "34m 45m 4o"),  # the true inner ring never borders on 4 alone
        ("56m", "56i 56o 5m 6m 156m 456m"),
        ("6o", "6m 16o 56o"),
        ("16o", "16m 1o 6o"),
        ("STAR", ""),
        ("NONE", ""),
        ("OFF", ""),
    ],
)
def test_the_areas_that_touch(segment_id: str, near: str) -> None:
    assert LAYOUT[segment_id].near == set(near.split())


@pytest.mark.parametrize(
    ("segment_id", "points", "groups"),
    [
        ("6i", 18, "6 inner"),
        ("1o", 1, "1 outer"),
        ("56m", 12, "5 6 middle"),  # at most: it may count as a 5
        ("126i", 18, "1 2 6 inner"),
        ("23o", 3, "2 3 outer"),
        ("STAR", 50, "star"),
        ("NONE", 0, "miss"),
        ("OFF", 0, "off"),
        ("FOUL", 0, "foul"),
    ],
)
def test_worth_and_groups(segment_id: str, points: int, groups: str) -> None:
    assert LAYOUT[segment_id].points == points
    assert LAYOUT[segment_id].groups == set(groups.split())


def test_a_group_is_all_that_may_count_for_it() -> None:
    assert {s.id for s in LAYOUT.group("6")} == {s.id for s in LAYOUT.areas if "6" in s.id}
    assert len(LAYOUT.group("6")) == 6 + 6 + 3  # 6 16 56 126 156 456, and no three in the outer ring
    assert {s.multiplier for s in LAYOUT.group("inner")} == {3}
    assert [len(LAYOUT.group(ring)) for ring in ("inner", "middle", "outer")] == [18, 18, 12]


@given(
    distance=st.integers(400, 2000),
    radius=st.floats(0.867, 0.99),
    rings=st.tuples(st.floats(0.2, 0.9), st.floats(0.9, 1.6), st.floats(1.6, 2.2)),
    star=st.floats(0.01, 0.13),
)
def test_a_design_makes_a_layout_that_keeps_the_laws_or_are_refused(
    distance: int, radius: float, rings: tuple[float, float, float], star: float
) -> None:
    def length(share: float) -> float:
        return round(distance * share) / 10

    try:
        inner, middle, outer = map(length, rings)
        layout = yatzy(YatzyDesign(length(star), inner, middle, outer, distance / 10, length(radius)))
    except UnfitLayout:
        return
    assert_tiles(layout)
    assert_near_is_what_shares_an_edge(layout)
    for segment in layout.areas:
        assert {layout.at(x, y).id for x, y in spots(segment.outline)} <= {segment.id}


def test_a_file_may_change_a_length() -> None:
    layout = layouts.load(Source("[yatzy]\nouter_radius_mm = 170\nstar_radius_mm = 5", "layout.toml"))
    assert layout.name == "yatzy"
    assert {s.id for s in layout} == {s.id for s in LAYOUT}
    assert [layout.at(x, 0).id for x in (49, 51, 1600, 1699, 1701)] == ["STAR", "NONE", "23o", "23o", "NONE"]
    assert [layout.at(0, y).id for y in (1695, 1705)] == ["1o", "NONE"]
    assert_tiles(layout)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", ": the file of your own layout must have exactly one table, [yatzy] or [ground_round]"),
        (
            "[yatzy]\n[ground_round]",
            ": the file of your own layout must have exactly one table, [yatzy] or [ground_round]",
        ),
        ("[yatzi]", ", line 1: unknown key 'yatzi'; did you mean 'yatzy'?"),
        (
            "[yatzy]\nstar_radius_mm = nan",
            ", line 2: yatzy.star_radius_mm = nan: this must be a number >= 1.0",
        ),
        (
            "[yatzy]\nstar_radius_mm = 9",
            (
                ", line 2: star_radius_mm = 9 must be at most 8.3: the star may not overlap a circle, and the "
                "circles begin 8.8 mm from the centre (circle_distance_mm minus circle_radius_mm)"
            ),
        ),
        (
            "[yatzy]\n\nouter_radius_mm = 100",
            ", line 3: outer_radius_mm = 100 must be at least a millimetre more than middle_radius_mm = 140",
        ),
        (
            "[yatzy]\ncircle_radius_mm = 90",
            ", line 2: circle_radius_mm = 90 must be at least 95.8: three neighbouring circles must share an area",
        ),
        (
            "[yatzy]\nouter_radius_mm = 211",
            (
                ", line 1: circle 1 and the border of the outer ring almost touch: "
                "change one of the lengths by a millimetre"
            ),
        ),
        (
            "# mine\n[yatzy]\ninner_radius_mm = 89.2",
            (
                ", line 2: three borders almost meet in one point (at -77 mm, 45 mm from the centre): "
                "change one of the lengths by a millimetre"
            ),
        ),
        (
            "[yatzy]\nmiddle_radius_mm = 200\nouter_radius_mm = 205",
            ", line 1: the outer ring has no area 12o: make the ring wider, or move it",
        ),
        (
            "[yatzy]\ninner_radius_mm = 22.5",
            (", line 1: an area 156i is smaller than 2 square millimetres: change one of the lengths by a millimetre"),
        ),
    ],
)
def test_a_file_that_makes_no_layout_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(SourceError) as caught:
        layouts.load(Source(text, "layout.toml"))
    assert str(caught.value) == f"layout.toml{sentence}"


def test_the_largest_star_there_may_be() -> None:
    assert layouts.load(Source("[yatzy]\nstar_radius_mm = 8.3", "layout.toml"))["STAR"].outline
