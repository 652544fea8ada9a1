"""Unknown boards: a mat in some turn, its lines in any order; and tables of one's own. For learning them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from protocol.codebook import load
from protocol.learning.candidates import Cell
from protocol.learning.finding import Finding
from protocol.learning.learner import Learner
from protocol.mat import Wiring, load_mat, locate_segments
from protocol.source import Source
from protocol.standard import merged

Board = Mapping[str, Cell]
"""The cell of each segment."""
Slip = Callable[[str, int], Cell | None]
"""What comes instead when this segment is asked for at the press of that number (from 0); None: what should."""


def shuffled(name: str, turn: int, mirror: bool, transpose: bool, rng: Random) -> Board:
    """A board with this mat and its lines in some order."""
    grid = load_mat(name).grid
    rows, cols = (rng.sample(range(count), count) for count in (len(grid), len(grid[0])))
    return locate_segments(load_mat(name), Wiring(turn=turn, mirror=mirror, transpose=transpose, rows=rows, cols=cols))


def any_wiring(name: str, rng: Random) -> Board:
    """A board with this mat, built in some way."""
    return shuffled(name, rng.randrange(20), rng.random() < 0.5, rng.random() < 0.5, rng)


def pressed(board: Board, segment: str) -> Cell:
    """What closes when a person presses this. A KeyError is a name that means nothing on this board."""
    return board[segment] if segment in board else board[merged(segment)]


def learn(board: Board, slip: Slip = lambda segment, number: None, most: int = 300) -> Learner:
    """Presses whatever is asked for, until it ends."""
    learner = Learner()
    while learner.press is not None:
        number = len(learner.answers)
        assert number < most, f"still asking: {learner.answers}"
        learner.hear(slip(learner.press, number) or pressed(board, learner.press))
    return learner


class ByName:
    """A program that knows segments by name: those of its table, and for S20 on split singles what `half` says."""

    def __init__(self, board: Board, half: str = "") -> None:
        self.board = board
        self._half, self._rng = half, Random(half)
        self.learner = Learner(by_name=True)
        self.asked: list[str] = []
        self.nothing: list[str] = []
        """What it was asked for and did not know."""
        self.in_doubt: list[str] = []

    def learn(self) -> Finding:
        while (press := self.learner.press) is not None:
            assert len(self.asked) < 130, self.asked
            self.asked.append(press)
            if self.learner.is_in_doubt:
                self.in_doubt.append(press)
            half = self._rng.choice(self._half) if self._half and press[0] == "S" and press != "SB" else press[0]
            cell = self.board.get(f"{half}{press[1:]}")
            if cell is None:
                self.nothing.append(press)
            self.learner.hear(cell)
        assert self.learner.finding is not None
        return self.learner.finding

    def asked_in(self, rings: str) -> list[str]:
        return [s for s in self.asked if s[0] in rings and s != "SB"]


def frames_of(board: Board) -> dict[str, str]:
    """What a board says that writes row and column, by segment."""
    return {segment: f"{row},{col}" for segment, (row, col) in board.items()}


def assert_reads(profile: str, frames: Mapping[str, str]) -> None:
    """The profile, as it is written to a file, reads the frame of every segment as that segment."""
    book = load(Source(profile, "mine.toml"))
    read = {segment: str(book.meaning(frame.encode())) for segment, frame in frames.items()}
    assert read == {segment: segment for segment in frames}
