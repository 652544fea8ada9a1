"""What the tests of the daemon share: a daemon in this process, a display that it has said all to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from daemon.config import read_config
from daemon.service import House, running
from tests.daemon.display import Display
from tests.daemon.house import configure
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.saying import Saying


@pytest.fixture
async def house(tmp_path: Path, broker: Mosquitto) -> AsyncIterator[House]:
    async with running(read_config(configure(tmp_path, broker.port))) as house:
        yield house


@pytest.fixture
async def display(broker: Mosquitto, house: House) -> AsyncIterator[Display]:
    async with Display(broker.port) as display:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        yield display


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Home Assistant is announced to without the pauses: nobody is there who needs them."""
    monkeypatch.setattr("daemon.home_assistant.discovery.SETTLE_S", 0.02)
    monkeypatch.setattr("daemon.home_assistant.discovery.BIRTH_S", 0.02)


@pytest.fixture
def oche(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Saying:
    """`oche` as somebody types it."""
    return Saying(capsysbinary, monkeypatch)
