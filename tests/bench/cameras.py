"""What does a table with cameras cost beside one with a board at `tcp:`?

Each has a daemon of its own, and they take turns dart by dart in an order that changes, so that what else the machine
does hits all alike. The boards are the simulator's.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any, Self

from protocol.aiming import aim_at
from protocol.codebook import shipped
from protocol.topics import topic
from simulator.board import SimulatedBoard
from simulator.tcp_board import TcpBoard
from simulator.web_board import WebBoard
from tests.bench.dart_to_display import WARM_UP, Oche
from tests.bench.display import Display
from tests.bench.idle import Cost, begin, compare, taken
from tests.bench.processes import PATIENCE_S, BenchError, daemon, daemon_config, run_ms
from tests.bench.report import Row, cost, cost_percentiles

MATRIX, CAMERAS = "tcp:", ("opendarts-cameras", "autodarts")
NOTES = (
    "tcp: the same daemon with a board of the profile opendarts at tcp:, in the same run",
    "p50, p99: from before the first byte of a dart on the wire until a subscriber has its state",
    "processor: the daemon's for each dart, with pulling the darts after every third",
    "start-up: spawn to a subscriber seeing `online` of the daemon and of its board; memory half a second later",
    "played: memory after all these darts",
)


class Boards:
    """The boards, plugged in while the block lasts. They have a process: in ours they would hold up the display."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_run_boards, args=(theirs,), daemon=True)
        self.addresses: dict[str, str] = {}

    def __enter__(self) -> Self:
        self._process.start()
        self.addresses = self._take()
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()
        self._process.join()

    def throw(self, name: str, segment: bytes) -> int:
        """A dart at this board; gives the moment before (monotonic, ns)."""
        return self._do(name, segment.decode())

    def pull_darts(self, name: str) -> int:
        """Pulls the darts that stick in this board; gives the moment before."""
        return self._do(name, None)

    def _do(self, name: str, segment: str | None) -> int:
        self._pipe.send((name, segment))
        at: int = self._take()
        return at

    def _take(self) -> Any:  # Any: what the other process sends
        if not self._pipe.poll(PATIENCE_S):
            raise BenchError("the simulated boards do not answer.")
        return self._pipe.recv()


def _run_boards(pipe: Connection) -> None:
    asyncio.run(_play_boards(pipe))


async def _play_boards(pipe: Connection) -> None:
    """Tells the addresses of the boards; then does what comes for one, until the pipe is closed."""
    boards: dict[str, SimulatedBoard] = {MATRIX: TcpBoard(shipped("opendarts"))}
    boards |= {name: WebBoard(shipped(name)) for name in CAMERAS}
    for board in boards.values():
        board.plug()
        for segment in board.codebook.layout:
            if segment.outline:
                aim_at(board.codebook.layout, segment)  # kept: the first dart at a bed is not to wait for it
    pipe.send({name: board.address for name, board in boards.items()})
    while True:
        try:
            name, segment = await asyncio.to_thread(pipe.recv)
        except EOFError:
            break
        board, at = boards[name], time.monotonic_ns()
        if segment is None:
            board.pull_darts()
        else:
            board.hit(board.codebook.layout[segment])
        pipe.send(at)
    for board in boards.values():
        await board.unplug()


class Sensing(Oche):
    """A daemon whose board has cameras: a visit is closed when they see the darts pulled."""

    pull: Callable[[], object]

    def go_on(self, phase: str) -> None:
        self.pull()
        if phase == "over":
            super().go_on(phase)


def measure(folder: Path, port: int, darts: int, runs: int) -> tuple[list[Row], list[str]]:
    """The rows, and how much memory each kind of cameras adds. So many starts and then darts of each."""
    with Boards() as boards:
        configs = {name: _configure(folder, port, name, address) for name, address in boards.addresses.items()}
        starts: dict[str, list[Cost]] = {name: [] for name in configs}
        for _ in range(runs):
            for name, config in configs.items():
                starts[name].append(begin(config, port, *_online(name)))
        times, processor, played = _play(boards, configs, port, darts)
    rows: list[Row] = []
    adds = []
    for name in CAMERAS:
        rows += cost_percentiles(f"{name}, ", times[name], times[MATRIX], MATRIX)
        rows.append(cost(f"{name}, processor", processor[name], processor[MATRIX], "ms", MATRIX))
        rows += compare(f"{name}, ", starts[name], starts[MATRIX], MATRIX)
        rows.append(cost(f"{name}, played", played[name], played[MATRIX], "MB", MATRIX))
        adds.append(f"{name} adds {played[name] - played[MATRIX]:.1f} MB once it is played on (PSS)")
    return rows, adds


def _play(
    boards: Boards, configs: dict[str, Path], port: int, darts: int
) -> tuple[dict[str, list[float]], dict[str, float], dict[str, float]]:
    """The times of the darts (ms), the time of a processor for each dart (ms), and the memory at the end, by board."""
    segments = [each.id.encode() for each in shipped("opendarts").layout if each.outline]
    rng = Random(180)
    rng.shuffle(segments)
    with ExitStack() as stack:
        tables = {name: _name(name) for name in configs}
        shown = [topic("state", table=table) for table in tables.values()]
        online = [each for name in configs for each in _online(name)]
        display = stack.enter_context(Display(port, *shown, *online))
        display.forget_retained()
        players: dict[str, Oche] = {}
        for name, config in configs.items():
            oche = stack.enter_context(daemon(config))
            display.await_online(*_online(name))
            state = topic("state", table=tables[name])
            player = players[name] = (Oche if name == MATRIX else Sensing)(
                oche.pid, partial(boards.throw, name), display, state
            )
            player.table = tables[name]
            if isinstance(player, Sensing):
                player.pull = partial(boards.pull_darts, name)
        before: dict[str, float] = {}
        for number in range(WARM_UP + darts):
            if number == WARM_UP:
                before = {name: run_ms(player.pid) for name, player in players.items()}
            for player in rng.sample([*players.values()], len(players)):
                player.throw(segments[number % len(segments)], is_counted=number >= WARM_UP)
        processor = {name: (run_ms(player.pid) - before[name]) / darts for name, player in players.items()}
        memory = {name: taken(player.pid, 0, 0).pss_mb for name, player in players.items()}
    return {name: [ns / 1e6 for ns in player.times] for name, player in players.items()}, processor, memory


def _configure(folder: Path, port: int, name: str, address: str) -> Path:
    home = folder / _name(name)
    home.mkdir()
    return daemon_config(home, address, port, "opendarts" if name == MATRIX else name, _name(name))


def _name(name: str) -> str:
    """Of the table and the daemon, in topics."""
    return name.strip(":")


def _online(name: str) -> tuple[str, str]:
    return topic("bridge_state", bridge=_name(name)), topic("board_state", table=_name(name))
