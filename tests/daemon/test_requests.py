"""Requests: each is carried out once and answered where its sender listens, and every refusal has its code."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Self

import pytest
from aiomqtt import Client, Message, ProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from daemon.mqtt.inbox import Inbox, RecentRequests
from daemon.mqtt.message import IncomingMessage
from protocol.messages import Answer
from tests.commanding import give
from tests.daemon.display import JSON, DirectDisplay, Display, Shown
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, configure, eventually, journal

KITCHEN = '[[table]]\nname = "kitchen"\nboard = "serial:{}/other"\nprofile = "quick.toml"'
THROW = "oche/table/main/request/throw"


class Tablet:
    """A sender that speaks MQTT 5 itself: it names where it listens, and what it knows its question by."""

    def __init__(self, port: int) -> None:
        self._client = Client("127.0.0.1", port, protocol=ProtocolVersion.V5)

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self._client.__aexit__(None, None, None)

    async def listen(self, topic: str) -> None:
        await self._client.subscribe(topic, qos=1)

    async def ask(self, topic: str, body: object, reply_to: str, correlation: bytes | None = None) -> None:
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        properties.ResponseTopic = reply_to
        if correlation is not None:
            properties.CorrelationData = correlation
        await self._client.publish(topic, json.dumps(body), qos=1, properties=properties)

    async def heard(self) -> tuple[str, JSON, bytes | None]:
        """Topic, body and CorrelationData of what comes next."""
        async with asyncio.timeout(PATIENCE_S):
            message: Message = await anext(aiter(self._client.messages))
        body: JSON = json.loads(message.payload)
        return str(message.topic), body, getattr(message.properties, "CorrelationData", None)


def answers(display: Shown, topic: str = "oche/table/main/response/throw") -> list[JSON]:
    return [json.loads(message.text) for message in display.messages if message.topic == topic]


async def answered(display: Shown, times: int) -> None:
    await display.until(lambda: len(answers(display)) == times)


def is_connected(running: RunningDaemon) -> bool:
    return running.mqtt.status.sentence == "connected"


def body(**keys: object) -> str:
    return json.dumps(keys)


async def test_a_repeated_request_gets_the_first_answer_and_does_nothing(
    tmp_path: Path, display: DirectDisplay
) -> None:
    asked = body(transaction="one", throw="T20", at=1)
    await display.say(THROW, asked)
    await display.until(lambda: len(answers(display)) == 1)
    await display.say("oche/table/main/cmd/throw", "T19")
    await display.until_line(3)
    await display.say(THROW, asked)
    await display.until(lambda: len(answers(display)) == 2)
    first, again = answers(display)
    assert first == again == {"status": "ok", "data": {"line": 2, "phase": "throwing"}, "transaction": "one"}

    await display.say(THROW, body(transaction="one", throw="T18"))
    await display.until(lambda: len(answers(display)) == 3)
    error = answers(display)[2]["error"]
    assert error == {
        "code": "invalid",
        "message": "this transaction was already used for another request: use a new one for each request",
    }
    await display.say("oche/table/main/request/miss", body(transaction="one"))
    await display.until_line(4)
    assert journal(tmp_path) == [{"throw": "T20"}, {"throw": "T19"}, {"throw": "MISS"}], "each command by itself"


async def test_a_request_repeated_while_it_is_carried_out_is_one(tmp_path: Path, display: DirectDisplay) -> None:
    with closing(sqlite3.connect(tmp_path / "state" / "main.sqlite3", isolation_level=None)) as db:
        db.execute("begin immediate")
        for _ in range(3):
            await display.say(THROW, body(transaction="one", throw="T20"))
        db.execute("rollback")
    await display.until(lambda: len(answers(display)) == 3)
    assert {answer["data"]["line"] for answer in answers(display)} == {2}
    assert journal(tmp_path) == [{"throw": "T20"}]


async def test_a_request_repeated_over_a_restart_is_stale(tmp_path: Path, unused_tcp_port: int) -> None:
    """It is not remembered any more; `at` tells."""
    asked = body(transaction="one", throw="T20", at=1)
    setup = read_config(configure(tmp_path, unused_tcp_port))
    found = []
    for _ in range(2):
        async with run_daemon(setup) as running, DirectDisplay(running) as display:
            await display.say(THROW, asked)
            await answered(display, 1)
            found += answers(display)
    assert [answer["status"] for answer in found] == ["ok", "error"]
    assert found[1]["error"]["code"] == "stale"
    assert journal(tmp_path) == [{"throw": "T20"}]


async def test_what_could_not_be_kept_may_be_tried_again(tmp_path: Path, display: DirectDisplay) -> None:
    """The journal takes nothing, and then it does; in between every request is answered."""
    path = tmp_path / "state" / "main.sqlite3"
    asked = body(transaction="one", throw="T20")
    with closing(sqlite3.connect(path)) as db:
        db.execute("create trigger full before insert on entry begin select raise(abort, 'disk is full'); end")
        for number in (1, 2):
            await display.say(THROW, asked)
            await answered(display, number)
        db.execute("drop trigger full")

    async def is_kept() -> bool:
        await display.say(THROW, asked)
        return any(answer["status"] == "ok" for answer in answers(display))

    await eventually(is_kept)
    assert {answer["error"]["code"] for answer in answers(display) if "error" in answer} == {"unavailable"}
    assert journal(tmp_path) == [{"throw": "T20"}]


async def test_only_so_many_requests_are_remembered_and_not_for_ever() -> None:
    now = 0.0
    repeats: RecentRequests[Answer] = RecentRequests(lambda: now)

    def take(transaction: str | None) -> bool:
        """Whether it is carried out."""
        if repeats.find("topic", transaction, b"") is not None:
            return False
        repeats.add("topic", transaction, b"", asyncio.get_running_loop().create_future())
        return True

    assert [take("one"), take("one"), take(None), take(None), take("")] == [True, False, True, True, True]
    assert all(take(str(number)) for number in range(255))
    assert not take("one")
    assert take("one more")
    assert take("one"), "the oldest is forgotten first"
    now = 601.0
    assert take("254")


async def test_a_request_says_exactly_what_it_means(display: DirectDisplay) -> None:
    at = "at must be the line of the match that you saw, a whole number such as 17"
    transaction = "transaction must be a text of at most 128 characters, new for each request"
    wrong: list[tuple[JSON, str]] = [
        ({"at": "1"}, at),
        ({"at": True}, at),
        ({"at": 1.0}, at),
        ({"transaction": 5}, transaction),
        ({"transaction": "x" * 129}, transaction),
    ]
    for number, (keys, message) in enumerate(wrong, 1):
        await display.say(THROW, body(throw="T20", **keys))
        await answered(display, number)
        assert answers(display)[-1]["error"] == {"code": "invalid", "message": message}, keys
    await display.say(THROW, body(throw="T20", at=None, transaction=None))
    await display.until_line(2)


async def test_the_answer_goes_where_an_mqtt_5_sender_listens(tmp_path: Path, broker: Mosquitto) -> None:
    setup = read_config(configure(tmp_path, broker.port))
    async with run_daemon(setup), Display(broker.port) as display, Tablet(broker.port) as tablet:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        for own in ("tablet/status", "oche/table/main/response/tablet"):
            await tablet.listen(own)
            await tablet.ask("oche/table/main/request/redo", {}, own)
            assert (await tablet.heard())[0] == own
        await tablet.listen("tablet/answers")
        await tablet.ask(THROW, {"throw": "T20"}, "tablet/answers", b"\x00\xff7")
        kept = {"status": "ok", "data": {"line": 2, "phase": "throwing"}, "transaction": None}
        assert await tablet.heard() == ("tablet/answers", kept, b"\x00\xff7")
        for number in (8, 9):  # the same again: each answer belongs to its own question
            await tablet.ask(THROW, {"throw": "T1", "transaction": "a"}, "tablet/answers", b"%d" % number)
            _, answer, correlation = await tablet.heard()
            assert (answer["data"]["line"], answer["transaction"], correlation) == (3, "a", b"%d" % number)
        await tablet.ask("oche/table/main/cmd/redo", {}, "tablet/answers", b"10")
        _, answer, correlation = await tablet.heard()
        assert (answer["error"]["code"], correlation) == ("illegal", b"10"), "a command that wants an answer gets one"
    assert not answers(display), "one answer to a request"
    assert journal(tmp_path) == [{"throw": "T20"}, {"throw": "T1"}]


TAKEN = (
    "oche/table/main/cmd/throw",
    "oche/table/kitchen/request/throw",
    "oche/table/main/seat/0/cmd/choose",
    "oche/table/main/state",
    "oche/bridge/oche/state",
    "oche/bridge/other/health",
    "oche/table/kitchen/anything",
    "oche/response/throw",
    "homeassistant/device/oche_main/config",
    "homeassistant/status",
    "homeassistant/sensor/anything/config",
    "$SYS/broker",
    "x" * 1001,
)


async def test_a_reserved_response_topic_is_refused(tmp_path: Path, display: DirectDisplay) -> None:
    for number, reply_to in enumerate(TAKEN):
        transaction = f"mine {number}"
        await display.write(THROW, body(throw="T20", transaction=transaction), reply_to=reply_to)
        await answered(display, number + 1)
        answer = answers(display)[number]
        assert (answer["transaction"], answer["error"]["code"]) == (transaction, "invalid")
        assert answer["error"]["message"].startswith("oche cannot answer on this ResponseTopic")
        assert not [m for m in display.messages if m.topic == reply_to and transaction in m.text]
    assert journal(tmp_path) == []


async def test_a_busy_table_says_so_once_and_holds_up_no_other(
    tmp_path: Path, unused_tcp_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    setup = read_config(configure(tmp_path, unused_tcp_port, more=KITCHEN.format(tmp_path)))
    async with run_daemon(setup) as running, DirectDisplay(running) as display:
        with closing(sqlite3.connect(tmp_path / "state" / "main.sqlite3", isolation_level=None)) as db:
            db.execute("begin immediate")
            await display.say("oche/table/main/cmd/throw", "T20")
            await eventually(lambda: len(running.tables["main"].backlog) == 0)
            for _ in range(300):
                await display.say("oche/table/main/cmd/redo")
            answer = await display.ask("next", {})
            error = answer["error"]
            assert (error["code"], error["message"]) == ("busy", "the table is overloaded: try again")
            assert len(running.tables["main"].backlog) < 300  # 256 commands; the board and the clock may add to them
            assert (await display.ask("throw", {"throw": "DB"}, "kitchen"))["status"] == "ok"
            db.execute("rollback")
        assert [record.getMessage() for record in caplog.records if "overloaded" in record.getMessage()] == [
            "main: the table is overloaded: try again; commands that come too fast are refused"
        ]
        await eventually(lambda: len(running.tables["main"].backlog) == 0)
        assert (await display.ask("stop", {}))["status"] == "ok"


async def test_an_unusable_table_says_why_and_a_strange_one_nothing(tmp_path: Path, broker: Mosquitto) -> None:
    (tmp_path / "state").mkdir()
    with closing(sqlite3.connect(tmp_path / "state" / "kitchen.sqlite3")) as newer:
        newer.execute("pragma user_version = 99")
    setup = read_config(configure(tmp_path, broker.port, more=KITCHEN.format(tmp_path)))
    async with Display(broker.port) as display, run_daemon(setup):
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        error = (await display.ask("throw", {"throw": "T20"}, "kitchen"))["error"]
        assert error["code"] == "unavailable"
        assert error["message"].startswith("the table cannot be used: the journal ")
        assert error["message"].endswith("kitchen.sqlite3 was written by a newer oche; update this one")
        await display.say("oche/table/garage/request/throw", body(throw="T20"))
        assert (await display.ask("throw", {"throw": "T20"}))["status"] == "ok"
        assert "oche/table/garage/response/throw" not in display.now


@pytest.mark.long
async def test_a_flood_on_one_table_is_survived_and_passed_by(tmp_path: Path, broker: Mosquitto) -> None:
    """100,000 commands as fast as the broker takes them: another table plays on meanwhile, and all is well after it."""
    setup = read_config(configure(tmp_path, broker.port, more=KITCHEN.format(tmp_path)))
    async with run_daemon(setup) as running:
        await eventually(partial(is_connected, running))
        flooded = asyncio.create_task(asyncio.to_thread(flood, broker.port, b"oche/table/main/cmd/throw", 100_000))
        kitchen = running.tables["kitchen"]
        while not flooded.done():
            assert (await give(kitchen, {"next": True}, "page")).phase == "throwing"
            assert len(running.tables["main"].backlog) <= 256
        await flooded
        before = kitchen.match.line
        async with Display(broker.port) as display:

            async def is_well() -> bool:
                """Perhaps over a new connection: the broker's answers wait behind the flood, maybe for too long."""
                await display.say("oche/table/kitchen/request/throw", body(transaction="one", throw="DB"))
                return bool(answers(display, "oche/table/kitchen/response/throw"))

            await eventually(is_well)
        assert kitchen.match.line == before + 1
        await eventually(partial(is_connected, running))


