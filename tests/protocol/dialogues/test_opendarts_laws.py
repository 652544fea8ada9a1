"""Laws of opendarts: a small true board, and a wire that repeats, loses and cuts what it says.

Each dart is told at most once, and the truth of every visit is known in the end.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.web_frames import Received, encode_packet
from tests.protocol.dialogues.talking import Talk
from tests.protocol.dialogues.told import Told
from tests.sweep import many

JSON = dict[str, Any]  # Any: JSON
EXAMPLES = many(60, 1500)
RECENT = "GET /api/live/recent?limit=12"

_NAMES = ("T20", "D16", "O5", "I5", "SB", "DB", "MISS", None)


def write_dart(name: str | None) -> JSON:
    """A dart of a snapshot of opendarts."""
    match name:
        case None:
            return {"label": "failed to score", "sector": 0, "ring": "", "value": 0}
        case "SB":
            return {"label": "25", "sector": 25, "ring": "outer_bull", "value": 25}
        case "DB":
            return {"label": "BULL", "sector": 25, "ring": "bull", "value": 50}
        case "MISS":
            return {"label": "MISS", "sector": 0, "ring": "miss", "value": 0}
    number = int(name[1:])
    ring, times = {"T": ("treble", 3), "D": ("double", 2), "O": ("single_outer", 1), "I": ("single_inner", 1)}[name[0]]
    label = name if name[0] in "TD" else f"S{number}"
    return {"label": label, "sector": number, "ring": ring, "value": number * times}


class TrueOpendarts:
    """A board that sees every dart."""

    def __init__(self) -> None:
        self.number = 1
        self.darts: list[str | None] = []
        self.completed: dict[str, list[str | None]] = {}
        self.reset: dict[str, list[str | None]] = {}
        self.in_takeout = False

    @property
    def visit(self) -> str:
        return f"visit_{self.number}"

    def snapshot(self, event: str) -> JSON:
        return {
            "type": "state",
            "event": event,
            "running": True,
            "status": "takeout" if self.in_takeout else "throw",
            "visit": self.visit if self.darts else None,
            "n_darts": len(self.darts),
            "darts": [write_dart(name) for name in self.darts],
        }

    def recent(self) -> JSON:
        visits = [
            {"visit": visit, "n_darts": len(darts), "darts": [write_dart(name) for name in darts], "reason": "takeout"}
            for visit, darts in self.completed.items()
        ]
        return {"visits": visits[-12:]}

    def act(self, what: str, number: int) -> list[JSON]:
        """What happens at the board, and the messages of it."""
        name = _NAMES[number % len(_NAMES)]
        match what:
            case "throw" if len(self.darts) < 3:
                self.in_takeout = False
                index = len(self.darts)
                self.darts.append(name)
                detected = {"type": "THROW_DETECTED", "visit_id": self.visit, "visit_index": index, "ok": True}
                return [detected | {"board_xy_mm": [number, index]}, self.snapshot("throw_detected")]
            case "correct" if self.darts and name is not None:
                self.darts[number % len(self.darts)] = name
                return [self.snapshot("throw_corrected")]
            case "takeout" if self.darts:
                self.in_takeout = True
                started = self.snapshot("takeout_started")
                self.completed[self.visit] = self.darts
                return [started, self._end("visit_complete")]
            case "false takeout" if self.darts:
                self.in_takeout = True
                started = self.snapshot("takeout_started")
                self.in_takeout = False
                return [started, self.snapshot("")]
            case "reset" if self.darts:
                self.reset[self.visit] = self.darts
                return [self._end("manual_reset")]
        return []

    def _end(self, event: str) -> JSON:
        self.darts, self.in_takeout, self.number = [], False, self.number + 1
        return self.snapshot(event)

    def truth(self) -> dict[str, str | None]:
        visits = self.completed | self.reset | ({self.visit: self.darts} if self.darts else {})
        return {f"{visit}/{index}": name for visit, darts in visits.items() for index, name in enumerate(darts)}


ACTS = st.sampled_from(["throw", "throw", "throw", "throw", "correct", "takeout", "takeout", "false takeout", "reset"])


class OpendartsWire:
    """Connections to it, one after another."""

    def __init__(self) -> None:
        self.board, self.told = TrueOpendarts(), Told()
        self.connect()

    def connect(self) -> None:
        self.talk = Talk("opendarts-cameras")
        self.told.found.clear()
        self.deliver(self.board.snapshot("hello"))

    def deliver(self, message: JSON) -> None:
        self.told.hear(self.talk.hear(Received(self.talk.socket, json=message)))

    def answer(self) -> None:
        for _ in self.talk.take():
            self.told.hear(self.talk.hear(Received(RECENT, status=200, json=self.board.recent())))

    def open_anew(self) -> None:
        self.talk.hear(Received(self.talk.socket, socket="closed"))
        self.talk.hear(Received(self.talk.socket, socket="open"))
        self.deliver(self.board.snapshot("hello"))


@pytest.mark.slow
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_opendarts_tells_each_dart_once_and_the_truth_after_losses(data: st.DataObject) -> None:
    wire = OpendartsWire()
    for _ in range(data.draw(st.integers(1, 25))):
        messages = wire.board.act(data.draw(ACTS), data.draw(st.integers(0, 40)))
        for message in messages:
            for _copy in range(data.draw(st.sampled_from([1, 1, 1, 2, 3, 0]))):
                wire.deliver(message)
        match data.draw(st.integers(0, 11)):
            case 0:
                wire.connect()
            case 1:
                wire.open_anew()
            case 2 | 3 | 4:
                wire.answer()
            case 5:
                wire.told.hear(wire.talk.host.feed(encode_packet(Received("/api/live", json={}))[:-3], 1))
    wire.answer()
    wire.deliver(wire.board.snapshot(""))
    wire.answer()
    wire.connect()
    wire.answer()
    truth, beds = wire.board.truth(), wire.told.beds
    assert beds.keys() <= truth.keys(), "no dart that was not thrown"
    kept = [*list(wire.board.completed)[-12:], wire.board.visit]
    for key, name in truth.items():
        if key.split("/")[0] in kept:
            assert beds[key] == name


@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_opendarts_tells_each_visit_once_however_often_it_says_it(data: st.DataObject) -> None:
    wire, ends = OpendartsWire(), list[str]()
    wire.answer()
    for _ in range(data.draw(st.integers(1, 25))):
        what = data.draw(ACTS)
        messages = wire.board.act(what, data.draw(st.integers(0, 40)))
        if messages and what in ("takeout", "reset"):
            ends.append("finished" if what == "takeout" else "cleared")
        for message in messages:
            for _copy in range(data.draw(st.integers(1, 3))):
                wire.deliver(message)
    assert wire.told.over == ends
    assert sorted(wire.told.new) == sorted(wire.board.truth())
    assert wire.told.beds == wire.board.truth()
    for key, point in wire.told.points.items():
        assert point is None or point[1] == 10 * int(key[-1]), "the point of another dart"
