"""What a run of the tests does by itself, whoever starts it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest

ROOT = Path(__file__).resolve().parent.parent


def run(*arguments: str, before: str = "", status: int = 0) -> str:
    """What pytest prints; it has to pass, or to end with that status."""
    done = subprocess.run(
        ("bash", "-c", f'{before} exec "$@"', "bash", sys.executable, "-m", "pytest", *arguments),
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout
    return done.stdout


@pytest.mark.slow
def test_a_run_in_the_background_can_interrupt_what_it_starts() -> None:
    """Such a run ignores SIGINT, and its children would too."""
    test = "tests/daemon/test_capture_command.py::test_a_recording_is_complete_however_the_capture_ends[2]"
    assert "1 passed" in run("-n1", test, before="trap '' INT;")


@pytest.mark.slow
def test_a_fifth_is_what_the_ids_say() -> None:
    told = run("--collect-only", "-q", "-n0", "-m", "", "--fifth", "3", "tests/test_make.py")
    assert {crc32(line.encode()) % 5 for line in told.splitlines() if "::" in line} == {3}


LEAVES = """
import socket, pytest
class Circle:
    def __init__(self):
        self.me, self.socket = self, socket.socket()
def test_circle():
    Circle()
@pytest.fixture
def opened():
    return socket.socket()
def test_fixture(opened):
    pass
@pytest.fixture
def broken():
    yield
    Circle()
    raise ValueError
def test_broken(broken):
    pass
kept = []
@pytest.fixture(scope="module")
def shared():
    kept.append(Circle())
    yield
    kept.clear()
def test_shared(shared):
    pass
def test_last():
    pass
"""


@pytest.mark.slow
def test_what_a_test_leaves_open_is_charged_to_that_test(tmp_path: Path) -> None:
    """Not to the next one, in whose time the collector finds it: those of a circle, those of a fixture.

    Also where the fixture fails when it ends; what the tests of a module share is charged to the last.
    """
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_runtest_teardown\n", encoding="ascii")
    (tmp_path / "test_it.py").write_text(LEAVES, encoding="ascii")
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\naddopts = -rE\n", encoding="ascii")
    options = ("-c", str(tmp_path / "pytest.ini"), "-p", "no:asyncio", "-n0", str(tmp_path))
    told = run(*options, status=1)
    assert re.findall(r"^ERROR \S*::(\w+)", told, re.MULTILINE) == [
        "test_circle",
        "test_fixture",
        "test_broken",
        "test_last",
    ]
    assert "5 passed, 4 errors" in told
    assert "ValueError" in told
    assert told.count("ResourceWarning: unclosed") == 4


HANGS = """
import asyncio, faulthandler, pytest

@pytest.fixture(autouse=True)
def without_end():  # of the process, which would be the first where a machine is slow
    faulthandler.cancel_dump_traceback_later()

@pytest.mark.parametrize("name", ["given"])
async def test_hangs(name, request, tmp_path):
    assert (name, tmp_path.is_dir()) == ("given", True)
    await asyncio.Event().wait()

async def test_ends():
    await asyncio.sleep(0)
"""


@pytest.mark.slow
def test_a_coroutine_that_hangs_fails_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_itemcollected\n", encoding="ascii")
    (tmp_path / "test_it.py").write_text(HANGS, encoding="ascii")
    limit = ("faulthandler_exit_on_timeout = true", "faulthandler_timeout = 2", "asyncio_mode = auto")
    (tmp_path / "pytest.ini").write_text("\n".join(["[pytest]", "addopts = -rE", *limit]), encoding="ascii")
    told = run("-c", str(tmp_path / "pytest.ini"), "-n0", str(tmp_path), status=1)
    assert "1 failed, 1 passed" in told
    assert "TimeoutError" in told


@pytest.mark.slow
def test_what_a_test_could_not_try_is_named_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_terminal_summary\n", encoding="ascii")
    test = "def test_it(record_property):\n    record_property('untried', 'full disks, which need root')\n"
    (tmp_path / "test_it.py").write_text(test, encoding="ascii")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="ascii")
    for workers in ("-n0", "-n1"):
        told = run("-c", str(tmp_path / "pytest.ini"), "-p", "no:asyncio", workers, str(tmp_path))
        assert "\nfull disks, which need root: 1 test\n" in told, told
