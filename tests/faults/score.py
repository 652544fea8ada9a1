"""The match as somebody at the board counts it by hand: 501 of two, straight out, and what its journal must hold.

It knows no rule of the engine's: a dart counts while the visit has one left, and every other one is a stray.
"""

from __future__ import annotations

from typing import Any

from protocol.standard import standard

JSON = dict[str, Any]  # Any: JSON

START = 501
OPTIONS = f"options = {{start = {START}, out = 'straight'}}"


class Score:
    """One match. `lines` is what is written down of it."""

    def __init__(self, lines: list[JSON] | None = None) -> None:
        self.lines: list[JSON] = []
        self._kept: list[str] = []
        """What counts of it: segments, and "next"."""
        self._count()
        for line in lines or []:
            if "undo" in line:
                self.undo()
            elif "next" in line:
                self.next()
            else:
                assert self.throw(line["throw"]), f"{line} counts for nothing"

    def throw(self, segment_id: str) -> bool:
        """A dart. False: a stray."""
        if self.darts_left == 0:
            return False
        self._keep(segment_id, {"throw": segment_id})
        return True

    def next(self) -> None:
        """The darts are pulled. Those that nobody saw were misses."""
        while self.darts_left:
            self._keep("MISS", {"throw": "MISS"})
        self._keep("next", {"next": True})

    def undo(self) -> bool:
        """The last line is taken back. False: there is none."""
        if not self._kept:
            return False
        self._kept.pop()
        self.lines.append({"undo": True})
        self._count()
        return True

    @property
    def over(self) -> bool:
        """Has somebody come to nothing?"""
        return 0 in self._left

    def _keep(self, what: str, line: JSON) -> None:
        self._kept.append(what)
        self.lines.append(line)
        self._one(what)

    def _count(self) -> None:
        """From the beginning."""
        self._left, self._side = [START, START], 0
        self._before, self.darts_left = START, 3
        for what in self._kept:
            self._one(what)

    def _one(self, what: str) -> None:
        if what == "next":
            self._side = 1 - self._side
            self._before, self.darts_left = self._left[self._side], 3
            return
        left = self._left[self._side] - standard()[what].points
        self._left[self._side] = left if left >= 0 else self._before
        self.darts_left = self.darts_left - 1 if left > 0 else 0
