"""The connections to the page: how much one client can use, and the answer to what is no HTTP request.

Limits keep the darts from waiting. A client is an address; in IPv6 a network of 64 bits, for one machine has as many
addresses there as it likes. In our own network, though, each address is a client.

aiohttp would answer bad bytes with its version and log a traceback for each; a port scanner would fill the journal.
Here such a request gets one sentence, and the log nothing.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from ipaddress import IPv6Address, IPv6Network, ip_address
from time import monotonic
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from daemon.errors import PortTaken, UserError
from daemon.web.public_url import is_any
from daemon.web.responses import HEADERS

log = logging.getLogger("oche.web")

_IDLE_S = 30.0
"""For the head of a request to be whole, and for the next one to come."""
_LINGER_S = 0.5
"""For the rest of a request that was refused before it was read."""
_LINE_BYTES, _FIELD_BYTES, _FIELDS = 4096, 8190, 64
_REMEMBERED = 1024
"""So many clients are remembered: the most recent ones."""
_LOCAL_NETWORKS = IPv6Network("fe80::/10"), IPv6Network("fc00::/7")
"""Addresses that are used within one site only."""
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def make_client_key(peer: str | None, ours: str | None = None) -> str:
    """Returns the name of the client that connects from `peer` to our address `ours`."""
    try:
        found = ip_address((peer or "").partition("%")[0])
    except ValueError:
        return peer or ""
    if isinstance(found, IPv6Address):
        found = found.ipv4_mapped or (found if _is_neighbour(found, ours) else _network(found))
    return str(found)


def _is_neighbour(peer: IPv6Address, ours: str | None) -> bool:
    """Returns whether it is in our network: a client connects to our address that is nearest to its own (RFC 6724)."""
    if any(peer in network for network in _LOCAL_NETWORKS):
        return True
    try:
        return _network(peer) == _network(IPv6Address((ours or "").partition("%")[0]))
    except ValueError:
        return False


def _network(address: IPv6Address) -> IPv6Address:
    return IPv6Address(int(address) >> 64 << 64)


class RateLimit:
    """For each client, `burst` requests at once and `per_s` requests a second (a token bucket)."""

    def __init__(self, burst: int, per_s: float, clock: Callable[[], float] = monotonic) -> None:
        self._burst = burst
        self._per_s = per_s
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """What a client had left, and when that was."""

    def wait_s(self, client: str) -> float:
        """Returns the seconds until this client may send a request; 0.0: now."""
        return max(0.0, (1 - self._remaining(client)) / self._per_s)

    def count(self, client: str) -> None:
        """Counts a request of this client."""
        self._left[client] = (max(0.0, self._remaining(client) - 1), self._clock())
        self._left.move_to_end(client)
        while len(self._left) > _REMEMBERED:
            self._left.popitem(last=False)

    def _remaining(self, client: str) -> float:
        left, since = self._left.get(client, (float(self._burst), 0.0))
        return min(self._burst, left + (self._clock() - since) * self._per_s)


class ConnectionLimit:
    """How many connections there may be at the same time: `each` of one client, and `most` in all."""

    def __init__(self, each: int, most: int) -> None:
        self._each = each
        self._most = most
        self._open: Counter[str] = Counter()

    def enter(self, client: str) -> bool:
        """Counts a connection in. Returns False, and does not, when the limit is reached."""
        if self._open[client] >= self._each or self._open.total() >= self._most:
            if not self._open[client]:
                del self._open[client]
            return False
        self._open[client] += 1
        return True

    def leave(self, client: str) -> None:
        """Counts it out."""
        self._open[client] -= 1
        if not self._open[client]:
            del self._open[client]


class Connection(web.RequestHandler):
    """A connection, closed at once where the `limit` is reached."""

    __slots__ = ("_is_admitted", "_limit", "client")

    def __init__(self, server: web.Server, limit: ConnectionLimit) -> None:
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
        self._limit = limit
        self.client = ""
        """The client, as make_client_key names it."""
        self._is_admitted = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admits the client, or closes the connection."""
        peer, ours = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        self.client = make_client_key(peer[0] if peer else None, ours[0] if ours else None)
        self._is_admitted = self._limit.enter(self.client)
        if not self._is_admitted:
            assert isinstance(transport, asyncio.Transport)
            transport.write(_FULL)
            transport.close()
            return
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Ignores clients that were not admitted."""
        if self._is_admitted:
            super().data_received(data)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Counts it out."""
        if self._is_admitted:
            self._limit.leave(self.client)
        super().connection_lost(exc)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answers what is no request, and what raised an error: that is logged."""
        if isinstance(exc, ConnectionError):
            raise exc  # the client has gone
        if isinstance(exc, HttpProcessingError):
            status, sentence = HTTPStatus.BAD_REQUEST, "this is no HTTP request that oche understands"
        else:
            sentence = "oche could not answer this: its log says more"
            log.error("the page could not answer: %s: %s", type(exc).__name__, exc)
            log.debug("where it happened", exc_info=exc)
        if request.writer.output_size > 0:
            raise ConnectionError("half an answer has gone out: the rest would not fit")
        response = web.Response(status=status, text=sentence, headers=HEADERS)
        response.force_close()
        return response

    def log_exception(self, *args: Any, **kw: Any) -> None:  # Any: as aiohttp has it
        """One line an event; where it happened is for those who look for it."""
        log.error("the page lost a connection to a mistake of ours: %r", kw.get("exc_info"))
        log.debug(*args, **kw)


def find_client(request: web.Request) -> str:
    """Returns the client that sends it, as make_client_key names it."""
    assert isinstance(request.protocol, Connection)
    return request.protocol.client


@asynccontextmanager
async def serving(app: web.Application, host: str, port: int, limit: ConnectionLimit) -> AsyncIterator[int]:
    """Serves while the block lasts; gives the port. Raises UserError."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    server = runner.server
    assert server is not None
    try:
        listening = await _listen(lambda: Connection(server, limit), host, port)
    except OSError as error:
        await runner.cleanup()
        kind = PortTaken if error.errno == errno.EADDRINUSE else UserError
        raise kind(f"the page cannot be served at {host}:{port}: {_explain(error)}") from None
    try:
        yield listening.sockets[0].getsockname()[1]
    finally:
        listening.close()
        await runner.cleanup()


def _explain(error: OSError) -> str:
    """Returns why nothing can listen there, and what to do about it.

    The words of asyncio differ from one Python to the next, so only the number is taken from its errors; where it has
    tried every address in vain, they have none.
    """
    if isinstance(error, socket.gaierror):
        return f"{(error.strerror or str(error)).lower()}; set another web.host"
    number = error.errno or errno.EADDRNOTAVAIL
    setting = "web.host" if number in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT) else "web.port"
    return f"{os.strerror(number).lower()}; set another {setting}"


async def _listen(connection: Callable[[], Connection], host: str, port: int) -> asyncio.Server:
    """Listens at this address; `::` means the addresses of IPv4 too. Raises OSError."""
    loop = asyncio.get_running_loop()
    if not (is_any(host) and ":" in host):
        return await loop.create_server(connection, host, port)
    both = socket.create_server((host, port), family=socket.AF_INET6, dualstack_ipv6=True)
    return await loop.create_server(connection, sock=both)
