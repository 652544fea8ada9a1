"""Who leads: the question at the end of almost every game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def leaders(sides: Iterable[int], rank: Callable[[int], Any]) -> tuple[int, ...]:  # Any: whatever can be compared
    """The sides whose rank is the highest, in their order; several are level. Where low is good, rank by `-score`."""
    ranked = [(rank(side), side) for side in sides]
    best = max((value for value, _ in ranked), default=None)
    return tuple(side for value, side in ranked if value == best)
