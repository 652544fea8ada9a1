"""The sheet of games that play a row a round: what each side made of each, and who can still win.

Such games differ in what a dart is worth; that a round is a row, that the best total wins and how those who are level
throw on is the same in all of them, and is here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Turn
from engine.ranking import in_contention, leaders
from engine.tuples import put


class Sheet(Struct, frozen=True):
    """The cells by side, a row each (None: not thrown at yet); `contenders` are the sides that throw for the win."""

    cells: tuple[tuple[int | None, ...], ...]
    contenders: tuple[int, ...]

    @classmethod
    def blank(cls, sides: int, rows: int) -> Self:
        """Nobody has thrown, and everybody can win."""
        return cls(((None,) * rows,) * sides, tuple(range(sides)))

    def written(self, side: int, row: int, value: int) -> Self:
        """With what this side made of this row."""
        return replace(self, cells=put(self.cells, side, put(self.cells[side], row, value)))

    def total(self, side: int) -> int:
        """All rows of a side."""
        return sum(cell or 0 for cell in self.cells[side])

    def after(
        self, turn: Turn, rounds: int, extra: int, rank: Callable[[int], int]
    ) -> tuple[Self, tuple[int, ...] | None]:
        """The sheet after a round, and the winners once there are some.

        After so many rounds the highest rank wins. Those who are level throw on by themselves, a row more each time,
        and share it when `extra` rounds have not told them apart.
        """
        if turn.round < rounds:
            return self, None
        level = leaders(in_contention(self.contenders, turn.playing), rank)
        if len(level) <= 1 or turn.round >= rounds + extra:
            return self, level
        return self.with_extra_row(level), None

    def with_extra_row(self, contenders: tuple[int, ...]) -> Self:
        """With one row more, for those who throw on."""
        return replace(self, cells=tuple((*row, None) for row in self.cells), contenders=contenders)
