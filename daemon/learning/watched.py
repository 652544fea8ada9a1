"""What goes on with a board as long as a page asks for it, and tells that page when there is something else to show."""

from __future__ import annotations

import asyncio


class Watched:
    """`version` grows whenever there is something else to show. It ends when no page has asked for `idle_s` seconds."""

    def __init__(self, idle_s: float) -> None:
        self.version = 0
        self._idle_s = idle_s
        self._changed = asyncio.Event()
        self._limit: asyncio.Timeout | None = None

    def limit_idleness(self) -> asyncio.Timeout:
        """Returns the context in which it goes on; it raises TimeoutError when no page has asked for too long."""
        self._limit = asyncio.timeout(self._idle_s)
        return self._limit

    def note_page(self) -> None:
        """Notes that a page has asked."""
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time() + self._idle_s)

    def note_change(self) -> None:
        """Notes that there is something else to show, or that it has ended."""
        self.version += 1
        self._changed.set()
        self._changed.clear()

    async def wait_for_change(self, version: int, seconds: float) -> None:
        """Waits until the version is another one, at most for so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                while self.version == version:
                    await self._changed.wait()
        except TimeoutError:
            return
