"""The standard layout, generated from the order of its numbers and six radii.

82 areas: T, D, outer (O) and inner (I) single of twenty numbers, and the two bulls. S20 stands for "I20 or O20" on
boards that cannot tell the singles apart: it has no area of its own, but it touches whatever either of them touches.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from protocol.segment import Dartboard, Layout, Ring, Segment, fold_spelling, touching

NUMBERS = (20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5)
"""Clockwise from the top."""

_STEPS = 12
"""Chords a wedge's arc is drawn with: 1.5 degrees each keeps them within a thirtieth of a millimetre of the circle."""


_RING_WORDS = {"triple": "T", "treble": "T", "double": "D", "single": "S"}
_OTHER_WORDS = {
    **dict.fromkeys(("25", "s25", "ob", "outerbull", "singlebull", "single25", "sbull"), "SB"),
    **dict.fromkeys(("50", "d25", "ib", "innerbull", "doublebull", "double25", "dbull", "bull", "bullseye"), "DB"),
    "0": "MISS",
}
"""As other programs and players call the bulls and a miss, without capitals and blanks."""


class Radii(NamedTuple):
    """Radii from the centre of the bull, in tenths of a millimetre."""

    inner_bull: int
    outer_bull: int
    triple_in: int
    triple_out: int
    double_in: int
    double_out: int


SOFT_15_INCH = Radii(80, 220, 1070, 1230, 1810, 1969)
"""The usual full-size electronic board: 15.5 inches, rings twice as wide as on bristle."""
SOFT_13_INCH = Radii(70, 183, 970, 1070, 1605, 1700)
STEEL = Radii(64, 159, 990, 1070, 1620, 1700)
"""The bristle board of the World Darts Federation."""

DARTBOARDS: Mapping[Dartboard, Radii] = MappingProxyType(
    {"soft_15.5": SOFT_15_INCH, "soft_13.2": SOFT_13_INCH, "steel": STEEL}
)
USUAL: Dartboard = "soft_15.5"
"""The dartboard of a profile that names no other."""


def standard(radii: Radii = SOFT_15_INCH) -> Layout:
    """The standard layout with these radii; the same object every time."""
    return _standard(radii)


@cache
def _standard(radii: Radii) -> Layout:
    outlines = _outlines(radii)
    near = _with_merged_singles(touching(outlines))
    segments = [Segment(i, *_worth(i), groups=_groups(i), near=near[i], outline=outlines.get(i, ())) for i in near]
    segments.append(Segment("MISS", 0, 0, groups=frozenset({"miss"})))
    dartboard = next((name for name, known in DARTBOARDS.items() if known == radii), None)
    return Layout("standard", segments, "MISS", _list_spellings(segment.id for segment in segments), dartboard)


def _list_spellings(ids: Iterable[str]) -> dict[str, str]:
    """The ids by what people write for them in English: any case, `double 16`, `treble 20`, 25, S25, OB, IB, bull."""
    words = {f"{word}{number}": f"{ring}{number}" for word, ring in _RING_WORDS.items() for number in NUMBERS}
    return {fold_spelling(each): each for each in ids} | words | _OTHER_WORDS


def merged(segment_id: str) -> str:
    """The id a board with merged singles would report: O20 and I20 become S20, all others stay."""
    return f"S{segment_id[1:]}" if segment_id[0] in "IO" else segment_id


def is_same_bed(one: str, other: str) -> bool:
    """Whether both can be the same dart. Of a single, a board or a player may not tell the halves apart."""
    return one == other or merged(one) == other or one == merged(other)


def _worth(segment_id: str) -> tuple[int, int]:
    if segment_id in ("SB", "DB"):
        return 25, 1 if segment_id == "SB" else 2
    return int(segment_id[1:]), {"T": 3, "D": 2}.get(segment_id[0], 1)


def _groups(segment_id: str) -> frozenset[str]:
    if segment_id == "SB":
        return frozenset({"bull"})
    if segment_id == "DB":
        return frozenset({"bull", "double"})
    ring, number = segment_id[0], segment_id[1:]
    names = {"T": {"triple"}, "D": {"double"}, "S": {"single"}, "O": {"single", "outer"}, "I": {"single", "inner"}}
    return frozenset({number, *names[ring]})


def _outlines(radii: Radii) -> dict[str, tuple[Ring, ...]]:
    angles = [math.radians(18 * step / _STEPS - 9) for step in range(20 * _STEPS)]
    directions = [(math.sin(angle), math.cos(angle)) for angle in angles]
    circles = {radius: tuple((round(radius * x), round(radius * y)) for x, y in directions) for radius in radii}

    def arc(radius: int, first: int) -> Ring:
        points = circles[radius]
        return (*points[first : first + _STEPS], points[(first + _STEPS) % len(points)])

    outlines: dict[str, tuple[Ring, ...]] = {}
    bands = {
        "T": (radii.triple_in, radii.triple_out),
        "D": (radii.double_in, radii.double_out),
        "O": (radii.triple_out, radii.double_in),
        "I": (radii.outer_bull, radii.triple_in),
    }
    for ring, (low, high) in bands.items():
        for place, number in enumerate(NUMBERS):
            first = place * _STEPS
            outlines[f"{ring}{number}"] = (arc(high, first) + arc(low, first)[::-1],)
    outlines["SB"] = (circles[radii.outer_bull], circles[radii.inner_bull])
    outlines["DB"] = (circles[radii.inner_bull],)
    return outlines


def _with_merged_singles(near: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Adds S1 to S20, each touching what its two halves touch, whatever name the neighbour is reported under."""
    both: dict[str, set[str]] = {segment_id: set(ids) for segment_id, ids in near.items()}
    for number in NUMBERS:
        both[f"S{number}"] = {f"O{number}", f"I{number}"}
    for segment_id, ids in near.items():
        for other in ids:
            for mine in {segment_id, merged(segment_id)}:
                for theirs in {other, merged(other)} - {mine}:
                    both[mine].add(theirs)
                    both[theirs].add(mine)
    for number in NUMBERS:
        for half in "OI":
            both[f"{half}{number}"].add(f"S{number}")
    return {segment_id: frozenset(ids - {segment_id}) for segment_id, ids in both.items()}
