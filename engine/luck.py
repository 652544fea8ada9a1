"""Dice and cards as a fixed hash of (seed, visit, purpose, k), never of how many inputs there were.

So a replay is exact, undo cannot fish for a better roll, and correcting a dart reshuffles nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Luck:
    """The luck of one visit. Equal arguments always give equal results: stored matches depend on it.

    What is drawn for is noted in `drawn`.
    """

    __slots__ = ("_drawn", "_seed", "_visit")

    def __init__(self, seed: str, visit: int, drawn: set[str] | None = None) -> None:
        self._seed = seed
        self._visit = visit
        self._drawn = drawn

    def number(self, purpose: str, k: int, below: int) -> int:
        """0 to below - 1, uniformly. `purpose` and `k` tell draws apart: any word, and a number for the k-th of a kind.

        The hash is 256 bits wide, so the bias of the remainder is nil.
        """
        if self._drawn is not None:
            self._drawn.add(purpose)
        text = f"{self._seed}\x1f{self._visit}\x1f{purpose}\x1f{k}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()) % below

    def die(self, purpose: str, k: int, sides: int) -> int:
        """1 to sides."""
        return self.number(purpose, k, sides) + 1

    def shuffled(self, purpose: str, items: Sequence[T]) -> tuple[T, ...]:
        """All items in a fair order (Fisher and Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.number(purpose, last, last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)
