"""Brokers that are slow, broken or rude: we go on where that is possible, and the log has one sentence an event."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from daemon.config import read_config
from daemon.mqtt.address import BrokerAddress
from daemon.mqtt.client import Connection, Login
from daemon.mqtt.inbox import Letter
from daemon.mqtt.shadow import Message, Shadow
from daemon.mqtt.words import Trouble
from daemon.sections import Mqtt
from daemon.service import running
from protocol.messages import Health
from tests.daemon.between import PUBACK, SUBACK, between, publish
from tests.daemon.display import Display
from tests.daemon.house import configure
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.patience import PATIENCE_S, eventually

FAREWELL = b"\xe0\x01\x8b"
"""DISCONNECT of MQTT 5: the server is shutting down."""
WELCOME = b"\x20\x03\x00\x00\x00"
INFO, ONLINE = "oche/bridge/oche/info", "oche/bridge/oche/state"


def delivered(*numbers: int) -> bytes:
    """Messages of QoS 2: the library reads as many packets at once as it has to answer."""
    return b"".join(publish(b"a", b"", qos=2, number=number) for number in numbers)


def connection(port: int, letters: list[Letter]) -> Connection:
    where = BrokerAddress("127.0.0.1", port)
    return Connection(where, Mqtt("127.0.0.1", port), Login("test"), take=letters.append, timeout_s=PATIENCE_S)


@pytest.mark.parametrize("retain", [False, True])
async def test_what_is_far_too_long_is_not_sent_to_us(broker: Mosquitto, *, retain: bool) -> None:
    """The broker keeps it from us, and we go on."""
    letters: list[Letter] = []
    async with Display(broker.port) as display, connection(broker.port, letters) as link:
        if not retain:
            await link.subscribe("long/#")
        for number in range(3):
            await display.say(f"long/{number}", b"x" * 1_000_000, retain=retain)
        await display.say("long/end", "x" * 30_000, retain=retain)
        if retain:
            await link.subscribe("long/#")
        await eventually(lambda: bool(letters))
        await link.publish(Message("long/again", b"", retain=False, qos=1))
        await eventually(lambda: len(letters) == 2)
        assert [letter.topic for letter in letters] == ["long/end", "long/again"]


async def test_a_slow_broker_is_told_all_again_once_when_it_is_fast_again(
    tmp_path: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.mqtt.link._SLOW_S", 0.3)
    is_slow = False

    async def delay(kind: int, packet: bytes) -> bytes:
        if is_slow and kind == PUBACK:
            await asyncio.sleep(0.35)
        return packet

    async with Display(broker.port) as display, between(broker.port, delay) as port:

        def said(topic: str) -> int:
            return sum(message.topic == topic for message in display.messages)

        async with running(read_config(configure(tmp_path, port))) as house:

            async def say(uptime_s: int) -> None:
                house.mqtt.shadow.say("bridge_health", Health(uptime_s, 0, {}), bridge="oche")
                await display.until(lambda: f'"uptime_s":{uptime_s},' in display.now.get("oche/bridge/oche/health", ""))

            await display.until(lambda: display.now.get(ONLINE) == "online")
            is_slow = True
            for uptime_s in (1001, 1002, 1003):
                await say(uptime_s)
            assert (said(INFO), said(ONLINE)) == (1, 1), "nothing is repeated while it is slow"
            await house.mqtt.shadow.delivered.wait()
            is_slow = False
            await say(1004)
            await display.until(lambda: said(ONLINE) == 2)
            assert said(INFO) == 2
            assert [message.topic for message in display.messages][-1] == ONLINE
            await say(1005)
            await display.ask("throw", {"throw": "T20"})
            assert (said(INFO), said(ONLINE)) == (2, 2)


def test_what_is_new_goes_before_what_is_repeated_and_online_is_last() -> None:
    shadow = Shadow("oche")
    for kind, value in (("bridge_state", "online"), ("board_state", "online"), ("state", "one"), ("next", "one")):
        shadow.say(kind, value, bridge="oche", table="main")
    shadow.restart()
    sent = [next(shadow.take())]
    shadow.say("state", "two", table="main")
    shadow.say("event", "two", table="main")
    shadow.mention("next", "by the way", table="main")
    sent += shadow.take()
    assert [(message.topic.removeprefix("oche/"), message.payload) for message in sent] == [
        ("table/main/board/state", b"online"),
        ("table/main/state", b"two"),
        ("table/main/event", b"two"),
        ("table/main/next", b'"by the way"'),
        ("table/main/next", b"one"),
        ("bridge/oche/state", b"online"),
    ]


async def test_a_request_that_comes_while_we_connect_is_answered(tmp_path: Path, broker: Mosquitto) -> None:
    request = publish(b"oche/table/main/request/throw", b'{"throw": "T20", "transaction": "early"}')
    subscribed = 0

    async def ask_early(kind: int, packet: bytes) -> bytes:
        """With the SUBACK of `request/+`, the third; and the next one waits until it is carried out."""
        nonlocal subscribed
        subscribed += kind == SUBACK
        if kind == SUBACK and subscribed == 4:
            await eventually(lambda: house.tables["main"].state().line == 2)
        return packet + request if kind == SUBACK and subscribed == 3 else packet

    async with (
        Display(broker.port) as display,
        between(broker.port, ask_early) as port,
        running(read_config(configure(tmp_path, port))) as house,
    ):
        await display.until(lambda: display.now.get(ONLINE) == "online")
        await display.until(lambda: "oche/table/main/response/throw" in display.now)
    assert json.loads(display.now["oche/table/main/response/throw"])["transaction"] == "early"


@pytest.mark.parametrize("topic", [b"a/+/b", b"a/#", b"", b"\xff\xfe"])
async def test_a_topic_that_none_can_be_is_passed_over(
    broker: Mosquitto, caplog: pytest.LogCaptureFixture, topic: bytes
) -> None:
    letters: list[Letter] = []

    async def add(kind: int, packet: bytes) -> bytes:
        return packet + publish(topic, b"odd", qos=1) + publish(b"fine", b"") if kind == SUBACK else packet

    async with between(broker.port, add) as port, connection(port, letters) as link:
        await link.subscribe("a/b")
        await eventually(lambda: bool(letters))
        assert [letter.topic for letter in letters] == ["fine"]
        assert await link.publish(Message("a/b", b"", retain=False, qos=1))
    assert not caplog.records


@asynccontextmanager
async def saying(*words: bytes) -> AsyncIterator[int]:
    """The port of one that says this to everybody, word by word, and hangs up."""

    async def be_rude(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        for word in words:
            await asyncio.sleep(0.005)  # one is read, and answered, before the next
            writer.write(word)
        writer.close()

    server = await asyncio.start_server(be_rude, "127.0.0.1")
    async with server:
        yield server.sockets[0].getsockname()[1]
    await server.wait_closed()


@pytest.mark.parametrize(
    "words",
    [
        [],
        [FAREWELL],
        [WELCOME],
        [WELCOME + FAREWELL],
        [WELCOME + delivered(1, 2, 3, 4), delivered(5, 6, 7) + FAREWELL],
        [WELCOME, WELCOME],
        [b"\x90\x00"],
    ],
    ids=["nothing", "farewell", "welcome", "both", "much", "twice", "nonsense"],
)
async def test_whatever_a_broker_says_and_hangs_up_it_is_trouble_and_no_noise(
    caplog: pytest.LogCaptureFixture, words: list[bytes]
) -> None:
    caplog.set_level(logging.WARNING)
    async with saying(*words) as port:
        for _ in range(10):
            with pytest.raises(Trouble):
                async with connection(port, []) as link:
                    await link.until_it_ends()
    gc.collect()
    await asyncio.sleep(0)
    assert not [record.getMessage() for record in caplog.records]


async def test_who_is_called_off_while_connecting_makes_no_noise(
    broker: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    """At any moment: the socket is opened elsewhere, and is closed before anybody looks at it."""
    for moment in range(60):
        task = asyncio.create_task(connection(broker.port, []).__aenter__())
        await asyncio.sleep(moment / 20_000)
        task.cancel()
        with suppress(asyncio.CancelledError, Trouble):
            await (await task).__aexit__(None, None, None)
    gc.collect()
    await asyncio.sleep(0)
    assert not [record.getMessage() for record in caplog.records]
