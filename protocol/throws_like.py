"""A bot that throws like a player: its darts scatter as boards have measured those of the player."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from protocol.player_names import MAX_NAME

_Offset = Annotated[float, Meta(ge=-200, le=200)]


class ThrowsLike(Struct, frozen=True):
    """Whom a bot throws like, and how. The match has what was measured when it began; the statistics are not needed.

    `player` is the name, "" once the player is forgotten. `deviation_mm` is the scatter in each direction (Scatter in
    engine/scatter.py), None until the match begins; on average the darts land `right_mm` and `up_mm` from their aim.
    """

    player: Annotated[str, Meta(max_length=MAX_NAME)]
    deviation_mm: Annotated[float, Meta(gt=0, le=100)] | None = None
    right_mm: _Offset = 0.0
    up_mm: _Offset = 0.0
