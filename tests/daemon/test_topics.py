"""The topic table of the contract, row by row, as a client of others sees it: retained, QoS, expiry, and order."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from aiomqtt import Client, ProtocolVersion
from paho.mqtt.subscribeoptions import SubscribeOptions

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from tests.daemon.display import DirectDisplay, Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, eventually


class Row(NamedTuple):
    """How a topic is published: retained, its QoS, and for how many seconds a broker keeps it."""

    retain: bool
    qos: int
    expiry_s: int | None = None


RETAINED = Row(True, 1)
KEPT = Row(True, 1, 90)
"""While it is said again and again: `online`, and the health."""
ROWS = {
    "oche/bridge/oche/info": RETAINED,
    "oche/bridge/oche/health": KEPT,
    "oche/bridge/oche/update": RETAINED,
    "oche/table/main/board/state": KEPT,
    "oche/table/main/board/info": RETAINED,
    "oche/table/main/state": RETAINED,
    "oche/table/main/event": Row(False, 0),
    **{
        f"oche/table/main/attr/{name}": RETAINED
        for name in (
            "game",
            "player",
            "score",
            "darts_left",
            "visit_score",
            "last_dart",
            "round",
            "phase",
            "hint",
            "task",
            "variant",
        )
    },
    "oche/table/main/next": RETAINED,
    "oche/table/main/seat/0/state": RETAINED,
    "oche/table/main/seat/1/state": RETAINED,
    "oche/table/main/response/stop": Row(False, 1),
    "homeassistant/device/oche_main/config": RETAINED,
    "oche/bridge/oche/state": KEPT,
}
"""In the order of the first connect, as far as the topic is in it."""
PRIVATE = ("seat/0/state", "seat/1/state")
HANDS = 'game = "dards"\noptions = { mode = "dealt" }\nseed = "a seed"\n'


class Heard(NamedTuple):
    topic: str
    row: Row
    text: str


@asynccontextmanager
async def listening(port: int, **login: str) -> AsyncIterator[list[Heard]]:
    """Everything that is published, with the flags it was published with, which MQTT 5 can show."""
    heard: list[Heard] = []

    async def listen(client: Client) -> None:
        async for message in client.messages:
            if "echo" in str(message.topic):
                continue  # how the daemon finds out what the broker lets it do
            expiry: int | None = getattr(message.properties, "MessageExpiryInterval", None)
            row = Row(message.retain, message.qos, expiry)
            heard.append(Heard(str(message.topic), row, bytes(message.payload).decode()))

    async with Client("127.0.0.1", port, protocol=ProtocolVersion.V5, **login) as client:  # type: ignore[arg-type]
        await client.subscribe("#", options=SubscribeOptions(qos=1, retainAsPublished=True))
        task = asyncio.create_task(listen(client))
        yield heard
        task.cancel()
        await asyncio.wait([task])


async def until(heard: list[Heard], topic: str, text: str = "") -> None:
    await eventually(lambda: any(each.topic == topic and text in each.text for each in heard))


async def test_every_row_of_the_topic_table(tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int) -> None:
    (tmp_path / "password").write_text("secret", encoding="utf-8")
    mqtt = f'username = "oche"\npassword_file = "{tmp_path}/password"'
    login = {"username": "oche", "password": "secret"}
    broker = Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, users={"oche": "secret"})
    async with broker, listening(broker.port, **login) as heard:
        async with run_daemon(read_config(configure(tmp_path, broker.port, HANDS, mqtt=mqtt))):
            await until(heard, "oche/bridge/oche/state", "online")
            connected = [each.topic for each in heard]
            async with Display(broker.port, username="oche", password="secret") as display:
                assert (await display.ask("stop", {}))["status"] == "ok"
        await until(heard, "oche/bridge/oche/state", "offline")
    for topic, row in ROWS.items():
        told = [each for each in heard if each.topic == topic]
        assert {each.row for each in told if each.text == "offline"} <= {RETAINED}
        found = {each.row for each in told if each.text != "offline"}
        if row.expiry_s is not None:  # what is left of it is told
            assert all(89 <= (each.expiry_s or 0) <= row.expiry_s for each in found)
            found = {each._replace(expiry_s=row.expiry_s) for each in found}
        assert found == {row} or (not found and topic == "oche/table/main/board/state"), topic
    strange = {each.topic for each in heard} - set(ROWS)
    assert {topic for topic in strange if "/request/" not in topic} == set()
    # News comes first, and that there is no board may be news by then.
    lasting = {topic for topic, row in ROWS.items() if row.retain and not topic.endswith("/board/info")}
    assert [topic for topic in dict.fromkeys(connected) if topic in lasting] == [t for t in ROWS if t in lasting]


async def test_the_order_is_the_same_at_every_connect(tmp_path: Path, broker: Mosquitto) -> None:
    """However long ago each thing was said: the board before what is on it, discovery after, `online` last."""
    async with run_daemon(read_config(configure(tmp_path, broker.port))):
        async with Display(broker.port) as display:
            await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
            await display.ask("throw", {"throw": "T20"})
        await broker.kill()
        await broker.start()
        async with listening(broker.port) as heard:
            await until(heard, "oche/bridge/oche/state", "online")
    expected = [topic for topic, row in ROWS.items() if row.retain and not topic.endswith(PRIVATE)]
    assert list(dict.fromkeys(each.topic for each in heard))[: len(expected)] == expected


@pytest.mark.slow
async def test_the_same_is_retained_in_mqtt_3(tmp_path: Path, unused_tcp_port: int) -> None:
    """On the broker of our own, which speaks no other."""
    file = configure(tmp_path, unused_tcp_port)
    file.write_text(file.read_text().replace('host = "127.0.0.1"\n', ""), encoding="utf-8")
    async with Process("run", "--config", file) as daemon:
        await daemon.runs()
        async with Display(unused_tcp_port, version=4) as early:
            await early.until(lambda: early.now.get("oche/bridge/oche/state") == "online")
            await early.ask("throw", {"throw": "T20"})
            await early.until(lambda: bool(early.events("dart")))
            expected = {topic for topic, row in ROWS.items() if row.retain and not topic.endswith(PRIVATE)}
            async with Display(unused_tcp_port, version=4) as late:
                await late.until(lambda: late.now.keys() >= expected)
                assert {message.topic for message in late.messages if message.retain} == expected
                assert not late.events()
        assert await daemon.stop() == 0


EVIL = ["\x1b[31mE\x00v\u202eil\n<b>x</b>", "y" * 500, '"{{ x }}"']


async def test_names_are_bounded_and_clean_wherever_they_are_said(display: DirectDisplay) -> None:
    header = {"game": "x01", "players": EVIL, "teams": [[0], [1], [2]], "team_names": EVIL}
    assert (await display.ask("game", {"players": EVIL}))["status"] == "ok"
    assert (await display.ask("start", header))["status"] == "ok"
    assert (await display.ask("throw", {"throw": "T20"}))["status"] == "ok"
    await display.until(lambda: bool(display.events("dart")))
    names = ["[31mEvil<b>x</b>", "y" * 40, '"{{ x }}"']
    plan = json.loads(display.now["oche/table/main/next"])
    assert (plan["players"], plan["team_names"]) == (names, names)
    assert [side["name"] for side in display.state()["sides"]] == names
    assert display.now["oche/table/main/attr/player"] == display.events("dart")[0]["player"] == names[0]
    for message in display.messages:
        if not re.search("/(request|cmd)/", message.topic) and "echo" not in message.topic:
            for text in texts(message.text):
                assert not re.search("[\x00\x1b\u202e]|y{41}", text), message


def texts(payload: str) -> Iterator[str]:
    """Every text in a message."""
    try:
        waiting: list[Any] = [json.loads(payload)]  # Any: JSON
    except ValueError:
        waiting = [payload]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value
