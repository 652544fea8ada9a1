"""The line between a program and a server that is cut: nothing comes through, and nobody is told."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Self


class Cable:
    """`async with` it passes on to the server at `address` whatever is said to its own `port`, until it is cut."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.port = 0
        self._address = address
        self._is_whole = asyncio.Event()
        self._is_whole.set()
        self._lines: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1")
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.drop()
        await asyncio.gather(*self._lines, return_exceptions=True)

    def cut(self) -> None:
        """Lets nothing through."""
        self._is_whole.clear()

    def mend(self) -> None:
        """Lets everything through again, what was said meanwhile too."""
        self._is_whole.set()

    def drop(self) -> None:
        """Ends all connections."""
        for line in self._lines:
            line.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = asyncio.current_task()
        assert line is not None
        self._lines.add(line)
        back: asyncio.StreamWriter | None = None
        try:
            await self._is_whole.wait()
            there, back = await asyncio.open_connection(*self._address)
            ways = [asyncio.create_task(self._pass_on(*way)) for way in ((reader, back), (there, writer))]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
        except (OSError, asyncio.CancelledError):
            pass  # the server is away, or the line was dropped: the client sees that it is closed
        finally:
            self._lines.discard(line)
            for end in (writer, back):
                if end is not None:
                    end.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await self._is_whole.wait()
                writer.write(data)
                await writer.drain()
