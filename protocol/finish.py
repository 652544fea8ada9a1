"""What a player is advised: routes out of a leg, the way to leave one, what a bed is aimed at for; what finishes."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

Purpose = Literal["close", "defend", "score", "attack", "arm"]
"""What a dart is for: a number to close, or one on which others score; points; harm to others, or the right to it."""


class Route(Struct, frozen=True, omit_defaults=True):
    """A way to finish in this visit: segment ids in order, and the chance of it in percent.

    The chance is that of a player with the scatter of the match who begins like this and goes on in the best way after
    a miss. `favourite`: it ends on a favourite double of the player.
    """

    darts: tuple[str, ...]
    chance: float
    favourite: bool = False


class Leave(Struct, frozen=True):
    """What to throw with the darts of this visit, and the finish that is `left` then for the next one.

    That finish `needs` so many darts at least.
    """

    darts: tuple[str, ...]
    left: int
    needs: int | UnsetType = UNSET


class Totals(Struct, frozen=True, omit_defaults=True):
    """That the points of several darts may be entered together now.

    `finish` is the total that finishes, `darts` the fewest darts that can, and `at_finish` the least total after which
    a dart may have been thrown at the finish. They are left out where the darts in hand cannot finish. `bust` is the
    fewest darts that can be bust, left out where those in hand cannot.
    """

    finish: int | UnsetType = UNSET
    darts: int | UnsetType = UNSET
    at_finish: int | UnsetType = UNSET
    bust: int | UnsetType = UNSET


class Aim(Struct, frozen=True):
    """The bed that the next dart is best aimed at, and what for."""

    segment: str
    purpose: Purpose
