"""What the points of the darts of a match come to, for engine/scatter.py.

A dart counts as aimed at a bed if that was the one thing that displays lit when it was thrown, and a small one: a
triple, a double or the bull. Nobody knows at which part of a single a player aims, nor at which of several targets. It
is found once a match is over, by looking at it dart by dart.
"""

from __future__ import annotations

from itertools import pairwise

from engine.match import Match
from engine.position import Position, Thrown
from engine.scatter import add_counts, count_aimed, count_pair, count_point, is_near
from protocol.aiming import aim_at
from protocol.commands import Amend, Throw
from protocol.segment import Layout, Point

BULL = "DB"
_SMALL = frozenset(("triple", "double"))
_BULLS = ("bull", "SB", BULL)
"""Whoever aims at any of them aims at the middle of the board."""


def has_points(match: Match) -> bool:
    """Whether a board has measured the point of a dart of this match."""
    given = (entry.input for entry in match.list_entries())
    darts = (each.was if isinstance(each, Amend) else each for each in given)
    return any(isinstance(dart, Throw) and dart.point is not None for dart in darts)


def find_points(match: Match) -> dict[int, dict[str, int]]:
    """What the points of the darts that count add to the counts of each player, by seat. Plays the match again."""
    found: dict[int, dict[str, int]] = {}
    aimed: list[tuple[str, Point]] = []
    """The darts of the visit so far that were aimed at a bed, and how far from it they landed."""
    for before, after in pairwise(match.list_positions()):
        if before.visit.number != after.visit.number:
            aimed = []
        for point in _list_new(before, after):
            counts = found.setdefault(after.visit.seat, {})
            add_counts(counts, count_point(point))
            bed = _find_bed(match, before)
            if bed is None:
                continue
            middle = aim_at(match.layout, bed)
            offset = point[0] - middle.x, point[1] - middle.y
            if not is_near(offset):
                continue
            add_counts(counts, count_aimed(bed, offset))
            for other_bed, other in aimed:
                if other_bed == bed:
                    add_counts(counts, count_pair(offset, other))
            aimed.append((bed, offset))
    return found


def _list_new(before: Position, after: Position) -> list[Point]:
    """The points of the darts between these positions, without darts that could not be read."""
    if before.visit.number != after.visit.number:
        return []
    return [point for dart in after.visit.darts[len(before.visit.darts) :] if (point := _read_point(dart)) is not None]


def _read_point(dart: Thrown) -> Point | None:
    return None if dart.sensed is None or dart.sensed.unread else dart.sensed.point


def _find_bed(match: Match, position: Position) -> str | None:
    """The bed at which the next dart is aimed; None where that is not known."""
    targets = match.at(position).panel().targets
    return find_aim(match.layout, targets[0]) if len(targets) == 1 else None


def find_aim(layout: Layout, target: str) -> str | None:
    """The small bed that is aimed at for this target; None where it stands for a larger area, or for several."""
    if target in _BULLS:
        return BULL if BULL in layout else None
    return target if target in layout and not _SMALL.isdisjoint(layout[target].groups) else None
