"""Displays that know the contract alone: over MQTT as those of others are, or beside the daemon without a broker.

What is said to a table and what it says is the same for both; DirectDisplay saves each test the start of a broker.
"""

from __future__ import annotations

import asyncio
import json
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar
from uuid import uuid4

import aiomqtt
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import extend

from daemon.admin.faces.mqtt import BODIES
from daemon.assemble import RunningDaemon
from daemon.mqtt.inbox import Inbox
from daemon.mqtt.message import IncomingMessage
from protocol.contract import is_text, make_schemas
from protocol.topics import TOPICS, parse
from tests.daemon.process import PATIENCE_S, ended

P = TypeVar("P")

JSON = dict[str, Any]  # Any: JSON


@lru_cache(maxsize=1000)  # much is said again, above all at every start: info, discovery
def check(topic: str, text: str) -> None:
    """Raises AssertionError when this cannot be on the wire, with what is wrong."""
    address = parse(topic)
    if address is None:
        ours = topic.startswith(("oche/", "homeassistant/"))
        assert not ours, f"{topic} is not in the registry: {text}"
        return
    kind = TOPICS[address.kind]
    if kind.direction == "in" or (kind.retain and not text):  # emptied: taken off the broker
        return
    try:
        value = text if is_text(kind) else json.loads(text)
    except ValueError:
        raise AssertionError(f"{topic} is no JSON: {text}") from None
    if kind.payload is not dict:
        fits(address.kind, value)


def fits(name: str, value: object) -> None:
    """Raises AssertionError when a value does not fit the schema of this name."""
    validator = _validator(name)
    if not validator.is_valid(value):
        error = best_match(validator.iter_errors(value))
        assert error is not None
        raise AssertionError(f"{name} does not fit its schema: {error.message} at {error.json_path} in {value}")


def _one_of(validator: Any, schemas: list[JSON], value: Any, schema: JSON) -> Iterator[ValidationError]:
    """The keyword oneOf, which holds a value only against those whose constants it has: of thirty events, one."""
    possible = [each for each in schemas if isinstance(value, dict) and _has_constants(value, each)]
    yield from Draft202012Validator.VALIDATORS["oneOf"](validator, possible or schemas, value, schema)


def _has_constants(value: JSON, schema: JSON) -> bool:
    about = schema.get("properties", {})
    return all(name not in value or value[name] == about[name].get("const", value[name]) for name in about)


_Checker: type[Draft202012Validator] = extend(Draft202012Validator, {"oneOf": _one_of})  # type: ignore[no-untyped-call]


@cache
def _validator(name: str) -> Draft202012Validator:
    return _Checker(_closed(make_schemas(BODIES)[name]))


def _closed(schema: Any) -> Any:  # Any: JSON
    """The same schema without room for keys that it does not know."""
    if isinstance(schema, list):
        return [_closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(value) for key, value in schema.items()}
    return {"additionalProperties": False, **closed} if "properties" in schema and "type" in schema else closed


class Message(NamedTuple):
    """As it came in."""

    topic: str
    text: str
    retain: bool


AT_ONCE = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
"""Else what is said waits until the broker's kernel has acknowledged what was said before, for 40 ms."""


_READY = "display/ready"
"""A display says this to itself once it has subscribed: what was retained comes before it."""


