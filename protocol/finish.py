"""What a player is advised at the end of a leg: routes out, and the way to leave one."""

from __future__ import annotations

from msgspec import Struct


class Route(Struct, frozen=True, omit_defaults=True):
    """A way to finish in this visit: segment ids in order, and the chance of it in percent.

    The chance is that of a player with the scatter of the match who begins like this and goes on in the best way after
    a miss. `favourite`: it ends on a favourite double of the player.
    """

    darts: tuple[str, ...]
    chance: float
    favourite: bool = False


class Leave(Struct, frozen=True):
    """What to throw with the darts of this visit, and the finish that is `left` then for the next one."""

    darts: tuple[str, ...]
    left: int
