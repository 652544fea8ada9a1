"""The far ends of a serial port and of a connection over the network, as a test handles them."""

from __future__ import annotations

import asyncio
import os
import select
import socket
import struct
import tty
from contextlib import suppress
from typing import Protocol

from msgspec.structs import replace

from drivers.schemes import SCHEMES, parse
from drivers.serial_line import open_line
from drivers.tcp_line import TcpTransport
from drivers.transport import Lost, Transport
from protocol.codebook import shipped
from tests.drivers.listening import PATIENCE_S

OVER_TCP = replace(shipped("opendarts").profile, link="tcp")


class End(Protocol):
    """What a board does with its end. `write` waits while the line takes no more."""

    async def connect(self) -> Transport: ...

    async def write(self, data: bytes) -> None: ...

    async def hear(self, size: int) -> bytes: ...

    async def hang_up(self) -> None: ...


class Cable:
    """A pty."""

    def __init__(self) -> None:
        self.end, self._port = os.openpty()
        tty.setraw(self._port)
        os.set_blocking(self.end, False)
        self.path = os.ttyname(self._port)
        self.is_plugged = True

    async def connect(self) -> Transport:
        return await open_line(self.path, 115200)

    async def write(self, data: bytes) -> None:
        unsent = memoryview(data)
        while unsent:
            try:
                unsent = unsent[os.write(self.end, unsent) :]
            except BlockingIOError:
                await asyncio.sleep(0.001)

    async def hear(self, size: int) -> bytes:
        data = b""
        async with asyncio.timeout(PATIENCE_S):
            while len(data) < size:
                try:
                    data += os.read(self.end, 1000)
                except BlockingIOError:
                    await asyncio.sleep(0.001)
        return data

    async def hang_up(self) -> None:
        """Pulls the cable once the loop has read all that was written, which it does unasked."""
        async with asyncio.timeout(PATIENCE_S):
            while select.select([self._port], [], [], 0)[0]:  # noqa: ASYNC110  the kernel sends no word
                await asyncio.sleep(0.001)
        self.pull()

    def pull(self) -> None:
        if self.is_plugged:
            os.close(self.end)
            os.close(self._port)
            self.is_plugged = False


class NetBoard:
    """A listening socket, and the connection that was made to it last."""

    def __init__(self, family: socket.AddressFamily = socket.AF_INET) -> None:
        self.listener = socket.create_server(
            ("::1" if family == socket.AF_INET6 else "127.0.0.1", 0), family=family, backlog=5
        )
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.end = self.listener

    @property
    def address(self) -> str:
        return f"tcp:127.0.0.1:{self.port}"

    async def accept(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            self.end, _ = await asyncio.get_running_loop().sock_accept(self.listener)
        self.end.setblocking(False)

    async def connect(self) -> TcpTransport:
        async with asyncio.timeout(PATIENCE_S):
            line = await SCHEMES["tcp"].open(parse(self.address), OVER_TCP)
        assert isinstance(line, TcpTransport)
        await self.accept()
        return line

    async def write(self, data: bytes) -> None:
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.get_running_loop().sock_sendall(self.end, data)

    async def hear(self, size: int) -> bytes:
        data = b""
        async with asyncio.timeout(PATIENCE_S):
            while len(data) < size:
                data += await asyncio.get_running_loop().sock_recv(self.end, 65536)
        return data

    async def hang_up(self) -> None:
        self.end.close()

    def reset(self) -> None:
        """Its power is back: what was sent to it is lost."""
        self.end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.end.close()


async def read(line: Transport, size: int) -> bytes:
    """At least so many bytes."""
    data = bytearray()
    async with asyncio.timeout(PATIENCE_S):
        while len(data) < size:
            data += await line.receive()
    return bytes(data)


async def lost(line: Transport) -> tuple[bytes, str]:
    """What still comes before the loss, and the loss's sentence."""
    data = b""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                data += await line.receive()
            except Lost as error:
                return data, str(error)


async def noticed(line: Transport) -> None:
    """Waits until the line knows that it is over."""
    async with asyncio.timeout(PATIENCE_S):
        with suppress(Lost):
            while True:
                await line.send(b"")
                await asyncio.sleep(0.001)
