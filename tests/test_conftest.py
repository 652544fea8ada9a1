"""What a run of the tests does by itself, whoever starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
