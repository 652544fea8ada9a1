"""The broker of our own, for a first evening; and brokers that are older than MQTT 5."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import aiomqtt
import pytest

from daemon.config import read_config
from daemon.errors import PortTaken
from daemon.mqtt.embedded import embedded_broker
from daemon.service import running
from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.house import Process, configure, throw
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.patience import eventually


async def test_it_serves_displays_and_stops_without_a_sound(
    tmp_path: Path, board: PtyBoard, unused_tcp_port: int
) -> None:
    file = configure(tmp_path, unused_tcp_port)
    file.write_text(file.read_text().replace('host = "127.0.0.1"\n', ""), encoding="utf-8")
    async with Process("run", "--config", file) as daemon:
        await daemon.runs()
        half_open = (await asyncio.open_connection("127.0.0.1", unused_tcp_port))[1]
        half_open.write(b"\x10")  # the first byte of a greeting
        async with Display(unused_tcp_port, version=4) as early:
            await early.until(lambda: early.now.get("oche/bridge/oche/state") == "online")
            await board.opened()
            throw(board, "T20")
            await early.until(lambda: [event["segment"] for event in early.events("dart")] == ["T20"])
            async with Display(unused_tcp_port, version=4) as late:
                assert (await late.until_line(2))["sides"][0]["score"] == 441
            await early.say("oche/table/main/cmd/throw", "DB")
            await early.until_line(3)
            assert await daemon.stop() == 0, daemon.errors
        half_open.close()
    words = ("Traceback", "ERROR", "never retrieved", "was destroyed")
    assert not [word for word in words if word in daemon.errors], daemon.errors
    assert "for everyday use install mosquitto" in daemon.errors


async def test_a_client_is_told_what_it_asked_for_and_nothing_else(unused_tcp_port: int) -> None:
    async with embedded_broker(unused_tcp_port), Display(unused_tcp_port, version=4) as everything:
        for name in ("state", "attr/score"):
            await everything.say(f"oche/table/main/{name}", "1", retain=True)
        async with aiomqtt.Client("127.0.0.1", unused_tcp_port) as narrow:
            await narrow.subscribe("oche/table/main/attr/#", qos=1)
            await everything.say("oche/table/main/attr/end", "1")
            told = [str((await anext(aiter(narrow.messages))).topic) for _ in range(2)]
    assert told == ["oche/table/main/attr/score", "oche/table/main/attr/end"]


async def test_of_two_that_want_a_port_at_once_one_is_told(unused_tcp_port: int) -> None:
    async with AsyncExitStack() as stack:
        both = (stack.enter_async_context(embedded_broker(unused_tcp_port)) for _ in range(2))
        ended = await asyncio.gather(*both, return_exceptions=True)
        assert [type(outcome) for outcome in ended].count(PortTaken) == 1, ended
    assert f"port {unused_tcp_port} is in use" in str(ended)


@pytest.mark.long
async def test_a_broker_that_knows_no_mqtt_5_is_spoken_to_in_3(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    """It answers a greeting in version 5 as mosquitto did before it learned that, and hangs up."""
    greetings: list[int] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        greeting = await reader.readexactly(9)  # type, length (one byte here), "MQTT" with its length, version
        greetings.append(greeting[8])
        if greeting[8] == 5:
            writer.write(b"\x20\x02\x00\x01")
        else:
            there, back = await asyncio.open_connection("127.0.0.1", broker.port)
            back.write(greeting)
            await asyncio.wait(
                [asyncio.create_task(pump(reader, back)), asyncio.create_task(pump(there, writer))],
                return_when=asyncio.ALL_COMPLETED,
            )
        writer.close()

    old = await asyncio.start_server(answer, "127.0.0.1")
    async with old, Display(broker.port) as display:
        file = configure(tmp_path, old.sockets[0].getsockname()[1])
        async with running(read_config(file)) as house:
            await eventually(lambda: house.mqtt.status == "connected")
            await board.opened()
            throw(board, "T20")
            await display.until_line(2)
            await display.say("oche/table/main/cmd/throw", "DB")
            await display.until_line(3)
            await broker.kill()
            await eventually(lambda: house.mqtt.status != "connected")
        await eventually(lambda: greetings[:2] == [5, 4])
    await old.wait_closed()


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(4096):
        writer.write(data)
    writer.close()
