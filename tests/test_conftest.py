"""What a run of the tests does by itself, whoever starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest

ROOT = Path(__file__).resolve().parent.parent


def run(*arguments: str, before: str = "") -> str:
    """What pytest prints; it has to pass."""
    done = subprocess.run(
        ("bash", "-c", f'{before} exec "$@"', "bash", sys.executable, "-m", "pytest", *arguments),
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_a_run_in_the_background_can_interrupt_what_it_starts() -> None:
    """Such a run ignores SIGINT, and its children would too."""
    test = "tests/daemon/test_capture_command.py::test_a_recording_is_complete_however_the_capture_ends[2]"
    assert "1 passed" in run("-n1", test, before="trap '' INT;")


@pytest.mark.parametrize("fifth", [None, 3])
def test_a_fifth_is_what_the_ids_say(fifth: int | None) -> None:
    chosen = () if fifth is None else ("--fifth", str(fifth))
    told = run("--collect-only", "-q", "-n0", "-m", "", "tests/test_make.py", *chosen)
    ids = {line for line in told.splitlines() if "::" in line}
    assert ids
    assert {crc32(test.encode()) % 5 for test in ids} == (set(range(5)) if fifth is None else {fifth})
