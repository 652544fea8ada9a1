"""A display of a venue: speaks MQTT 3.1.1, and goes to the next node by itself when its own is gone."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import aiomqtt

from tests.daemon.patience import PATIENCE_S, ended
from tests.venue.nats import client

JSON = dict[str, Any]  # Any: JSON
WANTED = ("oche/bridge/+/state", "oche/table/+/state", "oche/table/+/attr/+", "oche/table/+/event")


class Viewer:
    """Sees what everybody may see: `now` is the newest of each topic, `seen` when each line of a table came first."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self.now: dict[str, str] = {}
        self.events: list[JSON] = []
        self.seen: dict[tuple[str, int], float] = {}
        self._addresses = list(addresses)
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None
        await ended(self._task)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Waits until what has been received makes this true."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not is_so():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"what was awaited never came; last seen: {self.now}") from None

    async def until_line(self, table: str, line: int) -> JSON:
        """The state, once it has come to this line of the match."""
        await self.until(lambda: self.line(table) >= line)
        state: JSON = json.loads(self.now[f"oche/table/{table}/state"])
        return state

    def line(self, table: str) -> int:
        """Of the newest state; 0 before the first."""
        text = self.now.get(f"oche/table/{table}/state")
        return int(json.loads(text)["line"]) if text else 0

    def values(self, table: str) -> dict[str, str]:
        """The plain values of a table, by their names."""
        found = {topic.removeprefix(f"oche/table/{table}/attr/"): text for topic, text in self.now.items()}
        return {name: text for name, text in found.items() if "/" not in name}

    def fresh(self, table: str, line: int) -> float:
        """When the first state beyond this line came, by the monotonic clock."""
        return min(at for (name, seen), at in self.seen.items() if name == table and seen > line)

    async def bridges(self, wanted: dict[str, str]) -> None:
        """Waits until these bridges are online or offline."""
        await self.until(lambda: all(self.now.get(f"oche/bridge/{name}/state") == is_ for name, is_ in wanted.items()))

    async def _watch(self) -> None:
        while True:
            with suppress(aiomqtt.MqttError):
                async with client(self._addresses[0], "display") as connection:
                    for wanted in WANTED:
                        await connection.subscribe(wanted, qos=0)
                    async for message in connection.messages:
                        self._take(str(message.topic), bytes(message.payload).decode())
            self._addresses.append(self._addresses.pop(0))
            await asyncio.sleep(0.1)

    def _take(self, topic: str, text: str) -> None:
        self.now[topic] = text
        _, _, table, *kind = topic.split("/")
        if kind == ["event"]:
            self.events.append(json.loads(text))
        elif topic == f"oche/table/{table}/state":
            self.seen.setdefault((table, self.line(table)), time.monotonic())
        self._news.set()
