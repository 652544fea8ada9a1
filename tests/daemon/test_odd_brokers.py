"""Brokers that are slow, hang up, say nonsense or speak no MQTT 5: what is sent to them, and what is said of them."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import re
import socket
import tracemalloc
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from daemon.admin.doctor.broker import check_running
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.config.sections import BrokerAddress, Mqtt
from daemon.mqtt.broker_status import BrokerStatus
from daemon.mqtt.client import Connection, Login, UnsupportedVersion, Version
from daemon.mqtt.errors import BrokerError, ErrorKind
from daemon.mqtt.link import OutboxSender
from daemon.mqtt.message import IncomingMessage, OutgoingMessage
from daemon.mqtt.outbox import Outbox
from daemon.part import BrokerTrouble
from protocol.messages import BridgeResponse, Health, Response
from tests.daemon.display import Display, fits
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, configure, ended, eventually
from tests.daemon.relay import CONNACK, PUBACK, PUBLISH, SUBACK, between, read_packet, saying, serving


def publish(topic: bytes, payload: bytes, *, qos: int = 0, number: int = 7) -> bytes:
    """A short PUBLISH of MQTT 5, whatever its topic."""
    identifier = number.to_bytes(2, "big") if qos else b""
    content = len(topic).to_bytes(2, "big") + topic + identifier + b"\x00" + payload
    return bytes([PUBLISH << 4 | qos << 1, len(content)]) + content


FAREWELL = b"\xe0\x01\x8b"
"""DISCONNECT of MQTT 5: the server is shutting down."""
WELCOME = b"\x20\x03\x00\x00\x00"
INFO, ONLINE, HEALTH = (f"oche/bridge/oche/{kind}" for kind in ("info", "state", "health"))
GAME = "oche/table/main/attr/game"


def delivered(*numbers: int) -> bytes:
    """Messages of QoS 2: the library reads as many packets at once as it has to answer."""
    return b"".join(publish(b"a", b"", qos=2, number=number) for number in numbers)


def connection(port: int, messages: list[IncomingMessage]) -> Connection:
    where = BrokerAddress("127.0.0.1", port)
    return Connection(where, Mqtt("127.0.0.1", port), Login("test"), on_message=messages.append, timeout_s=PATIENCE_S)


@pytest.mark.parametrize("retain", [False, True])
async def test_what_is_far_too_long_is_not_sent_to_us(broker: Mosquitto, *, retain: bool) -> None:
    """The broker keeps it from us, and we go on."""
    messages: list[IncomingMessage] = []
    async with Display(broker.port) as display, connection(broker.port, messages) as link:
        if not retain:
            await link.subscribe("long/#")
        for number in range(3):
            await display.say(f"long/{number}", b"x" * 1_000_000, retain=retain)
        await display.say("long/end", "x" * 30_000, retain=retain)
        if retain:
            await link.subscribe("long/#")
        await eventually(lambda: bool(messages))
        await link.publish(OutgoingMessage("long/again", b"", retain=False, qos=1))
        await eventually(lambda: len(messages) == 2)
        assert [message.topic for message in messages] == ["long/end", "long/again"]


async def test_what_is_too_long_for_the_broker_is_named_and_the_rest_is_sent(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int
) -> None:
    """It would hang up at each connect."""
    more = ["max_packet_size 20000"]
    setup = read_config(configure(tmp_path, unused_tcp_port))
    async with Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, more=more):
        async with run_daemon(setup) as running, Display(unused_tcp_port) as display:
            await display.until(lambda: display.now.get(ONLINE) == "online")
            assert (await display.ask("throw", {"throw": "T20"}))["status"] == "ok"
            await running.mqtt.outbox.delivered.wait()
            assert INFO not in display.now
            said = (
                r"connected, but the broker accepts no message of more than 20000 bytes, and (\S+) has (\d+): "
                r"set max_packet_size there to \2 or more"
            )
            for value, named in (("", INFO), ("x" * 100_000, GAME), ("short enough", INFO)):
                running.mqtt.outbox.put("attr", value, table="main", attr="game")
                await running.mqtt.outbox.delivered.wait()
                found = re.fullmatch(said, running.mqtt.status.sentence)
                assert found, running.mqtt.status.sentence
                assert found[1] == named
            assert running.mqtt.reconnects == 0
        sentence = (
            "warning topics the broker accepts no message of more than 20000 bytes: set max_packet_size there to 262144"
        )
        assert any(sentence in " ".join(str(check).split()) for check in [each async for each in check_running(setup)])


@pytest.mark.parametrize(("kind", "made"), [("response", Response), ("bridge_response", BridgeResponse)])
async def test_who_asked_is_told_that_the_answer_is_too_long_for_the_broker(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int, kind: str, made: type[Response | BridgeResponse]
) -> None:
    """Where the requester listens, by what it knows its question by. An answer that fits comes as it is."""
    messages: list[IncomingMessage] = []
    more = ["max_packet_size 20000"]
    async with (
        Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, more=more),
        connection(unused_tcp_port, messages) as link,
    ):
        await link.subscribe("own")
        outbox = Outbox("oche")
        for length in (30_000, 10_000):
            outbox.put_response(made("ok", "a1", data={"file": "x" * length}), "own", b"7")
        status = BrokerStatus(Mqtt("127.0.0.1", unused_tcp_port), "oche", ["main"], BrokerTrouble())
        await asyncio.wait_for(OutboxSender(outbox, link, status).send_all(), PATIENCE_S)
        await eventually(lambda: len(messages) == 2)
    answers = [json.loads(message.payload) for message in messages]
    fits(kind, answers[0])
    assert [(answer["status"], answer["transaction"]) for answer in answers] == [("error", "a1"), ("ok", "a1")]
    assert [message.correlation for message in messages] == [b"7", b"7"]
    error = answers[0]["error"]
    assert error["code"] == "unavailable"
    assert error["message"].startswith("the broker accepts no message of more than 20000 bytes, and own has 30")
    assert status.sentence == "connected"


async def test_a_slow_broker_is_told_all_once_more_when_it_is_fast(
    tmp_path: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that stands still but for the answers of a slow broker."""
    is_slow, now_s = False, 0.0
    monkeypatch.setattr("daemon.mqtt.link.time", SimpleNamespace(monotonic=lambda: now_s))
    monkeypatch.setattr("daemon.mqtt.link.KEPT_S", 100_000)  # `online` is said again for no other reason

    async def delay(kind: int, packet: bytes) -> bytes:
        nonlocal now_s
        if is_slow and kind == PUBACK:
            now_s += 4.0
        return packet

    async with Display(broker.port) as display, between(broker.port, delay) as port:

        def said(topic: str) -> int:
            return sum(message.topic == topic for message in display.messages)

        async with run_daemon(read_config(configure(tmp_path, port))) as running:

            async def say(uptime_s: int) -> None:
                """Until it is told: oche's own health may take its place before it is sent."""

                def is_told() -> bool:
                    told = f'"uptime_s":{uptime_s},' in display.now.get(HEALTH, "")
                    if not told:
                        running.mqtt.outbox.put("bridge_health", Health(uptime_s, 0, {}), bridge="oche")
                    return told

                await eventually(is_told)

            await display.until(lambda: display.now.get(ONLINE) == "online")
            is_slow = True
            for uptime_s in (1001, 1002, 1003):
                await say(uptime_s)
            assert (said(INFO), said(ONLINE)) == (1, 1), "nothing is repeated while it is slow"
            await running.mqtt.outbox.delivered.wait()
            is_slow = False
            await say(1004)
            await display.until(lambda: said(ONLINE) == 2)
            assert said(INFO) == 2
            assert [message.topic for message in display.messages][-1] == ONLINE
            await say(1005)
            await display.ask("throw", {"throw": "T20"})
            assert (said(INFO), said(ONLINE)) == (2, 2)


