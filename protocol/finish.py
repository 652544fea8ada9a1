"""What a player is advised: routes out of a leg, the way to leave one, what a bed is aimed at for; what finishes."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

Purpose = Literal["close", "defend", "score", "attack", "arm"]
"""What a dart is for: to close a number, to stop others scoring on it, to score, to attack, or to become a killer."""


class Route(Struct, frozen=True, omit_defaults=True):
    """A way to finish in this visit: segment ids in order, and its chance in percent.

    The chance is for a player with the scatter of the match who begins this way and takes the best way on after a miss.
    `favourite`: the route ends on a favourite double of the player.
    """

    darts: tuple[str, ...]
    chance: float
    favourite: bool = False


class Leave(Struct, frozen=True):
    """What to throw with the darts of this visit, and the finish that is then `left` for the next one.

    `needs` is the fewest darts that this finish takes.
    """

    darts: tuple[str, ...]
    left: int
    needs: int | UnsetType = UNSET


class Totals(Struct, frozen=True, omit_defaults=True):
    """Present while the points of several darts can be entered together.

    `finish` is the total that finishes, `darts` the fewest darts that can finish, and `at_finish` the smallest total
    with which a dart may have been thrown at the finish. These are left out if the darts in hand cannot finish. `bust`
    is the fewest darts that can be bust; it is left out if those in hand cannot be bust.
    """

    finish: int | UnsetType = UNSET
    darts: int | UnsetType = UNSET
    at_finish: int | UnsetType = UNSET
    bust: int | UnsetType = UNSET


class Aim(Struct, frozen=True):
    """The best bed to aim the next dart at, and why."""

    segment: str
    purpose: Purpose
