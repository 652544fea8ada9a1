"""The beds of a target: where anybody would aim at it, whatever the game.

The fat bed comes first, for whom a hit is a hit: of equally good beds the first is aimed at. Where the ring counts, the
game's own worth of a landing finds the triple by itself.
"""

from __future__ import annotations

BULL = 25
"""The bull among the numbers, as a segment's value has it."""
RINGS = "OITD"


def beds(target: str | int, rings: str = RINGS) -> tuple[str, ...]:
    """The beds of a number in these rings, or the two of the bull (25, or the label of the face)."""
    return ("DB", "SB") if target in (BULL, "bull") else tuple(f"{ring}{target}" for ring in rings)
