"""A simulated board on the network: a real server on the loopback, whose pieces are what the wire makes of frames.

One host at a time, as boards with one socket have it: a second one is sent away.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from random import Random
from typing import cast

from protocol.codebook import Codebook
from simulator.board import FirmwareBoard, loop_time_ns
from simulator.contacts import SOUND, Faults
from simulator.habits import PLAIN, Habits
from simulator.serving import serve_until_cancelled

_BETWEEN_S = 0.002
"""Between two pieces, so that they do not arrive as one."""


class TcpBoard(FirmwareBoard):
    """A board that listens on the loopback, on the same port (`port`, 0: any) whenever it is plugged in."""

    def __init__(
        self,
        codebook: Codebook,
        port: int = 0,
        *,
        faults: Faults = SOUND,
        habits: Habits = PLAIN,
        rng: Random | None = None,
    ) -> None:
        super().__init__(codebook, faults=faults, habits=habits, rng=rng)
        self.port = port
        self._server: asyncio.Task[None] | None = None
        self._host: _Wire | None = None

    @property
    def address(self) -> str:
        """For a driver."""
        return f"tcp:127.0.0.1:{self.port}"

    def plug(self) -> None:
        """Switches it on; raises OSError when its port has been taken by another program meanwhile."""
        if self._server is None:
            listener = socket.create_server(("127.0.0.1", self.port))
            listener.setblocking(False)
            self.port = listener.getsockname()[1]
            self._server = asyncio.create_task(self._serve(listener), name=f"simulated board on port {self.port}")
            self._server.add_done_callback(lambda _: listener.close())  # even if it was cancelled before it began

    async def unplug(self, patience_s: float = 5.0) -> None:
        """Switches it off, once all that it said is on its way, or when patience is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                if self._host is not None:
                    await self._host.drained()
                    self._host.close()
        server = self._server
        self._pull()
        if server is not None:
            await asyncio.wait([server])

    def drop(self) -> None:
        """The link is lost, as radio links are; the board stays where it is."""
        if self._host is not None:
            self._host.abort()
            self._host = None

    def on_connect(self, wire: _Wire) -> bool:
        """Takes a host that connected. Returns False when the board has one already."""
        if self._host is not None:
            return False
        self._host = wire
        self._heard.set()
        self.firmware.on_open(loop_time_ns())
        self._print()
        return True

    def on_data(self, wire: _Wire, data: bytes) -> None:
        """Takes bytes that the host wrote."""
        if self._host is wire:
            self._feed(data)

    def on_disconnect(self, wire: _Wire) -> None:
        """The host has left."""
        if self._host is wire:
            self._host = None

    async def _serve(self, listener: socket.socket) -> None:
        # Not at once: cancelled in between, the loop would go on to watch a number that soon is another socket's.
        server = await asyncio.get_running_loop().create_server(lambda: _Wire(self), sock=listener, start_serving=False)
        await serve_until_cancelled(server, self.drop)

    def _is_open(self) -> bool:
        return self._host is not None

    def _send(self, writes: list[bytes]) -> None:
        if self._host is not None:
            self._host.write(writes)

    def _pull(self) -> None:
        self._rest()
        self.drop()
        if self._server is not None:
            self._server.cancel()
            self._server = None


class _Wire(asyncio.Protocol):
    """One connection; pieces leave one by one."""

    def __init__(self, board: TcpBoard) -> None:
        self._board = board
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self._transport: asyncio.Transport | None = None
        self._writer: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A host connected."""
        self._transport = cast(asyncio.Transport, transport)  # what the loop hands to a stream's protocol
        self._writer = asyncio.create_task(self._write())
        if not self._board.on_connect(self):
            self.abort()

    def data_received(self, data: bytes) -> None:
        """The host wrote."""
        self._board.on_data(self, data)

    def connection_lost(self, exc: Exception | None) -> None:
        """The host left, or we did."""
        self._board.on_disconnect(self)
        if self._writer is not None:
            self._writer.cancel()

    def write(self, pieces: list[bytes]) -> None:
        """Puts these on the wire, in order."""
        for piece in pieces:
            self._pieces.put_nowait(piece)

    async def drained(self) -> None:
        """Waits until all pieces were handed to the system."""
        await self._pieces.join()

    def close(self) -> None:
        """Hangs up after what was written."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Hangs up at once."""
        if self._transport is not None:
            self._transport.abort()

    async def _write(self) -> None:
        assert self._transport is not None
        while True:
            self._transport.write(await self._pieces.get())
            self._pieces.task_done()
            if not self._pieces.empty():
                await asyncio.sleep(_BETWEEN_S)
