"""How long from the last byte of a hit on the wire until a display has its state?

The daemon and the three bare scripts take turns in short blocks, so that what else the machine does hits all alike.
Every dart waits until the one before it is shown, and then for a pause that no debounce takes for a bounce; the pause
varies, so that it falls into step with no timer of the kernel's. The segments are gone through in one shuffled order,
which repeats none within its repeat time.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random

import msgspec

from protocol.topics import topic
from tests.bench.display import Display, Seen
from tests.bench.processes import PAUSE_S, BenchError, Wire, daemon, daemon_config, pass_through, run_ms, shuffle_hits
from tests.bench.report import Row, cost, cost_percentiles

WARM_UP = 12

SCRIPT = "pass-through"
COMMITTING = "pass-through + commit"
THREADED = "+ commit in a thread"
SCRIPTS = (SCRIPT, COMMITTING, THREADED)
NOTES = (
    "pass-through: a bare script that reads the line and publishes it (aiomqtt, QoS 1, retained)",
    "+ commit: the same, one SQLite commit before each publish (WAL, synchronous=FULL, as oche's own)",
    "+ commit in a thread: so that the event loop, which has other boards to serve, never waits for the disk",
    "processor: its time for each hit; with oche this includes closing a visit after every third hit",
)


class Contender(ABC):
    """A program between a wire and a display; `times` are those of its hits so far, in ns."""

    def __init__(self, pid: int, write: Callable[[bytes], int], display: Display, shown_on: str) -> None:
        self.pid = pid
        self.times: list[int] = []
        self.write = write
        self.display = display
        self.shown_on = shown_on
        self._random = Random(180)

    def throw(self, frame: bytes, is_counted: bool) -> None:
        """One hit, from the wire to the display."""
        written = self.write(frame)
        seen = self.display.await_one(self.shown_on)
        if is_counted:
            self.times.append(seen.at - written)
        self.rest()
        self.settle(frame, seen)

    def rest(self) -> None:
        """The pause before the next line on the wire."""
        self.display.rest(self._random.uniform(*PAUSE_S))

    @abstractmethod
    def settle(self, frame: bytes, seen: Seen) -> None:
        """Makes sure that this was the hit, and that the next one will count."""


class Script(Contender):
    """The bare script."""

    def settle(self, frame: bytes, seen: Seen) -> None:
        """Takes everything at any time."""
        if seen.payload.strip() != frame.strip():
            raise BenchError(f"the script published {seen.payload!r} for {frame!r}.")


class Oche(Contender):
    """The daemon: it plays, so visits are to be closed and matches to be started, which is not counted."""

    table = "main"
    _line = 1

    def settle(self, frame: bytes, seen: Seen) -> None:
        """Closes a visit that is thrown, and starts the same again when the match is over."""
        state = msgspec.json.decode(seen.payload)
        if state["line"] != self._line + 1:
            raise BenchError(f"oche did not count {frame!r}: its state is at line {state['line']}.")
        if state["phase"] != "throwing":
            self.go_on(state["phase"])
            while state["phase"] != "throwing":
                state = msgspec.json.decode(self.display.await_one(self.shown_on).payload)
            self.rest()
        self._line = state["line"]

    def go_on(self, phase: str) -> None:
        """Has the visit closed, or the match started again."""
        command = "start" if phase == "over" else "next"
        self.display.publish(topic("cmd", table=self.table, command=command))


def measure(folder: Path, port: int, blocks: int, block: int) -> list[Row]:
    """The rows of this measurement: so many blocks of so many counted hits for each contender."""
    frames = shuffle_hits()
    with ExitStack() as stack:
        contenders = _contenders(stack, folder, port)
        order = {name: itertools.cycle(frames) for name in contenders}
        before: dict[str, float] = {}
        for number in range(blocks + 1):
            if number == 1:
                before = {name: run_ms(contender.pid) for name, contender in contenders.items()}
            for name, contender in contenders.items():
                for frame in itertools.islice(order[name], block if number else WARM_UP):
                    contender.throw(frame, is_counted=number > 0)
        processor = {name: (run_ms(c.pid) - before[name]) / (blocks * block) for name, c in contenders.items()}
    times = {name: [ns / 1e6 for ns in contender.times] for name, contender in contenders.items()}
    rows = [row for name in SCRIPTS for row in cost_percentiles("", times["oche"], times[name], name)]
    return [*rows, cost("processor", processor["oche"], processor[COMMITTING], "ms", COMMITTING)]


def _contenders(stack: ExitStack, folder: Path, port: int) -> dict[str, Contender]:
    """All of them, running, each with a wire of its own."""
    topics = {name: f"bench/{number}" for number, name in enumerate(SCRIPTS)}
    board, bridge = topic("board_state", table="main"), topic("bridge_state", bridge="oche")
    state = topic("state", table="main")
    display = stack.enter_context(Display(port, *topics.values(), state, board, bridge))
    contenders: dict[str, Contender] = {}
    for name, shown_on in topics.items():
        wire = stack.enter_context(Wire())
        journal = [] if name == SCRIPT else [str(folder / f"{Path(shown_on).name}.sqlite3")]
        if name == THREADED:
            journal.append("thread")
        script = stack.enter_context(pass_through(wire, port, shown_on, folder, *journal))
        contenders[name] = Script(script.pid, wire.write, display, shown_on)
    wire = stack.enter_context(Wire())
    oche = stack.enter_context(daemon(daemon_config(folder, wire.address, port)))
    display.await_online(board, bridge)
    contenders["oche"] = Oche(oche.pid, wire.write, display, state)
    return contenders