@asynccontextmanager
async def holding_back(port: int, welcome: bytes = b"") -> AsyncIterator[tuple[int, asyncio.Event]]:
    """The port of a relay on which no PUBACK comes back until the event is set, which it is at first.

    `welcome` takes the place of the CONNACK.
    """
    flows = asyncio.Event()
    flows.set()

    async def hold(kind: int, packet: bytes) -> bytes:
        if kind == PUBACK:
            await flows.wait()
        return welcome if kind == CONNACK and welcome else packet

    async with between(port, hold) as relay:
        yield relay, flows


async def test_several_topics_are_in_flight_and_of_each_only_the_newest_follows(
    tmp_path: Path, broker: Mosquitto
) -> None:
    """The health that comes meanwhile, where a machine is slow, is none of them."""
    async with Display(broker.port) as display, holding_back(broker.port) as (port, flows):

        def said() -> list[tuple[str, str]]:
            of_attributes = (each for each in display.messages[seen:] if each.topic.startswith("oche/table/main/attr/"))
            return [(each.topic, each.text) for each in of_attributes]

        async with run_daemon(read_config(configure(tmp_path, port))) as running:
            await display.until(lambda: display.now.get(ONLINE) == "online")
            await running.mqtt.outbox.delivered.wait()
            seen = len(display.messages)
            flows.clear()
            for value in ("one", "two", "three"):
                for attr in ("game", "player"):
                    running.mqtt.outbox.put("attr", value, table="main", attr=attr)
                await display.until(lambda: len(said()) >= 2)
                await display.say("other", value)  # the broker has by then what was sent before
                await display.until(lambda value=value: display.now.get("other") == value)  # type: ignore[misc]
            flows.set()
            await running.mqtt.outbox.delivered.wait()
            await display.until(lambda: len(said()) >= 4)
    assert said() == [
        ("oche/table/main/attr/game", "one"),
        ("oche/table/main/attr/player", "one"),
        ("oche/table/main/attr/game", "three"),
        ("oche/table/main/attr/player", "three"),
    ]


