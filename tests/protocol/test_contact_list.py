"""A board that is learned from a list of its contacts: every one of them decodes afterwards."""

from __future__ import annotations

import json
from itertools import product
from random import Random

import pytest

from protocol.learning.contact_list import learn_contacts, parse_contacts
from protocol.learning.finding import format_profile
from protocol.mat import list_mats
from protocol.profile import Hits, Profile
from tests.protocol.test_frame_forms import FORMS, GRAN, USUAL
from tests.protocol.test_learn import any_table
from tests.protocol.test_numbering import NUMBERINGS
from tests.protocol.wired import any_wiring, assert_reads, frames_of
from tests.sweep import sweep

OPEN = Profile(id="mine", name="mine", hits=Hits())


def check(text: str, frames: dict[str, str], mat: str | None, base: Profile = OPEN) -> None:
    """Every segment of the list decodes by the profile that is made of it."""
    profile, finding = learn_contacts(base, parse_contacts(text))
    assert finding.mat == mat
    assert_reads(format_profile(profile), frames)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "numbering"),
    sweep(
        product(list_mats(), ["from 0", "both with a gap"]),
        lambda case: case in {("gran_12x7", "from 0"), ("standard_7x10", "both with a gap")},
    ),
)
def test_a_known_mat_is_recognised_in_a_list(name: str, numbering: str) -> None:
    board = {segment: NUMBERINGS[numbering](*cell) for segment, cell in any_wiring(name, Random(name)).items()}
    frames = frames_of(board)
    check("\n".join(f"{segment} {frame}" for segment, frame in frames.items()), frames, name)
    check(json.dumps(board), frames, name)


def test_what_differs_from_the_mat_in_one_contact_is_believed() -> None:
    board = {**GRAN, "T7": (40, 41)}
    check(json.dumps(board), frames_of(board), None)


@pytest.mark.slow
@pytest.mark.parametrize("form", sweep(FORMS, lambda form: form in USUAL))
def test_a_list_has_hits_as_the_board_writes_them(form: str) -> None:
    written, _ = FORMS[form]
    frames = {segment: written(cell) for segment, cell in GRAN.items()}
    unknown = ("a running number", "a word for one of them", "letters")
    mat = None if form in unknown or "above all rows" in form or "all bits" in form else "gran_12x7"
    check("# the board in the garage\n\n" + "\n".join(f"{s} = {frame}" for s, frame in frames.items()), frames, mat)


@pytest.mark.slow
def test_a_list_of_a_few_segments_makes_a_profile_of_these() -> None:
    board = {segment: cell for segment, cell in any_table("DST", Random(3)).items() if segment in ("T20", "S1", "DB")}
    check("\n".join(f"{segment.lower()}\t{row},{col}" for segment, (row, col) in board.items()), frames_of(board), None)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the list has no contacts: write a segment and what the board sends for it on each line"),
        ("T20 3,7\n???", "line 2 cannot be read: write a segment"),
        ("T20 3,7\nT21 4,7", "line 2: the standard layout has no segment 'T21'; did you mean T2?"),
        ("T20 3,7\nT20 4,7", "line 2: T20 has two contacts: keep one of them"),
        ("T20 3,7\nT19 3,7", "line 2: T19 has the same contact as T20: correct one of them"),
        ("T20 # nothing", "line 1 cannot be read: write a segment"),
        ('{"T20": "3,7", "T20": "4,7"}', "T20 has two contacts: keep one of them"),
        ('{"T20": [-1, 2]}', "T20 has the row -1 and the column 2: both must be from 0 to 255"),
        ('{"T20": [3, 99999999999999999999]}', "T20 has the row 3 and the column 99999999999999999999: both must be"),
        ('{"T20": {"row": 3}}', "the list begins like JSON, but cannot be read"),
        ('{"T20": [true, 2]}', "the list begins like JSON, but cannot be read"),
        ('{"T20": 7}', "the list begins like JSON, but cannot be read"),
        ('{"T20": [3, 7], "T19": "up"}', "some contacts are row and column, others what the board sends"),
    ],
)
def test_a_list_that_cannot_be_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the sentence is compared)
        learn_contacts(OPEN, parse_contacts(text))
    assert str(caught.value).startswith(sentence)


def test_a_contact_that_does_not_look_like_the_frame_is_named() -> None:
    base = Profile(id="mine", name="mine", hits=Hits(frame="{row},{col}"))
    with pytest.raises(ValueError, match="T19 has the contact '3;8', which does not match the frame"):
        learn_contacts(base, parse_contacts("T20 3,7\nT19 3;8"))


def test_a_contact_that_the_frame_of_the_base_cannot_say_is_named() -> None:
    base = Profile(id="mine", name="mine", hits=Hits(frame="{16*row+col}"))
    with pytest.raises(ValueError, match=r"T20 has the row 70 and the column 2, which do not fit the frame '.*'"):
        learn_contacts(base, parse_contacts('{"T20": [70, 2]}'))


def test_a_comment_may_follow_a_contact() -> None:
    assert parse_contacts("T20 3,7\t# worn out\nT19 = #4 # 4\nT18 5#1") == {"T20": "3,7", "T19": "#4", "T18": "5#1"}


def test_segments_are_read_as_elsewhere() -> None:
    text = "double 16 3,7\nbull 4,7\n25 = 5,7\ntreble 20: 6,7\nouter bull 5,7\ninner bull 4,7\nsingle5 8,7\nd 3 9,7"
    found = {"D16": "3,7", "DB": "4,7", "SB": "5,7", "T20": "6,7", "S5": "8,7", "D3": "9,7"}
    assert parse_contacts(text) == found
    assert parse_contacts('{"double 16": "3,7", "Bull": [4, 7]}') == {"D16": "3,7", "DB": (4, 7)}
