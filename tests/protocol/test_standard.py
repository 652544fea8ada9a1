"""The standard layout against facts written by hand: where its areas are, what touches what, what a dart is worth."""

from __future__ import annotations

import math

import pytest

from protocol.layouts import find_layout, with_dartboard
from protocol.standard import DARTBOARDS, NUMBERS, SOFT_13_INCH, SOFT_15_INCH, STEEL, Radii, merged, standard

CLOCKWISE = [20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5]
LAYOUTS = pytest.mark.parametrize("radii", [SOFT_15_INCH, SOFT_13_INCH, STEEL], ids=["15 inch", "13 inch", "steel"])


@pytest.mark.parametrize(
    ("radii", "millimetres"),
    [
        (STEEL, [6.4, 15.9, 99, 107, 162, 170]),  # the rules of the World Darts Federation; 6.35 rounded
        (SOFT_15_INCH, [8, 22, 107, 123, 181, 196.9]),  # 15.5 inches across
        (SOFT_13_INCH, [7, 18.3, 97, 107, 160.5, 170]),  # 13.2 inch boards of pubs
    ],
    ids=["steel", "15 inch", "13 inch"],
)
def test_the_radii_are_those_of_real_boards(radii: Radii, millimetres: list[float]) -> None:
    assert list(radii) == [pytest.approx(10 * mm) for mm in millimetres]


def test_numbers_stand_in_the_order_of_every_board() -> None:
    assert list(NUMBERS) == CLOCKWISE


def test_each_dartboard_is_the_standard_layout_with_its_radii() -> None:
    found = {name: with_dartboard(standard(STEEL), name) for name in DARTBOARDS}
    assert {name: layout.dartboard for name, layout in found.items()} == {name: name for name in DARTBOARDS}
    assert found == {
        "soft_15.5": standard(SOFT_15_INCH),
        "soft_13.2": standard(SOFT_13_INCH),
        "steel": standard(STEEL),
    }
    assert with_dartboard(standard(STEEL), None) is find_layout("standard") is standard()
    for other in ("yatzy", "ground_round"):
        assert with_dartboard(find_layout(other), None) is find_layout(other)
        with pytest.raises(ValueError, match=f"this is the {other} layout: leave out dartboard"):
            with_dartboard(find_layout(other), "steel")


@LAYOUTS
def test_82_areas_20_merged_singles_and_a_miss(radii: Radii) -> None:
    layout = standard(radii)
    areas = {*(f"{ring}{number}" for ring in "ITOD" for number in range(1, 21)), "SB", "DB"}
    assert {s.id for s in layout.areas} == areas
    assert {s.id for s in layout} - areas == {*(f"S{n}" for n in range(1, 21)), "MISS"}
    assert len({s.id for s in layout}) == len(layout) == 103
    assert layout.miss is layout["MISS"]


@LAYOUTS
def test_every_area_is_where_trigonometry_says(radii: Radii) -> None:
    """In the middle of each ring and 0.3 mm from its borders, which are chords; as close to the wires beside."""
    layout, inner = standard(radii), 0.0
    for ring, outer in zip(["DB", "SB", "I{}", "T{}", "O{}", "D{}", "MISS"], [*radii, radii[-1] + 100], strict=True):
        for radius in (inner + 3, (inner + outer) / 2, outer - 3):
            for place, number in enumerate(CLOCKWISE):
                for lean in (-1, 0, 1):
                    angle = math.radians(18 * place + lean * max(0.0, 8.9 - 150 / radius))
                    found = layout.at(radius * math.sin(angle), radius * math.cos(angle))
                    assert found.id == ring.format(number), (radius, angle)
        inner = outer


@LAYOUTS
def test_areas_touch_their_wedge_and_their_ring(radii: Radii) -> None:
    """A project of this field had the neighbours of 10 and 13 wrong."""
    layout = standard(radii)
    inwards = {"D": "O{}", "O": "T{}", "T": "I{}", "I": "SB"}
    outwards = {"O": "D{}", "T": "O{}", "I": "T{}"}
    for place, number in enumerate(CLOCKWISE):
        for ring in "DOTI":
            expected = {f"{ring}{CLOCKWISE[place - 1]}", f"{ring}{CLOCKWISE[(place + 1) % 20]}"}
            expected |= {line[ring].format(number) for line in (inwards, outwards) if ring in line}
            assert {s.id for s in layout.areas} & layout[f"{ring}{number}"].near == expected
    assert layout["SB"].near == {"DB", *(f"I{number}" for number in range(1, 21)), *(f"S{n}" for n in range(1, 21))}


@LAYOUTS
def test_a_merged_single_touches_its_halves_and_what_either_of_them_touches(radii: Radii) -> None:
    layout = standard(radii)
    assert layout["S20"].near == set("O20 I20 T20 D20 SB O1 O5 I1 I5 S1 S5".split())
    assert layout["S13"].near == set("O13 I13 T13 D13 SB O4 O6 I4 I6 S4 S6".split())
    for number in CLOCKWISE:
        halves = layout[f"O{number}"].near | layout[f"I{number}"].near
        assert layout[f"S{number}"].near == (halves | {f"O{number}", f"I{number}"}) - {f"S{number}"}


def worth() -> dict[str, tuple[int, int, set[str]]]:
    """Value, multiplier and labels of every segment, as a scorer would write them down."""
    table = {"SB": (25, 1, {"bull"}), "DB": (25, 2, {"bull", "double"}), "MISS": (0, 0, {"miss"})}
    for number in range(1, 21):
        table[f"S{number}"] = (number, 1, {"single", str(number)})
        table[f"O{number}"] = (number, 1, {"single", "outer", str(number)})
        table[f"I{number}"] = (number, 1, {"single", "inner", str(number)})
        table[f"D{number}"] = (number, 2, {"double", str(number)})
        table[f"T{number}"] = (number, 3, {"triple", str(number)})
    return table


def test_every_segment_is_worth_what_a_scorer_writes_down() -> None:
    assert {s.id: (s.value, s.multiplier, set(s.groups)) for s in standard()} == worth()
    assert [standard()[i].points for i in ("T20", "D20", "S20", "O1", "SB", "DB", "MISS")] == [60, 40, 20, 1, 25, 50, 0]
    assert sum(s.points for s in standard().areas) == 210 * (1 + 1 + 2 + 3) + 75


def test_groups_are_found_by_their_label() -> None:
    assert {s.id for s in standard().group("20")} == {"S20", "O20", "I20", "D20", "T20"}
    assert {s.id for s in standard().group("bull")} == {"SB", "DB"}
    assert len(standard().group("double")) == 21
    assert standard().group("no such label") == ()


def test_merged_is_what_a_board_with_62_segments_reports() -> None:
    assert [merged(i) for i in ("O20", "I3", "S5", "T20", "D1", "SB", "DB")] == "S20 S3 S5 T20 D1 SB DB".split()
    assert len({merged(s.id) for s in standard().areas}) == 62
