"""The kernel the rig runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.rig.machine import RIG

collect_ignore = ["jobs"]
"""They are named to the pytest in the machine. Any other would load the virtual radio to find nothing there."""


@pytest.fixture(scope="session")
def kernel() -> Path:
    """From the cache, or from OCHE_RIG_KERNEL; it is built when there is none yet."""
    build = subprocess.run([RIG / "build_kernel.sh"], capture_output=True, text=True, check=False)
    if build.returncode:
        pytest.fail(build.stderr, pytrace=False)
    return Path(build.stdout.strip())
