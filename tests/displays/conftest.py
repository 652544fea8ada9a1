"""What the examples for displays are tried with, beside a broker and a board."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest


@pytest.fixture
def free_port() -> int:
    """One more port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """What is tried on Node.js, as `make long` installs it."""
    if "nodejs" in os.environ.get("OCHE_WITHOUT", "").split(","):
        pytest.skip("OCHE_WITHOUT leaves out what needs the Debian package nodejs")
    folder = Path(__file__).parents[1] / "node" / "node_modules"
    if shutil.which("node") is None or not (folder / ".installed").exists():
        pytest.fail("This test needs what npm brings: run make long, which installs it.", pytrace=False)
    return folder
