"""The layout of Ground Round, generated from three lengths and the arrangement of its symbols: nineteen hexagons.

Corners are counted on a lattice (half a hexagon wide, half a side high) and only then turned into tenths of a
millimetre, so hexagons that meet have the very same corners. The red area of a hexagon Crossed Darts is an area of its
own, and a hole in the rest of it.

A dart on a line stands for two or three hexagons. The lines tile nothing: `at` knows areas alone, `landed` finds the
line first. Its id names the candidates in the order of the layout, column by column as in the ids: by q, then by r. Any
other order is understood.

A layout of one's own is a TOML file; what it leaves out is as on the shipped one, but hexes come all nineteen or none:

    [ground_round]
    hex_size_mm = 39            # the side of a hexagon
    line_half_width_mm = 0.75   # a dart this near to two hexagons is on their line
    red_radius_mm = 15

    [ground_round.hexes]
    "0,0" = "flaming_fist"
    "1,-1" = "fist"             # and so on
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Annotated, Literal

from msgspec import Meta, Struct

from protocol.segment import Layout, Point, Ring, Segment, UnfitLayout, touching
from protocol.sentence import say
from protocol.spelling import say_nearest

Symbol = Literal["flag", "dart", "crossed_darts", "tower", "pin", "fist", "flaming_fist", "blank"]

_ROWS: tuple[tuple[Symbol, ...], ...] = (
    ("blank", "pin", "flag"),
    ("dart", "tower", "fist", "dart"),
    ("flag", "crossed_darts", "flaming_fist", "crossed_darts", "blank"),
    ("pin", "fist", "tower", "pin"),
    ("blank", "dart", "flag"),
)
"""The shipped arrangement as one sees it: r = -2 on top."""

_AT_LEAST: dict[Symbol, int] = {
    "dart": 3,
    "crossed_darts": 2,
    "pin": 2,
    "fist": 2,
    "tower": 1,
    "flaming_fist": 1,
    "blank": 1,
}
"""With three flags these leave four hexagons free, so that fewer than half are ever blank, as they have to be."""

_CORNERS = ((0, 2), (1, 1), (1, -1), (0, -2), (-1, -1), (-1, 1))
"""From the middle of a hexagon, in steps of the lattice, clockwise from the top."""

_RED_STEPS = 60

_PLACES = {f"{q},{r}": (q, r) for q in range(-2, 3) for r in range(-2, 3) if abs(q + r) <= 2}

HEXES = tuple(_PLACES)
"""The ids of the nineteen hexagons in the order of the layout."""


class GroundRoundDesign(Struct, frozen=True, forbid_unknown_fields=True):
    """What a layout is made of; `hexes` gives each hexagon's symbol, empty for the shipped arrangement."""

    hex_size_mm: Annotated[float, Meta(ge=10, le=200)] = 39.0
    line_half_width_mm: Annotated[float, Meta(ge=0.2, le=10)] = 0.75
    red_radius_mm: Annotated[float, Meta(ge=5, le=200)] = 15.0
    hexes: dict[str, Symbol] = {}


SHIPPED = GroundRoundDesign()


def ground_round(design: GroundRoundDesign = SHIPPED) -> Layout:
    """The layout of this design, always the same object; raises UnfitLayout where the game could not be played."""
    _check(design)
    symbols = design.hexes or _shipped_hexes()
    return _ground_round(
        10 * design.hex_size_mm,
        10 * design.line_half_width_mm,
        10 * design.red_radius_mm,
        tuple(symbols[hex_id] for hex_id in HEXES),
    )


def hexes(segment_id: str) -> tuple[str, ...]:
    """The hexagons a dart in this segment may count for: one, for a line two or three, for a miss none."""
    return () if segment_id == "MISS" else tuple(segment_id.removesuffix("!").split("|"))


def symbols(layout: Layout) -> dict[str, str]:
    """The symbol of each hexagon of such a layout, by its id, in the order of the layout."""
    return {hex_id: next(iter(layout[hex_id].groups)) for hex_id in HEXES}


def neighbours(layout: Layout, hex_id: str) -> tuple[str, ...]:
    """The hexagons around this one, in the order of the layout; `near` would hold its red area too."""
    return tuple(other for other in HEXES if other in layout[hex_id].near)


class HexLayout(Layout):
    """A layout of hexagons with lines between them that a dart can be on."""

    __slots__ = ("_centres", "_reach")

    def __init__(self, segments: Iterable[Segment], centres: dict[str, tuple[float, float]], reach: float) -> None:
        super().__init__("ground_round", segments, miss="MISS")
        self._centres = tuple((hex_id, x, y) for hex_id, (x, y) in centres.items())
        self._reach = reach
        """From the middle of a hexagon to the far border of its lines, tenths of a millimetre."""

    def __contains__(self, segment_id: object) -> bool:
        return isinstance(segment_id, str) and super().__contains__(_in_order(segment_id))

    def __getitem__(self, segment_id: str) -> Segment:
        """The segment of that id, a line's candidates in any order; raises UnknownSegment with the nearest spelling.

        A line keeps the order that it is asked for in: the first of its candidates is the likeliest.
        """
        segment = super().__getitem__(_in_order(segment_id))
        return segment if segment.id == segment_id else replace(segment, id=segment_id)

    def landed(self, x: float, y: float) -> Segment:
        """The line the point is on (within its half width of two or three hexagons), else the area under it."""
        reached = [i for i, cx, cy in self._centres if _within(x - cx, y - cy, self._reach)]
        return self["|".join(reached)] if len(reached) > 1 else self.at(x, y)


