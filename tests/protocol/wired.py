"""Unknown boards: a mat in some turn, its lines in any order; and tables of one's own. For learning them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from protocol.learning.candidates import Cell
from protocol.learning.learner import Learner
from protocol.mat import Wiring, load_mat, locate_segments
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
