"""What is left out of a run is named at its end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = ("tests/test_units.py", "tests/crash/test_order.py")


@pytest.mark.slow
def test_each_missing_package_is_named_once() -> None:
    """Two packages are missing: one for two tests, the other for one."""
    done = subprocess.run(
        (sys.executable, "-m", "pytest", "-n0", "-m", "", "-k", "the_unit or told", *FILES),
        cwd=ROOT,
        env={**os.environ, "OCHE_WITHOUT": "systemd,mosquitto"},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    told = [line for line in done.stdout.splitlines() if "Debian package" in line]
    assert told == ["needs the Debian package mosquitto: 1 test", "needs the Debian package systemd: 4 tests"]
