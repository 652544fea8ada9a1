"""What several tests of links share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.drivers.system_bus import system_bus


@pytest.fixture
async def bus(dbus_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """A system bus of our own, with nobody on it yet; its address."""
    async with system_bus(dbus_path, tmp_path) as address:
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
        yield address
