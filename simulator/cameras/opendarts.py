"""richiela/opendarts: a snapshot at each change, the points beside it, and the visits before it on request.

Each dart is told twice: at once with its point (THROW_DETECTED), and in the state that follows, without one.
"""

from __future__ import annotations

import re
from collections import deque
from random import Random
from typing import Any

from msgspec import Struct

from protocol.segment import Layout, Point, Segment
from simulator.cameras.camera import NOT_FOUND, PLAIN, Answer, Asked, Camera, Json, Quirks, Seen, as_text

_KEPT_VISITS = 12
_RINGS = {"T": "treble", "D": "double", "I": "single_inner", "O": "single_outer", "S": "single_outer"}
_LETTERS = {"treble": "T", "double": "D", "single_inner": "I", "single_outer": "O"}
_WHOLE = {"bull": "DB", "outer_bull": "SB", "outside": "MISS"}
_CORRECT = re.compile(r"/api/visits/([^/]+)/throws/(\d+)/correct")


class Done(Struct):
    """A visit that is over."""

    visit: str
    darts: list[Seen]
    at_s: float


class OpendartsCamera(Camera):
    """The rig."""

    socket = "/api/live"

    def __init__(self, layout: Layout, quirks: Quirks = PLAIN, rng: Random | None = None) -> None:
        super().__init__(layout, quirks, rng)
        self.visit: str | None = None
        self.status = "throw"
        self.recent: deque[Done] = deque(maxlen=_KEPT_VISITS)
        self._last_ms = 0

    def greet(self) -> list[Json]:
        return [self._state("hello")]

    def answer(self, asked: Asked) -> Answer:
        match asked.method, asked.path:
            case "GET", "/api/live/recent":
                return self._answer_recent(asked.query.get("limit", "12"))
            case "GET", "/api/health":
                return Answer(200, {"status": "ok"})
            case "GET", "/api/state":
                return Answer(200, {"capture_loop": {"running": self.is_running, "status": self.status}})
            case "POST", "/api/start":
                self.start()
                return Answer(200, {"running": True, "status": self.status})
            case "POST", "/api/stop":
                self.stop()
                return Answer(200, {"running": False, "status": self.status})
            case "POST", "/api/reset":
                self.forget()
                return Answer(200, {"ok": True})
        found = _CORRECT.fullmatch(asked.path) if asked.method == "POST" else None
        return self._answer_correction(found[1], int(found[2]), asked.body) if found else NOT_FOUND

    def land_unread(self, point: Point) -> bool:
        return self._see(Seen(None, point, self.now_s))

    def begin_takeout(self) -> None:
        if self.is_running and not self.is_taking_out:
            self.is_taking_out, self.status = True, "takeout"
            self._tell("takeout_started")

    def pull_one(self) -> None:
        """It sees an empty board only."""

    def end_takeout(self) -> None:
        if not self.is_running:
            self.darts.clear()
            return
        self.is_taking_out, self.status = False, "throw"
        if not self.darts:
            self._tell("snapshot")  # somebody walked by
            return
        self._close()
        if self.quirks.keeps_darts:
            self._tell("visit_complete")
            self._clear()
            self._tell("snapshot")
        else:
            self._clear()
            self._tell("visit_complete")

    def break_off_takeout(self) -> None:
        self.is_taking_out, self.status = False, "throw"
        self._tell("snapshot")

    def correct(self, index: int, segment: Segment) -> None:
        self.darts[index].segment, self.darts[index].is_corrected = segment, True
        self._tell("throw_corrected")

    def forget(self) -> None:
        self._clear()
        self.is_taking_out = False
        self.status = "throw" if self.is_running else "stopped"
        self._tell("manual_reset")

    def start(self) -> None:
        if self.is_running:
            return
        self.is_running, self.status = True, "connecting"
        self._tell("connecting")
        self.status = "throw"
        self._tell("started")

    def stop(self) -> None:
        self.is_running, self.is_taking_out, self.status = False, False, "stopped"
        self._tell("stopped")

    def lose_camera(self) -> None:
        """A camera is unplugged; `start` helps once it is back."""
        self.is_running, self.status = False, "camera_error"
        self._tell("camera_error")

    def restart(self) -> None:
        self._clear()
        self.recent.clear()
        self.is_running, self.is_taking_out, self.status = False, False, "stopped"

    def _see(self, dart: Seen) -> bool:
        if self._is_deaf():
            return False
        if self.visit is None:
            self._last_ms = max(self._last_ms + 1, int(self.now_s * 1000))
            self.visit = f"visit_{self._last_ms}"
        self.darts.append(dart)
        sector, ring, _, _ = _name(dart.segment)
        detected = {
            "type": "THROW_DETECTED",
            "visit_id": self.visit,
            "visit_index": len(self.darts) - 1,
            "sector": as_text(sector, self.quirks.is_text),
            "ring": ring,
            "ok": dart.segment is not None,
            "captured_at_utc": self._iso(dart.at_s),
            "emitted_at_utc": self._iso(),
            "ts": self._iso(),
            "session": "live",
            "throw_id": self._uuid(),
        }
        if dart.point is not None and not self.quirks.leaves_out:
            detected["board_xy_mm"] = [round(value / 10, 1) for value in dart.point]
            detected["dart_axis"] = [0.02, -0.1, 0.99]
        self._say(detected)
        self._tell("throw_detected")
        return True

    def _tell(self, event: str) -> None:
        self._say(self._state(event))

    def _state(self, event: str) -> Json:
        return {
            "type": "state",
            "event": event,
            "running": self.is_running,
            "status": self.status,
            "visit": self.visit,
            "n_darts": len(self.darts),
            "darts": [self._dart(dart) for dart in self.darts],
            "at": self._iso(),
        }

    def _dart(self, dart: Seen) -> Json:
        sector, ring, label, value = _name(dart.segment)
        written = {
            "label": label,
            "sector": sector,
            "ring": ring,
            "value": value,
            "captured_at_utc": self._iso(dart.at_s),
        }
        return written | ({"corrected": True} if dart.is_corrected else {})

    def _close(self) -> None:
        if self.visit is not None and self.darts:
            self.recent.append(Done(self.visit, list(self.darts), self.now_s))

    def _clear(self) -> None:
        self.darts, self.visit = [], None

    def _answer_recent(self, limit: str) -> Answer:
        if not limit.isdigit() or not 1 <= int(limit) <= _KEPT_VISITS:
            return Answer(400, {"detail": "limit is 1 to 12"})
        visits = [
            {
                "visit": done.visit,
                "n_darts": len(done.darts),
                "darts": [self._dart(dart) for dart in done.darts],
                "total": sum(_name(dart.segment)[3] for dart in done.darts),
                "completed_at_utc": self._iso(done.at_s),
                "reason": "takeout",
            }
            for done in list(self.recent)[-int(limit) :]
        ]
        return Answer(200, {"visits": visits, "count": len(visits), "limit": int(limit), "buffer_max": _KEPT_VISITS})

    def _answer_correction(self, visit: str, index: int, body: Any) -> Answer:  # Any: JSON
        known = {done.visit: done.darts for done in self.recent}
        if self.visit is not None:
            known[self.visit] = self.darts
        if visit not in known or index >= len(known[visit]):
            return Answer(404, {"detail": "the throw is not saved"})
        segment = self._read_correction(body)
        if segment is None:
            return Answer(400, {"detail": "no such bed"})
        dart = known[visit][index]
        dart.segment, dart.is_corrected = segment, True
        if visit == self.visit:
            self._tell("throw_corrected")
        return Answer(200, {"ok": True})

    def _read_correction(self, body: Any) -> Segment | None:  # Any: JSON
        if not isinstance(body, dict) or not set(body) <= {"ring", "sector", "source", "note"}:
            return None
        ring, sector = body.get("ring"), body.get("sector")
        if ring in _WHOLE:
            return None if "sector" in body else self.layout[_WHOLE[ring]]
        if ring not in _LETTERS or not isinstance(sector, str) or not sector.isdigit() or not 1 <= int(sector) <= 20:
            return None
        return self.layout[f"{_LETTERS[ring]}{int(sector)}"]


def _name(segment: Segment | None) -> tuple[int, str, str, int]:
    """Sector, ring, label and value of a dart."""
    if segment is None:
        return 0, "", "failed to score", 0
    match segment.id:
        case "DB":
            return 25, "bull", "BULL", 50
        case "SB":
            return 25, "outer_bull", "25", 25
        case "MISS":
            return 0, "miss", "MISS", 0
    letter, number = segment.id[0], int(segment.id[1:])
    return number, _RINGS[letter], f"{letter if letter in 'TD' else 'S'}{number}", segment.points