@cache
def _ground_round(size: float, half_width: float, red: float, symbols: tuple[Symbol, ...]) -> Layout:
    """Lengths in tenths of a millimetre."""
    step_x, step_y = math.sqrt(3) / 2 * size, size / 2
    lattice = {hex_id: (2 * q + r, -3 * r) for hex_id, (q, r) in _PLACES.items()}
    centres = {hex_id: (i * step_x, j * step_y) for hex_id, (i, j) in lattice.items()}
    corners = {hex_id: tuple((i + di, j + dj) for di, dj in _CORNERS) for hex_id, (i, j) in lattice.items()}
    groups: dict[str, frozenset[str]] = {}
    outlines: dict[str, tuple[Ring, ...]] = {}
    for hex_id, symbol in zip(HEXES, symbols, strict=True):
        groups[hex_id] = frozenset({symbol})
        outlines[hex_id] = (tuple((round(i * step_x), round(j * step_y)) for i, j in corners[hex_id]),)
        if symbol == "crossed_darts":
            disc = _disc(*centres[hex_id], red)
            groups[f"{hex_id}!"] = frozenset({symbol, "red"})
            outlines[f"{hex_id}!"] = (disc,)
            outlines[hex_id] += (disc[::-1],)
    near = touching(outlines)
    segments = [Segment(i, 0, 1, groups=groups[i], near=near[i], outline=outlines[i]) for i in outlines]
    segments += [Segment(i, 0, 1, groups=frozenset({"line"})) for i in dict.fromkeys(_lines(corners))]
    segments += [Segment("MISS", 0, 0, groups=frozenset({"miss"}))]
    return HexLayout(segments, centres, step_x + half_width)


def _lines(corners: dict[str, tuple[Point, ...]]) -> Iterator[str]:
    """Every line: what two hexagons have in common, and every corner where three meet."""
    sharing: dict[frozenset[Point], list[str]] = {}
    for hex_id, ring in corners.items():
        for one, next_one in zip(ring, ring[1:] + ring[:1], strict=True):
            sharing.setdefault(frozenset({one, next_one}), []).append(hex_id)
            sharing.setdefault(frozenset({one}), []).append(hex_id)
    lines = ("|".join(hex_ids) for hex_ids in sharing.values() if len(hex_ids) > 1)
    return iter(sorted(lines, key=lambda line: line.count("|")))


def _disc(x: float, y: float, radius: float) -> Ring:
    angles = (math.tau * step / _RED_STEPS for step in range(_RED_STEPS))
    return tuple((round(x + radius * math.sin(a)), round(y + radius * math.cos(a))) for a in angles)


def _within(x: float, y: float, inradius: float) -> bool:
    """Is this in a hexagon around the origin that stands on a corner?"""
    rise = math.sqrt(3) * y
    return abs(x) <= inradius and abs(x + rise) <= 2 * inradius and abs(x - rise) <= 2 * inradius


def _in_order(segment_id: str) -> str:
    """Candidates in the order of the layout; what is no hexagon stays for the look-up to refuse."""
    if "|" not in segment_id:
        return segment_id
    return "|".join(sorted(segment_id.split("|"), key=lambda hex_id: _PLACES.get(hex_id, (3, 3))))


def _shipped_hexes() -> dict[str, Symbol]:
    by_row = sorted(HEXES, key=lambda hex_id: _PLACES[hex_id][::-1])
    return dict(zip(by_row, (symbol for row in _ROWS for symbol in row), strict=True))


def _check(design: GroundRoundDesign) -> None:
    """What the rules say of the layout: how often each symbol is there; and red areas that keep clear of the lines."""
    size, half_width, red = design.hex_size_mm, design.line_half_width_mm, design.red_radius_mm
    if half_width > size / 8:
        raise UnfitLayout(
            say(
                "face.wide_line",
                "line_half_width_mm = {given} must be at most {most}, an eighth of hex_size_mm",
                given=f"{half_width:g}",
                most=f"{size / 8:g}",
            ),
            "line_half_width_mm",
        )
    most = math.floor(10 * (math.sqrt(3) / 2 * size - half_width)) / 10 - 1
    if red > most:
        said = "face.large_red", "red_radius_mm = {given} must be at most {most}: a red area may not touch the lines"
        raise UnfitLayout(say(*said, given=f"{red:g}", most=f"{most:g}"), "red_radius_mm")
    if design.hexes:
        _check_hexes(design.hexes)


def _check_hexes(given: dict[str, Symbol]) -> None:
    for hex_id in given:
        if hex_id not in _PLACES:
            meant = say_nearest(hex_id, HEXES)
            said = say("face.no_hex", "there is no hexagon {given}{meant}", given=repr(hex_id), meant=meant)
            raise UnfitLayout(said, f"hexes.{hex_id}")
    missing = [hex_id for hex_id in HEXES if hex_id not in given]
    if missing:
        said = say(
            "face.no_symbol",
            "all nineteen hexagons need a symbol, and these have none: {given}",
            given=" ".join(missing),
        )
        raise UnfitLayout(said, "hexes")
    counts = Counter(given.values())
    if counts["flag"] != 3:
        said = say(
            "face.flags", "hexagons with the symbol 'flag': {number}, but exactly 3 are needed", number=counts["flag"]
        )
        raise UnfitLayout(said, "hexes")
    for symbol, least in _AT_LEAST.items():
        if counts[symbol] < least:
            said = say(
                "face.symbols",
                "hexagons with the symbol {given}: {number}, but at least {least} are needed",
                number=counts[symbol],
                given=repr(symbol),
                least=least,
            )
            raise UnfitLayout(said, "hexes")
