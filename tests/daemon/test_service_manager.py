"""What the daemon says to whoever runs it as a service, and what its watchdog is fed by."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path

import pytest

from daemon.config import read_config
from daemon.notify import notify, watchdog_s
from daemon.opening import open_tables
from daemon.service import running
from daemon.table import Table
from daemon.watchdog import Watchdog
from simulator.pty_board import PtyBoard
from tests.daemon.house import Process, configure, journal, throw
from tests.daemon.manager import Manager
from tests.daemon.mosquitto import Mosquitto

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


async def test_a_manager_hears_how_it_goes(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    """Ready waits for nobody; what is away is said, and is no reason to start again."""
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
            daemon.process.send_signal(signal.SIGTERM)
            await manager.until(lambda: "STOPPING" in manager.now)
            assert await daemon.ended() == 0
            assert manager.now["WATCHDOG"] == "1"


async def test_a_configuration_that_cannot_be_used_is_never_ready(tmp_path: Path, unused_tcp_port: int) -> None:
    """The unit lets this status be: see RestartPreventExitStatus there."""
    file = configure(tmp_path, unused_tcp_port, "game = 'chess'")
    with Manager(str(tmp_path / "notify"), PERIOD_S) as manager:
        async with Process("run", "--config", file, env=manager.environment) as daemon:
            assert await daemon.ended() == 2
        notify(READY=1)  # nobody manages us
        assert manager.heard == []
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await manager.next()


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


async def test_a_table_that_says_what_is_wrong_is_not_stuck(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, manager: Manager
) -> None:
    """As with a full disk: it cannot be written what was thrown."""
    async with running(read_config(configure(tmp_path, broker.port))) as house:
        await board.opened()
        with closing(sqlite3.connect(tmp_path / "state" / "main.sqlite3", isolation_level=None)) as other:
            other.execute("create trigger full before insert on entry begin select raise(abort, 'no room'); end")
            throw(board, "T20")
            await manager.until(lambda: "no room" in manager.now.get("STATUS", ""))
            throw(board, "T20")
            await manager.fed(8)
            other.execute("drop trigger full")
        await manager.until(lambda: "no room" not in manager.now.get("STATUS", ""))
        assert house.tables["main"].trouble is None
    assert "WATCHDOG=trigger" not in "\n".join(manager.heard)


async def test_a_stuck_table_is_helped_once_and_then_left(tmp_path: Path, manager: Manager) -> None:
    for _ in range(2):
        async with _tables(tmp_path) as tables:
            tables["main"].command({"next": True}, "mqtt")  # which nobody works through
            async with _fed(Watchdog(tables, (), tmp_path)):
                if "WATCHDOG" not in manager.now:
                    await manager.until(lambda: manager.now.get("WATCHDOG") == "trigger")
                    assert manager.now["STATUS"] == "the table main does not move"
                else:
                    await manager.fed(10)
    assert sum("trigger" in each for each in manager.heard) == 1


async def test_when_no_table_moves_it_is_tried_again(tmp_path: Path, manager: Manager) -> None:
    for times in (1, 2):
        async with _tables(tmp_path) as tables:
            for table in tables.values():
                table.command({"next": True}, "mqtt")
            async with _fed(Watchdog(tables, (), tmp_path)):
                await manager.until(lambda: sum("trigger" in each for each in manager.heard) == 2 * times)  # noqa: B023


async def test_a_disk_that_does_not_answer_is_waited_for(tmp_path: Path, manager: Manager) -> None:
    os.mkfifo(tmp_path / "watchdog.probe")  # who writes to it waits for a reader
    async with _tables(tmp_path) as tables:
        tables["main"].command({"next": True}, "mqtt")
        async with _fed(Watchdog(tables, (), tmp_path)):
            await manager.fed(10)
            assert set(manager.heard) == {"WATCHDOG=1"}
            (tmp_path / "watchdog.probe").read_bytes()  # now it does
            await manager.until(lambda: manager.now["WATCHDOG"] == "trigger")


async def test_a_part_that_nobody_keeps_going_asks_for_a_new_start(
    tmp_path: Path, broker: Mosquitto, manager: Manager
) -> None:
    async with running(read_config(configure(tmp_path, broker.port))):
        await manager.fed()
        for task in asyncio.all_tasks():  # the part itself, and who starts it again
            if task.get_name() == "the link to the broker":
                task.cancel()
        await manager.until(lambda: manager.now["WATCHDOG"] == "trigger")
        assert "the link to the broker does not move" in "\n".join(manager.heard)


def test_a_watchdog_of_another_process_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "3000000")
    assert watchdog_s() == 3.0
    monkeypatch.setenv("WATCHDOG_PID", "1")
    assert watchdog_s() is None


@asynccontextmanager
async def _tables(folder: Path) -> AsyncIterator[dict[str, Table]]:
    """Two tables that nobody runs."""
    file = configure(folder, 1, more=TWO_TABLES)
    (folder / "state").mkdir(exist_ok=True)
    async with AsyncExitStack() as stack:
        tables, _ = await open_tables(read_config(file), stack)
        yield tables


@asynccontextmanager
async def _fed(watchdog: Watchdog) -> AsyncIterator[None]:
    task = asyncio.create_task(watchdog.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
