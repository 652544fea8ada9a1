"""What the tests of a venue share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.venue.nats import Cluster

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def nats_path() -> Path:
    """The server. `make long` installs it: Debian's own are older than docs/venue.md asks for."""
    program = ROOT / "build" / "nats" / "bin" / "nats-server"
    if not program.exists():
        pytest.fail(f"There is no {program.relative_to(ROOT)}: make build/nats/.installed", pytrace=False)
    return program


@pytest.fixture
async def cluster(nats_path: Path, tmp_path: Path) -> AsyncIterator[Cluster]:
    async with Cluster(nats_path, tmp_path) as cluster:
        yield cluster
