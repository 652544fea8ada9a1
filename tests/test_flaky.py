"""What `.ci/run` makes of tests that fail: once, twice, too many, and of what is no failed test."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sweep import sweep

ROOT = Path(__file__).resolve().parent.parent
HEAD = """
import os, pathlib, pytest
def is_first(name):
    try:
        pathlib.Path(name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
def test_good():
    pass
"""
ONCE = "def test_once():\n    print('said')\n    assert not is_first('once')\n"
TWICE = "def test_twice():\n    assert False\n"


class Scratch:
    """A folder of tests, which are run as `.ci/run` does."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._gate = folder / "gate"
        (folder / "pytest.ini").write_text("[pytest]\naddopts = -rfE\n", encoding="ascii")

    def run(self, tests: str, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
        (self._folder / "test_it.py").write_text(HEAD + tests, encoding="utf-8")
        told = {"OCHE_CI": str(self._gate), "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **env}
        return subprocess.run(
            (sys.executable, "-m", "pytest", "-p", "xdist.plugin", "-p", "tests.flaky", *options),
            cwd=self._folder,
            env={**os.environ, **told},
            capture_output=True,
            text=True,
            check=False,
        )

    def read(self, name: str) -> str:
        file = self._gate / name
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def flaky(self) -> list[str]:
        return re.findall(r"^FLAKY: test_it\.py::(.*)$", self.read("flaky"), re.MULTILINE)


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return Scratch(tmp_path)


@pytest.mark.slow
def test_what_passes_by_itself_is_flaky_with_its_first_output(scratch: Scratch) -> None:
    """A folder among the arguments does not bring back the others; the worker's captured output is told.

    Where warnings are errors, a test may still tell what it has measured.
    """
    sick = "@pytest.fixture\ndef sick(record_property):\n    assert not is_first('sick')\n"
    setup = f"{sick}def test_setup(sick):\n    pass\n"
    named = "@pytest.mark.parametrize('x', ['a b', 'ä', 'p::q[]'])\ndef test_named(x):\n    assert not is_first(x)\n"
    done = scratch.run(ONCE + setup + named, "-n1", "-Werror", ".")
    assert done.returncode == 0, done.stdout
    assert scratch.flaky() == ["test_once", "test_setup", "test_named[a b]", "test_named[\\xe4]", "test_named[p::q[]]"]
    assert "    >       assert not is_first('once')\n" in scratch.read("flaky")
    assert "    Captured stdout call:\n    said\n" in scratch.read("flaky")
    assert done.stdout.splitlines()[-1].strip("= ").startswith("1 passed, 5 flaky in ")
    assert "FAILED" not in done.stdout


DIES = "def test_dies():\n    if is_first('dies'):\n        os._exit(1)\n"
SKIPPED = "def test_skipped():\n    assert not is_first('it')\n    pytest.skip()\n"
SHARED = """
class Circle:
    def __init__(self):
        import socket
        self.me, self.socket = self, socket.socket()
kept = []
@pytest.fixture(scope="module")
def shared():
    if is_first("shared"):
        kept.append(Circle())
    yield
    kept.clear()
def test_shared(shared):
    pass
def test_last():
    pass
"""
SIX = "@pytest.mark.parametrize('x', range(6))\ndef test_six(x):\n    assert not is_first(str(x))\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tests", "options", "flaky"),
    sweep(
        [
            (ONCE + TWICE, (), ["test_once"]),
            (SKIPPED, (), []),
            (SIX, (), []),
            (ONCE, ("-x",), []),
            (DIES, ("-n1",), []),
            (SHARED, ("-n1", "-p", "tests.conftest", "-Werror"), []),
        ],
        lambda case: case[0] in (ONCE + TWICE, DIES),
    ),
    ids=["twice", "skipped then", "six", "the others were not run", "a worker died", "what tests share is left open"],
)
def test_red_stays(scratch: Scratch, tests: str, options: tuple[str, ...], flaky: list[str]) -> None:
    done = scratch.run(tests, *options)
    assert (done.returncode, scratch.flaky()) == (1, flaky), done.stdout


@pytest.mark.parametrize("options", [(), ("--continue-on-collection-errors",)])
def test_a_collection_that_fails_is_never_tried_again(
    scratch: Scratch, tmp_path: Path, options: tuple[str, ...]
) -> None:
    (tmp_path / "test_broken.py").write_text("assert False\n", encoding="ascii")
    assert scratch.run(ONCE, *options).returncode == (1 if options else 2)
    assert scratch.flaky() == []


@pytest.mark.slow
def test_what_is_run_again_meets_the_same_examples(scratch: Scratch, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("import tests.conftest\n", encoding="ascii")
    same = "def test_same():\n    assert not is_first('same')\n    assert settings().derandomize\n"
    scratch.run(f"from hypothesis import settings\n{same}")
    assert scratch.flaky() == ["test_same"]


def test_a_developer_has_every_failure(scratch: Scratch) -> None:
    assert scratch.run(ONCE, OCHE_CI="").returncode == 1
    assert scratch.flaky() == []


@pytest.mark.slow
@pytest.mark.parametrize(("options", "red"), [(("-n1",), ""), ((), TWICE)], ids=["in a worker", "after a failure"])
def test_no_test_is_begun_when_the_time_is_up(
    scratch: Scratch, tmp_path: Path, options: tuple[str, ...], red: str
) -> None:
    """What failed by then counts."""
    last = "def test_last_of_the_time():\n    pass\ndef test_late():\n    is_first('late')\n"
    begun = f"{red}def test_begun():\n    pass\n"
    done = scratch.run(begun + last, "-k", "not good", *options, OCHE_UNTIL=str(time.time()))
    assert done.returncode == (1 if red else 0), done.stdout
    count = 2 if red else 1
    told = " ".join(("-p", "xdist.plugin", "-p", "tests.flaky", "-k", "not good", *options))
    assert scratch.read("not_run") == f"Not finished: pytest {told}: the time was up after {count} tests.\n"
    assert not (tmp_path / "late").exists()