async def test_no_more_is_in_flight_than_the_broker_wants(tmp_path: Path, broker: Mosquitto) -> None:
    """By its Receive Maximum, here 2."""
    welcome = b"\x20\x06\x00\x00\x03\x21\x00\x02"
    async with (
        Display(broker.port) as display,
        holding_back(broker.port, welcome) as (port, flows),
        run_daemon(read_config(configure(tmp_path, port))) as running,
    ):
        await display.until(lambda: display.now.get(ONLINE) == "online")
        await running.mqtt.outbox.delivered.wait()
        seen = len(display.messages)
        flows.clear()
        for attr in ("game", "player", "score", "round"):
            running.mqtt.outbox.put("attr", "new", table="main", attr=attr)
        await display.until(lambda: len(display.messages) >= seen + 2)
        await display.say("other", "the broker has by then what was sent before")
        await display.until(lambda: "other" in display.now)
        assert len(display.messages) == seen + 3
        flows.set()
        await display.until(lambda: len(display.messages) >= seen + 5)


async def test_who_waits_for_an_acknowledgement_keeps_to_that_too(broker: Mosquitto) -> None:
    """Beside a sender that has sent as many as the broker wants: an echo, or the last will."""
    welcome = b"\x20\x06\x00\x00\x03\x21\x00\x02"
    async with (
        Display(broker.port) as display,
        holding_back(broker.port, welcome) as (port, flows),
        connection(port, []) as link,
    ):
        flows.clear()
        for name in "ab":
            link.send(OutgoingMessage(name, b"", retain=False, qos=1), lambda is_accepted: None)
        link.flush()
        waiting = [asyncio.create_task(link.publish(OutgoingMessage(name, b"", False, qos=1))) for name in "cde"]
        await display.until(lambda: len(display.messages) >= 2)
        await display.say("other", "the broker has by then what was sent before")
        await display.until(lambda: "other" in display.now)
        assert [message.topic for message in display.messages] == ["a", "b", "other"]
        flows.set()
        assert await asyncio.gather(*waiting) == [True, True, True]
        await display.until(lambda: len(display.messages) == 6)
        assert [message.topic for message in display.messages][3:] == ["c", "d", "e"]


def acknowledge(number: int, code: int | None, why: int) -> bytes:
    """A PUBACK, as a broker of MQTT 5 may send it: with or without a code, and a reason that is so long."""
    body = number.to_bytes(2, "big") + (b"" if code is None else bytes([code]))
    if why:
        properties = b"\x1f" + why.to_bytes(2, "big") + b"x" * why
        body += encode_length(len(properties)) + properties
    return b"\x40" + encode_length(len(body)) + body


def encode_length(length: int) -> bytes:
    return bytes([length]) if length < 128 else bytes([length & 127 | 128]) + encode_length(length >> 7)


