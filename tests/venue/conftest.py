"""What the tests of a venue share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.venue.nats import Cluster


@pytest.fixture
async def cluster(nats_path: Path, tmp_path: Path) -> AsyncIterator[Cluster]:
    async with Cluster(nats_path, tmp_path) as cluster:
        yield cluster
