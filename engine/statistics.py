"""The figures that people read, made from a tally of one match or of many.

Nothing here asks which game it was, only which figure its players compare themselves by. What the tally holds decides
the rest: darts at a finish make a countdown. A figure that means nothing for these darts is None or empty. Tallies are
pooled first and turned into figures last, so an average is never one of averages.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from engine.ratings.classes import DARTSLIVE_80
from engine.scatter import MeasuredPoints, collect_points, is_of_points
from engine.tally import UNREAD, Figure, Tally, name_attempts, name_hits

_TONS = ("60+", "100+", "140+", "170+", "180")
_MARKS = ("5m", "6m", "7m", "8m", "9m")
_PLAIN = {
    *("visits", "legs", "legs_won", "comebacks", "at_finish", "finished", "points_80", "marks_80", "darts_80"),
    UNREAD,
}
_AWARD, _AT, _HIT = "award:", name_attempts(""), name_hits("")
_BESTS = {"visit", "finish", "leg"}


class Figures(Struct, frozen=True):
    """What a player made of some darts. Rates are in per cent; pairs are successes and attempts."""

    darts: int
    points: int
    visits: int
    average: float | None
    """Points in three darts; in cricket, its points per round."""
    ppd: float | None
    first_nine: float | None
    """The average of visits one to three of each leg."""
    mpr: float | None
    average_80: float | None
    """As `average`, up to where the first player had 80 % of the leg behind: what machines rate people by."""
    mpr_80: float | None
    level: int | None
    """1 to 18, by `average_80` or `mpr_80` (engine/ratings/classes.py)."""
    checkouts: tuple[int, int] | None
    checkout_rate: float | None
    targets: Mapping[str, tuple[int, int]]
    """By target, the one with the most darts first: doubles that would have finished, targets of drills."""
    high_finish: int | None
    high_visit: int | None
    best_leg: int | None
    """Darts of the shortest leg that was won alone."""
    legs: tuple[int, int] | None
    """Won, played to their end."""
    tons: Mapping[str, int]
    """Visits of 60+, 100+, 140+, 180, each in the highest that it reached, and those of 170+ besides."""
    marks: Mapping[str, int]
    """Visits of five to nine marks."""
    awards: Mapping[str, int]
    hits: Mapping[str, int]
    """Darts by segment, the most first, misses among them."""
    more: Mapping[str, int]
    """What only this game counts."""
    bests: Mapping[str, int]
    """What only this game keeps the highest of, and the lowest."""
    measured: MeasuredPoints | None
    """Where darts landed whose points a board has measured; None without any."""

    def value(self, figure: Figure) -> float | None:
        """The figure of that name."""
        return self.mpr if figure == "mpr" else self.average


def collect_figures(tally: Tally, figure: Figure = "average") -> Figures:
    """The figures of this tally, of a game whose players compare themselves by that figure."""
    counts, darts = tally.counts, tally.darts
    has_points = bool(darts) and figure == "average"
    average_80 = _per_round(counts, "points_80")
    mpr_80 = _per_round(counts, "marks_80")
    thrown, finished = counts.get("at_finish", 0), counts.get("finished", 0)
    legs = counts.get("legs", 0)
    return Figures(
        darts=darts,
        points=tally.points,
        visits=counts.get("visits", 0),
        average=tally.average if darts else None,
        ppd=tally.ppd if has_points else None,
        first_nine=tally.first_nine if has_points and tally.nine_darts else None,
        mpr=tally.per_visit(counts.get("marks", 0)) if darts and figure == "mpr" else None,
        average_80=average_80,
        mpr_80=mpr_80,
        level=DARTSLIVE_80.find(average_80, mpr_80),
        checkouts=(finished, thrown) if thrown else None,
        checkout_rate=round(100 * finished / thrown, 1) if thrown else None,
        targets=_targets(counts),
        high_finish=tally.highs.get("finish"),
        high_visit=tally.highs.get("visit"),
        best_leg=tally.lows.get("leg"),
        legs=(counts.get("legs_won", 0), legs) if legs else None,
        tons={name: counts[name] for name in _TONS if name in counts},
        marks={name: counts[name] for name in _MARKS if name in counts},
        awards=_most_first(_keyed(counts, _AWARD)),
        hits=_most_first(tally.hits),
        more={name: n for name, n in counts.items() if not _is_known(name, figure)},
        bests={name: n for name, n in (*tally.highs.items(), *tally.lows.items()) if name not in _BESTS},
        measured=collect_points(counts),
    )


def _per_round(counts: Mapping[str, int], name: str) -> float | None:
    darts = counts.get("darts_80", 0)
    return round(3 * counts[name] / darts, 2) if darts and name in counts else None


def _targets(counts: Mapping[str, int]) -> Mapping[str, tuple[int, int]]:
    thrown = _most_first(_keyed(counts, _AT))
    return {target: (counts.get(name_hits(target), 0), n) for target, n in thrown.items()}


def _keyed(counts: Mapping[str, int], prefix: str) -> Mapping[str, int]:
    return {name.removeprefix(prefix): n for name, n in counts.items() if name.startswith(prefix)}


def _most_first(counts: Mapping[str, int]) -> Mapping[str, int]:
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _is_known(name: str, figure: Figure) -> bool:
    if name == "marks":
        return figure == "mpr"  # else they stand beside the average
    if is_of_points(name):
        return True
    return name in _PLAIN or name in _TONS or name in _MARKS or name.startswith((_AWARD, _AT, _HIT))