@pytest.mark.parametrize("piece", [1, 100, 5000, 1_000_000])
async def test_acknowledgements_are_taken_however_long_they_are_and_however_they_come(piece: int) -> None:
    """Between messages, and in pieces."""
    messages: list[IncomingMessage] = []
    done: dict[int, bool] = {}
    wanted = [(None, 0), (0, 0), (16, 0), (16, 100), (135, 200), (151, 20_000), (0, 60_000), (128, 1)]

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_packet(reader)
        writer.write(WELCOME)
        numbers = []
        for _ in wanted:
            packet = await read_packet(reader)
            numbers.append(int.from_bytes(packet[5:7], "big"))  # behind a topic of one character
        words = [acknowledge(number, *each) for number, each in zip(numbers, wanted, strict=True)]
        said = publish(b"m", b"").join(words)
        for at in range(0, len(said), max(piece, len(said) // 500)):
            writer.write(said[at : at + max(piece, len(said) // 500)])
            await writer.drain()
            await asyncio.sleep(0)
        await reader.read()
        writer.close()

    async with serving(answer) as port, connection(port, messages) as link:
        for place in range(len(wanted)):
            link.send(OutgoingMessage("a", b"", retain=False, qos=1), partial(done.__setitem__, place))
        link.flush()
        await eventually(lambda: len(done) == len(wanted) and len(messages) == len(wanted) - 1)
    assert list(done.items()) == [(place, (code or 0) < 128) for place, (code, _) in enumerate(wanted)]


async def test_a_flood_leaves_the_event_loop_its_turns() -> None:
    """It is read many at a time, and taken one after the other: each is a turn's work."""
    flood, turn = 3000, 0
    taken_in: list[int] = []

    async def count_turns() -> None:
        nonlocal turn
        while True:
            turn += 1
            await asyncio.sleep(0)

    def note(message: IncomingMessage) -> None:
        taken_in.append(turn)

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_packet(reader)
        writer.write(WELCOME + publish(b"a", b"x" * 40) * flood)
        await reader.read()
        writer.close()

    async with serving(pour) as port:
        link = Connection(BrokerAddress("127.0.0.1", port), Mqtt("127.0.0.1", port), Login("test"), on_message=note)
        counting = asyncio.create_task(count_turns())
        async with link:
            await eventually(lambda: len(taken_in) == flood)
        counting.cancel()
    assert max(Counter(taken_in).values()) <= 2


async def test_a_sender_that_was_stopped_sends_nothing_more(broker: Mosquitto) -> None:
    outbox = Outbox("oche")
    outbox.put("bridge_state", "online", bridge="oche")
    outbox.put("board_state", "online", table="main")
    async with (
        Display(broker.port) as display,
        holding_back(broker.port) as (port, flows),
        connection(port, []) as link,
    ):
        flows.clear()
        sender = OutboxSender(outbox, link, BrokerStatus(Mqtt("127.0.0.1", port), "oche", ["main"], BrokerTrouble()))
        outbox.begin_connection()
        sending = asyncio.create_task(sender.send_all())
        await display.until(lambda: "oche/table/main/board/state" in display.now)
        sender.stop()
        sending.cancel()
        flows.set()
        for last in ("acknowledged", "end"):
            assert await link.publish(OutgoingMessage(last, b"", retain=False, qos=1))
        await display.until(lambda: "end" in display.now)
        assert ONLINE not in display.now, "it waited for the acknowledgement of the first"


async def test_what_could_not_be_sent_is_not_taken_for_delivered() -> None:
    """The connection is gone when everything is sent: nobody may be told that it stands."""
    ends = asyncio.Event()

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_packet(reader)
        writer.write(WELCOME)
        await ends.wait()
        writer.close()

    outbox = Outbox("oche")
    outbox.put("bridge_state", "online", bridge="oche")
    seen = None
    async with serving(hang_up) as port:
        status = BrokerStatus(Mqtt("127.0.0.1", port), "oche", ["main"], BrokerTrouble())
        with suppress(BrokerError):
            async with connection(port, []) as link:
                ends.set()
                with suppress(BrokerError):
                    await link.wait_closed()
                outbox.begin_connection()
                sending = asyncio.create_task(OutboxSender(outbox, link, status).send_all())
                await eventually(lambda: outbox.is_empty)
                seen = (outbox.delivered.is_set(), status.sentence)
                await ended(sending)
    assert seen == (False, "not connected yet")


async def test_an_overdue_acknowledgement_ends_the_connection(broker: Mosquitto) -> None:
    async def swallow(kind: int, packet: bytes) -> bytes:
        return b"" if kind == PUBACK else packet

    is_ended = False
    async with between(broker.port, swallow) as port:
        link = Connection(BrokerAddress("127.0.0.1", port), Mqtt("127.0.0.1", port), Login("test"), timeout_s=0.5)
        with suppress(BrokerError):
            async with link:
                link.send(OutgoingMessage("a", b"", retain=False, qos=1), lambda is_accepted: None)
                link.flush()
                try:
                    await asyncio.wait_for(link.wait_closed(), PATIENCE_S)
                except BrokerError:
                    is_ended = True
    assert is_ended


async def test_acknowledgements_that_came_while_the_machine_stood_still_are_not_overdue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are in the socket when the machine goes on, and the time of all of them is over."""
    loop, count = asyncio.get_running_loop(), 6
    done: list[bool] = []
    is_done = asyncio.Event()

    def note(is_accepted: bool) -> None:
        done.append(is_accepted)
        if len(done) == count:
            is_done.set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_packet(reader)
        writer.write(WELCOME)
        numbers = [int.from_bytes((await read_packet(reader))[5:7], "big") for _ in range(count)]
        writer.write(b"".join(acknowledge(number, None, 0) for number in numbers))
        monkeypatch.setattr(loop, "time", partial(lambda time: time() + PATIENCE_S, loop.time))
        await reader.read()
        writer.close()

    async with serving(answer) as port, connection(port, []) as link:
        for _ in range(count):
            link.send(OutgoingMessage("a", b"", retain=False, qos=1), note)
        link.flush()
        closing, finishing = asyncio.create_task(link.wait_closed()), asyncio.create_task(is_done.wait())
        await asyncio.wait((closing, finishing), return_when=asyncio.FIRST_COMPLETED)
        assert not closing.done()
        closing.cancel()


async def test_one_that_reads_no_more_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where nothing that it was sent is acknowledged, and long before it would be asked for a sign of life."""
    monkeypatch.setattr("daemon.mqtt.client.KEEPALIVE_S", 2 * PATIENCE_S)
    is_over, is_ended = asyncio.Event(), False

    async def read_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_packet(reader)
        writer.write(WELCOME)
        await is_over.wait()
        writer.close()

    async with serving(read_nothing) as port:
        link = Connection(BrokerAddress("127.0.0.1", port), Mqtt("127.0.0.1", port), Login("test"), timeout_s=0.5)
        with suppress(BrokerError):
            async with link:
                for _ in range(20):
                    link.send(OutgoingMessage("a", b"x" * 1_000_000, retain=False, qos=0), lambda is_accepted: None)
                link.flush()
                try:
                    await asyncio.wait_for(link.wait_closed(), PATIENCE_S)
                except BrokerError:
                    is_ended = True
        is_over.set()
    assert is_ended


async def test_what_did_not_fit_the_socket_is_sent_once_it_has_room() -> None:
    reads, is_over, done = asyncio.Event(), asyncio.Event(), list[bool]()

    async def read_late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_packet(reader)
        writer.write(WELCOME)
        await reads.wait()
        with suppress(OSError):
            while await reader.read(65536):
                pass
        writer.close()
        is_over.set()

    async with serving(read_late) as port:
        async with connection(port, []) as link:
            for _ in range(20):
                link.send(OutgoingMessage("a", b"x" * 1_000_000, retain=False, qos=0), done.append)
            link.flush()
            assert len(done) < 20
            reads.set()
            await eventually(lambda: len(done) == 20)
        await is_over.wait()


async def test_a_request_that_comes_while_we_connect_is_answered(tmp_path: Path, broker: Mosquitto) -> None:
    request = publish(b"oche/table/main/request/throw", b'{"throw": "T20", "transaction": "early"}')
    subscribed = 0

    async def ask_early(kind: int, packet: bytes) -> bytes:
        """With the SUBACK of `request/+`, the third; and the next one waits until it is carried out."""
        nonlocal subscribed
        subscribed += kind == SUBACK
        if kind == SUBACK and subscribed == 4:
            await eventually(lambda: running.tables["main"].state().line == 2)
        return packet + request if kind == SUBACK and subscribed == 3 else packet

    async with (
        Display(broker.port) as display,
        between(broker.port, ask_early) as port,
        run_daemon(read_config(configure(tmp_path, port))) as running,
    ):
        await display.until(lambda: display.now.get(ONLINE) == "online")
        await display.until(lambda: "oche/table/main/response/throw" in display.now)
    assert json.loads(display.now["oche/table/main/response/throw"])["transaction"] == "early"


@pytest.mark.parametrize("topic", [b"a/+/b", b"a/#", b"", b"\xff\xfe"])
async def test_a_topic_that_none_can_be_is_passed_over(
    broker: Mosquitto, caplog: pytest.LogCaptureFixture, topic: bytes
) -> None:
    messages: list[IncomingMessage] = []

    async def add(kind: int, packet: bytes) -> bytes:
        return packet + publish(topic, b"odd", qos=1) + publish(b"fine", b"") if kind == SUBACK else packet

    async with between(broker.port, add) as port, connection(port, messages) as link:
        await link.subscribe("a/b")
        await eventually(lambda: bool(messages))
        assert [message.topic for message in messages] == ["fine"]
        assert await link.publish(OutgoingMessage("a/b", b"", retain=False, qos=1))
    assert not caplog.records


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
async def test_a_broker_that_hangs_up_is_trouble_whatever_it_said(
    caplog: pytest.LogCaptureFixture, words: list[bytes]
) -> None:
    caplog.set_level(logging.WARNING)
    async with saying(*words) as port:
        for _ in range(10):
            with pytest.raises(BrokerError):
                async with connection(port, []) as link:
                    await link.wait_closed()
    gc.collect()
    await asyncio.sleep(0)
    assert not [record.getMessage() for record in caplog.records]


async def test_who_is_called_off_while_connecting_makes_no_noise(
    broker: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    """At any moment: the socket is opened elsewhere, and is closed before it is looked at."""
    for moment in range(60):
        task = asyncio.create_task(connection(broker.port, []).__aenter__())
        await asyncio.sleep(moment / 20_000)
        task.cancel()
        with suppress(asyncio.CancelledError, BrokerError):
            await (await task).__aexit__(None, None, None)
    gc.collect()
    await asyncio.sleep(0)
    assert not [record.getMessage() for record in caplog.records]


async def as_it_is(kind: int, packet: bytes) -> bytes:
    return packet


async def test_one_hang_up_is_no_reason_to_speak_an_older_mqtt(tmp_path: Path, broker: Mosquitto) -> None:
    greetings: list[int] = []

    def admits(greeting: bytes) -> bool:
        greetings.append(greeting[8])
        return len(greetings) > 1

    async with (
        between(broker.port, as_it_is, admits) as port,
        run_daemon(read_config(configure(tmp_path, port))) as running,
    ):
        await eventually(lambda: running.mqtt.status.sentence == "connected")
    assert greetings == [5, 5]


async def test_one_that_says_nothing_may_be_an_old_broker() -> None:
    """Some wait for more when they are greeted in a version that they do not know."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = BrokerAddress("127.0.0.1", silent.getsockname()[1])
        with pytest.raises(UnsupportedVersion) as caught:
            await Connection(where, Mqtt(), Login("test"), timeout_s=0.1).__aenter__()
    assert caught.value.kind == ErrorKind.NO_ANSWER


@pytest.mark.parametrize("version", ["5", "3.1.1"])
async def test_a_packet_beyond_our_limit_is_thrown_away_and_the_next_one_taken(version: Version) -> None:
    """It claims 256 MB, and comes."""
    length = 256 * 1024 * 1024 - 1
    messages: list[IncomingMessage] = []
    short = publish(b"a", b"next") if version == "5" else b"\x30\x07\x00\x01anext"

    async def lie(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_packet(reader)
        writer.write(WELCOME if version == "5" else b"\x20\x02\x00\x00")
        writer.write(b"\x30\xff\xff\xff\x7f")
        for at in range(0, length, 1 << 20):
            writer.write(bytes(min(1 << 20, length - at)))
            await writer.drain()
        writer.write(short)
        await reader.read()
        writer.close()

    async with serving(lie) as port:
        where = BrokerAddress("127.0.0.1", port)
        link = Connection(where, Mqtt(), Login("test"), version, on_message=messages.append, timeout_s=PATIENCE_S)
        tracemalloc.start()
        async with link:
            await eventually(lambda: bool(messages))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert (len(messages[0].payload), most < 10_000_000) == (len(b"next"), True)
