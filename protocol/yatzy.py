"""The layout of Yatzy-Dart, generated from six lengths: six overlapping circles around a star, cut by three rings.

Circles cut each other into arcs, and an arc separates two areas, so it is made once and walked along by both: that is
why areas share their very vertices. Which areas these are is asked of the true circles at the middle of the arc, never
of the drawing.

A dart in several circles counts for one of them, chosen later, so its `value` is the highest: what it can be worth at
most. The layout is what lies in a circle and within the outer ring, and the star. Everything else is `NONE`.

A layout of one's own is a TOML file; what it leaves out is as on the shipped one:

    [yatzy]
    star_radius_mm = 8
    inner_radius_mm = 75        # where the ring ends
    middle_radius_mm = 140
    outer_radius_mm = 212
    circle_distance_mm = 110    # from the centre of the star to the centre of a circle
    circle_radius_mm = 101.2
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, pairwise, product
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct

from protocol.segment import Layout, Point, Ring, Segment, UnfitLayout, touching
from protocol.sentence import Sentence, say

RINGS = {"i": "inner", "m": "middle", "o": "outer"}
"""By the letter that ends a segment's id; as a group a ring goes by its name."""

_MULTIPLIERS = {"i": 3, "m": 2, "o": 1}
_CHORD = 0.3
"""How far a chord may run within its arc, in tenths of a millimetre."""
_CLEAR = 5
"""Borders this near (tenths of a millimetre) without crossing could cross once they are drawn."""
_ROUNDING = 1e-6
_SMALLEST = 200
"""The smallest area of a layout, in square tenths of a millimetre."""

_Length = Annotated[float, Meta(ge=1, le=1000)]


class YatzyDesign(Struct, frozen=True, forbid_unknown_fields=True):
    """The lengths a layout is made of. Circle n is centred `circle_distance_mm` off, 60 (n - 1) degrees clockwise."""

    star_radius_mm: _Length = 8.0
    inner_radius_mm: _Length = 75.0
    middle_radius_mm: _Length = 140.0
    outer_radius_mm: _Length = 212.0
    circle_distance_mm: _Length = 110.0
    circle_radius_mm: _Length = 101.2


SHIPPED = YatzyDesign()


def yatzy(design: YatzyDesign = SHIPPED) -> Layout:
    """The layout of this design, always the same object; raises UnfitLayout where the game could not be played."""
    return _yatzy(design)


@cache
def _yatzy(design: YatzyDesign) -> Layout:
    _check(design)
    outlines = _outlines(_circles(design))
    _check_areas(outlines)
    near = touching(outlines)
    areas = [
        Segment(i, *_worth(i), groups=_groups(i), near=near[i], outline=outlines[i])
        for i in sorted(outlines, key=_order)
    ]
    others = {"NONE": "miss", "OFF": "off", "FOUL": "foul"}
    return Layout("yatzy", [*areas, *(Segment(i, 0, 0, frozenset({label})) for i, label in others.items())], "NONE")


def _order(segment_id: str) -> tuple[bool, int, int, str]:
    """The star, then ring by ring, areas of one circle first."""
    return segment_id != "STAR", "imo".find(segment_id[-1]), len(segment_id), segment_id


def _worth(segment_id: str) -> tuple[int, int]:
    return (50, 1) if segment_id == "STAR" else (int(segment_id[-2]), _MULTIPLIERS[segment_id[-1]])


def _groups(segment_id: str) -> frozenset[str]:
    return frozenset({"star"} if segment_id == "STAR" else {*segment_id[:-1], RINGS[segment_id[-1]]})


class _Circle(Struct, frozen=True):
    """One border of the drawing, in tenths of a millimetre."""

    name: str
    x: float
    y: float
    radius: float

    @property
    def title(self) -> Sentence:
        if self.name.isdigit():
            return say("face.circle", "circle {name}", name=self.name)
        return say("face.border", "the border of the {name} ring", name=_RING_NAMES[self.name])

    def point(self, angle: float) -> tuple[float, float]:
        return self.x + self.radius * math.cos(angle), self.y + self.radius * math.sin(angle)


