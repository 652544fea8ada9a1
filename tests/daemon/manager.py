"""The service manager of a test: the socket that a daemon's words go to, and what systemd makes of them."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.daemon.patience import PATIENCE_S


class Manager:
    """`with Manager(address)` listens at a path, or at an abstract address that begins with @.

    `now` is the last that was said by each word, `heard` all of it.
    """

    def __init__(self, address: str, period_s: float) -> None:
        self.now: dict[str, str] = {}
        self.heard: list[str] = []
        self._address = address
        self._period_s = period_s
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)

    @property
    def words(self) -> dict[str, str]:
        """What the daemon finds in its environment."""
        return {"NOTIFY_SOCKET": self._address, "WATCHDOG_USEC": str(round(self._period_s * 1e6))}

    @property
    def environment(self) -> dict[str, str]:
        """The whole of that."""
        return {**os.environ, **self.words}

    def __enter__(self) -> Self:
        self._socket.bind("\0" + self._address[1:] if self._address.startswith("@") else self._address)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()
        if not self._address.startswith("@"):
            Path(self._address).unlink()

    async def next(self) -> str:
        """The next datagram."""
        message = (await asyncio.get_running_loop().sock_recv(self._socket, 65536)).decode()
        self.heard.append(message)
        self.now |= dict(line.split("=", 1) for line in message.split("\n"))
        return message

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Waits until what was said makes this true."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not is_so():
                    await self.next()
        except TimeoutError:
            raise AssertionError(f"it never said so: {self.heard}") from None

    async def fed(self, times: int = 3) -> None:
        """Waits until the watchdog was fed so often from now on."""
        wanted = self.heard.count("WATCHDOG=1") + times
        await self.until(lambda: self.heard.count("WATCHDOG=1") >= wanted)

    async def starved(self) -> None:
        """Waits until the watchdog was not fed for so long that systemd loses its patience."""
        loop = asyncio.get_running_loop()
        end = loop.time() + PATIENCE_S
        with suppress(TimeoutError):
            while loop.time() < end:
                async with asyncio.timeout(self._period_s):
                    while await self.next() != "WATCHDOG=1":
                        pass
            raise AssertionError("it is fed and fed")
