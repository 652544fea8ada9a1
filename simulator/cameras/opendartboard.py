"""OpenDartboard: one message a dart, one at the end of the visit, and nothing else.

It counts the darts in the board and speaks when that count changes: a dart that is pulled alone is told as a dart.
"""

from __future__ import annotations

import math
from typing import ClassVar

from protocol.segment import Segment
from simulator.cameras.camera import DARTS, NOT_FOUND, Answer, Asked, Camera, Json, Seen, as_text

_RADIUS = 1700
_WIRES = (63, 159, 990, 1070, 1620, 1700)
"""The rings, in tenths of a millimetre from the centre."""


class OpendartboardCamera(Camera):
    """The upstream program: its `position` is pixels of one camera."""

    socket = "/scores"
    tells_singles = False

    def answer(self, asked: Asked) -> Answer:
        match asked.method, asked.path:
            case "GET", "/health":
                return Answer(200, {"status": "ok", "service": "OpenDartboard"})
            case "GET", "/scores":
                return Answer(200, text="OpenDartboard scores: connect with a WebSocket")
            case "GET", "/info":
                return Answer(200, {"error": "no info"})
        return NOT_FOUND

    def begin_takeout(self) -> None:
        """It says nothing of that, and sees no dart meanwhile."""
        self.is_taking_out = True

    def pull_one(self) -> None:
        if self.darts:
            self.darts.pop()
            if self.darts:
                self._say(self._dart(self.darts[-1]))

    def end_takeout(self) -> None:
        self.is_taking_out = False
        if self.darts:
            self.darts.clear()
            self._say(self._message("END", None, 1.0))

    def break_off_takeout(self) -> None:
        self.is_taking_out = False

    def restart(self) -> None:
        self.darts.clear()
        self.is_taking_out = False

    def _see(self, dart: Seen) -> bool:
        if self._is_deaf():
            return False
        self.darts.append(dart)
        self._say(self._dart(dart))
        return True

    def _dart(self, dart: Seen) -> Json:
        assert dart.segment is not None  # what it cannot read is a miss
        is_miss = dart.segment == self.layout.miss
        confidence = 0.5 if is_miss else self.rng.choice((0.9, 0.7))
        return self._message(_score(dart.segment), None if is_miss else dart, confidence)

    def _message(self, score: str, dart: Seen | None, confidence: float) -> Json:
        written: Json = {"score": score}
        written |= self._more(score, dart)
        pixels = (self.rng.randrange(1280), self.rng.randrange(720)) if dart else (-1, -1)
        return written | {
            "position": dict(zip("xy", pixels, strict=True)),
            "confidence": confidence,
            "camera": self.rng.randrange(DARTS) if dart else -1,
            "processing_time": 21,
            "timestamp": as_text(round(self.now_s * 1000), self.quirks.is_text),
        }

    def _more(self, score: str, dart: Seen | None) -> Json:
        """What a fork adds."""
        return {}


class ApaikoCamera(OpendartboardCamera):
    """The fork of Apaiko: with the place on the board, behind a token."""

    ping_s = 30.0
    tells_singles = True
    token: ClassVar[str] = "simulated-token"

    def refuses(self, asked: Asked) -> int | None:
        return None if asked.query.get("token") == self.token else 401

    def _more(self, score: str, dart: Seen | None) -> Json:
        if dart is None or dart.point is None or dart.segment is None:
            empty = ("segment", "ring", "board", "uncertainty", "boundary", "boundary_kind", "alternative")
            return dict.fromkeys(empty)
        ring, number = _ring(dart.segment)
        x, y = dart.point
        radius, angle = math.hypot(x, y), math.degrees(math.atan2(x, y)) % 360
        boundary = min(abs(radius - wire) for wire in _WIRES) / 10
        is_close = boundary < 3.0
        return {
            "segment": number,
            "ring": ring,
            "board": {"radius": round(radius / _RADIUS, 4), "angle": round(angle, 2)},
            "uncertainty": None if self.quirks.leaves_out else 3.0,
            "boundary": None if self.quirks.leaves_out else round(boundary, 1),
            "boundary_kind": "ring",
            "alternative": self._alternative(dart.segment) if is_close else None,
        }

    def _alternative(self, segment: Segment) -> str | None:
        """The score of a bed that touches this one, and is written otherwise."""
        near = sorted({_score(self.layout[each]) for each in segment.near if each != self.layout.miss.id})
        return next((score for score in near if score != _score(segment)), None)


def _score(segment: Segment) -> str:
    match segment.id:
        case "DB":
            return "BULL"
        case "SB":
            return "OUTER"
        case "MISS":
            return "MISS"
    return f"{segment.id[0] if segment.id[0] in 'TD' else 'S'}{segment.id[1:]}"


def _ring(segment: Segment) -> tuple[str, int | None]:
    match segment.id:
        case "DB":
            return "bull", None
        case "SB":
            return "outer", None
    return {"T": "triple", "D": "double"}.get(segment.id[0], "single"), int(segment.id[1:])
