"""What waits to be done by a task that may be slow: bounded, so that it cannot fill the memory; the oldest go."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import Generic, TypeVar

log = logging.getLogger("oche.outlets")

T = TypeVar("T")

MOST_WAITING = 100


class Backlog(Generic[T]):
    """At most 100 things that wait for `name`, which the log calls it by."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._waiting = deque[T](maxlen=MOST_WAITING)
        self._news = asyncio.Event()
        self._is_full = False

    def put(self, item: T) -> None:
        """Adds it. When 100 wait already the oldest is left out, which is logged once until all is done."""
        if len(self._waiting) == MOST_WAITING and not self._is_full:
            self._is_full = True
            log.warning("%s is more than %s behind: the oldest are left out", self._name, MOST_WAITING)
        self._waiting.append(item)
        self._news.set()

    async def take(self) -> T:
        """Waits for the oldest and removes it."""
        while not self._waiting:
            self._is_full = False
            self._news.clear()
            await self._news.wait()
        return self._waiting.popleft()
