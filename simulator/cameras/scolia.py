"""Scolia, as its Social interface (v1.2) behaves: messages with an id both ways, a status and a phase.

The real one is reached at its maker's servers only; this stands in for them on this machine, without TLS.
"""

from __future__ import annotations

from random import Random
from typing import ClassVar

from protocol.segment import Layout, Point, Segment
from simulator.cameras.camera import DARTS, NOT_FOUND, PLAIN, Answer, Asked, Camera, Json, Quirks, Seen

_NO_SUCH_SERIAL, _WRONG_TOKEN = 4100, 4102
_RANGE_MM = 250
_ANYTIME = {"GET_SBC_STATUS", "CONFIGURE_SBC", "GET_SBC_CONFIGURATION"}
_READY = {"RESET_PHASE", "THROW_CORRECTED", "DELETE_THROW", "RECALIBRATE", "GET_CAMERA_IMAGES"}
_INDEXED = {"THROW_CORRECTED", "DELETE_THROW"}


class ScoliaCamera(Camera):
    """A board behind the servers."""

    socket = "/api/v1/social"
    serial: ClassVar[str] = "SIMULATED-1"
    token: ClassVar[str] = "simulated-token"

    def __init__(self, layout: Layout, quirks: Quirks = PLAIN, rng: Random | None = None) -> None:
        super().__init__(layout, quirks, rng)
        self.status = "Ready"
        self.counted = 0
        """Darts of the round as the board counts them; the host keeps it in step."""
        self.forwards = True
        self.corrected: list[int] = []
        """The darts that the host has corrected, by their index."""

    def refuses(self, asked: Asked) -> int | None:
        if asked.query.get("serialNumber") != self.serial:
            return _NO_SUCH_SERIAL
        return None if asked.query.get("accessToken") == self.token else _WRONG_TOKEN

    def greet(self) -> list[Json]:
        return [self._message("HELLO_CLIENT", self._status())]

    def hear(self, message: Json) -> list[Json]:
        kind, given, payload = message.get("type"), message.get("id"), message.get("payload")
        if not isinstance(given, str) or kind not in _ANYTIME | _READY:
            return [self._refuse(given, "InvalidMessage", "No such message.")]
        if kind in _READY and self.status != "Ready":
            return [self._refuse(given, "InvalidState", "The board is not ready.")]
        if kind in _INDEXED:
            index = payload.get("throwIndex") if isinstance(payload, dict) else None
            if not isinstance(index, int) or index not in range(DARTS):
                return [self._refuse(given, "InvalidPayload", "No such throw.")]
            if kind == "DELETE_THROW":
                self.counted = max(0, self.counted - 1)
            else:
                self.corrected.append(index)
        match kind:
            case "GET_SBC_STATUS":
                return [self._message("SBC_STATUS", self._status() | {"replyTo": given})]
            case "GET_SBC_CONFIGURATION":
                forwards = {"enableMessageForwardToScolia": self.forwards, "replyTo": given}
                return [self._message("SBC_CONFIGURATION", forwards)]
            case "CONFIGURE_SBC" if isinstance(payload, dict):
                self.forwards = bool(payload.get("enableMessageForwardToScolia", True))
            case "RESET_PHASE":
                self.is_taking_out, self.counted = False, 0
        return [self._message("ACKNOWLEDGED", {"replyTo": given})]

    def answer(self, asked: Asked) -> Answer:
        return NOT_FOUND

    def bounce(self) -> bool:
        return self._see(Seen(self.layout.miss, (1760, -880), self.now_s, is_bounce=True))

    def begin_takeout(self) -> None:
        if self.is_running:
            self.is_taking_out = True
            self._say(self._message("TAKEOUT_STARTED", {"time": self._time()}))

    def pull_one(self) -> None:
        """It sees an empty board only."""

    def end_takeout(self) -> None:
        self._finish(is_false=False)
        self.darts.clear()
        self.counted = 0

    def break_off_takeout(self) -> None:
        self._finish(is_false=True)

    def start(self) -> None:
        for self.status in ("Initializing", "Calibrating", "Ready"):
            self.is_running = self.status == "Ready"
            self._say(self._message("SBC_STATUS_CHANGED", self._status()))

    def stop(self) -> None:
        self.is_running, self.is_taking_out, self.status = False, False, "Offline"
        self._say(self._message("SBC_STATUS_CHANGED", self._status()))

    def restart(self) -> None:
        self.darts.clear()
        self.is_taking_out, self.counted = False, 0

    def _is_deaf(self) -> bool:
        return not self.is_running or self.is_taking_out or self.counted >= DARTS

    def _see(self, dart: Seen) -> bool:
        if self._is_deaf() or dart.point is None or dart.segment is None:
            return False
        self.darts.append(dart)
        self.counted += 1
        is_out = dart.segment == self.layout.miss
        payload = {
            "sector": "S20" if is_out and self.quirks.names_misses else _sector(dart.segment),
            "coordinates": _millimetres(dart.point),
            "angle": {"vertical": 4.2, "horizontal": -11.8},
            "bounceout": is_out,
            "sectorSuggestions": self._suggest(dart.segment),
            "detectionTime": self._time(),
        }
        self._say(self._message("THROW_DETECTED", payload))
        return True

    def _finish(self, *, is_false: bool) -> None:
        if self.is_running:
            self.is_taking_out = False
            self._say(self._message("TAKEOUT_FINISHED", {"falseTakeout": is_false, "time": self._time()}))

    def _suggest(self, segment: Segment) -> list[str]:
        near = sorted(each for each in segment.near if each in self.layout and self.layout[each].outline)
        return [_sector(self.layout[each]) for each in near[:3]]

    def _status(self) -> Json:
        is_ready = self.status == "Ready"
        phase = ("Takeout" if self.is_taking_out else "Throw") if is_ready else None
        return {"boardStatus": self.status, "boardPhase": phase, "errorType": None}

    def _message(self, kind: str, payload: Json) -> Json:
        return {"type": kind, "id": self._uuid(), "payload": payload}

    def _refuse(self, given: object, error: str, text: str) -> Json:
        return self._message("REFUSED", {"replyTo": given, "error": error, "errorMessage": text})

    def _time(self) -> str:
        return self._iso(unit="milliseconds").replace("+00:00", "Z")


class ExternalScoliaCamera(ScoliaCamera):
    """The same by the External interface (v1.4)."""

    socket = "/api/v1/external"


def _millimetres(point: Point) -> list[int]:
    return [max(-_RANGE_MM, min(_RANGE_MM, round(value / 10))) for value in point]


def _sector(segment: Segment) -> str:
    match segment.id:
        case "DB":
            return "Bull"
        case "SB":
            return "25"
        case "MISS":
            return "None"
    letter = {"I": "s", "O": "S"}.get(segment.id[0], segment.id[0])
    return f"{letter}{segment.id[1:]}"
