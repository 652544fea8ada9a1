"""What darts make together: numbers side by side on the board, numbers one after the other in value, colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.games.targets import BULL, beds
from protocol.segment import Segment
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


def find_colour(dart: Segment) -> str:
    """The colour of a bed on the bristle board, where those of the numbers alternate, the 20 black and red."""
    if dart.value not in NUMBERS:
        return "red" if "double" in dart.groups else "green"
    is_dark = NUMBERS.index(dart.value) % 2 == 0
    if "single" in dart.groups:
        return "black" if is_dark else "white"
    return "red" if is_dark else "green"
