"""What the daemon says to the service manager, and what its watchdog is fed by."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Self

import pytest

from daemon.admin.players.doubles import FavouriteDoubles
from daemon.assemble import open_tables, run_daemon
from daemon.config.reader import read_config
from daemon.service.systemd import Feeder, Watchdog, notify, read_watchdog_s
from daemon.table.table import Table
from simulator.pty_board import PtyBoard
from tests.commanding import give
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, Process, configure, journal, throw


class Manager:
    """`with Manager(address)` listens at a path, or at an abstract address that begins with @.

    `now` is the last that was said by each word, `heard` all of it.
    """

    def __init__(self, address: str, period_s: float) -> None:
        self.now: dict[str, str] = {}
        self.heard: list[str] = []
        self._address = address
        self._period_s = period_s
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)

    @property
    def words(self) -> dict[str, str]:
        """What the daemon finds in its environment."""
        return {"NOTIFY_SOCKET": self._address, "WATCHDOG_USEC": str(round(self._period_s * 1e6))}

    @property
    def environment(self) -> dict[str, str]:
        """The whole of that."""
        return {**os.environ, **self.words}

    def __enter__(self) -> Self:
        self._socket.bind("\0" + self._address[1:] if self._address.startswith("@") else self._address)
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        if not self._address.startswith("@"):
            Path(self._address).unlink()

    async def next(self) -> str:
        """The next datagram."""
        message = (await asyncio.get_running_loop().sock_recv(self._socket, 65536)).decode()
        self.heard.append(message)
        self.now |= dict(line.split("=", 1) for line in message.split("\n"))
        return message

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Waits until what was said makes this true."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not is_so():
                    await self.next()
        except TimeoutError:
            raise AssertionError(f"it never said so: {self.heard}") from None

    async def fed(self, times: int = 3) -> None:
        """Waits until the watchdog was fed so often from now on."""
        wanted = self.heard.count("WATCHDOG=1") + times
        await self.until(lambda: self.heard.count("WATCHDOG=1") >= wanted)

    async def starved(self) -> None:
        """Waits until the watchdog was not fed for so long that systemd loses its patience."""
        loop = asyncio.get_running_loop()
        end = loop.time() + PATIENCE_S
        with suppress(TimeoutError):
            while loop.time() < end:
                async with asyncio.timeout(self._period_s):
                    while await self.next() != "WATCHDOG=1":
                        pass
            raise AssertionError("it is fed and fed")


PERIOD_S = 1.0
TWO_TABLES = '[[table]]\nname = "back"\nboard = "serial:/dev/none"\nprofile = "quick.toml"'

SLEEPER = """
import time
from pathlib import Path
from engine.games.x01 import X01

class Sleeper(X01):
    'As 501, until it falls asleep. Source: none.'

    id = "sleeper"

    def dart(self, *how):
        if Path(__file__).with_name(".asleep").exists():
            time.sleep(3600)
        return super().dart(*how)

