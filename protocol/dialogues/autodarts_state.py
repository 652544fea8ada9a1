"""The state of an Autodarts Board Manager: what one snapshot says of its darts.

The name of a segment is not looked at: the inner bull has several. A dart whose number, bed and multiplier contradict
each other is in the board and not readable.
"""

from __future__ import annotations

from math import dist
from typing import Any, Final

from msgspec import Struct

from protocol.dialogues.detection import find_segment, read_point, read_whole
from protocol.events import Hit, Unread
from protocol.segment import Layout, Point, Segment
from protocol.web_frames import is_given, read_number

MOST_DARTS: Final = 3
_UNIT: Final = 1700
"""The outer edge of the double, in tenths of a millimetre: what the board calls 1."""
_JITTER: Final = 0.02 * _UNIT
"""A dart that stands still moves at most so far between two snapshots."""
_TOUCHED: Final = 300
"""A dart beside one that is pulled moves less than that, in tenths of a millimetre."""

_LETTERS: Final = {
    "Triple": (3, "T"),
    "Double": (2, "D"),
    "SingleInner": (1, "I"),
    "SingleOuter": (1, "O"),
    "Single": (1, "S"),
}
_RINGS: Final = {3: "T", 2: "D", 1: "S"}
_BULLS: Final = {"InnerBull": "DB", "OuterBull": "SB"}
"""Spellings of one program; a board says Double and Single of the number 25."""


class Dart(Struct, eq=False):
    """A dart in the board; `segment` None: not readable. `key` is ours."""

    segment: Segment | None
    point: Point | None
    key: str = ""

    def is_near(self, other: Dart) -> bool:
        """Whether the points differ by no more than those of one dart do."""
        if self.point is None or other.point is None:
            return self.point is other.point
        return dist(self.point, other.point) <= _JITTER

    def may_be(self, other: Dart) -> bool:
        """Whether both can be one dart, which was touched or read anew in between."""
        if self.segment == other.segment:
            return True
        if self.point is None or other.point is None:
            return self.segment is None or other.segment is None
        return dist(self.point, other.point) <= _TOUCHED

    def make_event(self, now: int) -> Hit | Unread:
        """The event of this dart."""
        if self.segment is None:
            return Unread(key=self.key, point=self.point, time_ns=now)
        return Hit(segment=self.segment, key=self.key, point=self.point, time_ns=now)


class State(Struct, frozen=True):
    """A snapshot. `is_connected` is the link to the maker's servers, as the board wrote it."""

    darts: tuple[Dart, ...]
    is_running: bool
    is_connected: object
    status: str
    event: str

    @property
    def beds(self) -> list[Segment | None]:
        """The segments of its darts."""
        return [dart.segment for dart in self.darts]


def read_state(layout: Layout, said: object) -> State | None:
    """The snapshot in this object; None: it is none, or contradicts itself, and nothing of it is used."""
    if not isinstance(said, dict) or not isinstance(said.get("running"), bool):
        return None
    throws, count = said.get("throws"), said.get("numThrows")
    if not is_given(throws):
        throws = []
        count = count if is_given(count) else "not said"
    if not isinstance(throws, list) or len(throws) > MOST_DARTS:
        return None
    if is_given(count) and read_number(count) != len(throws):
        return None
    status, event = said.get("status"), said.get("event")
    return State(
        darts=tuple(_read_dart(layout, each) for each in throws),
        is_running=said["running"],
        is_connected=said.get("connected"),
        status=status if isinstance(status, str) else "",
        event=event if isinstance(event, str) else "",
    )


def _read_dart(layout: Layout, said: object) -> Dart:
    if not isinstance(said, dict):
        return Dart(None, None)
    segment, coords = said.get("segment"), said.get("coords")
    point = read_point(coords.get("x"), coords.get("y"), _UNIT) if isinstance(coords, dict) else None
    if said.get("bouncer") is True:
        return Dart(find_segment(layout, "MISS"), point)
    return Dart(find_segment(layout, _find_id(segment)) if isinstance(segment, dict) else None, point)


def _find_id(said: dict[str, Any]) -> str | None:  # Any: JSON
    """The id of a segment; None: it contradicts itself. Of bed and multiplier one is enough."""
    number, bed, times = read_whole(said.get("number")), said.get("bed"), read_whole(said.get("multiplier"))
    if not is_given(bed):
        if times == 0:
            return "MISS"
        implied, letter = times, _RINGS.get(times or 0)
    elif bed == "Outside":
        return "MISS" if times in (0, None) else None
    elif isinstance(bed, str) and bed in _BULLS:
        return _BULLS[bed]
    elif isinstance(bed, str) and bed in _LETTERS:
        implied, letter = _LETTERS[bed]
    else:
        return None
    if times not in (implied, None):
        return None
    if number == 50:
        return "DB"
    if number == 25:
        return {1: "SB", 2: "DB"}.get(implied or 0)
    return f"{letter}{number}" if letter and number is not None else None
