"""Where a dart went against its aim, by the areas of the board: on target, the same number, to the left, too high.

Without a point from the board, the direction is the one from the aim to the nearest border of the bed that was hit.
With a point it is the one from the nearest border of the aim to the point, and the distance is told as people show it:
"a finger to the left".
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from functools import lru_cache
from weakref import WeakSet

from daemon.outlets.spoken_names import name_target
from protocol.aiming import aim_at, find_beds
from protocol.segment import Layout, Point, Segment, UnknownSegment, inside
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
_INSIDE = say("ear.inside", "inside the wire")
_OUTSIDE = say("ear.outside", "outside the wire")
_BULL = 25
_WEDGE = math.pi / 20
"""Half the angle of a number."""
_WIDTHS = (
    (30, say("ear.hair", "a hair")),
    (110, say("ear.half_finger", "half a finger")),
    (260, say("ear.finger", "a finger")),
    (450, say("ear.two_fingers", "two fingers")),
    (1300, say("ear.hand", "a hand")),
)
"""How far a dart is from what was aimed at, as people show it: up to so many tenths of a millimetre. A finger is about
15 to 20 mm wide, a hand 85."""
_FAR = say("ear.far", "far")


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


def compare(layout: Layout, aims: Sequence[str], hit: str, point: Point | None = None) -> Sentence | None:
    """Returns where a dart in the segment `hit` went against the nearest of the aims: segment ids or group labels.

    With the `point` of the dart and one aim it tells how far off it was. None where nothing can be told: there was no
    aim, or the dart missed the board and nobody knows where.
    """
    if not aims or hit not in layout:
        return None
    segment = layout[hit]
    if any(_is_in(layout, segment, aim) for aim in aims):
        return say("ear.on_target", "on target")
    if point is not None and len(aims) == 1 and (place := _find_place(layout, aims[0])) is not None:
        return _tell_distance(layout, place, segment, point)
    if not segment.multiplier or not _areas_of(layout, hit):
        return None
    places = [place for aim in aims if (place := _find_place(layout, aim)) is not None]
    if not places:
        return None
    aim, x, y, value = min(places, key=lambda place: _measure(layout, hit, place[1], place[2]))
    if value == segment.value and layout.name == "standard":
        return say("ear.same_number", "the number is right, {aim} was the aim", aim=name_target(aim))
    to_x, to_y = _nearest(layout, hit, x, y)
    where = _point_out(to_x - x, to_y - y)
    if len(aims) == 1:
        return where
    return say("ear.nearest", "{where}, the nearest target was {aim}", where=where, aim=name_target(aim))


def _tell_distance(layout: Layout, place: tuple[str, int, int, int], hit: Segment, point: Point) -> Sentence:
    """How far off the aim this point is, and to which side of it.

    Close to a wire the point may be in another bed than the one that was hit: the point of that next to it is told.
    """
    aim, aim_x, aim_y, value = place
    x, y = map(float, point)
    areas = _areas_of(layout, hit.id)
    if areas and not any(inside(area.outline, x, y) for area in areas):
        x, y = _find_nearest(areas, x, y)
    near_x, near_y = _find_nearest(find_beds(layout, aim), x, y)
    far = math.hypot(x - near_x, y - near_y)
    width = next((said for most, said in _WIDTHS if far <= most), _FAR)
    is_other = hit.value not in (0, _BULL, value)
    in_wedge = math.hypot(aim_x, aim_y) > 0 and not is_other and _turn((x, y), (aim_x, aim_y)) < _WEDGE
    if layout.name == "standard" and in_wedge:
        where = _OUTSIDE if math.hypot(x, y) > math.hypot(aim_x, aim_y) else _INSIDE
    else:
        from_x, from_y = (near_x, near_y) if far >= 1 else (aim_x, aim_y)
        where = _point_out(x - from_x, y - from_y)
    return say("ear.off_by", "{width} {where}", width=width, where=where)


def _turn(one: tuple[float, float], other: Point) -> float:
    """Returns the angle between the directions of two points, as seen from the centre of the board."""
    (x, y), (other_x, other_y) = one, other
    return abs(math.atan2(x * other_y - y * other_x, x * other_x + y * other_y))


def _point_out(x: float, y: float) -> Sentence:
    return _DIRECTIONS[round(math.atan2(y, x) / (math.pi / 4)) % 8]


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
    return _find_nearest(_areas_of(layout, hit), x, y)


def _find_nearest(areas: Sequence[Segment], x: float, y: float) -> tuple[float, float]:
    """Returns the point on a border of these areas that is nearest to this one."""
    best, found = math.inf, (float(x), float(y))
    for area in areas:
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
