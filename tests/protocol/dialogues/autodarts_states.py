"""States of an Autodarts Board Manager: two that were recorded, and others of the same form."""

from __future__ import annotations

from typing import Any

from protocol.web_frames import Received
from tests.protocol.dialogues.talking import SECOND, Talk

STATE = "GET /api/state"
VERSION = "GET /api/version"
JSON = dict[str, Any]  # Any: JSON

RECORDED_EMPTY = {"connected": True, "event": "Takeout finished", "numThrows": 0, "running": True, "status": "Throw"}
RECORDED_DART = {
    "type": "state",
    "data": {
        "connected": True,
        "event": "Throw detected",
        "numThrows": 1,
        "running": True,
        "status": "Throw",
        "throws": [
            {
                "coords": {"x": 0.191, "y": 0.5762},
                "segment": {"bed": "Triple", "multiplier": 3, "name": "T1", "number": 1},
            }
        ],
    },
}
NEAR_MISS = {
    "coords": {"x": 0.98, "y": -0.41},
    "segment": {"bed": "Outside", "multiplier": 0, "name": "M10", "number": 10},
}
BOUNCER = {"bouncer": True, "segment": {"bed": "Outside", "multiplier": 0, "name": "Miss", "number": 0}}
STATS = {"type": "stats", "data": {"fps": 30, "resolution": {}}}


def dart(name: str, x: float = 0.1, y: float = 0.2) -> JSON:
    """A dart as the board writes it: T20, D16, I5, O5, 25, Bull."""
    beds = {"T": ("Triple", 3), "D": ("Double", 2), "I": ("SingleInner", 1), "O": ("SingleOuter", 1)}
    if name in ("25", "Bull"):
        segment: JSON = {"number": 25, "bed": "Single", "multiplier": 1}
        segment = segment if name == "25" else {"number": 25, "bed": "Double", "multiplier": 2}
    else:
        bed, multiplier = beds[name[0]]
        segment = {"number": int(name[1:]), "bed": bed, "multiplier": multiplier}
    return {"coords": {"x": x, "y": y}, "segment": segment | {"name": name}}


T20, S5, D16 = dart("T20", 0.01, 0.6), dart("O5", -0.2, 0.7), dart("D16", -0.6, -0.7)


def state(*darts: JSON, event: str = "Throw detected", status: str = "Throw", **other: Any) -> JSON:
    """A snapshot; without darts it has no key `throws`, as it was recorded."""
    said = {"connected": True, "event": event, "numThrows": len(darts), "running": True, "status": status}
    return said | ({"throws": list(darts)} if darts else {}) | other


def frame(*darts: JSON, **other: Any) -> JSON:
    """A frame of the socket with a snapshot."""
    return {"type": "state", "data": state(*darts, **other)}


FINISHED = frame(event="Takeout finished")
STARTED = frame(T20, S5, event="Takeout started", status="Takeout in progress")


def opened(*messages: JSON) -> Talk:
    """A connection to a board without darts, after these messages."""
    talk = Talk("autodarts", now=SECOND)
    assert talk.take() == ["GET /api/version", STATE]
    assert talk.hear(Received(talk.socket, socket="open")) == []
    assert talk.live({"type": "state", "data": RECORDED_EMPTY}) == ["found inexact", "ready"]
    assert talk.answer(STATE, json=RECORDED_EMPTY) == []
    assert talk.answer(VERSION, text="1.0.7") == ["Autodarts Board Manager 1.0.7"]
    talk.live(*messages)
    return talk
