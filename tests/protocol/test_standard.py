"""The standard face against facts written by hand: what touches what, what a dart is worth, how segments are found.

A project of this field had the neighbours of 10 and 13 wrong, so those stand here one by one.
"""

from __future__ import annotations

import pytest

from protocol import layouts
from protocol.segment import Layout, Segment, UnknownSegment
from protocol.standard import NUMBERS, SOFT_13_INCH, SOFT_15_INCH, STEEL, Radii, merged, standard

CLOCKWISE = [20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5]
FACES = pytest.mark.parametrize("radii", [SOFT_15_INCH, SOFT_13_INCH, STEEL], ids=["15 inch", "13 inch", "steel"])


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


def test_the_same_face_is_the_same_object() -> None:
    assert standard() is standard(SOFT_15_INCH) is layouts.layout("standard")


@FACES
def test_near_is_symmetric_and_never_oneself(radii: Radii) -> None:
    face = standard(radii)
    for segment in face:
        assert segment.id not in segment.near
        for other in segment.near:
            assert segment.id in face[other].near, f"{segment.id} touches {other}, not the other way round"


NEIGHBOURS = {
    "T20": "O20 I20 T1 T5",
    "D20": "O20 D1 D5",
    "O20": "T20 D20 O1 O5",
    "I20": "T20 SB I1 I5",
    "T13": "O13 I13 T4 T6",
    "D13": "O13 D4 D6",
    "O13": "T13 D13 O4 O6",
    "I13": "T13 SB I4 I6",
    "T10": "O10 I10 T6 T15",
    "D10": "O10 D6 D15",
    "O10": "T10 D10 O6 O15",
    "I10": "T10 SB I6 I15",
    "D5": "O5 D12 D20",
    "T3": "O3 I3 T17 T19",
    "DB": "SB",
    "SB": "DB I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 I11 I12 I13 I14 I15 I16 I17 I18 I19 I20",
}


@FACES
@pytest.mark.parametrize("segment_id", NEIGHBOURS)
def test_the_areas_that_touch(radii: Radii, segment_id: str) -> None:
    areas = {i for i in standard(radii)[segment_id].near if i[0] != "S" or i == "SB"}
    assert areas == set(NEIGHBOURS[segment_id].split())


@FACES
def test_all_areas_touch_their_wedge_and_their_ring(radii: Radii) -> None:
    """The same by the order of the numbers alone, for all 82."""
    face = standard(radii)
    inwards = {"D": "O{}", "O": "T{}", "T": "I{}", "I": "SB"}
    outwards = {"O": "D{}", "T": "O{}", "I": "T{}"}
    for place, number in enumerate(CLOCKWISE):
        for ring in "DOTI":
            expected = {f"{ring}{CLOCKWISE[place - 1]}", f"{ring}{CLOCKWISE[(place + 1) % 20]}"}
            expected |= {line[ring].format(number) for line in (inwards, outwards) if ring in line}
            assert {s.id for s in face.areas} & face[f"{ring}{number}"].near == expected


@FACES
def test_a_merged_single_touches_its_halves_and_what_either_of_them_touches(radii: Radii) -> None:
    face = standard(radii)
    assert face["S20"].near == set("O20 I20 T20 D20 SB O1 O5 I1 I5 S1 S5".split())
    assert face["S13"].near == set("O13 I13 T13 D13 SB O4 O6 I4 I6 S4 S6".split())
    for number in CLOCKWISE:
        halves = face[f"O{number}"].near | face[f"I{number}"].near
        assert face[f"S{number}"].near == (halves | {f"O{number}", f"I{number}"}) - {f"S{number}"}


def test_nothing_touches_the_miss() -> None:
    assert standard()["MISS"].near == frozenset()
    assert all("MISS" not in s.near for s in standard())


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


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("T21", "the standard face has no segment 'T21'; did you mean T2?"),
        ("t20", "the standard face has no segment 't20'; did you mean T20?"),
        ("miss", "the standard face has no segment 'miss'; did you mean MISS?"),
        ("bullseye", "the standard face has no segment 'bullseye'"),
        ("", "the standard face has no segment ''"),
    ],
)
def test_an_unknown_segment_names_the_nearest(wrong: str, sentence: str) -> None:
    assert wrong not in standard()
    with pytest.raises(UnknownSegment) as caught:
        standard()[wrong]
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("standart", "there is no board face 'standart'; did you mean 'standard'?"),
        ("moon", "there is no board face 'moon'; possible here: ground_round, standard, yatzy"),
    ],
)
def test_an_unknown_face_names_the_nearest(wrong: str, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole sentence is compared)
        layouts.layout(wrong)
    assert str(caught.value) == sentence


def test_a_face_with_a_segment_named_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^segment A is named twice on the face odd$"):
        Layout("odd", [Segment("A", 1, 1), Segment("A", 2, 1)], miss="A")
