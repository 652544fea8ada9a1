"""What the tests of the daemon share: a daemon in this process, a display that it has said all to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from pathlib import Path

import aiohttp
import pytest

from daemon.admin.admin import Admin
from daemon.admin.players.doubles import FavouriteDoubles
from daemon.admin.process import WorkerProcess
from daemon.admin.settings.settings_file import SettingsFile
from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from daemon.home_assistant.discovery import NOT_ANNOUNCED
from daemon.plugins import loader
from daemon.web.auth import Auth
from daemon.web.token import PageToken
from protocol.layouts import find_layout
from tests.daemon.display import DirectDisplay
from tests.daemon.evenings import Evening
from tests.daemon.process import PATIENCE_S, Saying, configure
from tests.plain_guard import PlainGuard


@pytest.fixture(autouse=True)
def _forget_plugins() -> Iterator[None]:
    """What a test has loaded is no game of the next one."""
    yield
    loader.forget()


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


@pytest.fixture
async def admin(tmp_path: Path) -> AsyncIterator[Admin]:
    """The care for a daemon with an evening behind it, which serves no page and has no table."""
    folder = tmp_path / "state"
    with Evening(folder) as evening:
        evening.play("T20 S1 D20", options={"start": 101})
    settings = SettingsFile(configure(tmp_path))
    await settings.note_start(read_config(settings.file), "")
    worker = WorkerProcess(folder, {"main": find_layout("standard")})
    auth = Auth((), PageToken("127.0.0.1", None, folder), b"")
    admin = Admin(
        *(auth, folder, {}, worker, FavouriteDoubles(folder), settings, PlainGuard()),
        lambda: NOT_ANNOUNCED,
        lambda _: nullcontext(),
        0,
        lambda *_: None,
        lambda *_: None,
        lambda _: None,
        lambda: None,
    )
    yield admin
    await admin.close()
    await worker.close()
