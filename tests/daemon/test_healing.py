"""Cables are pulled and brokers die, in any order: no accepted dart is lost, and all of it heals by itself."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, configure, eventually, journal, throw
from tests.sweep import sweep

ORDERS = (
    "unplug plug throw",
    "kill throw start",
    "unplug kill plug throw start",
    "unplug kill start plug throw",
    "kill throw unplug start plug throw",
    "kill unplug plug throw unplug start plug throw",
    "throw kill start throw kill throw unplug plug start",
)


@pytest.fixture
async def running(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> AsyncIterator[RunningDaemon]:
    async with run_daemon(read_config(configure(tmp_path, broker.port))) as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize("order", sweep(ORDERS, lambda order: order in ORDERS[::3]))
async def test_whatever_breaks_in_whatever_order(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, running: RunningDaemon, order: str
) -> None:
    table = running.tables["main"]
    await eventually(lambda: running.mqtt.status.sentence == "connected")
    await board.wait_until_open()
    throw(board, "T20")
    await eventually(lambda: table.state().line == 2)
    thrown: list[dict[str, object]] = [{"throw": "T20"}]
    in_the_dark: list[int] = []
    is_dark = False
    for step in order.split():
        match step:
            case "throw":
                await board.wait_until_open()
                throw_one(board, thrown)
                await eventually(lambda: table.state().line == len(thrown) + 1)
                if is_dark:
                    in_the_dark.append(len(thrown) + 1)
            case "unplug":
                await board.unplug()
                await eventually(lambda: not table.board.online)
            case "plug":
                board.plug()
            case "kill":
                await broker.kill()
                is_dark = True
                await eventually(lambda: running.mqtt.status.sentence != "connected")
            case "start":
                await broker.start()
                is_dark = False

    async with Display(broker.port) as display:  # of a broker that forgot everything
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await display.until(lambda: display.now.get("oche/table/main/board/state") == "online")
        state = await display.until_line(len(thrown) + 1)
        assert state["match"] == table.state().match
        plain = {f"oche/table/main/attr/{name}" for name in ("phase", "player", "score")}
        await display.until(lambda: display.now.keys() >= {*plain, "oche/table/main/board/info"})
        throw_one(board, thrown)
        await display.until(lambda: display.events("dart")[-1:] != [] and display.line() == len(thrown) + 1)
        told = {event["line"] for event in display.events() if "line" in event}
        assert not told & set(in_the_dark), "an event of the outage was told afterwards"
    assert journal(tmp_path) == thrown


def throw_one(board: PtyBoard, thrown: list[dict[str, object]]) -> None:
    """One more dart, noted as it will stand in the journal; the button is pressed where the visit is full."""
    if len(thrown) % 4 == 3:
        board.press("next")
        thrown.append({"next": True})
    throw(board, "DB")
    thrown.append({"throw": "DB"})


@pytest.mark.slow
async def test_the_cable_is_pulled_in_the_middle_of_a_line(
    broker: Mosquitto, board: PtyBoard, running: RunningDaemon
) -> None:
    """Half a line from before means nothing afterwards."""
    async with Display(broker.port) as display:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.wait_until_open()
        throw(board, "T20")
        await display.until(lambda: len(display.events("dart")) == 1)  # events come in order, a state may overtake them
        already = len(display.events("board_online"))  # it may have come online before the display, or after it
        board.write_raw(b"3,")
        await board.unplug()
        await display.until(lambda: display.now.get("oche/table/main/board/state") == "offline")
        board.plug()
        await board.wait_until_open()
        throw(board, "DB")
        assert [dart["segment"] for dart in (await display.until_line(3))["turn"]["darts"]] == ["T20", "DB"]
        assert running.tables["main"].scorer.status.counts.garbage == 0
        await display.until(lambda: len(display.events("board_online")) == already + 1)
        assert len(display.events("board_offline")) == 1


async def test_a_broker_that_hangs_holds_up_no_dart(broker: Mosquitto, board: PtyBoard, running: RunningDaemon) -> None:
    await eventually(lambda: running.mqtt.status.sentence == "connected")
    await board.wait_until_open()
    async with aiohttp.ClientSession(running.page) as web:
        broker.hang()
        throw(board, "T20", "T20", "T20")
        await eventually(lambda: running.tables["main"].state().line == 4)
        async with web.get("/api/table/main/state") as answer:
            assert (await answer.json())["phase"] == "takeout"
        broker.go_on()
    async with Display(broker.port) as display:
        await display.until_line(4)


async def test_who_comes_while_the_daemon_ends_is_refused_and_waits_for_nothing(
    tmp_path: Path, broker: Mosquitto
) -> None:
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(run_daemon(read_config(configure(tmp_path, broker.port))))
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        port = URL(running.page or "").port
        broker.hang()  # what is said to it last takes a while
        ending = asyncio.create_task(stack.aclose())

        async def is_refused() -> bool:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                return True
            writer.close()
            return False

        await eventually(is_refused)
        assert not ending.done()
        broker.go_on()
        await ending


async def test_of_a_broker_that_remembers_the_newest_state_wins(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int, board: PtyBoard
) -> None:
    broker = Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, remembers=True)
    async with broker, run_daemon(read_config(configure(tmp_path, broker.port))) as running:
        await board.wait_until_open()
        throw(board, "T20")
        async with Display(broker.port) as display:
            await display.until_line(2)
        await eventually((tmp_path / "mosquitto" / "mosquitto.db").exists)
        await broker.kill()
        throw(board, "T19")
        await eventually(lambda: running.tables["main"].state().line == 3)
        await broker.start()
        async with Display(broker.port) as display:
            await display.until_line(3)


@pytest.mark.parametrize("moment", sweep(range(6), lambda moment: moment in {1, 4}))
async def test_it_can_be_stopped_at_any_moment(tmp_path: Path, broker: Mosquitto, board: PtyBoard, moment: int) -> None:
    """Busy with the broker, too: what waits for an answer when the stop comes together with it must not miss it."""
    async with Display(broker.port) as display:
        async with asyncio.timeout(PATIENCE_S), run_daemon(read_config(configure(tmp_path, broker.port))) as running:
            await eventually(lambda: running.mqtt.status.sentence == "connected")
            await board.wait_until_open()
            board.write_raw(b"miss\r\nmiss\r\nmiss\r\nnext\r\n" * 100)
            await display.until_line(2)
            for _ in range(moment):
                await asyncio.sleep(0)
        await display.until(lambda: display.now["oche/bridge/oche/state"] == "offline")


@pytest.mark.parametrize("moment", sweep(range(8), lambda moment: moment in {0, 3}))
async def test_it_can_be_stopped_while_the_broker_dies(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, moment: int
) -> None:
    """The error of the broken connection must not take the place of the stop."""
    async with asyncio.timeout(PATIENCE_S), run_daemon(read_config(configure(tmp_path, broker.port))) as running:
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        await broker.kill()
        for _ in range(moment):
            await asyncio.sleep(0)


@pytest.mark.slow
@pytest.mark.parametrize("trouble", ["closed port", "silence", "hanging"])
async def test_it_can_be_stopped_whatever_the_broker_does(tmp_path: Path, broker: Mosquitto, trouble: str) -> None:
    """And without a board."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        if trouble == "closed port":
            await broker.kill()
        port: int = silent.getsockname()[1] if trouble == "silence" else broker.port
        async with asyncio.timeout(PATIENCE_S), run_daemon(read_config(configure(tmp_path, port))) as running:
            if trouble == "hanging":
                await eventually(lambda: running.mqtt.status.sentence == "connected")
                broker.hang()
            elif trouble == "closed port":
                await eventually(lambda: "no broker answers at 127.0.0.1" in running.mqtt.status.sentence)
            else:
                await asyncio.sleep(0.1)  # nothing tells when a connection is made but not answered
