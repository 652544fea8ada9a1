"""A broker whose port no client can happen to get."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from tests.daemon.mosquitto import Mosquitto


@pytest.fixture
async def broker(mosquitto_path: Path, tmp_path: Path) -> AsyncIterator[Mosquitto]:
    """One that can be started again whoever knocked meanwhile.

    The kernel gives clients ports from 32768 on. One that knocks often enough at such a port while nobody listens there
    is at last given that very port, is connected to itself, and keeps the broker out.
    """
    async with Mosquitto(mosquitto_path, tmp_path / "mosquitto", _free_port()) as broker:
        yield broker


def _free_port() -> int:
    for port in Random().sample(range(10_000, 32_000), 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no port is free")