class _Arc(NamedTuple):
    """A piece of a border, counter-clockwise round its circle, and the areas on either side (None: no area)."""

    points: list[Point]
    within: str | None
    beyond: str | None


def _circles(design: YatzyDesign) -> list[_Circle]:
    def numbered(number: int) -> _Circle:
        angle, away = math.radians(60 * (number - 1)), 10 * design.circle_distance_mm
        return _Circle(str(number), away * math.sin(angle), away * math.cos(angle), 10 * design.circle_radius_mm)

    rings = {
        "star": design.star_radius_mm,
        "inner": design.inner_radius_mm,
        "middle": design.middle_radius_mm,
        "outer": design.outer_radius_mm,
    }
    return [*map(numbered, range(1, 7)), *(_Circle(name, 0, 0, 10 * radius) for name, radius in rings.items())]


def _area(names: Iterable[str]) -> str | None:
    """The area of a point within these circles and rings."""
    found = set(names)
    if "star" in found:
        return "STAR"
    digits = "".join(sorted(name for name in found if name.isdigit()))
    ring = next((letter for letter, name in RINGS.items() if name in found), None)
    return digits + ring if digits and ring else None


def _outlines(circles: list[_Circle]) -> dict[str, tuple[Ring, ...]]:
    """The border of every area, walked with the area on the left: arc after arc, from where one ends to the next."""
    starts: dict[str, dict[Point, list[Point]]] = {}
    for points, within, beyond in _arcs(circles):
        if within:
            starts.setdefault(within, {})[points[0]] = points
        if beyond:
            starts.setdefault(beyond, {})[points[-1]] = points[::-1]
    return {segment_id: tuple(_walked(arcs)) for segment_id, arcs in starts.items()}


def _walked(arcs: dict[Point, list[Point]]) -> Iterator[Ring]:
    while arcs:
        _, arc = arcs.popitem()
        ring = arc[:-1]
        while arc[-1] != ring[0]:
            arc = arcs.pop(arc[-1])
            ring += arc[:-1]
        yield tuple(ring)


def _arcs(circles: list[_Circle]) -> Iterator[_Arc]:
    cuts: dict[str, list[tuple[float, Point]]] = {circle.name: [] for circle in circles}
    for one, other in combinations(circles, 2):
        for x, y in _crossings(one, other):
            for circle in (one, other):
                cuts[circle.name].append((math.atan2(y - circle.y, x - circle.x), _rounded(x, y)))
    for circle in circles:
        round_it = sorted(cuts[circle.name]) or [(0.0, _rounded(*circle.point(0)))]
        round_it.append((round_it[0][0] + math.tau, round_it[0][1]))
        for (first, start), (last, end) in pairwise(round_it):
            if (last - first) * circle.radius < 2 * _CLEAR:
                said = "face.three_borders", "three borders almost meet in one point{where}: {advice}"
                raise UnfitLayout(say(*said, where=_where(circle, first), advice=_ADVICE))
            steps = math.ceil((last - first) / (2 * math.acos(1 - _CHORD / circle.radius)))
            between = (circle.point(first + (last - first) * step / steps) for step in range(1, steps))
            x, y = circle.point((first + last) / 2)
            around = [c.name for c in circles if c is not circle and math.hypot(x - c.x, y - c.y) < c.radius]
            points = [start, *(_rounded(*point) for point in between), end]
            yield _Arc(points, _area([*around, circle.name]), _area(around))


