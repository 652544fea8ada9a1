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

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 300
ROW = re.compile(r"^\| (?P<what>\S.*?) +\| +(?P<ratio>[\d,.]+) \| +(?P<oche>[\d,.]+)\S* ?\S* \| +(?P<base>[\d,.]+)")

NEEDS = {
    "mosquitto": "mosquitto_path",
    "chromium-headless-shell": "chromium_path",
    "valgrind": "valgrind_path",
    "nodejs": "node_modules",
}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A temporary folder with a short name: Chromium's socket in it must fit into 107 bytes, and pytest's may not."""
    with tempfile.TemporaryDirectory(prefix="oche-") as name:
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


@pytest.mark.usefixtures("mosquitto_path")
def test_ctrl_c_leaves_nothing(folder: Path) -> None:
    with bench(folder, "display") as running:
        wait_for(lambda: any("daemon.cli" in command for command in of_the_bench(folder)))
        running.send_signal(signal.SIGINT)
        _, complaints = running.communicate(timeout=PATIENCE_S)
    assert not complaints
    assert running.returncode == 130
    assert not of_the_bench(folder)
    assert not list(folder.iterdir())


def test_a_section_that_is_none_is_refused_and_all_are_listed(folder: Path) -> None:
    with bench(folder, "grwoth") as running:
        said, complaints = running.communicate(timeout=PATIENCE_S)
    assert (running.returncode, said) == (2, "")
    assert complaints == f"make bench: there is no section grwoth; there are {', '.join(SECTIONS)}.\n"


def test_a_section_without_its_program_is_left_out(folder: Path) -> None:
    with bench(folder, "screen", without="chromium-headless-shell") as running:
        said, complaints = running.communicate(timeout=PATIENCE_S)
    assert (running.returncode, complaints) == (0, "")
    assert said.endswith("## screen\n\nNot measured: it needs the Debian package chromium-headless-shell.\n")


@pytest.mark.usefixtures("mosquitto_path")
def test_a_dart_passes_few_files() -> None:
    """Bytes, Host, X01 with task, advice and leader, table, MQTT: what is cut in pieces again raises this."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.dart_path"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout.split()[-2]) <= 47, done.stdout
