"""How often a target was hit: what drills are thrown for, kept by target, so that it shows which one is weak."""

from __future__ import annotations

from engine.tally import Tally, at, hit


def tried(target: str, is_hit: bool) -> dict[str, int]:
    """What one dart at a target adds to the counts."""
    return {at(target): 1, hit(target): 1} if is_hit else {at(target): 1}


def rate(tally: Tally) -> list[int]:
    """Hits and darts thrown at all targets together."""
    return [sum(n for name, n in tally.counts.items() if name.startswith(kind(""))) for kind in (hit, at)]
