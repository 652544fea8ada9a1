"""A display that never gives up: it comes back as soon as a broker answers, and keeps all that it was ever told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, Self

import aiomqtt

from tests.daemon.display import AT_ONCE
from tests.daemon.process import PATIENCE_S, ended

JSON = dict[str, Any]  # Any: JSON


class Said(NamedTuple):
    """One message: which of the connections it came in by, and when (monotonic seconds)."""

    connection: int
    at: float
    topic: str
    text: str
    retain: bool


class Witness:
    """`async with Witness(port)`; `said` is everything in order of arrival, of the topics that are `wanted`."""

    qos = 1

    def __init__(self, port: int, *wanted: str) -> None:
        self.said: list[Said] = []
        self.connections = 0
        self._wanted = wanted or ("#",)
        self._now: dict[str, str] = {}
        self._port = port
        self._news = asyncio.Event()
        self._client: aiomqtt.Client | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._listen())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        await ended(self._task)

    def connect(self) -> aiomqtt.Client:
        """The next connection, yet to be made."""
        client = aiomqtt.Client("127.0.0.1", self._port, timeout=2, socket_options=[AT_ONCE])
        client.pending_calls_threshold = 256  # so many tables begin a match at once, and more than ten are logged
        return client

    async def until(self, is_so: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
        """Waits until what it was told makes this true. False: it did not, for so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                while not is_so():
                    self._news.clear()
                    await self._news.wait()
        return is_so()

    async def ask(self, command: str, body: JSON, table: str = "main") -> JSON:
        """A request, sent again as it is until it is answered, whatever breaks meanwhile; its answer."""
        text = json.dumps(body)
        begin, response = len(self.said), f"oche/table/{table}/response/{command}"

        def answers() -> list[JSON]:
            said = (json.loads(s.text) for s in self.said[begin:] if s.topic == response)
            return [answer for answer in said if answer["transaction"] == body["transaction"]]

        async with asyncio.timeout(PATIENCE_S):
            while not answers():
                await self.say(f"oche/table/{table}/request/{command}", text)
                await self.until(lambda: bool(answers()), 0.3)
        return answers()[0]

    async def say(self, topic: str, text: str) -> bool:
        """Publishes this once. False: it may not have arrived."""
        with suppress(aiomqtt.MqttError):
            if self._client is not None:
                await self._client.publish(topic, text, qos=1, timeout=1)
                return True
        return False

    def now(self) -> dict[str, str]:
        """What this connection was told last, by topic."""
        return self._now

    async def _listen(self) -> None:
        while True:
            with suppress(aiomqtt.MqttError):
                async with self.connect() as client:
                    self.connections += 1
                    self._now = {}
                    for wanted in self._wanted:
                        await client.subscribe(wanted, qos=self.qos)
                    self._client = client
                    self._news.set()
                    async for message in client.messages:
                        text = bytes(message.payload).decode()
                        at = asyncio.get_running_loop().time()
                        self._now[str(message.topic)] = text
                        self.said.append(Said(self.connections, at, str(message.topic), text, bool(message.retain)))
                        self._news.set()
            self._client = None
            await asyncio.sleep(0.02)
