"""Boards of every known mat whose lines are numbered in every way that was met: each is learned, and whole.

A person presses beds by their place, a program knows the names of its own table only.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from random import Random

import pytest

from protocol.learning.candidates import Cell
from protocol.learning.finding import format_profile, make_profile
from protocol.learning.learner import Learner
from protocol.mat import Wiring, list_mats, load_mat, locate_segments
from protocol.profile import Hits, Profile
from tests.protocol.wired import Board, ByName, any_wiring, assert_reads, frames_of, learn
from tests.sweep import sweep

PHILHARLOW = "philharlow_8x11"
BASE = Profile(id="mine", name="mine", hits=Hits(frame="{row},{col}"))


def skip(number: int, *gaps: int) -> int:
    """Counts on, but leaves these numbers out."""
    for gap in gaps:
        number += number >= gap
    return number


NUMBERINGS: dict[str, Callable[[int, int], Cell]] = {
    "from 0": lambda row, col: (row, col),
    "from 1": lambda row, col: (row + 1, col + 1),
    "rows with a gap": lambda row, col: (skip(row, 3), col),
    "columns with a gap": lambda row, col: (row, skip(col, 2, 5)),
    "both with a gap": lambda row, col: (skip(row + 2, 9), skip(col + 12, 20, 21)),
    "columns go on after the rows": lambda row, col: (row, col + 16),
}


def assert_whole(learner: Learner, board: Board) -> None:
    """The profile that is written reads every segment of this board."""
    assert len(learner.answers) < 30
    assert learner.finding is not None
    assert_reads(format_profile(make_profile(BASE, learner.finding, 1)), frames_of(board))


USUAL = {
    (PHILHARLOW, "both with a gap"),
    ("standard_7x10", "from 1"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "numbering"), sweep(list(product(list_mats(), NUMBERINGS)), lambda case: case in USUAL)
)
def test_a_board_is_learned_however_its_lines_are_numbered(name: str, numbering: str) -> None:
    for plain in (locate_segments(load_mat(name), Wiring()), any_wiring(name, Random(name))):
        board = {segment: NUMBERINGS[numbering](*cell) for segment, cell in plain.items()}
        ways = ["O", "I", ""] if "I20" in board else [""]
        assert_whole(learn(board), board)
        for half in ways:
            program = ByName(board, half)
            program.learn()
            assert_whole(program.learner, board)
