"""Somebody else's display: an MQTT client that knows the contract and none of our code."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple, Self
from uuid import uuid4

import aiomqtt

from tests.daemon import wire
from tests.daemon.patience import PATIENCE_S, ended

JSON = dict[str, Any]  # Any: JSON


class Message(NamedTuple):
    """As it came in."""

    topic: str
    text: str
    retain: bool


AT_ONCE = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
"""Else what is said waits until the broker's kernel has acknowledged what was said before, for 40 ms."""


class Display:
    """Subscribes to everything and keeps it: `messages` in order, `now` the newest of each topic.

    Whatever it sees must fit the contract (tests.daemon.wire), or the test fails, whatever it is about.
    """

    def __init__(
        self, port: int, *, username: str | None = None, password: str | None = None, version: int = 5
    ) -> None:
        self.messages: list[Message] = []
        self.now: dict[str, str] = {}
        protocol = aiomqtt.ProtocolVersion.V5 if version == 5 else aiomqtt.ProtocolVersion.V311
        self._client = aiomqtt.Client(
            "127.0.0.1", port, protocol=protocol, username=username, password=password, socket_options=[AT_ONCE]
        )
        self._news = asyncio.Event()
        self._said: set[str] = set()
        self._wrong: AssertionError | None = None
        """The first message that did not fit."""
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        await self._client.subscribe("#", qos=1)
        self._task = asyncio.create_task(self._listen())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            await ended(self._task)
        await self._client.__aexit__(kind, error, trace)
        if self._wrong is not None and self._wrong is not error:
            raise self._wrong

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
        """The state, once it has come to this line of the match."""
        await self.until(lambda: self.line(table) >= line)
        return self.state(table)

    async def say(self, topic: str, payload: str | bytes = "", *, retain: bool = False) -> None:
        """Publishes, and waits until the broker has it."""
        self._said.add(topic)
        await self._client.publish(topic, payload, qos=1, retain=retain)

    async def ask(self, command: str, body: JSON, table: str = "main") -> JSON:
        """Sends a request and gives its answer: the response with its transaction."""
        transaction = f"{command} {uuid4().hex}"  # of no other display: a known one is not obeyed again
        await self.say(f"oche/table/{table}/request/{command}", json.dumps({"transaction": transaction, **body}))

        def answers() -> list[JSON]:
            found = [json.loads(m.text) for m in self.messages if m.topic == f"oche/table/{table}/response/{command}"]
            return [answer for answer in found if answer["transaction"] == transaction]

        await self.until(lambda: bool(answers()))
        if answers()[0]["status"] == "ok":
            wire.fits(f"cmd_{command}", {"transaction": transaction, **body})
        return answers()[0]

    def state(self, table: str = "main") -> JSON:
        """The newest state."""
        state: JSON = json.loads(self.now[f"oche/table/{table}/state"])
        return state

    def line(self, table: str = "main") -> int:
        """Of the newest state; 0 before the first."""
        return int(self.state(table)["line"]) if f"oche/table/{table}/state" in self.now else 0

    def states(self, table: str = "main") -> list[JSON]:
        """Every state, in order."""
        return [json.loads(m.text) for m in self.messages if m.topic == f"oche/table/{table}/state"]

    def events(self, event_type: str | None = None, table: str = "main") -> list[JSON]:
        """Every event, or those of one type, in order."""
        found = [json.loads(m.text) for m in self.messages if m.topic == f"oche/table/{table}/event"]
        return [event for event in found if event_type in (None, event["event_type"])]

    async def _listen(self) -> None:
        try:
            async for message in self._client.messages:
                text = bytes(message.payload).decode(errors="replace")
                self.messages.append(Message(str(message.topic), text, bool(message.retain)))
                self.now[str(message.topic)] = text
                self._check(str(message.topic), text)
                self._news.set()
        except aiomqtt.MqttError:
            pass  # the broker has gone; what it said before stays

    def _check(self, topic: str, text: str) -> None:
        if topic in self._said:
            return  # some tests say what nobody should
        try:
            wire.check(topic, text)
        except AssertionError as error:
            self._wrong = self._wrong or error
