"""Each operation that writes is killed at its calls, and has them fail: what was said is there, and all else as before.

`make sweep` tries a few points of each, as every change has to pass it, and `make long` more; `make crash` tries every
call in each way, and prints a table.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import msgspec
import pytest

from tests.crash.counter import Counter
from tests.crash.operations import OPERATIONS
from tests.crash.sweep import Row
from tests.daemon.process import ROOT

_FEW = 8

pytestmark = pytest.mark.sweep


class Sweeper:
    """A process that sweeps."""

    def __init__(self, library: Path, folder: Path, *sabotage: str) -> None:
        folder.mkdir()
        counter = folder / "counter"
        Counter.make_file(counter)
        self._log = folder / "log"
        self._command = [sys.executable, "-m", "tests.crash.sweep", str(folder), *sabotage]
        self._env = {**os.environ, "LD_PRELOAD": str(library), "OCHE_COUNTER": str(counter)}
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        with self._log.open("wb") as log:
            return subprocess.Popen(
                self._command, cwd=ROOT, env=self._env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
            )

    def sweep(self, operation: str, points: int | None) -> Row:
        """What becomes of this operation at so many of its points; None: at each call, in each way."""
        if self._process.poll() is not None:  # it has failed with another operation
            self._process = self._start()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode((operation, points)) + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
        assert line, self._log.read_text("utf-8", "replace")[-2000:]
        return msgspec.json.decode(line, type=Row)

    def close(self) -> None:
        """Ends it."""
        self._process.communicate()


@pytest.fixture(scope="session")
def sweeper(fault_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sweeper]:
    """One, for as long as tests need it."""
    sweeper = Sweeper(fault_library, tmp_path_factory.mktemp("sweep") / "home")
    yield sweeper
    sweeper.close()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_was_said_is_there_and_all_else_as_before(
    sweeper: Sweeper, operation: str, request: pytest.FixtureRequest
) -> None:
    if OPERATIONS[operation].broker:
        request.getfixturevalue("mosquitto_path")
    row = sweeper.sweep(operation, _FEW)
    assert not row.findings, "\n".join(row.findings)
    assert row.killed
    assert row.failed


@pytest.mark.parametrize(
    ("sabotage", "operation", "finding"),
    [
        ("behind", "a dart", "it was said or shown to be done, and is not done"),
        ("unlinked", "another token of the setup", ", killed: killed, and it is neither as before nor as it should be"),
    ],
    ids=["that answers before the commit", "that removes a file before it puts the new one in its place"],
)
def test_a_daemon_is_seen(fault_library: Path, tmp_path: Path, sabotage: str, operation: str, finding: str) -> None:
    sweeper = Sweeper(fault_library, tmp_path / "home", sabotage)
    row = sweeper.sweep(operation, _FEW)
    sweeper.close()
    assert any(finding in each for each in row.findings), row


@pytest.mark.long
def test_a_sweep_of_all_operations(
    fault_library: Path,
    mosquitto_path: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    points = request.config.getoption("--points") or None
    numbers = count()

    def sweep(names: Iterator[str]) -> list[Row]:
        sweeper = Sweeper(fault_library, tmp_path / str(next(numbers)))
        rows = []
        for name in names:
            rows.append(row := sweeper.sweep(name, points))
            sys.stdout.write(f"{name}: {len(row.findings)} findings at {row.calls} calls in {row.seconds:.0f} s\n")
        sweeper.close()
        return rows

    workers = 2 * (os.cpu_count() or 1)  # they wait for half of their time
    names = iter([*OPERATIONS])  # each worker takes the next
    with ThreadPoolExecutor(workers) as pool:
        found = [row for future in [pool.submit(sweep, names) for _ in range(workers)] for row in future.result()]
    sys.stdout.write(format_table(sorted(found, key=lambda row: [*OPERATIONS].index(row.operation))))
    assert not [row.operation for row in found if row.findings]


def format_table(rows: list[Row]) -> str:
    """The table, with all there is together, and then each finding."""
    whole = Row(f"{len(rows)} operations", *(sum(getattr(row, name) for row in rows) for name in _COUNTED))
    whole.findings = [f"{row.operation}: {each}" for row in rows for each in row.findings]
    lines = [f"{'operation':<40} {'calls':>6} {'killed':>6} {'failed':>6} {'findings':>8}"]
    lines += [
        f"{row.operation:<40} {row.calls:>6} {row.killed:>6} {row.failed:>6} {len(row.findings):>8}"
        for row in (*rows, whole)
    ]
    return "\n".join(["", *lines, *whole.findings, ""])


_COUNTED = ("calls", "killed", "failed")
