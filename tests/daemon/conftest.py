"""What the tests of the daemon share: a daemon in this process, a display that it has said all to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from tests.daemon.display import DirectDisplay
from tests.daemon.process import PATIENCE_S, Saying, configure


@pytest.fixture
async def running(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    """The daemon, with a broker that is not there."""
    async with run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running:
        yield running


@pytest.fixture
async def web(running: RunningDaemon) -> AsyncIterator[aiohttp.ClientSession]:
    """A browser without a screen, at the page of that daemon."""
    async with aiohttp.ClientSession(running.page, timeout=aiohttp.ClientTimeout(total=PATIENCE_S)) as session:
        yield session


@pytest.fixture
async def display(running: RunningDaemon) -> AsyncIterator[DirectDisplay]:
    async with DirectDisplay(running) as display:
        yield display


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Home Assistant is announced to without the pauses, which no test needs."""
    monkeypatch.setattr("daemon.home_assistant.discovery.SETTLE_S", 0.02)
    monkeypatch.setattr("daemon.home_assistant.discovery.BIRTH_S", 0.02)


@pytest.fixture
def oche(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Saying:
    """`oche` as a user types it."""
    return Saying(capsysbinary, monkeypatch)
