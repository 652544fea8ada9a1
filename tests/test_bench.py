"""The benchmarks still run and print what they promise; no test asks how fast a machine is that it does not know."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 120
RATIO = re.compile(r"^  (?P<what>\S.*?) +(?P<ratio>[\d,.]+)× +(?P<oche>[\d,.]+)\S* ?\S* +(?P<base>[\d,.]+)")

pytestmark = pytest.mark.usefixtures("mosquitto_path", "chromium_path")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A temporary folder with a short name: Chromium's socket in it must fit into 107 bytes, and pytest's may not."""
    with tempfile.TemporaryDirectory(prefix="oche-") as name:
        yield Path(name)


def bench(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.bench", "--quick"]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=pipe, stderr=pipe, env={**os.environ, "TMPDIR": str(folder)}
    )


def of_the_bench(folder: Path) -> list[str]:
    """The processes that were started with this temporary folder, by the environment they inherited."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue  # another user's, or gone meanwhile
    return found


def wait_for(is_so: Callable[[], object]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < give_up, "waited in vain"
        time.sleep(0.02)


@pytest.mark.long
def test_a_quick_run_prints_every_ratio_and_leaves_nothing(folder: Path) -> None:
    with bench(folder) as running:
        said, complaints = running.communicate(timeout=PATIENCE_S)
    assert not complaints
    assert running.returncode == 0
    rows = [found for found in map(RATIO.match, said.splitlines()) if found]
    assert [row["what"] for row in rows] == [
        *("p50", "p99") * 2,
        *("painted, p50", "painted, p99", "first paint"),
        *("X01, inputs played", "X01, inputs refolded"),
        *("Cricket, inputs played", "Cricket, inputs refolded"),
        *("Burma Road, inputs played", "Burma Road, inputs refolded"),
        "history, read cold",
        *("start-up", "memory, RSS", "memory, PSS"),
        "processor, idle",
    ]
    assert all(float(row[name].replace(",", "")) > 0 for row in rows for name in ("ratio", "oche", "base"))
    assert max(map(len, said.splitlines())) <= 100
    assert not of_the_bench(folder)
    assert not list(folder.iterdir())


def test_ctrl_c_leaves_nothing(folder: Path) -> None:
    with bench(folder) as running:
        wait_for(lambda: any("daemon.cli" in command for command in of_the_bench(folder)))
        running.send_signal(signal.SIGINT)
        _, complaints = running.communicate(timeout=PATIENCE_S)
    assert not complaints
    assert running.returncode == 130
    assert not of_the_bench(folder)
    assert not list(folder.iterdir())


def test_a_dart_passes_few_files() -> None:
    """The board's bytes, the Host, the rules of X01, the table and MQTT: what is cut in pieces again raises this."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.dart_path"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout.split()[-2]) <= 34, done.stdout