GAMES = [Sleeper()]
"""
"""A plug-in that is fine when it is tried, and whose rule does not return later."""


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Manager]:
    """One that also manages this very process."""
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    with Manager(str(tmp_path / "notify"), PERIOD_S / 2) as manager:
        for name, value in manager.words.items():
            monkeypatch.setenv(name, value)
        yield manager


@pytest.mark.slow
async def test_a_manager_hears_how_it_goes(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    """Ready waits for no board and no broker; what is away is said, and is no reason to start again."""
    file = configure(tmp_path, broker.port, more=TWO_TABLES)
    await broker.kill()
    with Manager(f"@oche-test-{os.getpid()}", PERIOD_S) as manager:
        async with Process("run", "--config", file, env=manager.environment) as daemon:
            await manager.until(lambda: "READY" in manager.now)
            await manager.until(lambda: "; broker: " in manager.now.get("STATUS", ""))
            await manager.fed()
            await broker.start()
            fine = f"2 tables; boards: main online, back offline; broker 127.0.0.1:{broker.port}"
            await manager.until(lambda: manager.now.get("STATUS") == fine)
            await board.unplug()
            await manager.until(lambda: "main offline" in manager.now.get("STATUS", ""))
            await manager.fed()
            daemon.signal(signal.SIGTERM)
            await manager.until(lambda: "STOPPING" in manager.now)
            assert await daemon.ended() == 0
            assert manager.now["WATCHDOG"] == "1"


async def test_a_configuration_that_cannot_be_used_is_never_ready(tmp_path: Path, unused_tcp_port: int) -> None:
    """The unit lets this status be: see RestartPreventExitStatus there."""
    file = configure(tmp_path, unused_tcp_port, "game = 'chess'")
    with Manager(str(tmp_path / "notify"), PERIOD_S) as manager:
        async with Process("run", "--config", file, env=manager.environment) as daemon:
            assert await daemon.ended() == 2
        notify(READY=1)  # no service manager started us
        assert manager.heard == []
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await manager.next()


@pytest.mark.slow
async def test_a_rule_that_never_returns_starves_the_watchdog(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    file = configure(tmp_path, broker.port, "game = 'sleeper'")
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "sleeper.py").write_text(SLEEPER, encoding="utf-8")
    with Manager(str(tmp_path / "notify"), PERIOD_S) as manager:
        async with Process("run", "--config", file, env=manager.environment) as daemon:
            await manager.until(lambda: "main online" in manager.now.get("STATUS", ""))
            await manager.fed()
            (tmp_path / "games" / ".asleep").touch()
            throw(board, "T20")
            await manager.starved()
            assert await daemon.stop(signal.SIGABRT) == -signal.SIGABRT  # what systemd does then
        assert "in dart" in daemon.errors, "it does not say where it was"
        assert journal(tmp_path) == []


async def test_a_start_anew_is_fed_although_its_loop_is_blocked(manager: Manager) -> None:
    feeder = Feeder()
    feeder.start()
    time.sleep(PERIOD_S)  # noqa: ASYNC251  as while a long match is played again
    feeder.stop()
    await manager.fed(3)
    await manager.starved()


async def test_a_table_that_says_what_is_wrong_is_not_stuck(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, manager: Manager
) -> None:
    """As with a full disk: it cannot be written what was thrown."""
    async with run_daemon(read_config(configure(tmp_path, broker.port))) as running:
        await board.wait_until_open()
        with closing(sqlite3.connect(tmp_path / "state" / "main.sqlite3", isolation_level=None)) as other:
            other.execute("create trigger full before insert on entry begin select raise(abort, 'no room'); end")
            throw(board, "T20")
            await manager.until(lambda: "no room" in manager.now.get("STATUS", ""))
            throw(board, "T20")
            await manager.fed(8)
            other.execute("drop trigger full")
        await manager.until(lambda: "no room" not in manager.now.get("STATUS", ""))
        assert running.tables["main"].trouble is None
    assert "WATCHDOG=trigger" not in "\n".join(manager.heard)


@pytest.mark.long
async def test_a_stuck_table_is_helped_once_and_then_left(tmp_path: Path, manager: Manager) -> None:
    for _ in range(2):
        async with _tables(tmp_path) as tables:
            give(tables["main"], {"next": True}, "mqtt")  # a backlog: the table does not run
            async with _fed(Watchdog(tables, (), tmp_path)):
                if "WATCHDOG" not in manager.now:
                    await manager.until(lambda: manager.now.get("WATCHDOG") == "trigger")
                    assert manager.now["STATUS"] == "the table main hangs"
                else:
                    await manager.fed(10)
    assert sum("trigger" in each for each in manager.heard) == 1


@pytest.mark.long
async def test_when_no_table_moves_it_is_tried_again(tmp_path: Path, manager: Manager) -> None:
    for times in (1, 2):
        async with _tables(tmp_path) as tables:
            for table in tables.values():
                give(table, {"next": True}, "mqtt")
            async with _fed(Watchdog(tables, (), tmp_path)):
                await manager.until(lambda: sum("trigger" in each for each in manager.heard) == 2 * times)  # noqa: B023


@pytest.mark.slow
async def test_a_disk_that_does_not_answer_is_waited_for(tmp_path: Path, manager: Manager) -> None:
    os.mkfifo(tmp_path / "watchdog.probe")  # who writes to it waits for a reader
    async with _tables(tmp_path) as tables:
        give(tables["main"], {"next": True}, "mqtt")
        async with _fed(Watchdog(tables, (), tmp_path)):
            await manager.fed(10)
            assert set(manager.heard) == {"WATCHDOG=1"}
            (tmp_path / "watchdog.probe").read_bytes()  # now it does
            await manager.until(lambda: manager.now["WATCHDOG"] == "trigger")


async def test_a_part_without_its_supervisor_asks_for_a_new_start(
    tmp_path: Path, broker: Mosquitto, manager: Manager
) -> None:
    async with run_daemon(read_config(configure(tmp_path, broker.port))):
        await manager.fed()
        for task in asyncio.all_tasks():  # the part itself, and who starts it again
            if task.get_name() == "the link to the broker":
                task.cancel()
        await manager.until(lambda: manager.now["WATCHDOG"] == "trigger")
        assert "the link to the broker hangs" in "\n".join(manager.heard)


def test_a_watchdog_of_another_process_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "3000000")
    assert read_watchdog_s() == 3.0
    monkeypatch.setenv("WATCHDOG_PID", "1")
    assert read_watchdog_s() is None


@asynccontextmanager
async def _tables(folder: Path) -> AsyncIterator[dict[str, Table]]:
    """Two tables that are not running."""
    file = configure(folder, 1, more=TWO_TABLES)
    (folder / "state").mkdir(exist_ok=True)
    async with AsyncExitStack() as stack:
        tables, _ = await open_tables(read_config(file), stack, FavouriteDoubles(folder / "state"))
        yield tables


@asynccontextmanager
async def _fed(watchdog: Watchdog) -> AsyncIterator[None]:
    task = asyncio.create_task(watchdog.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
