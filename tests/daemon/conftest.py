"""What the tests of the daemon share: a broker, a board."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from protocol.codebook import shipped
from simulator.pty_board import PtyBoard
from tests.daemon.mosquitto import Mosquitto


@pytest.fixture
async def broker(mosquitto_path: Path, tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[Mosquitto]:
    async with Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port) as broker:
        yield broker


@pytest.fixture
async def board(tmp_path: Path) -> AsyncIterator[PtyBoard]:
    async with PtyBoard(shipped("opendarts"), tmp_path / "board") as board:
        yield board


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Home Assistant is announced to without the pauses: nobody is there who needs them."""
    monkeypatch.setattr("daemon.home_assistant.discovery.SETTLE_S", 0.02)
    monkeypatch.setattr("daemon.home_assistant.discovery.BIRTH_S", 0.02)
