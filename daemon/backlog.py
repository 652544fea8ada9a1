"""What waits at a table for its turn: bounded, so that a disk that stands still cannot fill the memory.

How long the oldest has been waiting shows whether the table moves.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from msgspec import Struct

from daemon.batch import Answer
from daemon.spotter import BoardItem
from protocol.commands import CommandError

_MOST = 4096


class Work(Struct):
    """One thing to do; None: only look at the clock again. `reply` is resolved when its effect is on disk."""

    item: BoardItem | dict[str, Any] | None  # Any: a command's JSON
    source: str
    reply: asyncio.Future[Answer] | None = None


class Backlog:
    """The backlog of one table."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Work] = asyncio.Queue(_MOST)
        self._since: deque[float] = deque()
        """When each came that is not done with, by the clock of the event loop."""

    def __len__(self) -> int:
        """Those that have not been taken."""
        return self._queue.qsize()

    @property
    def waiting_s(self) -> float:
        """For how long the oldest that is not done with has been waiting; 0.0: all is done."""
        return asyncio.get_running_loop().time() - self._since[0] if self._since else 0.0

    async def put(self, work: Work) -> None:
        """Waits while it is full, so that nothing is dropped."""
        await self._queue.put(work)
        self._since.append(asyncio.get_running_loop().time())

    def put_at_once(self, work: Work) -> None:
        """Raises CommandError while it is full."""
        try:
            self._queue.put_nowait(work)
        except asyncio.QueueFull:
            raise CommandError("the table has too much to do; try again", "busy") from None
        self._since.append(asyncio.get_running_loop().time())

    async def take(self) -> Work:
        """The oldest."""
        return await self._queue.get()

    def done(self, count: int) -> None:
        """So many of those that were taken need no more waiting for."""
        for _ in range(count):
            self._since.popleft()

    def all_done(self) -> None:
        """All that were taken."""
        self.done(len(self._since) - self._queue.qsize())
