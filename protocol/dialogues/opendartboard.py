"""OpenDartboard in its three flavours: one message for each change that its cameras see, and no answer to anything.

A message names no dart, so a dart is known by its place in the visit and the time when the visit began; the flavour of
phutchins has an `event_id`. A fourth message before the board was seen clean (`END`) is no dart: darts that are pulled
one by one are told as darts again. Upstream's `position` is in pixels of one camera and says nothing of the board;
Apaiko's has `board` in polar form, from which the point and the inner or outer single follow. What happened while
oche was not connected is lost.
"""

from __future__ import annotations

import math
import re
from collections import deque
from typing import Any, Final

from protocol.codebook import Codebook
from protocol.dialogues.web import WebHost
from protocol.events import MOST_KEY, BoardEvent, Echo, Hit, TakeoutSeen
from protocol.segment import Point, Segment
from protocol.web_frames import Received, is_given, read_number

_SCORE: Final = re.compile(r"([SDT]?)([1-9]|1[0-9]|20)")
_BULLS: Final = {"BULL": "DB", "OUTER": "SB", "MISS": "MISS"}
_END: Final = "END"
_MOST_DARTS: Final = 3
_RADIUS: Final = 1700
"""The outer edge of the double ring, in tenths of a millimetre."""
_TRIPLE: Final = 0.606
"""The middle of the triple ring, of that radius: a single nearer to the centre is an inner one."""
_STATES: Final = ("CLEAN", "DART_1", "DART_2", "DART_3")
_REMEMBERED: Final = 8


class OpendartboardHost(WebHost):
    """The host's side."""

    def __init__(self, codebook: Codebook) -> None:
        super().__init__(codebook)
        self._count = 0
        self._began = 0
        """When the first dart of the visit was heard."""
        self._has_ended = False
        """Whether an END was heard: the first one may end a visit of before the connection."""
        self._heard: deque[object] = deque(maxlen=_REMEMBERED)

    def hear(self, received: Received, now: int) -> list[BoardEvent]:
        """The dart or the takeout in this message."""
        if received.socket is not None:
            return []
        message = received.json
        score = message.get("score") if isinstance(message, dict) else None
        if not isinstance(score, str):
            return [self.note_garbage((received.text or "").encode(), now)]
        name = _find_name(message)
        if (sign := name or _find_sign(message)) is not None:
            if sign in self._heard:
                return [Echo(time_ns=now)]
            self._heard.append(sign)
        if score.strip().upper() == _END:
            return self._end(now)
        segment = self._find_segment(score, message)
        if segment is None:
            return [self.note_garbage(score.encode(), now)]
        return [self._count_dart(segment, message, name, now)]

    def _end(self, now: int) -> list[BoardEvent]:
        is_news = self._count > 0 or not self._has_ended
        self._count, self._has_ended = 0, True
        return [TakeoutSeen(step="finished", time_ns=now)] if is_news else []

    def _count_dart(self, segment: Segment, message: dict[str, Any], name: str | None, now: int) -> BoardEvent:
        before, after = _find_states(message)
        if self._count >= _MOST_DARTS or (before is not None and after is not None and after <= before):
            return Echo(time_ns=now)  # darts are being pulled
        if not self._count:
            self._began = now
        self._count = max(self._count + 1, after or 0)
        key = name or f"odb-{self._began}-{self._count}"
        close = [self._find_segment(each, message) for each in [message.get("alternative")] if isinstance(each, str)]
        return Hit(
            segment=segment,
            point=self._find_point(segment, message),
            key=key,
            close=tuple(each for each in close if each is not None),
            time_ns=now,
        )

    def _find_segment(self, score: str, message: dict[str, Any]) -> Segment | None:
        text = score.strip().upper()
        if text in _BULLS:
            return self.codebook.layout[_BULLS[text]]
        found = _SCORE.fullmatch(text)
        if found is None:
            return None
        ring = found[1] or "S"  # in early documents a single is its number alone
        radius = _find_radius(message)
        if ring == "S" and radius is not None:
            ring = "I" if radius < _TRIPLE else "O"
        return self.codebook.layout[f"{ring}{found[2]}"]

    def _find_point(self, segment: Segment, message: dict[str, Any]) -> Point | None:
        """The point of Apaiko's flavour; None where there is none, or where it is not in this segment."""
        radius = _find_radius(message)
        if radius is None:
            return None
        angle = read_number(message["board"].get("angle"))
        if angle is None and radius > 0:
            return None
        turn = math.radians(angle or 0.0)
        x, y = _RADIUS * radius * math.sin(turn), _RADIUS * radius * math.cos(turn)
        there = self.codebook.layout.at(x, y)
        return (round(x), round(y)) if _is_near(segment, there) else None


def _is_near(segment: Segment, there: Segment) -> bool:
    """Whether the point is in this segment or beside it: boards differ in their rings by a millimetre."""
    return segment.id == there.id or there.id in segment.near or segment.id in there.near


def _find_radius(message: dict[str, Any]) -> float | None:
    board = message.get("board")
    radius = read_number(board.get("radius")) if isinstance(board, dict) else None
    return radius if radius is not None and 0 <= radius <= 1 else None


def _find_name(message: dict[str, Any]) -> str | None:
    """The name that the board gives an event, where it does."""
    name = message.get("event_id") or message.get("eventId")
    return name if isinstance(name, str) and len(name) <= MOST_KEY and name.isprintable() else None


def _find_sign(message: dict[str, Any]) -> object:
    """What is the same when a message is repeated, and never of two darts; None where it has no time."""
    time = message.get("timestamp")
    if not is_given(time):
        return None
    return repr([time, message.get("score"), message.get("position"), message.get("processing_time")])


def _find_states(message: dict[str, Any]) -> tuple[int | None, int | None]:
    """How many darts were in the board before and after, where the board says so."""
    state = message.get("state")
    if not isinstance(state, dict):
        return None, None
    before, after = (state.get(each) for each in ("previous", "current"))
    return (
        _STATES.index(before) if before in _STATES else None,
        _STATES.index(after) if after in _STATES else None,
    )
