"""Three darts in three numbers that belong together: side by side on the board, or one after the other in value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.games.targets import BULL, beds
from protocol.standard import NUMBERS

AFTER_20 = 21
"""What the bull stands for among numbers in a row."""


def are_neighbours(values: Sequence[int]) -> bool:
    """Whether these up to three numbers of darts are, in any order, part of three that lie side by side."""
    if any(value not in NUMBERS for value in values):
        return False
    places = [NUMBERS.index(value) for value in values]
    return len({*places}) == len(places) and any(
        all((place - first) % len(NUMBERS) < 3 for place in places) for first in places
    )


def are_in_a_row(values: Sequence[int]) -> bool:
    """Whether these up to three numbers of darts are, in any order, part of three like 7, 8, 9; the bull is a 21."""
    steps = sorted(AFTER_20 if value == BULL else value for value in values)
    return steps[0] > 0 and len({*steps}) == len(steps) and steps[-1] - steps[0] < 3


def fitting_beds(values: Sequence[int], fits: Callable[[Sequence[int]], bool]) -> tuple[str, ...]:
    """The beds of the numbers that fit to these, the high numbers first."""
    numbers = [number for number in (BULL, *range(20, 0, -1)) if fits((*values, number))]
    return tuple(bed for number in numbers for bed in beds(number, "OT"))
