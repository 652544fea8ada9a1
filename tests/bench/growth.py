"""What does a match cost that grows? An input, an undo, its memory, and its resume after a kill.

The match is of legs of 501 between two amateurs, and never ends. What is timed at each length is the very same: a whole
leg, and the undo of its last dart. Inputs and undos are timed by the processor, which other programs do not change.
"""

from __future__ import annotations

import itertools
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from engine.match import Match
from protocol.commands import Input, Next, Redo, Undo, decode_line, encode_line
from protocol.match_spec import Format, MatchSpec, read_json
from protocol.topics import topic
from tests.bench.display import Display
from tests.bench.folding import begin, make_record
from tests.bench.processes import ROOT, BenchError, Wire, daemon, daemon_config
from tests.bench.report import Row, cost
from tests.daemon.evenings import Evening

_ONLINE = topic("bridge_state", bridge="oche")
SIZES = (100, 1_000, 10_000, 50_000, 100_000)
IN_A_ROW = 2_000
LEGS = 20
"""The legs that are played again and again."""
NOTES = (
    "input at 100: the mean over a leg that follows the first 100 inputs; undo: the mean of two undos and their redos",
    f"dearest undo: the slowest of {IN_A_ROW:,} in a row",
    "memory: by how much the process grows; only reading: the same JSON lines parsed by msgspec and kept in a list",
    "resume: spawn to `online` after a kill -9, every fifth input having been taken back and made again",
)
_HEADER = MatchSpec("x01", ("Ann", "Bo"), seed="0", format=Format(legs=1_000_000), undo_all=True)


def measure(folder: Path, port: int, sizes: tuple[int, ...], resumed: tuple[int, int], runs: int) -> list[Row]:
    """The rows of this measurement: at these lengths, and after a resume of so many inputs and undos."""
    inputs, undos, dearest = _grow(sizes, 5 * runs)
    least = f"an input at {sizes[0]:,}"
    rows = [cost(f"input at {size:,}", us, inputs[0], "µs", least) for size, us in zip(sizes, inputs, strict=True)]
    rows += [cost(f"undo at {size:,}", us, inputs[0], "µs", least) for size, us in zip(sizes, undos, strict=True)]
    rows.append(cost(f"dearest undo at {sizes[-1]:,}", dearest, inputs[0], "µs", least))
    ours, theirs = (_memory(what, sizes[-1]) for what in ("play", "read"))
    rows.append(cost(f"memory of {sizes[-1]:,}", ours, theirs, "MB", "only reading the lines"))
    ours, theirs = (_resume(folder / f"lines{lines}", port, lines, undos, runs) for lines, undos in (resumed, (0, 0)))
    return [
        *rows,
        cost(f"resume, {resumed[0]:,} + {resumed[1]:,} undos", ours, theirs, "ms", "a start without a match"),
    ]


def _legs() -> list[list[bytes]]:
    """The lines of some legs, each up to the first dart of the next one."""
    closing = msgspec.json.encode(encode_line(Next()))
    return [[*make_record("x01", seed).lines, closing] for seed in range(LEGS)]


def _grow(sizes: tuple[int, ...], runs: int) -> tuple[list[float], list[float], float]:
    """For each length the microseconds of an input, and of an undo; of the longest match the dearest undo of many.

    The matches take turns.
    """
    legs = [[_read(line) for line in leg] for leg in _legs()]
    matches = [begin(_HEADER) for _ in sizes]
    for match, size in zip(matches, sizes, strict=True):
        for leg in itertools.cycle(legs):
            if match.line > size:
                break
            _apply(match, leg)
    inputs: list[list[float]] = [[] for _ in sizes]
    undos: list[list[float]] = [[] for _ in sizes]
    for _ in range(runs):
        for match, of_inputs, of_undos in zip(matches, inputs, undos, strict=True):
            before = match.checkpoint()
            of_inputs.append(_apply(match, legs[0]) / len(legs[0]))
            of_undos.append(_undo(match))
            match.roll_back(before)
    dearest = max(_apply(matches[-1], [Undo()]) for _ in range(min(IN_A_ROW, sizes[-1] // 2)))
    return [statistics.median(found) for found in inputs], [statistics.median(found) for found in undos], dearest


def _undo(match: Match) -> float:
    """Microseconds for taking back the last dart of a leg and the end of its visit, and making both again."""
    return _apply(match, [Undo(), Undo(), Redo(), Redo()]) / 4


def _apply(match: Match, inputs: list[Input]) -> float:
    """Microseconds for all of these."""
    started = time.process_time()
    for given in inputs:
        if not match.apply(match.line + 1, given).accepted:
            raise BenchError(f"the match refused {given}.")
    return (time.process_time() - started) * 1e6


def _read(line: bytes) -> Input:
    return decode_line(read_json(line))


def _memory(what: str, lines: int) -> float:
    """MB by which a process grows that plays so many lines, or only reads them."""
    command = [sys.executable, "-m", "tests.bench.growth", what, str(lines)]
    return float(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def _hold(what: str, lines: int) -> float:
    """The same in this process."""
    text = list(itertools.islice(itertools.chain.from_iterable(itertools.cycle(_legs())), lines))
    match, kept = begin(_HEADER), list[object]()
    before = _resident_mb()
    for line in text:
        if what == "play":
            match.apply(match.line + 1, _read(line))
        else:
            kept.append(msgspec.json.decode(line))
    return _resident_mb() - before


def _resident_mb() -> float:
    words = Path("/proc/self/status").read_text(encoding="ascii").split()
    return int(words[words.index("VmRSS:") + 1]) / 1024


def _resume(folder: Path, port: int, lines: int, undos: int, runs: int) -> float:
    """Milliseconds until the daemon is there again that was killed in a match of so many inputs and undos."""
    folder.mkdir()
    with Wire() as wire, Display(port, _ONLINE) as display:
        config = daemon_config(folder, wire.address, port)
        if lines:
            _write(folder / "state", lines, undos)
        taken = [_start(config, display) for _ in range(runs + 1)]
    return statistics.median(taken[1:])  # before the first start nothing was killed


def _write(state: Path, lines: int, undos: int) -> None:
    """A match at the table that was begun last."""
    made: list[dict[str, Any]] = []  # Any: JSON
    fresh = map(msgspec.json.decode, itertools.chain.from_iterable(itertools.cycle(_legs())))
    for _ in range(undos):
        made += itertools.islice(fresh, lines // undos - 1)
        made += [{"undo": True}, made[-1]]
    with Evening(state) as evening:
        match = evening.play(format={"legs": 1_000_000})
        evening.go_on(match, *made, line=2)


def _start(config: Path, display: Display) -> float:
    """Milliseconds until a display sees that the daemon is there, which is killed then."""
    display.forget_retained()
    started = time.monotonic_ns()
    with daemon(config) as oche:
        taken = (display.await_online(_ONLINE) - started) / 1e6
        oche.kill()
    return taken


if __name__ == "__main__":
    print(_hold(sys.argv[1], int(sys.argv[2])))
