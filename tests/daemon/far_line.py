"""A long line to a broker, for a test: what is said over it arrives late, and it can be cut."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tests.daemon.relay import serving


class FarLine:
    """Connections to the broker at `port`; each way takes `delay_s`."""

    def __init__(self, port: int, delay_s: float) -> None:
        self.port = 0
        """The near end."""
        self.delay_s = delay_s
        self._broker = port
        self._is_cut = False
        self._writers: set[asyncio.StreamWriter] = set()

    @asynccontextmanager
    async def laid(self) -> AsyncIterator[FarLine]:
        """The line while the block lasts."""
        async with serving(self._serve) as self.port:
            yield self
            self.cut()

    def cut(self) -> None:
        """Ends all connections, and lets no other one be made."""
        self._is_cut = True
        for writer in self._writers:
            writer.transport.abort()

    def mend(self) -> None:
        """Lets connections be made again."""
        self._is_cut = False

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        with suppress(OSError):
            there, back = await asyncio.open_connection("127.0.0.1", self._broker)
            ends = {writer, back}
            self._writers |= ends
            ways = [asyncio.create_task(self._carry(reader, back)), asyncio.create_task(self._carry(there, writer))]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.wait(ways)
            self._writers -= ends
            for end in ends:
                end.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Reads at once and writes later, so that a delay is one of the way and not of each packet."""
        loop, waiting = asyncio.get_running_loop(), asyncio.Queue[tuple[float, bytes]]()

        async def deliver() -> None:
            while True:
                due, data = await waiting.get()
                await asyncio.sleep(max(0.0, due - loop.time()))
                writer.write(data)

        async with asyncio.TaskGroup() as both:
            task = both.create_task(deliver())
            with suppress(OSError):
                while data := await reader.read(4096):
                    waiting.put_nowait((loop.time() + self.delay_s, data))
            task.cancel()