def _crossings(one: _Circle, other: _Circle) -> list[tuple[float, float]]:
    """The two points where these circles cross; empty when they are apart or one is within the other."""
    across_x, across_y = other.x - one.x, other.y - one.y
    distance = math.hypot(across_x, across_y)
    least, most = abs(one.radius - other.radius), one.radius + other.radius
    if min(abs(distance - least), abs(distance - most)) < _CLEAR - _ROUNDING:
        said = "face.almost_touch", "{one} and {other} almost touch: {advice}"
        raise UnfitLayout(say(*said, one=one.title, other=other.title, advice=_ADVICE))
    if not least < distance < most:
        return []
    along = (distance**2 + one.radius**2 - other.radius**2) / (2 * distance)
    aside = math.sqrt(one.radius**2 - along**2)
    angle, lean = math.atan2(across_y, across_x), math.atan2(aside, along)
    return [one.point(angle - lean), one.point(angle + lean)]


_ADVICE = say("face.advice", "change one of the lengths by a millimetre")
_RING_NAMES = {
    "star": say("face.star", "star"),
    "inner": say("face.inner", "inner"),
    "middle": say("face.middle", "middle"),
    "outer": say("face.outer", "outer"),
}


def _rounded(x: float, y: float) -> Point:
    return round(x), round(y)


def _where(circle: _Circle, angle: float) -> Sentence:
    x, y = (f"{each / 10:.0f}" for each in circle.point(angle))
    return say("face.where", " (at {x} mm, {y} mm from the centre)", x=x, y=y)


def _check(design: YatzyDesign) -> None:
    """What the rules say of it: rings in their order, circles that overlap by twos and threes, the star alone."""
    rings = ("star_radius_mm", "inner_radius_mm", "middle_radius_mm", "outer_radius_mm")
    for less, more in pairwise(rings):
        low, high = getattr(design, less), getattr(design, more)
        if high < low + 1:
            said = "face.order", "{more} must be at least a millimetre more than {less}"
            raise UnfitLayout(say(*said, more=f"{more} = {high:g}", less=f"{less} = {low:g}"), more)
    gap = design.circle_distance_mm - design.circle_radius_mm
    most = round(gap - _CLEAR / 10, 3)
    if design.star_radius_mm > most:
        raise UnfitLayout(
            say(
                "face.large_star",
                "star_radius_mm = {given} must be at most {most}: the star may not overlap a circle, and "
                "the circles begin {gap} mm from the centre (circle_distance_mm minus circle_radius_mm)",
                given=f"{design.star_radius_mm:g}",
                most=f"{most:g}",
                gap=f"{gap:g}",
            ),
            "star_radius_mm",
        )
    least = math.sqrt(3) / 2 * design.circle_distance_mm + _CLEAR / 10
    if design.circle_radius_mm < least:
        raise UnfitLayout(
            say(
                "face.small_circle",
                "circle_radius_mm = {given} must be at least {least}: three neighbouring circles must share an area",
                given=f"{design.circle_radius_mm:g}",
                least=f"{math.ceil(10 * least) / 10:g}",
            ),
            "circle_radius_mm",
        )


def _check_areas(outlines: dict[str, tuple[Ring, ...]]) -> None:
    """Each number can be hit in every ring, alone and with each neighbour, and nothing is too small to be hit."""
    for number in range(1, 7):
        pair = "".join(sorted((str(number), str(number % 6 + 1))))
        for digits, (letter, name) in product((str(number), pair), RINGS.items()):
            if digits + letter not in outlines:
                said = "face.no_area", "the {name} ring has no area {given}: make the ring wider, or move it"
                raise UnfitLayout(say(*said, name=_RING_NAMES[name], given=digits + letter))
    for segment_id, outline in outlines.items():
        for ring in outline:
            doubled = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairwise((*ring, ring[0])))
            if doubled < 2 * _SMALLEST:
                said = "face.small_area", "an area {given} is smaller than {least} square millimetres: {advice}"
                raise UnfitLayout(say(*said, given=segment_id, least=f"{_SMALLEST / 100:g}", advice=_ADVICE))
