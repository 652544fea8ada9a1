"""Running figures of one side over a whole match: pooled points and darts, never averages of averages.

Kept beside the position, visit by visit, so every game has an average without doing anything for it; what only a game
knows (darts at a finish, marks) it adds by name through `Step.counts`.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace


class Tally(Struct, frozen=True):
    """Points and darts thrown, in all and in visits one to three of each leg, and a game's own counts."""

    points: int = 0
    darts: int = 0
    nine_points: int = 0
    nine_darts: int = 0
    counts: Mapping[str, int] = {}

    def add(self, points: int, darts: int, in_first_nine: bool) -> Tally:
        """With so many more; points may be negative, when a bust takes back what its visit had."""
        return Tally(
            self.points + points,
            self.darts + darts,
            self.nine_points + points * in_first_nine,
            self.nine_darts + darts * in_first_nine,
            self.counts,
        )

    def count(self, more: Mapping[str, int]) -> Tally:
        """With these added to the game's own counts."""
        return replace(self, counts={k: self.counts.get(k, 0) + more.get(k, 0) for k in {**self.counts, **more}})

    @property
    def average(self) -> float:
        """3 x points / darts really thrown, to two places; 0.0 before the first dart."""
        return round(3 * self.points / self.darts, 2) if self.darts else 0.0

    @property
    def first_nine(self) -> float:
        """The average of visits one to three of each leg."""
        return round(3 * self.nine_points / self.nine_darts, 2) if self.nine_darts else 0.0
