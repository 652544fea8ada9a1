"""Games of survival: sides go out one by one, and the last one in wins.

They end when one side is left, even by the others leaving, so all check that when a visit opens and when it ends. In
some a visit is compared with another one, so enough points are worth more than many.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from msgspec import Meta

from engine.game import Eliminated, Fact, LifeLost, Turn
from engine.skill import Skill
from protocol.segment import Segment

Lives = Annotated[int, Meta(ge=1, le=9)]

MOST_POINTS = 60
"""Of a dart."""
_SCORING = (*("T20", "T19", "T18", "T17", "T16", "DB"), *(f"{ring}{n}" for n in (20, 19, 16, 14, 11) for ring in "OI"))
"""The beds with the most points: triples for good players, and beds whose neighbours are high for the others."""
_SAFE = 60
"""The worth of a safe visit, in points, for the last dart."""


def last_in(out: Collection[int], turn: Turn) -> tuple[int, ...] | None:
    """The winners once at most one side is in: that side; None while there are several."""
    left = tuple(side for side in turn.playing if side not in out)
    return left if len(left) <= 1 else None


def lose(side: int, lives: int, left: int) -> tuple[Fact, ...]:
    """The facts of so many lives that a side loses; `left` is what it has after that."""
    lost = LifeLost(side=side, lives=lives)
    return (lost,) if left else (lost, Eliminated(side=side))


def scored(turn: Turn) -> int:
    """The points of the darts of this visit."""
    return sum(dart.points for dart in turn.darts)


def aim_at_points(turn: Turn, needed: int, skill: Skill) -> str:
    """The bed with the most points to expect; for the last dart, reaching `needed` comes first."""
    missing = needed - scored(turn)

    def worth(segment: Segment) -> float:
        return segment.points + _SAFE * (turn.darts_left == 1 and segment.points >= missing)

    return skill.best(worth, among=_SCORING)
