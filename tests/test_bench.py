"""The benchmarks still run and print what they promise; no test asks how fast a machine is that it does not know."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.bench.__main__ import SECTIONS
from tests.bench.trace import OWN, read_tasks, sum_ms

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 300
ROW = re.compile(r"^\| (?P<what>\S.*?) +\| +(?P<ratio>[\d,.]+) \| +(?P<oche>[\d,.]+)\S* ?\S* \| +(?P<base>[\d,.]+)")

NEEDS = {
    "mosquitto": "mosquitto_path",
    "chromium-headless-shell": "chromium_path",
    "valgrind": "valgrind_path",
    "nodejs": "node_modules",
    "postgresql": "postgresql_path",
}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A temporary folder with a short name: Chromium's socket in it must fit into 107 bytes, and pytest's may not."""
    with tempfile.TemporaryDirectory(prefix="oche-") as name:
        Path(name).chmod(0o755)  # PostgreSQL does not run as root
        yield Path(name)


def bench(folder: Path, *arguments: str | Path, without: str = "") -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.bench", "--quick", *arguments]
    env = {**os.environ, "TMPDIR": str(folder), "OCHE_WITHOUT": without}
    return subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)


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
@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_prints_its_ratios_writes_them_and_leaves_nothing(
    name: str, folder: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    for package in SECTIONS[name].needs:
        request.getfixturevalue(NEEDS[package])
    figures = Path(shutil.copy(ROOT / "docs" / "figures.md", tmp_path))
    with bench(folder, name, "--write", figures) as running:
        said, complaints = running.communicate(timeout=PATIENCE_S)
    assert not complaints
    assert running.returncode == 0
    text = said.partition(f"\n## {name}\n\n")[2]
    rows = [found for found in map(ROW.match, text.splitlines()) if found]
    assert len(rows) == len([line for line in text.splitlines() if line.startswith("| ")]) - 1, "but for the head"
    numbers = [float(row[key].replace(",", "")) for row in rows for key in ("ratio", "oche", "base")]
    assert min(numbers) >= 0, "on a busy machine a ratio may be rounded to nothing"
    assert max(numbers) > 0
    assert max(map(len, said.splitlines())) <= 120
    page = figures.read_text(encoding="utf-8")
    assert f"<!-- {name}, written by make bench -->\n\n{text.strip()}\n\n<!-- end of" in page
    assert not of_the_bench(folder)
    assert not list(folder.iterdir())


def test_a_task_of_a_page_is_split_into_what_its_time_goes_to() -> None:
    """Each kind without what is within it, of the own thread alone, by the time that the thread had."""

    def event(name: str, tts: int, tdur: int, tid: int = 1) -> dict[str, object]:
        return {"name": name, "ph": "X", "pid": 1, "tid": tid, "ts": 9 * tts, "dur": 9 * tdur, "tts": tts, "tdur": tdur}

    def thread(name: str, tid: int) -> dict[str, object]:
        return {"name": "thread_name", "ph": "M", "pid": 1, "tid": tid, "args": {"name": name}}

    task = "ThreadControllerImpl::RunTask"
    events = [
        *(thread(OWN, 1), thread("Compositor", 2), thread("Compositor", 3)),
        event("Layout", 2_000, 3_000),
        event("FunctionCall", 1_000, 6_000),
        event("UpdateLayoutTree", 7_000, 1_000),
        event(task, 0, 10_000),
        event("Paint", 12_000, 500),  # in no task
        event(task, 20_000, 2_000),
        *(event(task, 0, 4_000, tid=2), event(task, 50_000, 5_000, tid=3), event("Commit", 0, 1_000, tid=2)),
    ]
    long, short = read_tasks(events)
    assert (long.ms, short.ms) == (10.0, 2.0)
    assert long.kinds == {"style": 1.0, "layout": 3.0, "paint": 0.0, "script": 3.0, "other": 3.0}
    assert short.kinds["other"] == 2.0
    assert sum_ms(events, "Compositor", OWN) == 21.0


@pytest.mark.usefixtures("mosquitto_path")
@pytest.mark.long
def test_ctrl_c_leaves_nothing(folder: Path) -> None:
    with bench(folder, "display") as running:
        wait_for(lambda: any("daemon.cli" in command for command in of_the_bench(folder)))
        running.send_signal(signal.SIGINT)
        _, complaints = running.communicate(timeout=PATIENCE_S)
    assert not complaints
    assert running.returncode == 130
    assert not of_the_bench(folder)
    assert not list(folder.iterdir())


@pytest.mark.slow
def test_a_section_that_is_none_is_refused_and_all_are_listed(folder: Path) -> None:
    with bench(folder, "grwoth") as running:
        said, complaints = running.communicate(timeout=PATIENCE_S)
    assert (running.returncode, said) == (2, "")
    assert complaints == f"make bench: there is no section grwoth; there are {', '.join(SECTIONS)}.\n"


@pytest.mark.slow
def test_a_section_without_its_program_is_left_out(folder: Path) -> None:
    with bench(folder, "screen", without="chromium-headless-shell") as running:
        said, complaints = running.communicate(timeout=PATIENCE_S)
    assert (running.returncode, complaints) == (0, "")
    assert said.endswith("## screen\n\nNot measured: it needs the Debian package chromium-headless-shell.\n")


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto_path")
def test_a_dart_passes_few_files() -> None:
    """Bytes, Host, X01 with task, advice and leader, table, MQTT: what is cut in pieces again raises this."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.dart_path"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout.split()[-2]) <= 48, done.stdout
