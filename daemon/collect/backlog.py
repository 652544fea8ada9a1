"""What came and is not in the database yet: bounded, because what is dropped is offered again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import NamedTuple

from msgspec import UNSET

from daemon.collect.received import Forget, Players, Poison, Received, Record, Results

MOST = 5_000
"""Messages that wait at a time."""
MOST_BYTES = 64_000_000
"""Bytes of messages that wait at a time."""
_RESULT_BYTES = 100
"""About so much takes a result that was entered by hand."""
BATCH = 500
"""Messages of one transaction."""
GATHER_S = 0.2
"""For so long others are waited for, from the first one on."""
STALE_S = 60.0
"""What waited longer is dropped, unless it tells its order: something newer may have been taken meanwhile."""


class Waiting(NamedTuple):
    """A message, and when it came, by the clock of its backlog."""

    received: Received
    since_s: float


class Backlog:
    """A queue in which each message is once. `clock` is monotonic, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.dropped = 0
        self._clock = clock
        self._waiting: dict[Hashable, Waiting] = {}
        self._bytes = 0
        self._news = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, received: Received) -> None:
        """Adds a message, or drops it where there is no room. Of two of the same key the newer one is kept."""
        key = _find_key(received)
        if (other := self._waiting.get(key)) is not None:
            if not _is_newer(received, other.received):
                return
            del self._waiting[key]
            self._bytes -= _count_bytes(other.received)
        if len(self._waiting) >= MOST or self._bytes + _count_bytes(received) > MOST_BYTES:
            self.dropped += 1
            return
        self._waiting[key] = Waiting(received, self._clock())
        self._bytes += _count_bytes(received)
        self._news.set()

    def put_back(self, batch: list[Waiting]) -> None:
        """Has these wait again, before all others, as long as ever; not those of which there is a newer one."""
        back = {_find_key(each.received): each for each in batch}
        since = {
            key: each
            for key, each in self._waiting.items()
            if key not in back or _is_newer(each.received, back[key].received)
        }
        self._waiting = {**back, **since}
        self._bytes = sum(_count_bytes(each.received) for each in self._waiting.values())

    async def take(self) -> list[Waiting]:
        """Waits for messages; returns those that came within a short time, the oldest first."""
        while True:
            await self._gather()
            batch = [self._waiting.pop(key) for key in [*self._waiting][:BATCH]]
            self._bytes -= sum(_count_bytes(each.received) for each in batch)
            oldest_s = self._clock() - STALE_S
            if found := [each for each in batch if each.since_s >= oldest_s or _find_order(each.received) is not None]:
                return found

    async def _gather(self) -> None:
        while not self._waiting:
            self._news.clear()
            await self._news.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(GATHER_S):
                while len(self._waiting) < BATCH:
                    self._news.clear()
                    await self._news.wait()


def _find_key(received: Received) -> Hashable:
    if isinstance(received, Record):
        return received.sender, received.key, received.sha256
    if isinstance(received, Players):
        return received.sender, received.message.bridge_id
    if isinstance(received, Forget):
        return received.sender, received.message.bridge_id, received.message.id
    if isinstance(received, Results):
        return received.sender, received.message.bridge_id, "results", received.message.tournament
    return received.sender, received.digest


def _find_order(received: Received) -> int | None:
    if isinstance(received, Record):
        return received.order
    if isinstance(received, Players | Results) and received.message.order is not UNSET:
        return received.message.order
    return None


def _is_newer(received: Received, other: Received) -> bool:
    """Whether this, of two messages of the same key, is the newer one; without orders, of records the first."""
    one, two = _find_order(received), _find_order(other)
    if one is None or two is None:
        return isinstance(received, Players | Results)
    return one > two


def _count_bytes(received: Received) -> int:
    if isinstance(received, Record):
        return len(received.text)
    if isinstance(received, Poison):
        return len(received.payload)
    if isinstance(received, Players):
        return sum(len(name) for each in received.message.players for name in (each.name, *each.names))
    if isinstance(received, Results):
        return len(received.message.results) * _RESULT_BYTES
    return sum(map(len, received.message.names))
