"""A ghost: a bot that throws the darts of a recorded leg once more. The match has them; the record is not needed."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

MOST_VISITS = 200
_Bed = Annotated[str, Meta(min_length=1, max_length=12)]
_Darts = Annotated[tuple[_Bed, ...], Meta(max_length=30)]


class Ghost(Struct, frozen=True):
    """A leg that `player` has played: the segments that the darts hit, visit by visit."""

    player: str
    visits: Annotated[tuple[_Darts, ...], Meta(min_length=1, max_length=MOST_VISITS)]

    def find_segment(self, visit: int, dart: int) -> str | None:
        """What this dart of this visit hit, both counted from 0; None where the leg has no such dart."""
        darts = self.visits[visit] if visit < len(self.visits) else ()
        return darts[dart] if dart < len(darts) else None
