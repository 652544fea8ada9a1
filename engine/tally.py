"""Running figures of one player over a whole match: pooled points and darts, never averages of averages.

Kept beside the position, visit by visit, so every game has an average, a heat map and its best visit without doing
anything for it, and a correction corrects them too. What only a game knows (darts at a finish, marks) it adds by name
through `Step`. Tallies of several players, legs or matches are pooled by adding them: sums add, the highest and lowest
of each are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import add
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Figure = Literal["average", "mpr"]
"""What players compare themselves by: points in three darts, or marks."""

_BUCKETS = ((180, "180"), (140, "140+"), (100, "100+"), (60, "60+"))
"""Visits by what they scored, each counted once, in the highest bucket it reaches."""
_LEAST_TON = 60
UNREAD = "unread"
"""The key in `counts` of the darts that a sensor could not read: nothing else is counted of them."""


def name_attempts(target: str) -> str:
    """Returns the key in `counts` of the darts thrown at this target."""
    return f"at:{target}"


def name_hits(target: str) -> str:
    """Returns the key in `counts` of the darts at this target that hit it."""
    return f"hit:{target}"


class Tally(Struct, frozen=True, gc=False):
    """Points and darts thrown, in all and in visits one to three of each leg; and figures by name.

    `counts` add up: `visits`, `60+` `100+` `140+` `180` (each visit in one of them), `170+` besides, `award:NAME`,
    `at` and `hit` of targets, `legs`, `legs_won`, `comebacks`, `unread`, what engine/scatter.py keeps, and a game's
    own. `highs` and `lows` are the highest and lowest of their kind: `visit` (points, where they are scores), `leg`
    (darts of a leg won alone), and a game's own. `hits` are darts by segment id, misses among them.
    """

    points: int = 0
    darts: int = 0
    nine_points: int = 0
    nine_darts: int = 0
    counts: Mapping[str, int] = {}
    highs: Mapping[str, int] = {}
    lows: Mapping[str, int] = {}
    hits: Mapping[str, int] = {}

    def add(self, points: int, darts: int, in_first_nine: bool, segment_id: str | None = None) -> Tally:
        """Returns the tally with these points and darts added, and a hit of that segment.

        Points may be negative: a bust takes back the points of its visit.
        """
        hits = self.hits
        if segment_id is not None:
            hits = {**hits, segment_id: hits.get(segment_id, 0) + 1}
        return Tally(
            self.points + points,
            self.darts + darts,
            self.nine_points + points if in_first_nine else self.nine_points,
            self.nine_darts + darts if in_first_nine else self.nine_darts,
            self.counts,
            self.highs,
            self.lows,
            hits,
        )

    def visit(self, points: int, tons: bool, award: str | None = None) -> Tally:
        """Returns the tally with a visit of so many points; with `tons` also in its bucket, perhaps the highest."""
        more = {"visits": 1}
        if tons and points >= _LEAST_TON:
            more[next(name for least, name in _BUCKETS if points >= least)] = 1
            if points >= 170:
                more["170+"] = 1
        if award is not None:
            more[f"award:{award}"] = 1
        tally = self.count(more)
        return tally.high({"visit": points}) if tons else tally

    def count(self, more: Mapping[str, int]) -> Tally:
        """Returns the tally with these added to the counts."""
        return replace(self, counts=_merged(self.counts, more, add)) if more else self

    def high(self, reached: Mapping[str, int]) -> Tally:
        """Returns the tally with those of these highs that exceed the present ones."""
        return replace(self, highs=_merged(self.highs, reached, max)) if reached else self

    def low(self, reached: Mapping[str, int]) -> Tally:
        """Returns the tally with those of these lows that are below the present ones."""
        return replace(self, lows=_merged(self.lows, reached, min)) if reached else self

    @property
    def average(self) -> float:
        """3 x points / darts really thrown, to two places; 0.0 before the first dart."""
        return self.per_visit(self.points)

    @property
    def ppd(self) -> float:
        """Points per dart, to two places; 0.0 before the first one."""
        return round(self.points / self.darts, 2) if self.darts else 0.0

    @property
    def first_nine(self) -> float:
        """The average of visits one to three of each leg."""
        return round(3 * self.nine_points / self.nine_darts, 2) if self.nine_darts else 0.0

    def per_visit(self, total: int) -> float:
        """Returns the average of this total in three darts, to two places; 0.0 before the first dart."""
        return round(3 * total / self.darts, 2) if self.darts else 0.0


def pool_tallies(tallies: Iterable[Tally]) -> Tally:
    """Returns the sum of these tallies, such as those of a team or of many matches."""
    first, *others = [*tallies] or [Tally()]
    for other in others:
        first = Tally(
            first.points + other.points,
            first.darts + other.darts,
            first.nine_points + other.nine_points,
            first.nine_darts + other.nine_darts,
            _merged(first.counts, other.counts, add),
            _merged(first.highs, other.highs, max),
            _merged(first.lows, other.lows, min),
            _merged(first.hits, other.hits, add),
        )
    return first


def _merged(one: Mapping[str, int], other: Mapping[str, int], both: Callable[[int, int], int]) -> Mapping[str, int]:
    merged = {**one}
    for name, value in other.items():
        merged[name] = both(merged[name], value) if name in merged else value
    return merged
