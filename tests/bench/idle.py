"""What does the daemon take while no match is played, and how soon is it there after power on?

It is there when a display sees its `online`, which is published last: board found, journal open, page served. The
baseline is the price of the interpreter and the MQTT library alone, which no daemon of this kind can go below.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import NamedTuple

from protocol.topics import topic
from tests.bench.display import Display
from tests.bench.processes import BenchError, Wire, complaint, daemon, daemon_config, pass_through, python, run_ms
from tests.bench.report import Row, cost

IMPORTS = "import asyncio, aiomqtt"
NOTES = (
    f"bare import: python -c '{IMPORTS}', spawn to exit; memory before the exit",
    "oche: spawn to a subscriber seeing `online`, page served; memory half a second later",
    "processor: of a minute in which nothing happens; pass-through as above, connected as well",
    "RSS counts shared pages in full; PSS shares them out among the processes of the moment",
)
SETTLE_S = 0.5


class Cost(NamedTuple):
    """What one run took."""

    start_s: float
    rss_mb: float
    pss_mb: float
    run_ms: float
    """The time of a processor, until then."""


def measure(folder: Path, port: int, runs: int, idle_s: float) -> list[Row]:
    """The rows of this measurement: medians of so many runs, one of each in turn, and the time of a processor.

    That is of so many seconds in which nothing happens, with the bare script of the other measurements as baseline.
    """
    home = folder / "idle"
    home.mkdir()
    ours, theirs = [], []
    with Wire() as wire:
        config = daemon_config(home, wire.address, port)
        for _ in range(runs):
            ours.append(begin(config, port, topic("bridge_state", bridge="oche")))
            theirs.append(_bare(home))
        processor = _processor(config, port, idle_s)
    return [*compare("", ours, theirs, "bare import"), processor]


def compare(name: str, ours: list[Cost], theirs: list[Cost], against: str) -> list[Row]:
    """The medians of these starts, a row for each thing that was measured."""
    return [
        cost(f"{name}{what}", _median(ours, field) * scale, _median(theirs, field) * scale, unit, against)
        for what, field, scale, unit in (
            ("start-up", 0, 1000, "ms"),
            ("start-up, processor", 3, 1, "ms"),
            ("memory, RSS", 1, 1, "MB"),
            ("memory, PSS", 2, 1, "MB"),
        )
    ]


def begin(config: Path, port: int, *topics: str) -> Cost:
    """What a start of the daemon takes until all of these topics say `online`."""
    with Display(port, *topics) as display:
        display.forget_retained()
        started = time.monotonic_ns()
        with daemon(config) as oche:
            start_s = (display.await_online(*topics) - started) / 1e9
            start_ms = run_ms(oche.pid)
            time.sleep(SETTLE_S)
            return taken(oche.pid, start_s, start_ms)


def _processor(config: Path, port: int, idle_s: float) -> Row:
    """Both at once, so that what else the machine does hits both alike."""
    state = topic("bridge_state", bridge="oche")
    with (
        Wire() as wire,
        Display(port, state) as display,
        pass_through(wire, port, "bench/idle", config.parent) as script,
    ):
        display.forget_retained()
        with daemon(config) as oche:
            display.await_online(state)
            display.rest(min(5, idle_s))  # what is done once, some seconds after the start
            before = [run_ms(process.pid) for process in (oche, script)]
            display.rest(idle_s)
            # In a quick run either may have slept all the time.
            ours, theirs = (max(run_ms(p.pid) - b, 0.01) for p, b in zip((oche, script), before, strict=True))
    minutes = idle_s / 60
    return cost("processor, idle", ours / minutes, theirs / minutes, "ms/min", "pass-through")


def _bare(folder: Path) -> Cost:
    log = folder / "bare.log"
    started = time.monotonic_ns()
    with python("-c", IMPORTS, log=log) as bare:
        if bare.wait():
            raise BenchError(f"the bare import fails: {complaint(log)}")
        taken_s = (time.monotonic_ns() - started) / 1e9
    with python("-c", f"{IMPORTS}; print(flush=True); input()", log=log) as bare:
        if bare.stdout is None or not bare.stdout.readline():
            raise BenchError(f"the bare import fails: {complaint(log)}")
        return taken(bare.pid, taken_s, run_ms(bare.pid))


def taken(pid: int, start_s: float, start_ms: float) -> Cost:
    """What the kernel says of its memory."""
    words = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").split()
    rss, pss = (int(words[words.index(word) + 1]) / 1024 for word in ("Rss:", "Pss:"))
    return Cost(start_s, rss, pss, start_ms)


def _median(costs: list[Cost], field: int) -> float:
    return statistics.median(cost[field] for cost in costs)
