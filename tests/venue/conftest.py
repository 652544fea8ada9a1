"""What the tests of a venue share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from protocol.codebook import shipped
from simulator.pty_board import PtyBoard
from tests.venue.nats import Cluster


@pytest.fixture
async def cluster(nats_path: Path, tmp_path: Path) -> AsyncIterator[Cluster]:
    async with Cluster(nats_path, tmp_path) as cluster:
        yield cluster


@pytest.fixture
async def board(tmp_path: Path) -> AsyncIterator[PtyBoard]:
    async with PtyBoard(shipped("opendarts"), tmp_path / "board") as board:
        yield board
