"""The far ends of a `web:` address: a server by a library that is not ours, and one that says whatever it likes."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiohttp import WSMsgType, web
from msgspec.structs import replace

from daemon.http.connection import close_servers
from drivers.address import Address
from drivers.schemes import parse
from drivers.transport import Transport
from drivers.web_link import open_web
from drivers.web_peer import Deadlines
from protocol.codebook import shipped
from protocol.profile import Profile, Web
from protocol.web_frames import Received, Wanted, decode_received, encode_packet
from tests.drivers.listening import PATIENCE_S

HASTY = Deadlines(connect_s=2, open_s=0.3, answer_s=0.3, ping_s=0.05, silent_s=0.25, retry_s=0.01, most_retry_s=0.05)
PATIENT = Deadlines()
OPENED = replace(HASTY, open_s=PATIENT.open_s)
"""Hasty once the socket stands, which takes a slow machine longer."""


def make_profile(**values: Any) -> Profile:  # Any: what Web has
    """The profile of a board with HTTP and WebSocket; its socket is at `/live` unless that is given."""
    return replace(shipped("autodarts").profile, web=Web(**{"port": 1, "socket": "/live", **values}))


class WebBoard:
    """A board by aiohttp. `said` is what its sockets were sent, `asked` each request with its body.

    `path` is that of its socket.
    """

    def __init__(self, path: str = "/live") -> None:
        self.path = path
        self.port = 0
        self.sockets: asyncio.Queue[web.WebSocketResponse] = asyncio.Queue()
        self.said: asyncio.Queue[Any] = asyncio.Queue()
        self.asked: list[str] = []
        self.queries: list[str] = []
        self.answers: dict[str, Callable[[], Awaitable[web.StreamResponse]]] = {}
        self.has_socket = True

    @property
    def address(self) -> Address:
        return parse(f"web:127.0.0.1:{self.port}")

    @asynccontextmanager
    async def serve(self, context: ssl.SSLContext | None = None) -> AsyncIterator[WebBoard]:
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(application, shutdown_timeout=0.1, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.port, ssl_context=context)
        await site.start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if request.path == self.path and self.has_socket:
            self.queries.append(request.path_qs)
            return await self._talk(request)
        body = await request.text()
        self.asked.append(f"{request.method} {request.path_qs} {body}".strip())
        answer = self.answers.get(request.path)
        return web.Response(status=404) if answer is None else await answer()

    async def _talk(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(timeout=0.1)
        await socket.prepare(request)
        await self.sockets.put(socket)
        async for message in socket:
            if message.type == WSMsgType.TEXT:
                await self.said.put(message.json())
        return socket


Tale = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def lie(tale: Tale) -> AsyncIterator[Address]:
    """The address of a server that does with each connection whatever the tale says. What it asserts counts."""
    tellers: set[asyncio.Task[None]] = set()
    errors: list[AssertionError] = []

    async def tell(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tellers.add(task)
        try:
            await tale(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        except AssertionError as error:
            errors.append(error)
        writer.close()
        with suppress(OSError, asyncio.CancelledError):
            await writer.wait_closed()

    server = await asyncio.start_server(tell, "127.0.0.1", 0)
    try:
        yield parse(f"web:127.0.0.1:{server.sockets[0].getsockname()[1]}")
    finally:
        await close_servers([server])
        for teller in tellers:
            teller.cancel()
        if tellers:
            await asyncio.wait(tellers)
        await asyncio.sleep(0)
    assert not errors


async def shake_hands(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """Reads the question for a WebSocket and grants it; returns the question."""
    question = (await reader.readuntil(b"\r\n\r\n")).decode()
    writer.write(grant(question))
    await writer.drain()
    return question


def grant(question: str) -> bytes:
    """The answer that opens the socket."""
    found = re.search(r"(?i)sec-websocket-key: (\S+)", question)
    assert found is not None
    key = found[1].encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1(key).digest())
    return (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
        + accept
        + b"\r\n\r\n"
    )


def frame(data: bytes, opcode: int = 1, *, is_last: bool = True, size: int | None = None) -> bytes:
    """A frame of WebSocket, of a server. `size` is what it claims to have."""
    claimed = len(data) if size is None else size
    head = bytes([opcode | (0x80 if is_last else 0)])
    if claimed < 126:
        head += bytes([claimed])
    elif claimed < 65536:
        head += b"\x7e" + claimed.to_bytes(2, "big")
    else:
        head += b"\x7f" + claimed.to_bytes(8, "big")
    return head + data


@asynccontextmanager
async def opened(
    address: Address, profile: Profile, deadlines: Deadlines = PATIENT, token: str | None = None
) -> AsyncIterator[Transport]:
    """The link to this address."""
    async with asyncio.timeout(PATIENCE_S):
        link = await open_web(
            address, profile, deadlines=deadlines, read_token=None if token is None else lambda: token
        )
    try:
        yield link
    finally:
        await link.aclose()


async def hear(link: Transport) -> Received:
    """The next packet of the link."""
    async with asyncio.timeout(PATIENCE_S):
        received = decode_received(await link.receive())
    assert received is not None
    return received


async def ask(link: Transport, wanted: Wanted) -> Received:
    """Sends it, and returns the next packet."""
    await link.send(encode_packet(wanted))
    return await hear(link)
