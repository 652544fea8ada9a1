"""A connection to the page: how long and how much of a request is waited for, and what becomes of one that is none.

aiohttp would answer with its version and log a traceback for every bad byte; a guest with a port scanner would fill the
journal. Here such a request gets one sentence, and the log nothing.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from daemon.access import is_any
from daemon.answers import HEADERS
from daemon.crowd import Room, visitor
from daemon.errors import UserError

log = logging.getLogger("oche.web")

_IDLE_S = 30.0
"""For the head of a request to be whole, and for the next one to come."""
_LINGER_S = 0.5
"""For the rest of a request that was refused before it was read."""
_LINE_BYTES, _FIELD_BYTES, _FIELDS = 4096, 8190, 64
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Connection(web.RequestHandler):
    """One of those there is `room` for."""

    __slots__ = ("_has_entered", "_room", "who")

    def __init__(self, server: web.Server, room: Room) -> None:
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=_IDLE_S,
            lingering_time=_LINGER_S,
            max_line_size=_LINE_BYTES,
            max_field_size=_FIELD_BYTES,
            max_headers=_FIELDS,
            auto_decompress=False,  # a few bytes could become a gigabyte
            access_log=None,  # type: ignore[arg-type]  # addresses of seats are in the paths
        )
        self._room = room
        self.who = ""
        """The visitor it comes from."""
        self._has_entered = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Takes its place, or is sent away."""
        peer, ours = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        self.who = visitor(peer[0] if peer else None, ours[0] if ours else None)
        self._has_entered = self._room.enter(self.who)
        if not self._has_entered:
            assert isinstance(transport, asyncio.Transport)
            transport.write(_FULL)
            transport.close()
            return
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Nobody listens to whom there is no room for."""
        if self._has_entered:
            super().data_received(data)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Makes room."""
        if self._has_entered:
            self._room.leave(self.who)
        super().connection_lost(exc)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """What is no request, and what we could not answer: that one is our mistake, and logged."""
        if isinstance(exc, ConnectionError):
            raise exc  # nobody is there to be answered
        if isinstance(exc, HttpProcessingError):
            status, sentence = HTTPStatus.BAD_REQUEST, "this is no HTTP request that oche understands"
        else:
            sentence = "oche could not answer this: its log says more"
            log.error("the page could not answer: %s: %s", type(exc).__name__, exc)
            log.debug("where it happened", exc_info=exc)
        if request.writer.output_size > 0:
            raise ConnectionError("half an answer has gone out: the rest would not fit")
        answer = web.Response(status=status, text=sentence, headers=HEADERS)
        answer.force_close()
        return answer

    def log_exception(self, *args: Any, **kw: Any) -> None:  # Any: as aiohttp has it
        """One line an event; where it happened is for those who look for it."""
        log.error("the page lost a connection to a mistake of ours: %r", kw.get("exc_info"))
        log.debug(*args, **kw)


def visitor_of(request: web.Request) -> str:
    """Who sends it."""
    assert isinstance(request.protocol, Connection)
    return request.protocol.who


@asynccontextmanager
async def serving(app: web.Application, host: str, port: int, room: Room) -> AsyncIterator[int]:
    """Serves while the block lasts, to as many as there is room for; gives the port. Raises UserError."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    server = runner.server
    assert server is not None
    try:
        listening = await _listen(lambda: Connection(server, room), host, port)
    except OSError as error:
        await runner.cleanup()
        reason = (error.strerror or str(error)).rpartition(": ")[2].partition(" (while")[0].lower()
        raise UserError(f"the page cannot be served at {host}:{port}: {reason}; set another web.port") from None
    try:
        yield listening.sockets[0].getsockname()[1]
    finally:
        listening.close()
        await runner.cleanup()


async def _listen(connection: Callable[[], Connection], host: str, port: int) -> asyncio.Server:
    """At this address; every address means those of IPv4 too, however it is written. Raises OSError."""
    loop = asyncio.get_running_loop()
    if not (is_any(host) and ":" in host):
        return await loop.create_server(connection, host, port)
    both = socket.create_server((host, port), family=socket.AF_INET6, dualstack_ipv6=True)
    return await loop.create_server(connection, sock=both)


def authority(host: str, port: int) -> str:
    """Where a browser on this machine finds what listens there."""
    if is_any(host):
        return f"127.0.0.1:{port}"
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
