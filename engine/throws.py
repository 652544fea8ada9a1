"""Every dart of a match as it counts in the end: what was undone is gone, what was corrected is right.

A position holds two visits, for more is never needed to play on. Who wants all of them has the journal folded once more
and looks on: this is a match with an onlooker.
"""

from __future__ import annotations

from engine.course import Facts
from engine.fold import fold
from engine.match import Match
from engine.position import Position, Visit
from engine.record import Input
from engine.referee import Referee


class WholeMatch(Match):
    """A match that can also tell all of its visits."""

    def visits(self) -> tuple[Visit, ...]:
        """Every visit, as it counts now, in the order in which they were opened; the one at the oche is the last."""
        onlooker = _Onlooker(
            self.game, self.options, self.seating, self.layout, self.header.seed or "", self.header.format
        )
        onlooker.see(fold(onlooker, self._entries, None).position)
        return tuple(visit for number, visit in sorted(onlooker.seen.items()) if number)


class _Onlooker(Referee):
    """Rules as the referee does, and notes each visit as it last stood: `next` closes it, or somebody leaves."""

    seen: dict[int, Visit]

    def see(self, position: Position) -> None:
        for visit in (position.last, position.visit):
            if visit is not None:
                self.seen[visit.number] = visit

    def start(self) -> tuple[Position, Facts]:
        self.seen = {}
        return super().start()

    def rule(self, position: Position, line: int, given: Input) -> tuple[Position, Facts]:
        ruled = super().rule(position, line, given)
        self.see(ruled[0])
        return ruled

    def next(self, position: Position, line: int, close: bool = True) -> tuple[Position, Facts]:
        ruled = super().next(position, line, close)
        self.see(ruled[0])
        return ruled
