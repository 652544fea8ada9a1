"""How many instructions does an input take? Counted by valgrind, so that a busy machine changes nothing.

Run as a program it is what is counted: it plays the records of a file once, and then does one thing so often. What the
same program takes to do it no more than once is taken off, and with it the start of the interpreter.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from tests.bench.folding import GAMES, READING, Record, amend_first_darts, make_record, play, read, refold
from tests.bench.processes import ROOT, BenchError
from tests.bench.report import Row, cost

TIMES = {"nothing": 0, "read": 400, "play": 4, "refold": 2}
NOTES = (
    "counted by valgrind (cachegrind), in thousands for each input; the start of the interpreter is taken off",
    "played, refolded, only reading: as for engine",
)


def measure(folder: Path, matches: int, games: Iterable[str]) -> list[Row]:
    """The rows of this measurement: so many matches of each of these games."""
    rows = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name in games:
            records = [make_record(GAMES[name], seed) for seed in range(matches)]
            file = folder / f"{name}.json"
            file.write_bytes(msgspec.json.encode(records))
            counts = dict(zip(TIMES, pool.map(_count, [file] * len(TIMES), TIMES), strict=True))
            inputs = sum(len(record.lines) for record in records)
            reading, played, refolded = (
                (counts[what] - counts["nothing"]) / inputs / TIMES[what] / 1000 for what in ("read", "play", "refold")
            )
            rows.append(cost(f"{name}, input played", played, reading, "k", READING))
            rows.append(cost(f"{name}, input refolded", refolded, reading, "k", READING))
    return rows


def _count(file: Path, what: str) -> int:
    """The instructions of a whole run."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    command += [sys.executable, "-m", "tests.bench.instructions", str(file), what]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=False
    )
    found = re.search(r"I +refs: +([\d,]+)", done.stderr)
    if done.returncode or found is None:
        raise BenchError(f"valgrind counts nothing: {done.stderr.strip().splitlines()[-1]}")
    return int(found[1].replace(",", ""))


def _work(file: str, what: str) -> None:
    """What is counted."""
    records = msgspec.json.decode(Path(file).read_bytes(), type=list[Record])
    amends = amend_first_darts(records)
    for _ in range(TIMES[what]):
        if what == "read":
            read(records)
        elif what == "play":
            play(records)
        else:
            refold(amends)


if __name__ == "__main__":
    _work(*sys.argv[1:])
