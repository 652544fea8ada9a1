"""Autodarts Board Manager, generations 1 and 2: a snapshot of the darts in the board, at each change and on request.

No dart has a name, no message a number, and a key is left out where there is nothing in it.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

from protocol.segment import Layout, Segment
from protocol.standard import NUMBERS
from simulator.cameras.camera import DARTS, NOT_FOUND, PLAIN, Answer, Asked, Camera, Json, Quirks, Seen

UNIT = 1700
"""Tenths of a millimetre to the outer edge of the double ring, which is 1.0."""
SECRET = "do-not-keep-this-key"
"""What a reader must never ask for, nor keep where it comes unasked."""
_BEDS = {"T": ("Triple", 3), "D": ("Double", 2), "I": ("SingleInner", 1), "O": ("SingleOuter", 1), "S": ("Single", 1)}


class AutodartsCamera(Camera):
    """The Board Manager of this `version`."""

    socket = "/api/events"
    asked_first = "/api/state"
    beat_s = 1.0

    def __init__(
        self, layout: Layout, quirks: Quirks = PLAIN, rng: Random | None = None, version: str = "1.0.7"
    ) -> None:
        super().__init__(layout, quirks, rng)
        self.version = version
        self.status = "Throw"
        self.event = "Started"
        self.is_connected = True
        """Whether its link to its maker stands, which says nothing about darts."""

    @property
    def is_second(self) -> bool:
        """Whether it is of the second generation."""
        return int(self.version.split(".")[0]) >= 2

    def answer(self, asked: Asked) -> Answer:
        match asked.method, asked.path:
            case "GET", "/api/state":
                return Answer(200, self._snapshot())
            case "GET", "/api/version":
                return Answer(200, text=f"v{self.version}\n" if self.is_second else self.version)
            case "GET", "/api/config":
                return Answer(200, {"auth": {"board_id": self._uuid(), "api_key": SECRET}, "cam": {"cams": [0, 1, 2]}})
            case "PUT", "/api/start" | "/api/detection/start" if self._knows(asked.path):
                self.start()
                return Answer(200, self._snapshot())
            case "PUT", "/api/stop" | "/api/detection/stop" if self._knows(asked.path):
                self.stop()
                return Answer(200, self._snapshot())
            case "POST", "/api/reset":
                self.forget()
                return Answer(200, self._snapshot())
            case "GET", "/api/system" if self.is_second:
                return Answer(200, self._system())
            case "GET", "/api/ping" if not self.is_second:
                return Answer(200, text="pong")
            case "GET", "/":
                return Answer(200, text="<!doctype html><title>Board Manager</title>")
        return NOT_FOUND

    def beat(self) -> None:
        self._say({"type": "stats", "data": {"fps": 30, "resolution": {"width": 1280, "height": 720}}})
        if self.quirks.chatter:
            self._say({"type": "auth", "data": {"token": SECRET}}, {"type": "cam_state", "data": {"isOpened": True}})
            for number in range(3):
                self._say({"type": "cam_stats", "data": {"id": number, "fps": 30}})

    def bounce(self) -> bool:
        return self._see(Seen(self.layout.miss, None, self.now_s, is_bounce=True))

    def begin_takeout(self) -> None:
        if self.is_running:
            self.is_taking_out = True
            self._move(is_hand=True)
            self._tell("Takeout started", "Takeout in progress")

    def pull_one(self) -> None:
        if self.is_running and self.darts:
            self.darts.pop()
            self._tell("Takeout started", "Takeout in progress")

    def end_takeout(self) -> None:
        had_darts = bool(self.darts)
        self.darts.clear()
        if not self.is_running:
            return
        self.is_taking_out = False
        self._tell("Takeout finished", "Throw")
        if self.quirks.sticks and had_darts:
            self.is_taking_out = True
            self._tell("Takeout started", "Takeout in progress")

    def break_off_takeout(self) -> None:
        self.is_taking_out = False
        self._tell(self.event, "Takeout" if len(self.darts) >= DARTS else "Throw")

    def correct(self, index: int, segment: Segment) -> None:
        self.darts[index].segment = segment
        self._tell(self.event, self.status)

    def forget(self) -> None:
        self.darts.clear()
        self.is_taking_out = False
        self._tell("Manual reset", "Throw" if self.is_running else "Stopped")

    def start(self) -> None:
        if self.is_running:
            return
        self.is_running = True
        self._tell("Starting", "Starting")
        self._tell("Started", "Throw")

    def stop(self) -> None:
        self.is_taking_out = False
        self._tell("Stopping", "Stopping")
        self.is_running = False
        self._tell("Stopped", "Stopped")

    def fall_asleep(self) -> None:
        """Nothing was thrown for a while: it stops by itself."""
        self.is_running = self.is_taking_out = False
        self._tell("Standby: 15 minutes without activity", "Stopped")

    def restart(self) -> None:
        self.darts.clear()
        self.is_running, self.is_taking_out, self.status, self.event = True, False, "Throw", "Started"

    def _see(self, dart: Seen) -> bool:
        if self._is_deaf():
            return False
        self._move(is_hand=False)
        before = self.event
        self.darts.append(dart)
        status = "Takeout" if len(self.darts) >= DARTS else "Throw"
        if self.quirks.is_late:
            self._tell(before, status)
        self._tell("Throw detected", status)
        return True

    def _move(self, *, is_hand: bool) -> None:
        """What its cameras see before that, at thirty pictures a second."""
        if self.quirks.chatter:
            for n in range(8):
                data = {"isWaiting": False, "isStable": False, "isDart": n > 4 and not is_hand, "isHand": is_hand}
                self._say({"type": "motion_state", "data": {**data, "isTakeoutPartial": False, "darts": 0}})

    def _tell(self, event: str, status: str) -> None:
        self.event, self.status = event, status
        whole = self._snapshot()
        if self.quirks.is_torn and self.darts:
            self._say({"type": "state", "data": {**whole, "throws": whole["throws"][:-1]}})
        self._say({"type": "state", "data": whole})

    def _snapshot(self) -> Json:
        taken: Json = {
            "connected": self.is_connected,
            "event": self.event,
            "numThrows": len(self.darts),
            "running": self.is_running,
            "status": self.status,
        }
        if self.darts:
            taken["throws"] = [self._throw(dart) for dart in self.darts]
        elif self.quirks.leaves_out:
            taken["throws"] = None  # others leave it out
        return taken

    def _throw(self, dart: Seen) -> Json:
        assert dart.segment is not None  # it reads every dart
        written: Json = {"segment": self._segment(dart)}
        if dart.point is not None:
            x, y = (value + 10 * self.rng.uniform(-1, 1) * self.quirks.jitter_mm for value in dart.point)
            written["coords"] = {"x": round(x / UNIT, 4), "y": round(y / UNIT, 4)}
        if dart.is_bounce:
            written["bouncer"] = True
        return written

    def _segment(self, dart: Seen) -> Json:
        assert dart.segment is not None
        segment, is_odd = dart.segment, self.quirks.odd_bulls
        match segment.id:
            case "SB":
                return _write("25", 25, "OuterBull" if is_odd else "Single", 1)
            case "DB":
                return _write("Bull", 50, "InnerBull", 1) if is_odd else _write("Bull", 25, "Double", 2)
            case "MISS":
                number = 0 if dart.point is None else _wedge(*dart.point)
                return _write(f"M{number}" if number else "Miss", number, "Outside", 0)
        bed, times = _BEDS[segment.id[0]]
        number = int(segment.id[1:])
        return _write(f"{segment.id[0] if times > 1 else 'S'}{number}", number, bed, times)

    def _knows(self, path: str) -> bool:
        return ("detection" in path) == self.version.startswith("0.")

    def _system(self) -> Json:
        state = {key: value for key, value in self._snapshot().items() if key != "throws"}
        stats = {"cpuPercent": 12.5, "fps": 30, "memoryBytes": 1 << 28}
        config: dict[str, Any] = {"auth": {"board_id": self._uuid(), "api_key": SECRET}}  # Any: JSON
        return {"state": state, "config": config, "stats": stats, "version": self.version, "calibrated": True}


def _write(name: str, number: int, bed: str, multiplier: int) -> Json:
    return {"bed": bed, "multiplier": multiplier, "name": name, "number": number}


def _wedge(x: int, y: int) -> int:
    """The number beside which a dart is."""
    return NUMBERS[round(math.degrees(math.atan2(x, y)) / 18) % 20]
