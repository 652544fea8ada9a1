"""How often a target was hit: what drills are thrown for, kept by target, so that a player sees which double is weak.

The figures `at:D20` and `hits:D20` are the darts thrown at a target and those that hit it.
"""

from __future__ import annotations

from engine.tally import Tally


def tried(target: str, hit: bool) -> dict[str, int]:
    """What one dart at a target adds to the counts."""
    return {f"at:{target}": 1, f"hits:{target}": 1} if hit else {f"at:{target}": 1}


def rate(tally: Tally) -> list[int]:
    """Hits and darts thrown at all targets together."""
    return [sum(n for name, n in tally.counts.items() if name.startswith(kind)) for kind in ("hits:", "at:")]
