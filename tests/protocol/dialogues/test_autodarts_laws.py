"""Laws of Autodarts: a small true board, a socket whose states come late, and polls whose answers come at any time.

A dart of the true board is known by its place, which no other has. It is told at most once, whatever the wires do; and
exactly once where all states come.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.events import BoardEvent, Found, Hit
from protocol.segment import Point
from protocol.web_frames import Received
from tests.protocol.dialogues.talking import Talk
from tests.protocol.dialogues.told import Told
from tests.sweep import many

JSON = dict[str, Any]  # Any: JSON
EXAMPLES = many(60, 1500)
STATE = "GET /api/state"
_GRID = 0.06
"""Between two places of darts, in units of the board: more than a dart trembles and a program forgives."""
_BEDS = {"T20": ("Triple", 3, 20), "O20": ("SingleOuter", 1, 20), "D16": ("Double", 2, 16), "I5": ("SingleInner", 1, 5)}


class TrueAutodarts:
    """A board whose darts have places of their own."""

    def __init__(self) -> None:
        self.thrown = 0
        self.darts: list[tuple[int, str]] = []
        self.event, self.status = "Started", "Throw"
        self.beds: dict[int, str] = {}
        """Of all darts that were ever in a snapshot."""
        self.ends: list[str] = []

    def snapshot(self, tremble: int, hidden: int | None = None) -> JSON:
        darts = [each for index, each in enumerate(self.darts) if index != hidden]
        said = {"connected": True, "event": self.event, "numThrows": len(darts), "running": True, "status": self.status}
        if darts:
            said["throws"] = [_write_throw(number, bed, (tremble + number) % 3 - 1) for number, bed in darts]
        return said

    def act(self, what: str, number: int) -> list[JSON]:
        """What happens at the board, and its states."""
        bed = list(_BEDS)[number % len(_BEDS)]
        match what:
            case "throw" if len(self.darts) < 3:
                self.event, self.status = "Throw detected", "Takeout" if len(self.darts) == 2 else "Throw"
                self.darts.append((self.thrown, bed))
                self.beds[self.thrown] = bed
                self.thrown += 1
            case "correct" if self.darts:
                index = number % len(self.darts)
                self.darts[index] = (self.darts[index][0], bed)
                self.beds[self.darts[index][0]] = bed
            case "takeout" if self.darts:
                return self._take_out(number)
            case "false takeout":
                return [*self._start_takeout(number), self._settle(number)]
            case "reset" if self.darts:
                self.darts, self.event, self.status = [], "Manual reset", "Throw"
                self.ends.append("cleared")
            case "flicker" if len(self.darts) > 1:
                return [self.snapshot(number, number % len(self.darts)), self.snapshot(number)]
            case "tremble":
                pass
            case _:
                return []
        return [self.snapshot(number)]

    def _start_takeout(self, number: int) -> list[JSON]:
        self.event, self.status = "Takeout started", "Takeout in progress"
        return [self.snapshot(number)]

    def _settle(self, number: int) -> JSON:
        self.event, self.status = "Takeout finished", "Takeout" if len(self.darts) == 3 else "Throw"
        return self.snapshot(number)

    def _take_out(self, number: int) -> list[JSON]:
        states = self._start_takeout(number)
        while number % 2 and len(self.darts) > 1:
            del self.darts[number % len(self.darts)]
            states.append(self.snapshot(number))
            number //= 2
        self.darts = []
        self.ends.append("finished")
        return [*states, self._settle(number)]


def _write_throw(number: int, bed: str, tremble: int) -> JSON:
    name, times, value = _BEDS[bed]
    x, y = (number % 20 - 10) * _GRID, (number // 20 - 10) * _GRID
    segment = {"name": "S?", "bed": name, "multiplier": times, "number": value}
    return {"coords": {"x": x + 0.005 * tremble, "y": y - 0.005 * tremble}, "segment": segment}


def find_number(point: Point) -> int:
    """The dart of the true board that has this place."""
    x, y = (round(value / 1700 / _GRID) + 10 for value in point)
    return x + 20 * y


class AutodartsWire:
    """Connections to it: a socket whose states come late, all at once; and polls, whose answers come at any time."""

    def __init__(self) -> None:
        self.board = TrueAutodarts()
        self.told = Told()
        self.hits: list[int] = []
        self.now = 10**9
        self.connect()

    def connect(self) -> None:
        self.now += 10**9
        self.talk = Talk("autodarts", now=self.now)
        self.found: set[int] = set()
        self.has_baseline = False
        self.queue: list[JSON] = []
        self.answers: list[tuple[int, JSON]] = []
        self.is_open = True
        self._hear(Received(self.talk.socket, socket="open"))

    def _hear(self, received: Received) -> None:
        self._note(self.talk.hear(received))

    def _note(self, events: list[BoardEvent]) -> None:
        self.told.hear(events)
        for event in events:
            if isinstance(event, Hit):
                assert event.point is not None
                number = find_number(event.point)
                assert number not in self.hits, "told twice"
                assert number not in self.found, "found, and new again"
                self.hits.append(number)
            if isinstance(event, Found):
                self.has_baseline = True
                self.found |= {find_number(dart.point) for dart in event.darts if dart.point is not None}

    def happen(self, states: list[JSON]) -> None:
        if self.is_open:
            self.queue += [{"type": "state", "data": each} for each in states]

    def flush(self, copies: Iterator[int]) -> None:
        queue, self.queue = self.queue, []
        for each in queue:
            for _ in range(next(copies)):
                self._hear(Received(self.talk.socket, json=each))

    def serve(self, tremble: int) -> None:
        """The board answers what was asked."""
        asked, self.talk.asked = self.talk.asked, []
        self.answers += [(at, self.board.snapshot(tremble)) for at, each in asked if each.path == "/api/state"]

    def deliver(self) -> None:
        """The oldest answer comes, unless the link has given it up."""
        while self.answers:
            at, snapshot = self.answers.pop(0)
            if self.now - at <= 10 * 10**9:
                self._hear(Received(STATE, status=200, json=snapshot))
                return

    def wait(self, seconds: int) -> None:
        """Time passes at the host, second by second; the socket says that it is alive."""
        for _ in range(seconds):
            self.now += 10**9
            while (due := self.talk.host.deadline()) is not None and due <= self.now:
                self.talk.now = max(due, self.talk.now)
                self._note(self.talk.host.tick(self.talk.now))
                self.talk._take_asked()  # noqa: SLF001
            self.talk.now = self.now
            if self.is_open:
                self.queue.append({"type": "stats", "data": {"fps": 30}})

    def close(self) -> None:
        self.is_open, self.queue = False, []
        self._hear(Received(self.talk.socket, socket="closed"))

    def open(self) -> None:
        if not self.is_open:
            self.is_open = True
            self._hear(Received(self.talk.socket, socket="open"))


DOINGS = st.sampled_from(
    ["throw", "throw", "throw", "correct", "takeout", "takeout", "false takeout", "reset", "flicker", "tremble"]
)
STEPS = (
    *("act", "act", "act", "act", "flush", "flush", "flush", "serve", "serve", "deliver", "deliver", "wait"),
    *("close", "open", "connect"),
)
COPIES = st.sampled_from([1, 1, 1, 2, 3])


@pytest.mark.slow
@settings(max_examples=2 * EXAMPLES, deadline=None)
@given(data=st.data())
def test_autodarts_tells_no_dart_twice(data: st.DataObject) -> None:
    wire = AutodartsWire()
    for _ in range(data.draw(st.integers(1, 40))):
        match data.draw(st.sampled_from(STEPS)):
            case "act":
                doing = data.draw(DOINGS)
                if wire.has_baseline or doing != "flicker":  # nothing tells that a baseline has lost a dart
                    wire.happen(wire.board.act(doing, data.draw(st.integers(0, 60))))
            case "flush":
                wire.flush(iter(lambda: data.draw(COPIES), None))
            case "serve":
                wire.serve(data.draw(st.integers(0, 2)))
            case "wait":
                wire.wait(data.draw(st.integers(1, 12)))
            case step:
                getattr(wire, step)()


@pytest.mark.parametrize("by", ["socket", "polls"])
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_autodarts_tells_each_dart_exactly_once(by: str, data: st.DataObject) -> None:
    """Where its states come: by the socket whatever polls say beside it, or by polls alone."""
    wire = AutodartsWire()
    copies = iter(lambda: data.draw(COPIES), None)
    if by == "polls":
        wire.close()
        wire.serve(0)
        wire.deliver()
    else:
        wire.happen([wire.board.snapshot(0)])
        wire.flush(copies)
    for _ in range(data.draw(st.integers(1, 25))):
        states = wire.board.act(data.draw(DOINGS), data.draw(st.integers(0, 60)))
        if by == "polls":
            for each in states:
                wire.wait(2)
                wire.talk.take()
                wire.answers.append((wire.now, each))
                wire.deliver()
            continue
        wire.happen(states)
        wire.flush(copies)
        match data.draw(st.integers(0, 4)):
            case 0:
                wire.wait(1)
                wire.flush(copies)
            case 1:
                wire.serve(1)
            case 2:
                wire.deliver()
    assert sorted(wire.hits) == list(range(wire.board.thrown))
    assert wire.told.over == wire.board.ends
    by_number = {find_number(point): wire.told.beds[key] for key, point in wire.told.points.items() if point}
    assert by_number == wire.board.beds
