"""What several tests of links share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.drivers.far_ends import Cable, NetBoard
from tests.drivers.system_bus import system_bus


@pytest.fixture
async def bus(dbus_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """A system bus of our own, with no service on it yet; its address."""
    async with system_bus(dbus_path, tmp_path) as address:
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
        yield address


@pytest.fixture
def cable() -> Iterator[Cable]:
    cable = Cable()
    yield cable
    cable.pull()


@pytest.fixture
async def net_board() -> AsyncIterator[NetBoard]:
    board = NetBoard()
    yield board
    board.end.close()
    board.listener.close()