def flood(port: int, topic: bytes, times: int) -> None:
    """By hand, because a client library is slower than who would do that."""
    packets = []
    for payload in (b"T20", b'{"throw": ['):
        content = len(topic).to_bytes(2, "big") + topic + payload
        packets.append(bytes([0x30, len(content)]) + content)
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"\x10\x11\x00\x04MQTT\x04\x02\x00\x00\x00\x05flood")
        for _ in range(times // 100):
            connection.sendall(packets[0] * 90 + packets[1] * 10)
        connection.sendall(b"\xe0\x00")
        while connection.recv(4096):
            pass


async def test_what_is_no_allowed_response_topic_is_refused(tmp_path: Path, broker: Mosquitto) -> None:
    """The answer goes to the contract's own topic, and nothing where it was asked for."""
    setup = read_config(configure(tmp_path, broker.port, mqtt='response_topics = ["answers/"]'))
    async with (
        run_daemon(setup),
        Display(broker.port) as display,
        Client("127.0.0.1", broker.port, protocol=ProtocolVersion.V5) as client,
    ):
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await client.subscribe("#")
        for reply_to, status in (
            ("wled/all/api", "error"),
            ("answers/1", "ok"),
            ("oche/table/main/response/throw", "ok"),
        ):
            named = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            named.ResponseTopic = reply_to
            await client.publish(THROW, body(throw="T20", transaction=reply_to), properties=named)
            async for message in client.messages:
                if message.topic.value == "oche/table/main/response/throw" or message.topic.value == "answers/1":
                    break
            assert json.loads(message.payload)["status"] == status
            assert message.topic.value == (reply_to if status == "ok" else "oche/table/main/response/throw")


async def test_refused_commands_are_counted_and_logged_once(
    tmp_path: Path, broker: Mosquitto, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.health.HEALTH_S", 0.1)
    caplog.set_level(logging.INFO)
    setup = read_config(configure(tmp_path, broker.port, mqtt="requests = true"))
    async with Display(broker.port) as display, run_daemon(setup):
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        for _ in range(50):
            await display.say("oche/table/main/cmd/throw", "T99")
        await display.say("oche/bridge/oche/request/restrat")
        await display.until(lambda: '"refused":50' in display.now["oche/bridge/oche/health"])
        await display.until(lambda: json.loads(display.now["oche/bridge/oche/health"])["refused"] == 1)
    assert sum("refused throw" in record.getMessage() for record in caplog.records) == 1


def test_the_next_refusal_that_is_logged_tells_how_many_were_not(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    now_s = 0.0
    inbox = Inbox({}, {"main": "why"}, "oche", "homeassistant", lambda *_: None, clock=lambda: now_s)
    for now_s in (0.0, 1.0, 59.0, 60.0):  # noqa: B007  the clock reads it
        inbox.receive(IncomingMessage("oche/table/main/cmd/throw", b"T20", retained=False))
    refused = "main: refused throw: the table cannot be used: why"
    assert caplog.messages == [refused, f"{refused} (2 more since the last such line)"]
