"""The colour of a player who has chosen none."""

from __future__ import annotations

from hashlib import sha256

from protocol.player_names import name_key

COLOURS = 8
"""As many as the page has."""


def choose_colour(name: str) -> int:
    """Returns the number of the colour for this name: always the same one, whoever else plays here."""
    return sha256(name_key(name).encode()).digest()[0] % COLOURS
