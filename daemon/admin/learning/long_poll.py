"""Something with a board that ends by itself when no page asks for it any more, and that a page can wait for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

_WAIT_S = 10.0


class LongPolled:
    """`version` counts the changes of what a page shows. It ends when no page has asked for `idle_s` seconds."""

    def __init__(self, idle_s: float) -> None:
        self.version = 0
        self._idle_s = idle_s
        self._changed = asyncio.Event()
        self._limit: asyncio.Timeout | None = None

    @asynccontextmanager
    async def limit_idleness(self) -> AsyncIterator[None]:
        """The context in which it goes on. Raises TimeoutError when no page has asked for too long."""
        try:
            async with asyncio.timeout(self._idle_s) as self._limit:
                yield
        finally:
            self._limit = None  # a page may ask once more

    def note_page(self) -> None:
        """Notes that a page has asked."""
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time() + self._idle_s)

    def note_change(self) -> None:
        """Notes a change of what a page shows, or the end."""
        self.version += 1
        self._changed.set()
        self._changed.clear()

    async def wait_for_more(self, since: str, run: int) -> None:
        """Notes that a page has asked; waits ten seconds for more where it has the latest, `since` RUN.VERSION."""
        self.note_page()
        version = self.version
        if since == f"{run}.{version}":
            with suppress(TimeoutError):
                async with asyncio.timeout(_WAIT_S):
                    while self.version == version:
                        await self._changed.wait()
