"""The averages that leagues and machines compare players by, and the class of each by the tables that there are.

All matches of X01 are pooled, and all of Cricket: those are the games of which a leg has a first 80 per cent.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from daemon.admin.history.digest import PartDigest, Shown
from engine.ratings.classes import FEWEST_DARTS, TABLES, rate_player
from engine.statistics import Figures, collect_figures


class ClassSource(Struct, frozen=True):
    """A table of classes, and where its figures are from. It has this many."""

    id: str
    title: str
    source: str
    classes: int


class FoundClass(Struct, frozen=True):
    """The class of a player by a table: its number, and the name of the group that it is in."""

    table: str
    number: int
    name: str


class PlayerClass(Struct, frozen=True):
    """A player's points per dart in X01 and marks per round in Cricket, and from how many darts; None: too few.

    `pr` is points per dart and ten times the marks per round, where both are known.
    """

    name: str
    ppd: float | None
    ppd_darts: int
    mpr: float | None
    mpr_darts: int
    pr: float | None
    x01: tuple[FoundClass, ...]
    cricket: tuple[FoundClass, ...]


SOURCES = tuple(ClassSource(table.id, table.title, table.source, len(table.points)) for table in TABLES)


class PlayerPools(Struct):
    """What a player has thrown in all matches of X01, and in all of Cricket."""

    x01: PartDigest = field(default_factory=PartDigest)
    cricket: PartDigest = field(default_factory=PartDigest)

    def add(self, part: PartDigest) -> None:
        """Adds the part of a match, where it is one of these games."""
        if part.points_80 is not None:
            self.x01.add(part)
        if part.marks_80 is not None:
            self.cricket.add(part)


def classify_players(pools: Mapping[str, PlayerPools], shown: Shown) -> list[PlayerClass]:
    """Returns the players with sixty darts or more in X01 or in Cricket, the best first."""
    found = []
    for key, pool in pools.items():
        has_points, has_marks = pool.x01.darts >= FEWEST_DARTS, pool.cricket.darts >= FEWEST_DARTS
        if key not in shown or not (has_points or has_marks):
            continue
        points = collect_figures(pool.x01.tally, "average")
        marks = collect_figures(pool.cricket.tally, "mpr")
        ppd, mpr = points.ppd if has_points else None, marks.mpr if has_marks else None
        classes = PlayerClass(
            name=shown[key],
            ppd=ppd,
            ppd_darts=points.darts,
            mpr=mpr,
            mpr_darts=marks.darts,
            pr=rate_player(ppd, mpr) if ppd is not None and mpr is not None else None,
            x01=_list_classes(points) if has_points else (),
            cricket=_list_classes(marks) if has_marks else (),
        )
        found.append(classes)
    return sorted(found, key=lambda each: (-(each.pr or 0), -(each.ppd or 0), -(each.mpr or 0), each.name))


def _list_classes(figures: Figures) -> tuple[FoundClass, ...]:
    """The class by each table, from the part of the legs that it is of."""
    found = []
    for table in TABLES:
        points = figures.average_80 if table.part == "80" else figures.average
        number = table.find(points, figures.mpr_80 if table.part == "80" else figures.mpr)
        if number is not None:
            found.append(FoundClass(table.id, number, table.name(number)))
    return tuple(found)
