"""The sheet of games that play a row each round: the points of each side in each row, and which sides can still win.

Such games differ in what a dart is worth. That a round is a row, that the best total wins, and how sides that are level
throw on is the same in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Turn, put
from engine.ranking import in_contention, leaders


class Sheet(Struct, frozen=True):
    """The cells by side, a row each (None: not thrown at yet); `contenders` are the sides that throw for the win."""

    cells: tuple[tuple[int | None, ...], ...]
    contenders: tuple[int, ...]

    @classmethod
    def blank(cls, sides: int, rows: int) -> Self:
        """An empty sheet; all sides can win."""
        return cls(((None,) * rows,) * sides, tuple(range(sides)))

    def written(self, side: int, row: int, value: int) -> Self:
        """With this value in this row of the side."""
        return replace(self, cells=put(self.cells, side, put(self.cells[side], row, value)))

    def total(self, side: int) -> int:
        """The sum of all rows of a side."""
        return sum(cell or 0 for cell in self.cells[side])

    def open_total(self, side: int, sides: Collection[int]) -> int:
        """The sum of a side in the rows that not all of these sides have thrown at."""
        rows = zip(*(self.cells[each] for each in sides), strict=True)
        return sum(mine or 0 for mine, row in zip(self.cells[side], rows, strict=True) if None in row)

    def after(
        self, turn: Turn, rounds: int, extra: int, rank: Callable[[int], int]
    ) -> tuple[Self, tuple[int, ...] | None]:
        """The sheet after a round, and the winners once there are some.

        After so many rounds the highest rank wins. Sides that are level throw on among themselves, one more row each
        time, and share the win when they are still level after `extra` rounds.
        """
        if turn.round < rounds:
            return self, None
        level = leaders(in_contention(self.contenders, turn.playing), rank)
        if len(level) <= 1 or turn.round >= rounds + extra:
            return self, level
        return self.with_extra_row(level), None

    def with_extra_row(self, contenders: tuple[int, ...]) -> Self:
        """With one more row, for the sides that throw on."""
        return replace(self, cells=tuple((*row, None) for row in self.cells), contenders=contenders)
