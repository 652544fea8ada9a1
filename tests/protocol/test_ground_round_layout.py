"""The layout of Ground Round: its hexagons, the lines between them, the symbols, and what a file may change."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from protocol import layouts
from protocol.ground_round import HEXES, GroundRoundDesign, ground_round, hexes, neighbours, symbols
from protocol.segment import Segment, UnknownSegment
from protocol.source import Source, SourceError
from tests.protocol.tiling import assert_near_is_what_shares_an_edge, assert_tiles, doubled_area, edges

LAYOUT = ground_round()

# Column by column, as the ids are sorted: symbol, and the middle in millimetres.
ARRANGEMENT = {
    "-2,0": ("flag", -135.1, 0),
    "-2,1": ("pin", -101.32, -58.5),
    "-2,2": ("blank", -67.55, -117),
    "-1,-1": ("dart", -101.32, 58.5),
    "-1,0": ("crossed_darts", -67.55, 0),
    "-1,1": ("fist", -33.77, -58.5),
    "-1,2": ("dart", 0, -117),
    "0,-2": ("blank", -67.55, 117),
    "0,-1": ("tower", -33.77, 58.5),
    "0,0": ("flaming_fist", 0, 0),
    "0,1": ("tower", 33.77, -58.5),
    "0,2": ("flag", 67.55, -117),
    "1,-2": ("pin", 0, 117),
    "1,-1": ("fist", 33.77, 58.5),
    "1,0": ("crossed_darts", 67.55, 0),
    "1,1": ("pin", 101.32, -58.5),
    "2,-2": ("flag", 67.55, 117),
    "2,-1": ("dart", 101.32, 58.5),
    "2,0": ("blank", 135.1, 0),
}


def to_hexagon(hex_id: str, x: float, y: float) -> float:
    """How far a point is from a hexagon, in millimetres; 0 inside. By its corners and sides alone."""
    _, cx, cy = ARRANGEMENT[hex_id]
    corners = [(cx + 39 * math.sin(math.tau * k / 6), cy + 39 * math.cos(math.tau * k / 6)) for k in range(7)]
    nearest, beyond = math.inf, False
    for (x1, y1), (x2, y2) in pairwise(corners):
        along = min(1.0, max(0.0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / 39**2))
        nearest = min(nearest, math.hypot(x1 + along * (x2 - x1) - x, y1 + along * (y2 - y1) - y))
        beyond |= (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) > 0
    return nearest if beyond else 0.0


def test_nineteen_hexagons_two_red_areas_their_lines_and_a_miss() -> None:
    assert [s.id for s in LAYOUT.areas if "!" not in s.id] == list(ARRANGEMENT) == list(HEXES)
    assert {s.id for s in LAYOUT.areas} - set(HEXES) == {"1,0!", "-1,0!"}
    lines = LAYOUT.group("line")
    assert Counter(len(hexes(line.id)) for line in lines) == {2: 42, 3: 24}
    assert {s.id for s in LAYOUT} - {s.id for s in LAYOUT.areas} == {"MISS", *(line.id for line in lines)}
    assert len(LAYOUT) == len({s.id for s in LAYOUT}) == 88
    assert LAYOUT.miss is LAYOUT["MISS"]


def test_areas_are_as_large_as_hexagons_and_circles() -> None:
    total = sum(doubled_area(s.outline) for s in LAYOUT.areas) / 200
    assert total == pytest.approx(19 * 1.5 * math.sqrt(3) * 39**2, rel=0.0005)
    assert doubled_area(LAYOUT["1,0!"].outline) / 200 == pytest.approx(math.pi * 15**2, rel=0.005)
    whole = LAYOUT["0,0"]
    assert doubled_area(LAYOUT["1,0"].outline) + doubled_area(LAYOUT["1,0!"].outline) == pytest.approx(
        doubled_area(whole.outline), rel=0.002
    )


@pytest.mark.parametrize("hex_id", ARRANGEMENT)
def test_each_hexagon_is_in_its_place_with_its_symbol(hex_id: str) -> None:
    symbol, x, y = ARRANGEMENT[hex_id]
    has_red = symbol == "crossed_darts"
    assert LAYOUT[hex_id].groups == {symbol}
    assert LAYOUT.landed(10 * x, 10 * y).id == (f"{hex_id}!" if has_red else hex_id)
    assert LAYOUT.landed(10 * x + 160, 10 * y).id == hex_id
    assert (f"{hex_id}!" in LAYOUT) == has_red


def test_the_red_area_ends_at_fifteen_millimetres() -> None:
    assert [LAYOUT.at(675.5 + dx, 0).id for dx in (0, 148, 152)] == ["1,0!", "1,0!", "1,0"]
    assert LAYOUT["1,0!"].groups == {"crossed_darts", "red"}


@pytest.mark.parametrize(
    ("x", "y", "segment_id"),
    [
        (0, 0, "0,0"),
        (33.77, 0, "0,0|1,0"),
        (33.1, 0, "0,0|1,0"),
        (32.9, 0, "0,0"),
        (34.4, 0, "0,0|1,0"),
        (34.7, 0, "1,0"),
        (0, 39, "0,-1|0,0|1,-1"),
        (0, 39.5, "0,-1|0,0|1,-1"),
        (0, 41, "0,-1|1,-1"),
        (33.77, -19.5, "0,0|0,1|1,0"),
        (0, 117, "1,-2"),
        (168.3, 0, "2,0"),  # the rim is no line: one hexagon only
        (169.3, 0, "MISS"),
        (33.77, 136.7, "1,-2|2,-2"),  # where a line ends at the rim
        (200, 0, "MISS"),
    ],
)
def test_what_a_dart_has_hit(x: float, y: float, segment_id: str) -> None:
    assert LAYOUT.landed(10 * x, 10 * y).id == segment_id


@given(line=st.sampled_from(LAYOUT.group("line")), x=st.floats(-8, 8), y=st.floats(-8, 8), along=st.floats(0, 1))
def test_a_dart_is_on_a_line_when_it_touches_two_hexagons(line: Segment, x: float, y: float, along: float) -> None:
    one, *_, other = hexes(line.id)
    ends = [(ARRANGEMENT[i][1], ARRANGEMENT[i][2]) for i in (one, other)]
    (x1, y1), (x2, y2) = ends
    px, py = (x1 + x2) / 2 + x - (y2 - y1) * (along - 0.5), (y1 + y2) / 2 + y + (x2 - x1) * (along - 0.5)
    distances = {hex_id: to_hexagon(hex_id, px, py) for hex_id in HEXES}
    assume(
        not any(0.63 < distance < 0.9 for distance in distances.values())
    )  # 0.75; its corners are pointed, not round
    touched = [hex_id for hex_id, distance in distances.items() if distance < 0.75]
    found = LAYOUT.landed(10 * px, 10 * py)
    assert ("line" in found.groups) == (len(touched) > 1)
    if len(touched) > 1 or 0 in distances.values():
        assert hexes(found.id) == tuple(touched)


@given(x=st.floats(-1900, 1900), y=st.floats(-1900, 1900))
def test_a_line_names_the_area_under_the_dart(x: float, y: float) -> None:
    area, found = LAYOUT.at(x, y), LAYOUT.landed(x, y)
    assert found is area or (len(hexes(found.id)) > 1 and (area is LAYOUT.miss or hexes(area.id)[0] in hexes(found.id)))


def test_a_line_is_between_hexagons_that_have_it_in_common() -> None:
    for line in LAYOUT.group("line"):
        rings = [{frozenset(edge) for edge in edges(LAYOUT[hex_id].outline[:1])} for hex_id in hexes(line.id)]
        corners = [set().union(*ring) for ring in rings]
        common = set.intersection(*corners)
        assert len(common) == (2 if len(rings) == 2 else 1)
        assert line.near == frozenset()
        assert not line.outline
        assert list(hexes(line.id)) == [hex_id for hex_id in HEXES if hex_id in hexes(line.id)]


@pytest.mark.parametrize("written", ["0,-1|0,0|1,-1", "1,-1|0,0|0,-1", "0,0|1,-1|0,-1"])
def test_the_candidates_of_a_line_may_come_in_any_order_and_keep_it(written: str) -> None:
    assert written in LAYOUT
    assert hexes(LAYOUT[written].id) == tuple(written.split("|"))
    assert LAYOUT[written].groups == LAYOUT["0,-1|0,0|1,-1"].groups


@pytest.mark.parametrize("wrong", ["0,0|2,0", "0,0|0,0", "0,0|1,0!", "0,0!", "2,0!", "3,0", "|", "", "line", "1, 0"])
def test_what_is_no_segment(wrong: str) -> None:
    assert wrong not in LAYOUT
    assert 7 not in LAYOUT
    with pytest.raises(UnknownSegment, match=r"^the ground_round layout has no segment"):
        LAYOUT[wrong]


@pytest.mark.parametrize(
    ("hex_id", "around"),
    [
        ("0,0", "-1,0 -1,1 0,-1 0,1 1,-1 1,0"),
        ("1,0", "0,0 0,1 1,-1 1,1 2,-1 2,0"),
        ("2,-2", "1,-2 1,-1 2,-1"),
        ("-2,1", "-2,0 -2,2 -1,0 -1,1"),
        ("0,2", "-1,2 0,1 1,1"),
    ],
)
def test_the_hexagons_around_one(hex_id: str, around: str) -> None:
    assert neighbours(LAYOUT, hex_id) == tuple(around.split())
    red = {f"{hex_id}!"} if f"{hex_id}!" in LAYOUT else set()
    assert LAYOUT[hex_id].near == {*around.split()} | red


def test_what_a_game_asks_of_a_segment() -> None:
    assert hexes("1,-1") == ("1,-1",)
    assert hexes("1,0!") == ("1,0",)
    assert hexes("0,0|1,0") == ("0,0", "1,0")
    assert hexes("MISS") == ()
    assert LAYOUT["1,0!"].near == {"1,0"}
    assert symbols(LAYOUT) == {hex_id: symbol for hex_id, (symbol, _, _) in ARRANGEMENT.items()}
    assert {s.points for s in LAYOUT} == {0}


def written(**changes: str) -> str:
    """A file with the shipped arrangement but for these hexagons (q and r joined by `_`)."""
    arrangement = {i: s for i, (s, _, _) in ARRANGEMENT.items()} | {i.replace("_", ","): s for i, s in changes.items()}
    return "[ground_round.hexes]\n" + "".join(f'"{hex_id}" = "{symbol}"\n' for hex_id, symbol in arrangement.items())


def test_a_file_may_arrange_the_symbols() -> None:
    text = written(**{"0_0": "crossed_darts", "1_0": "flaming_fist"})
    layout = layouts.load(Source(text, "layout.toml"))
    assert layout.name == "ground_round"
    assert symbols(layout) == symbols(LAYOUT) | {"0,0": "crossed_darts", "1,0": "flaming_fist"}
    assert "0,0!" in layout
    assert "1,0!" not in layout
    assert layout.landed(0, 0).id == "0,0!"
    assert_tiles(layout)
    assert layouts.load(Source(written(), "layout.toml")) is LAYOUT


def test_a_file_may_change_the_lengths() -> None:
    text = "[ground_round]\nhex_size_mm = 50\nline_half_width_mm = 2\nred_radius_mm = 10"
    layout = layouts.load(Source(text, "layout.toml"))
    middle = 10 * 50 * math.sqrt(3) / 2
    found = [layout.landed(middle + dx, 0).id for dx in (-22, -18, 18, 22)]
    assert found == ["0,0", "0,0|1,0", "0,0|1,0", "1,0"]
    assert [layout.landed(2 * middle + dx, 0).id for dx in (98, 102)] == ["1,0!", "1,0"]


@given(
    size=st.floats(10, 200),
    half_width=st.floats(0.2, 25),
    red=st.floats(5, 200),
    point=st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
)
def test_a_design_makes_a_layout_that_keeps_the_laws_or_are_refused(
    size: float, half_width: float, red: float, point: tuple[float, float]
) -> None:
    try:
        layout = ground_round(GroundRoundDesign(size, min(half_width, size / 8), min(red, size * 0.8)))
    except ValueError as error:
        assert "must be at most" in str(error)  # noqa: PT017 (either outcome is right)
        return
    assert_tiles(layout)
    assert_near_is_what_shares_an_edge(layout)
    x, y = (share * layout.radius * 1.2 for share in point)
    area, found = layout.at(x, y), layout.landed(x, y)
    assert found is area or area is layout.miss or hexes(area.id)[0] in hexes(found.id)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"0_2": "blank"}, "hexagons with the symbol 'flag': 2, but exactly 3"),
        ({"2_0": "flag"}, "hexagons with the symbol 'flag': 4, but exactly 3"),
        ({"2_-1": "pin"}, "hexagons with the symbol 'dart': 2, but at least 3"),
        ({"1_0": "pin"}, "hexagons with the symbol 'crossed_darts': 1, but at least 2"),
        ({"1_1": "dart", "-2_1": "dart"}, "hexagons with the symbol 'pin': 1, but at least 2"),
        ({"1_-1": "pin"}, "hexagons with the symbol 'fist': 1, but at least 2"),
        ({"0_1": "pin", "0_-1": "pin"}, "hexagons with the symbol 'tower': 0, but at least 1"),
        ({"0_0": "pin"}, "hexagons with the symbol 'flaming_fist': 0, but at least 1"),
        ({"2_0": "pin", "0_-2": "pin", "-2_2": "pin"}, "hexagons with the symbol 'blank': 0, but at least 1"),
    ],
)
def test_each_symbol_has_its_number_of_hexagons(changes: dict[str, str], complaint: str) -> None:
    with pytest.raises(SourceError) as caught:
        layouts.load(Source("[ground_round]\nhex_size_mm = 40\n" + written(**changes), "layout.toml"))
    assert str(caught.value) == f"layout.toml, line 3: {complaint} are needed"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            written(**{"0_0": "flagg"}),
            (
                ", line 11: ground_round.hexes.0,0 = 'flagg': this must be one of flag, dart, crossed_darts, "
                "tower, pin, fist, flaming_fist, blank; did you mean 'flag'?"
            ),
        ),
        (written() + '"3,0" = "pin"', ", line 21: there is no hexagon '3,0'; did you mean '2,0'?"),
        (
            written().replace('"0,0" = "flaming_fist"\n', "").replace('"2,0" = "blank"\n', ""),
            ", line 1: all nineteen hexagons need a symbol, and these have none: 0,0 2,0",
        ),
        (
            "[ground_round]\nred_radius_mm = 33",
            ", line 2: red_radius_mm = 33 must be at most 32: a red area may not touch the lines",
        ),
        (
            "[ground_round]\n\nline_half_width_mm = 6",
            ", line 3: line_half_width_mm = 6 must be at most 4.875, an eighth of hex_size_mm",
        ),
    ],
)
def test_a_file_that_makes_no_layout_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(SourceError) as caught:
        layouts.load(Source(text, "layout.toml"))
    assert str(caught.value) == f"layout.toml{sentence}"
