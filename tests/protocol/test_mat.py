"""The sensor mats against boards that others measured: every published table is a mat and a wiring.

The tables in tests/data were published by different people for different boards. That each of them comes out of a mat
and a few line numbers proves mat and wiring at once, cell by cell.
"""

from __future__ import annotations

import tomllib
from itertools import combinations, product

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.mat import Wiring, list_mats, load_mat, locate_segments
from protocol.standard import standard
from tests.protocol.hearing import DATA

CLOCKWISE = [20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5]
SIZES = {
    "arachnid_8x8": (8, 8, 61),
    "ed900_7x12": (7, 12, 82),
    "gran_12x7": (12, 7, 82),
    "licorice_9x10": (9, 10, 82),
    "loewen_4x16": (4, 16, 62),
    "oem_8x8": (8, 8, 62),
    "philharlow_8x11": (8, 11, 82),
    "pydartswifi_10x7": (10, 7, 62),
    "standard_7x10": (7, 10, 62),
}
ONE_BULL = {"arachnid_8x8"}
MATS = pytest.mark.parametrize("name", SIZES)


def table(file: str) -> dict[str, tuple[int, int]]:
    """Row and column of each segment in a published table."""
    rows = [line.split() for line in (DATA / file).read_text().splitlines() if not line.startswith("#")]
    return {cell: (r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell != "."}


def test_the_mats_that_ship() -> None:
    assert set(list_mats()) == set(SIZES)


@MATS
def test_a_mat_has_every_segment_exactly_once(name: str) -> None:
    rows, cols, count = SIZES[name]
    grid = load_mat(name).grid
    assert load_mat(name).id == name
    assert (len(grid), {len(row) for row in grid}) == (rows, {cols})
    contacts = [cell for row in grid for cell in row if cell != "."]
    rings = "IOTD" if count == 82 else "STD"
    bulls = ["SB"] if name in ONE_BULL else ["SB", "DB"]
    assert sorted(contacts) == sorted([*(f"{ring}{n}" for ring in rings for n in range(1, 21)), *bulls])
    assert len(contacts) == count


PUBLISHED = tomllib.loads((DATA / "mats.toml").read_text(encoding="utf-8"))


def test_every_published_table_is_held() -> None:
    assert {file.name for file in DATA.glob("mat_*.txt")} == set(PUBLISHED)
    assert {board["mat"] for board in PUBLISHED.values()} == set(SIZES)


@pytest.mark.parametrize("file", PUBLISHED)
def test_a_published_board_is_a_mat_and_a_wiring(file: str) -> None:
    name, board = PUBLISHED[file]["mat"], table(file)
    assert len(board) == PUBLISHED[file].get("cells", SIZES[name][2])
    wiring = msgspec.convert(PUBLISHED[file].get("wiring", {}), Wiring)
    assert locate_segments(load_mat(name), wiring).items() >= board.items()


def lines(name: str, wiring: Wiring) -> list[set[frozenset[str]]]:
    """Which contacts share a line, along both axes: all that the order of the lines cannot change."""
    contacts = locate_segments(load_mat(name), wiring)
    axes = []
    for axis in (0, 1):
        at = {cell[axis] for cell in contacts.values()}
        axes.append({frozenset(i for i, cell in contacts.items() if cell[axis] == line) for line in at})
    return axes


def test_no_mat_is_another_one_turned() -> None:
    for one, other in combinations(SIZES, 2):
        if SIZES[one][2] != SIZES[other][2] or sorted(SIZES[one]) != sorted(SIZES[other]):
            continue
        known = lines(one, Wiring())
        for turn, mirror, transpose in product(range(20), (False, True), (False, True)):
            assert lines(other, Wiring(turn=turn, mirror=mirror, transpose=transpose)) != known, (one, other)


def test_the_loewen_mat_is_what_its_firmware_holds() -> None:
    rows = (DATA / "numbers_loewen_4x16.txt").read_text().splitlines()[1:]
    kinds = {"1": "S", "2": "D", "3": "T"}
    published = {
        f"{kinds[number[0]]}{int(number[1:])}".replace("25", "B"): (r, c)
        for r, row in enumerate(rows)
        for c, number in enumerate(row.split())
        if number != "000"
    }
    assert locate_segments(load_mat("loewen_4x16"), Wiring()) == published


def test_the_licorice_board_is_the_standard_mat_turned_by_three() -> None:
    """Its singles are split over two more lines; doubles, triples and bulls are those of the mat."""
    wiring = Wiring(turn=3, rows=[7, 6, 8, 4, 0, 2, 1], cols=[9, 8, 7, 5, 6, 4, 3, 2, 0, 1])
    moved = {
        i: cell for i, cell in locate_segments(load_mat("standard_7x10"), wiring).items() if i[0] != "S" or i == "SB"
    }
    published = {i: cell for i, cell in table("mat_fynn_licorice_9x10.txt").items() if i[0] not in "IO"}
    assert moved == published


@MATS
def test_a_turn_puts_a_contact_under_the_number_that_many_places_clockwise(name: str) -> None:
    straight = locate_segments(load_mat(name), Wiring())
    for turn in range(20):
        turned = locate_segments(load_mat(name), Wiring(turn=turn))
        assert turned["T" + str(CLOCKWISE[turn])] == straight["T20"]
        assert turned["D" + str(CLOCKWISE[(10 + turn) % 20])] == straight["D3"]
        assert (turned["SB"], turned.get("DB")) == (straight["SB"], straight.get("DB"))


@MATS
def test_a_mirror_keeps_20_and_3_and_swaps_left_and_right(name: str) -> None:
    straight, mirrored = locate_segments(load_mat(name), Wiring()), locate_segments(load_mat(name), Wiring(mirror=True))
    for left, right in [("20", "20"), ("3", "3"), ("5", "1"), ("11", "6"), ("17", "19"), ("9", "4")]:
        assert mirrored[f"T{right}"] == straight[f"T{left}"]
        assert mirrored[f"D{left}"] == straight[f"D{right}"]
    assert locate_segments(load_mat(name), Wiring(mirror=True, turn=1))["T1"] == straight["T20"], (
        "mirrored first, then turned"
    )
    assert locate_segments(load_mat(name), Wiring(mirror=True, turn=1))["T18"] == straight["T5"]


@pytest.mark.parametrize(("name", "turn"), [("standard_7x10", 13), ("philharlow_8x11", 11)])
def test_the_mats_that_are_their_own_mirror_image(name: str, turn: int) -> None:
    """A fact of these two: mirrored and turned, the same contacts share lines, only the lines' order is another."""
    assert lines(name, Wiring(mirror=True, turn=turn)) == lines(name, Wiring())
    assert lines(name, Wiring(mirror=True, turn=turn + 1)) != lines(name, Wiring())


@MATS
@given(data=st.data())
def test_no_wiring_loses_a_contact_or_puts_two_in_one_place(name: str, data: st.DataObject) -> None:
    rows, cols, count = SIZES[name]
    wiring = Wiring(
        turn=data.draw(st.integers(0, 19)),
        mirror=data.draw(st.booleans()),
        transpose=data.draw(st.booleans()),
        rows=data.draw(st.permutations(range(rows)) | st.none()),
        cols=data.draw(st.permutations(range(cols)) | st.none()),
    )
    contacts = locate_segments(load_mat(name), wiring)
    assert len(contacts) == len(set(contacts.values())) == count
    assert set(contacts) == set(locate_segments(load_mat(name), Wiring()))
    assert all(segment_id in standard() for segment_id in contacts)
    high = (cols, rows) if wiring.transpose else (rows, cols)
    assert all(r < high[0] and c < high[1] for r, c in contacts.values())


@pytest.mark.parametrize(
    ("wiring", "sentence"),
    [
        (Wiring(rows=[0, 1]), "wiring.rows must name 8 different lines (from 0), one for each line of the mat oem_8x8"),
        (
            Wiring(cols=[0, 1, 2, 3, 4, 5, 6, 6]),
            "wiring.cols must name 8 different lines (from 0), one for each line of the mat oem_8x8",
        ),
        (
            Wiring(cols=[-1, 1, 2, 3, 4, 5, 6, 7]),
            "wiring.cols must name 8 different lines (from 0), one for each line of the mat oem_8x8",
        ),
    ],
    ids=["too few", "twice", "negative"],
)
def test_a_wiring_that_does_not_fit(wiring: Wiring, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole sentence is compared)
        locate_segments(load_mat("oem_8x8"), wiring)
    assert str(caught.value) == sentence


def test_an_unknown_mat_names_the_nearest() -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole sentence is compared)
        load_mat("oem_8x9")
    assert str(caught.value) == "there is no mat 'oem_8x9'; did you mean 'oem_8x8'?"
