"""Games that somebody survives: sides go out one by one, and the last one who is in wins.

They end when one side is left, however the others went, so all of them ask that at the opening of a visit and at its
end. In some a visit is held against another one, and there what counts is to throw enough.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from msgspec import Meta

from engine.game import Turn
from engine.skill import Skill
from protocol.segment import Segment

Lives = Annotated[int, Meta(ge=1, le=9)]

_SCORING = (*("T20", "T19", "T18", "T17", "T16", "DB"), *(f"{ring}{n}" for n in (20, 19, 16, 14, 11) for ring in "OI"))
"""Where points are: the triples for who hits them, and the beds that lie among friends."""
_SAFE = 60
"""What it is worth to the last dart that the visit does not lose, in points."""


def last_in(out: Collection[int], turn: Turn) -> tuple[int, ...] | None:
    """The only side still in, who has won; None while there are several."""
    left = tuple(side for side in turn.playing if side not in out)
    return left if len(left) <= 1 else None


def scored(turn: Turn) -> int:
    """What the darts of this visit have scored."""
    return sum(dart.points for dart in turn.darts)


def aim_at_points(turn: Turn, needed: int, skill: Skill) -> str:
    """Where points are; with the last dart first of all enough of them."""
    missing = needed - scored(turn)

    def worth(segment: Segment) -> float:
        return segment.points + _SAFE * (turn.darts_left == 1 and segment.points >= missing)

    return skill.best(worth, among=_SCORING)
