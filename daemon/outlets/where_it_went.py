"""Where a dart went against its aim, by the areas of the board: on target, the same number, to the left, too high.

Without a point from the board, the direction is the one from the aim to the nearest border of the bed that was hit.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from functools import lru_cache
from weakref import WeakSet

from daemon.outlets.spoken_names import name_target
from protocol.aiming import aim_at
from protocol.segment import Layout, Segment, UnknownSegment
from protocol.sentence import Sentence, say

_DIRECTIONS = (
    say("ear.right", "to the right"),
    say("ear.high_right", "high and to the right"),
    say("ear.high", "too high"),
    say("ear.high_left", "high and to the left"),
    say("ear.left", "to the left"),
    say("ear.low_left", "low and to the left"),
    say("ear.low", "too low"),
    say("ear.low_right", "low and to the right"),
)
"""Counter-clockwise from the right, as the player sees the board."""


_prepared: WeakSet[Layout] = WeakSet()
"""Layouts whose aims have been found."""


async def prepare_aims(layout: Layout) -> None:
    """Finds in a thread where to aim at everything on this layout, so that `compare` need not: that takes a second."""
    if layout not in _prepared:
        await asyncio.to_thread(_find_all, layout)
        _prepared.add(layout)


def _find_all(layout: Layout) -> None:
    for segment in layout:
        for name in (segment.id, *segment.groups):
            _find_place(layout, name)


def compare(layout: Layout, aims: Sequence[str], hit: str) -> Sentence | None:
    """Returns where a dart in the segment `hit` went against the nearest of the aims: segment ids or group labels.

    None where that cannot be told: there was no aim, or the dart missed the board.
    """
    if not aims or hit not in layout:
        return None
    segment = layout[hit]
    if any(_is_in(layout, segment, aim) for aim in aims):
        return say("ear.on_target", "on target")
    if not segment.multiplier or not _areas_of(layout, hit):
        return None
    places = [place for aim in aims if (place := _find_place(layout, aim)) is not None]
    if not places:
        return None
    aim, x, y, value = min(places, key=lambda place: _measure(layout, hit, place[1], place[2]))
    if value == segment.value and layout.name == "standard":
        return say("ear.same_number", "the number is right, {aim} was the aim", aim=name_target(aim))
    to_x, to_y = _nearest(layout, hit, x, y)
    where = _DIRECTIONS[round(math.atan2(to_y - y, to_x - x) / (math.pi / 4)) % 8]
    if len(aims) == 1:
        return where
    return say("ear.nearest", "{where}, the nearest target was {aim}", where=where, aim=name_target(aim))


def _is_in(layout: Layout, segment: Segment, aim: str) -> bool:
    """Whether the segment is what was aimed at: a board that cannot tell both halves of a single reports either."""
    if aim == segment.id or aim in segment.groups:
        return True
    if aim not in layout or aim[:1] not in ("S", "O", "I"):
        return False
    wanted = layout[aim]
    same = (wanted.value, wanted.multiplier) == (segment.value, segment.multiplier)
    return same and "S" in (aim[:1], segment.id[:1]) and wanted.value <= 20


@lru_cache(maxsize=512)
def _find_place(layout: Layout, aim: str) -> tuple[str, int, int, int] | None:
    """Returns the aim, its point, and the number if it is a bed of one; None for what is all around the board."""
    if aim not in layout and aim != "bull" and not aim.isdecimal():
        return None
    try:
        point = aim_at(layout, aim)
    except UnknownSegment:
        return None
    return aim, point.x, point.y, layout[aim].value if aim in layout else -1


def _areas_of(layout: Layout, hit: str) -> tuple[Segment, ...]:
    """Returns the areas of a segment; one without an area of its own may be anywhere in its number."""
    segment = layout[hit]
    if segment.outline:
        return (segment,)
    return tuple(each for each in layout.areas if each.value == segment.value)


def _measure(layout: Layout, hit: str, x: int, y: int) -> float:
    near_x, near_y = _nearest(layout, hit, x, y)
    return math.hypot(near_x - x, near_y - y)


@lru_cache(maxsize=1024)
def _nearest(layout: Layout, hit: str, x: int, y: int) -> tuple[float, float]:
    """Returns the point of the bed's border that is nearest to this one."""
    best, found = math.inf, (float(x), float(y))
    for area in _areas_of(layout, hit):
        for ring in area.outline:
            for (x1, y1), (x2, y2) in zip(ring, ring[1:] + ring[:1], strict=True):
                dx, dy = x2 - x1, y2 - y1
                along = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy or 1)
                along = min(max(along, 0.0), 1.0)
                near = x1 + along * dx, y1 + along * dy
                far = math.hypot(near[0] - x, near[1] - y)
                if far < best:
                    best, found = far, near
    return found
