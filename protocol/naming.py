"""What players call the beds of a board, in English; ids are for programs.

Singles are their number, inner and outer only where the game tells them apart: 20, T20, 25, Bull. An area of Yatzy-Dart
is its circles and the colour of its ring: 5·6 red. A hexagon of Ground Round is its row, A on top, and its place there
from the left: C3 is in the middle.
"""

from __future__ import annotations

import re

_SINGLE = re.compile(r"([SOI])(\d+)")
_CIRCLES = re.compile(r"(\d+)([imo])")
_HEXAGON = re.compile(r"(-?\d),(-?\d)(!?)")
_HALVES = {"O": "outer", "I": "inner"}
_COLOURS = {"i": "red", "m": "green", "o": "grey"}
_NAMES = {
    "SB": "25",
    "DB": "Bull",
    "MISS": "Miss",
    "NONE": "Miss",
    "OFF": "Fell off",
    "FOUL": "Foul",
    "STAR": "Star",
    "TOTAL": "Total",
}


def name_bed(segment_id: str, is_split: bool = False) -> str:
    """The name of the segment; another text stays as it is. `is_split`: the board has inner and outer singles."""
    if single := _SINGLE.fullmatch(segment_id):
        half = _HALVES.get(single[1]) if is_split else None
        return f"{single[2]} {half}" if half else single[2]
    if circles := _CIRCLES.fullmatch(segment_id):
        return f"{'·'.join(circles[1])} {_COLOURS[circles[2]]}"
    hexagons = [_HEXAGON.fullmatch(each) for each in segment_id.split("|")]
    if all(hexagons):
        return "/".join(_name_hexagon(int(each[1]), int(each[2]), bool(each[3])) for each in hexagons if each)
    return _NAMES.get(segment_id, segment_id)


def name_move(option: str) -> str:
    """The name of a move from one hexagon to another, or of a bed."""
    return " → ".join(map(name_bed, option.split(">")))


def _name_hexagon(q: int, r: int, is_red: bool) -> str:
    place = q + min(2, 2 + r) + 1
    return f"{chr(ord('C') + r)}{place}{' red' if is_red else ''}"