class Shown(ABC):
    """What a display has seen: `messages` in order, `now` the newest of each topic.

    Whatever it sees must fit the contract (see `fits`), or the test fails, whatever it is about.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.now: dict[str, str] = {}
        self._news = asyncio.Event()
        self._said: set[str] = set()
        self._wrong: AssertionError | None = None
        """The first message that did not fit."""

    @abstractmethod
    async def say(self, topic: str, payload: str | bytes = "", *, retain: bool = False) -> None:
        """Publishes, and waits until the broker, or the daemon where there is none, has it."""

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Waits until what has been received makes this true."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not is_so():
                    if self._wrong is not None:
                        raise self._wrong
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            seen = "\n".join(f"{topic} {text[:1000]}" for topic, text in self.now.items())
            raise AssertionError(f"what was awaited never came; last seen:\n{seen}") from None

    async def until_line(self, line: int, table: str = "main") -> JSON:
        """The state, once it has come to this line of the match; as long as it comes on, it may take its time."""
        for reached in (*range(self.line(table) + 100, line, 100), line):
            await self.until(partial(self._has_line, reached, table))
        return self.state(table)

    async def ask(self, command: str, body: JSON, table: str = "main") -> JSON:
        """Sends a request and gives its answer: the response with its transaction."""
        transaction = f"{command} {uuid4().hex}"  # of no other display: a known one is not obeyed again
        await self.say(f"oche/table/{table}/request/{command}", json.dumps({"transaction": transaction, **body}))

        def answers() -> list[JSON]:
            found = [json.loads(m.text) for m in self.messages if m.topic == f"oche/table/{table}/response/{command}"]
            return [answer for answer in found if answer["transaction"] == transaction]

        await self.until(lambda: bool(answers()))
        if answers()[0]["status"] == "ok":
            fits(f"cmd_{command}", {"transaction": transaction, **body})
        return answers()[0]

    def state(self, table: str = "main") -> JSON:
        """The newest state."""
        state: JSON = json.loads(self.now[f"oche/table/{table}/state"])
        return state

    def line(self, table: str = "main") -> int:
        """Of the newest state; 0 before the first."""
        return int(self.state(table)["line"]) if f"oche/table/{table}/state" in self.now else 0

    def _has_line(self, line: int, table: str) -> bool:
        return self.line(table) >= line

    def states(self, table: str = "main") -> list[JSON]:
        """Every state, in order."""
        return [json.loads(m.text) for m in self.messages if m.topic == f"oche/table/{table}/state"]

    def events(self, event_type: str | None = None, table: str = "main") -> list[JSON]:
        """Every event, or those of one type, in order."""
        found = [json.loads(m.text) for m in self.messages if m.topic == f"oche/table/{table}/event"]
        return [event for event in found if event_type in (None, event["event_type"])]

    def _see(self, topic: str, text: str, *, retain: bool) -> None:
        self.messages.append(Message(topic, text, retain))
        self.now[topic] = text
        self._check(topic, text)
        self._news.set()

    def _check(self, topic: str, text: str) -> None:
        if topic in self._said:
            return  # some tests send what no client should
        try:
            check(topic, text)
        except AssertionError as error:
            self._wrong = self._wrong or error


class Display(Shown):
    """Subscribes to everything on a broker and keeps it.

    Without a login, all that is retained is there when the block begins; one with a login may not publish anything.
    """

    def __init__(
        self, port: int, *, username: str | None = None, password: str | None = None, version: int = 5
    ) -> None:
        super().__init__()
        protocol = aiomqtt.ProtocolVersion.V5 if version == 5 else aiomqtt.ProtocolVersion.V311
        self._client = aiomqtt.Client(
            "127.0.0.1", port, protocol=protocol, username=username, password=password, socket_options=[AT_ONCE]
        )
        self._id = uuid4().hex
        self._is_ready = username is not None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        await self._client.subscribe("#", qos=1)
        self._task = asyncio.create_task(self._listen())
        try:
            if not self._is_ready:
                await self._client.publish(_READY, self._id, qos=1)
                await self.until(lambda: self._is_ready)
        except BaseException as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            await ended(self._task)
        await self._client.__aexit__(kind, error, trace)
        if self._wrong is not None and self._wrong is not error:
            raise self._wrong

    async def say(self, topic: str, payload: str | bytes = "", *, retain: bool = False) -> None:
        self._said.add(topic)
        await self._client.publish(topic, payload, qos=1, retain=retain)

    async def _listen(self) -> None:
        try:
            async for message in self._client.messages:
                text = bytes(message.payload).decode(errors="replace")
                if str(message.topic) == _READY:
                    self._is_ready = self._is_ready or text == self._id
                    self._news.set()
                    continue
                self._see(str(message.topic), text, retain=bool(message.retain))
        except aiomqtt.MqttError:
            pass  # the broker has gone; what it said before stays


async def find_retained(late: Display) -> dict[str, str]:
    """What a display finds that comes now, by topic: all that comes before the answer to a question asked last."""
    async with late:
        await late.say("test/end", "end")
        await late.until(lambda: late.now.get("test/end") == "end")
        return {message.topic: message.text for message in late.messages if message.retain}


def find_part(running: RunningDaemon, kind: type[P]) -> P:
    """The first of its parts that is of this kind."""
    return next(part for part in running.parts if isinstance(part, kind))


class DirectDisplay(Shown):
    """Hears what the daemon has for its broker, and says what comes in over it; there is no broker."""

    def __init__(self, running: RunningDaemon) -> None:
        super().__init__()
        self.running = running
        self._outbox = running.mqtt.outbox
        self._inbox = Inbox(running.tables, {}, "oche", "homeassistant", self._outbox.put_response)

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._listen())
        await self.until(lambda: "oche/bridge/oche/state" in self.now)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await ended(self._task)
        if self._wrong is not None and self._wrong is not error:
            raise self._wrong

    async def say(self, topic: str, payload: str | bytes = "", *, retain: bool = False) -> None:
        await self.write(topic, payload, retained=retain)

    async def write(self, topic: str, payload: str | bytes, **how: Any) -> None:  # Any: the rest of a message
        """Says it with all that a message over MQTT 5 may have beside it."""
        self._said.add(topic)
        self._inbox.receive(IncomingMessage(topic, payload.encode() if isinstance(payload, str) else payload, **how))
        await asyncio.sleep(0)

    async def _listen(self) -> None:
        news = asyncio.Event()
        self._outbox.follow(lambda is_state: news.set())
        while True:
            news.clear()
            while message := self._outbox.take():
                self._see(message.topic, message.payload.decode(), retain=False)
            self._outbox.delivered.set()
            await news.wait()
