"""The connections to the page: how much one client can use, and the answer to what is no HTTP request.

Limits keep the darts from waiting. Every request waits for its turn (turns.py); those of strangers, who have not shown
that they may play, share a quarter of the time. A new connection is a stranger's until its first request is read; those
of addresses that somebody has played from lately are preferred, else a device would wait for all strangers each time.
A client over a limit gets one sentence, and the connection is closed. What one client is: limits.py.

The library h11 reads and writes HTTP; what is here is the time that a client has for each part of a request. What is no
HTTP request gets one sentence, and the log nothing: else a port scanner would fill the journal.

Where all places are taken, a new client gets the place of a stranger: of one that is not on this machine, and has shown
neither the token nor the address of a seat. The stranger with the most connections loses its oldest one.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import re
import socket
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager, closing, suppress
from email.utils import formatdate
from functools import partial
from http import HTTPStatus
from math import inf
from time import monotonic

import h11

from daemon.errors import PortTaken, UserError
from daemon.http.addresses import is_any
from daemon.http.limits import ConnectionLimit, is_this_machine, make_client_key
from daemon.http.messages import (
    BodyStream,
    ClientConnection,
    EarlyResponse,
    HttpRequest,
    HttpResponse,
    Respond,
    answer_text,
)
from daemon.http.turns import Turns

log = logging.getLogger("oche.web")

_IDLE_S = 30.0
"""For the head of a request to be complete, for the next one to come, and for the client to take a response, or a
part of a long one."""
_LINGER_S = 0.5
"""For something to come of the rest of a request that was refused before it was read."""
_PIECE_S, _REST_S = 5.0, 120.0
"""Then for each further piece, and for all of it: a browser that cannot send a file to its end does not show why it was
refused."""
_STOP_S = 1.0
"""For the requests that are being answered when the daemon stops."""
_HEAD_BYTES, _TARGET_BYTES, _FIELDS = 16 * 1024, 4096, 64
_READ_BYTES = 16 * 1024
"""At once, of one connection."""
_ACCEPTED, _UNACCEPTED = 4, 128
"""Connections that are taken in one turn of the event loop, and those that the kernel lets wait meanwhile."""
_REST_OF_STRANGERS = 3.0
"""So many times as long as a turn of theirs took, the next one waits."""
_PLAYED_S, _MOST_PLAYERS = 1800.0, 1024
"""So long, and so many clients, it is remembered that they may play."""
_HEAD_END = re.compile(rb"\n\r?\n")
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class OpenConnections:
    """Where connections are `open`, the oldest first, and wait for their turns. `limit` is how many there may be."""

    def __init__(self, limit: ConnectionLimit) -> None:
        self.limit = limit
        self.open: dict[HttpConnection, None] = {}
        self.strangers = Turns(_REST_OF_STRANGERS)
        self.players = Turns()
        self.read = bytearray(_READ_BYTES)
        """What a connection has just read."""
        self._players: dict[str, float] = {}
        """When each client was last known to be one that may play."""

    def remember(self, client: str) -> None:
        """Remembers for a while that this client may play."""
        self._players.pop(client, None)
        self._players[client] = monotonic()
        if len(self._players) > _MOST_PLAYERS:
            del self._players[next(iter(self._players))]

    async def take_turn(self, connection: ClientConnection) -> None:
        """Waits for a turn: a new connection of a client that has played lately goes before those of others."""
        if connection.may_play:
            await self.players.take(connection.client)
        else:
            has_played = monotonic() - self._players.get(connection.client, -inf) < _PLAYED_S
            await self.strangers.take(connection.client, is_preferred=has_played)


class HttpConnection(asyncio.StreamReaderProtocol, asyncio.BufferedProtocol):
    """A connection, closed at once where it gets no place."""

    def __init__(self, respond: Respond, places: OpenConnections) -> None:
        self._input = asyncio.StreamReader(limit=_READ_BYTES)
        super().__init__(self._input)
        self._respond = respond
        self._places = places
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_BYTES)
        self._streaming: BodyStream | None = None
        self._is_idle = self._is_last = self._has_ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admits the client, or closes the connection."""
        assert isinstance(transport, asyncio.Transport)
        peer, ours = (transport.get_extra_info(name) for name in ("peername", "sockname"))
        addresses = peer[0] if peer else None, ours[0] if ours else None
        client = make_client_key(*addresses)
        while not self._places.limit.enter(client):
            if (stranger := self._find_stranger(client)) is not None:
                stranger.drop()
                continue
            transport.write(_FULL)
            transport.close()
            return
        super().connection_made(transport)
        self._connection = ClientConnection(
            client, *addresses, self._receive_pieces, transport.abort, is_this_machine(*addresses)
        )
        self._output = asyncio.StreamWriter(transport, self, self._input, asyncio.get_running_loop())
        self._job = asyncio.create_task(self._serve())
        self._places.open[self] = None

    def get_buffer(self, sizehint: int) -> bytearray:
        """Returns where to put what is read: asyncio would read 256 kB at once."""
        return self._places.read

    def buffer_updated(self, nbytes: int) -> None:
        """Takes what was read."""
        self.data_received(bytes(self._places.read[:nbytes]))

    def _find_stranger(self, client: str) -> HttpConnection | None:
        """Returns the connection that gives way to one of this client; None: there is none."""
        ended = next((each for each in self._places.open if each._has_ended), None)  # noqa: SLF001  of its own class
        if ended is not None:  # it waits for its turn, and its client has gone
            return ended
        strangers = [each for each in self._places.open if not each._connection.is_known]  # noqa: SLF001  of its own class
        clients = Counter(each._connection.client for each in strangers)  # noqa: SLF001
        most = client if self._places.limit.is_reached_by(client) else max(clients, key=clients.__getitem__, default="")
        return next((each for each in strangers if each._connection.client == most), None)  # noqa: SLF001

    def drop(self) -> None:
        """Closes it at once, whatever it waits for, and frees its place."""
        self._leave()
        self._job.cancel()

    def _leave(self) -> None:
        self._connection.abort()
        if self in self._places.open:
            del self._places.open[self]
            self._places.limit.leave(self._connection.client)

    def eof_received(self) -> bool:
        """Closes the connection: who sends nothing more has gone."""
        super().eof_received()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends the stream that is being sent, and tells who waits for that."""
        super().connection_lost(exc)
        self._has_ended = True
        if self in self._places.open and self._connection.on_end is not None:
            self._connection.on_end()
        if self._streaming is not None:
            self._streaming.end()

    def stop(self) -> asyncio.Task[None]:
        """Closes it after the request that is being answered, else at once. Returns the task that does so."""
        self._is_last = True
        if self._is_idle:
            self._job.cancel()
        return self._job

    async def _serve(self) -> None:
        try:
            while await self._serve_request():
                self._http.start_next_cycle()
            self._output.close()
            async with asyncio.timeout(_IDLE_S):
                await self._output.wait_closed()
        except (OSError, h11.ProtocolError):
            pass  # the client has gone, or takes too long
        finally:
            self._leave()

    async def _serve_request(self) -> bool:
        """Answers the next request. Returns whether another may follow."""
        self._is_idle = True
        try:
            async with asyncio.timeout(_IDLE_S):
                head = await self._next_event()
        except h11.RemoteProtocolError:
            head = None
        finally:
            self._is_idle = False
        if isinstance(head, h11.ConnectionClosed):
            return False
        if isinstance(head, h11.Request) and _is_supported(head):
            request = HttpRequest(head, self._connection)
            response = await self._answer(request)
            if self._connection.may_play:
                self._places.remember(self._connection.client)
        else:
            request, self._is_last = None, True
            response = answer_text(400, "oche does not understand this HTTP request").response
        is_refused = response.status == HTTPStatus.TOO_MANY_REQUESTS
        self._is_last |= is_refused
        try:
            await self._send(request, response)
        finally:
            if not isinstance(response.body, bytes):
                response.body.close()
        await self._discard_rest(is_refused=is_refused)
        return not self._is_last and self._http.states == {h11.CLIENT: h11.DONE, h11.SERVER: h11.DONE}

    async def _answer(self, request: HttpRequest) -> HttpResponse:
        try:
            return await self._respond(request)
        except EarlyResponse as known:
            return known.response
        except ConnectionError:  # the client has gone
            raise
        except Exception as error:  # a mistake of ours: one request is lost, and no other
            log.error("the page could not answer a request: %s: %s", type(error).__name__, error)
            log.debug("where it happened", exc_info=error)
            self._is_last = True
            return answer_text(500, "oche could not answer this request: see its log").response

    async def _send(self, request: HttpRequest | None, response: HttpResponse) -> None:
        """Sends the response; `request` is None where there was none to be understood."""
        headers = {"Date": formatdate(usegmt=True), **response.all_headers}
        if request is not None and request.path.startswith("/api/"):
            headers["Cache-Control"] = "no-store"
        is_unreadable = self._http.their_state is h11.ERROR or response.status == HTTPStatus.REQUEST_TIMEOUT
        if self._is_last or is_unreadable:
            headers["Connection"] = "close"
        body = response.body
        if isinstance(body, bytes) and response.status != HTTPStatus.NOT_MODIFIED:
            headers["Content-Length"] = str(len(body))
        if response.status == HTTPStatus.NOT_MODIFIED or (request is not None and request.method == "HEAD"):
            body = b""
        fields = [*headers.items(), *(("Set-Cookie", cookie) for cookie in response.cookies)]
        reason = HTTPStatus(response.status).phrase
        piece = self._http.send(h11.Response(status_code=response.status, headers=fields, reason=reason))
        if isinstance(body, bytes):
            piece += self._http.send(h11.Data(data=body))
        else:
            self._output.write(piece)
            await self._send_stream(body)
            piece = b""
        self._output.write(piece + self._http.send(h11.EndOfMessage()))
        await self._drain()

    async def _send_stream(self, stream: BodyStream) -> None:
        self._streaming = stream
        while (piece := await stream.next()) is not None:
            self._output.write(self._http.send(h11.Data(data=piece)))
            await self._drain()

    async def _drain(self) -> None:
        """Waits until the client has taken so much that more can be sent. Raises TimeoutError when it takes nothing."""
        async with asyncio.timeout(_IDLE_S):
            await self._output.drain()

    async def _discard_rest(self, *, is_refused: bool) -> None:
        """Reads on while more comes: to close a connection with something unread would take the response back.

        Of a client that has sent too much already, for a moment only.
        """
        with suppress(TimeoutError, h11.RemoteProtocolError):
            async with asyncio.timeout(_LINGER_S) as patience:
                now = asyncio.get_running_loop().time
                end = now() + _REST_S
                while self._http.their_state is h11.SEND_BODY:
                    await self._next_event()
                    if not is_refused:
                        patience.reschedule(min(now() + _PIECE_S, end))
                if is_refused or self._http.their_state is h11.ERROR:
                    self._output.write_eof()
                    while await self._input.read(_READ_BYTES):
                        await self._places.take_turn(self._connection)

    async def _receive_pieces(self) -> AsyncIterator[bytes]:
        """Yields the body of the request. Raises RemoteProtocolError when it ends before that."""
        if self._http.they_are_waiting_for_100_continue:
            go_on = h11.InformationalResponse(status_code=HTTPStatus.CONTINUE, headers=[])
            self._output.write(self._http.send(go_on))
        while isinstance(event := await self._next_event(), h11.Data):
            yield bytes(event.data)

    async def _next_event(self) -> type[h11.NEED_DATA | h11.PAUSED] | h11.Event:
        """Returns the next event: a request, or a piece of its body, in a turn of its own."""
        while True:
            if self._http.their_state is h11.IDLE and (unread := self._http.trailing_data[0]):
                await self._places.take_turn(self._connection)
                if _has_long_head(unread):
                    raise h11.RemoteProtocolError("there are too many header fields")
            event = self._http.next_event()
            if isinstance(event, h11.Data):
                await self._places.take_turn(self._connection)
            if event is not h11.NEED_DATA:
                return event
            self._http.receive_data(await self._input.read(_READ_BYTES))


def _has_long_head(unread: bytes) -> bool:
    """Returns whether what was received begins with more lines than a head has: h11 takes milliseconds for them."""
    end = _HEAD_END.search(unread)
    return unread.count(b"\n", 0, end.start() if end else len(unread)) > _FIELDS


def _is_supported(head: h11.Request) -> bool:
    """Returns whether it is one for a page: h11 lets pass other versions, two lengths of a body, and long heads."""
    names = [name for name, _ in head.headers]
    has_two_lengths = {b"content-length", b"transfer-encoding"} <= set(names)
    parts = max(head.target.count(sign) for sign in b"/&")
    is_short = len(head.target) <= _TARGET_BYTES and max(len(names), parts) <= _FIELDS
    return head.http_version in (b"1.0", b"1.1") and is_short and not has_two_lengths


class OpenPort:
    """A port that takes connections. Who connects waits until it is served."""

    def __init__(self, sockets: Sequence[socket.socket]) -> None:
        self._sockets = sockets
        self.number: int = sockets[0].getsockname()[1]

    def close(self) -> None:
        """Takes no more connections."""
        for each in self._sockets:
            each.close()

    @asynccontextmanager
    async def serve(self, respond: Respond, limit: ConnectionLimit) -> AsyncIterator[None]:
        """Serves while the block lasts."""
        loop, places = asyncio.get_running_loop(), OpenConnections(limit)
        serving = []
        try:
            for each in self._sockets:
                connect = partial(HttpConnection, respond, places)
                # Not at once: cancelled in between, it would be served on.
                server = await loop.create_server(connect, sock=each.dup(), backlog=_ACCEPTED, start_serving=False)
                serving.append(server)
                await server.start_serving()
                each.listen(_UNACCEPTED)  # asyncio takes one number for both
            yield
        finally:
            try:
                await close_servers(serving)
            finally:
                jobs = [each.stop() for each in places.open]
                if jobs:
                    await asyncio.wait(jobs, timeout=_STOP_S)
                    for job in jobs:
                        job.cancel()
                    await asyncio.wait(jobs)


@asynccontextmanager
async def open_port(host: str, port: int) -> AsyncIterator[OpenPort]:
    """The port, 0: any that is free, at this address while the block lasts. Raises UserError."""
    found = OpenPort(await bind(host, port, "the page", "web"))
    try:
        yield found
    finally:
        found.close()


async def bind(host: str, port: int, what: str, section: str) -> Sequence[socket.socket]:
    """Returns sockets that listen there. Raises UserError, with `what` is to be served, and where the setting is."""
    try:
        return await _bind(host, port)
    except OSError as error:
        kind = PortTaken if error.errno == errno.EADDRINUSE else UserError
        raise kind(f"{what} cannot be served at {host}:{port}: {_explain(error, section)}") from None


def _explain(error: OSError, section: str) -> str:
    """Returns why nothing can listen there, and what to do about it.

    The words of asyncio differ from one Python to the next, so only the number is taken from its errors; where it has
    tried every address in vain, they have none.
    """
    if isinstance(error, socket.gaierror):
        return f"{(error.strerror or str(error)).lower()}; set another {section}.host"
    number = error.errno or errno.EADDRNOTAVAIL
    setting = "host" if number in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT) else "port"
    return f"{os.strerror(number).lower()}; set another {section}.{setting}"


async def close_servers(servers: Sequence[asyncio.Server]) -> None:
    """Takes no more connections there. The protocols of those that were taken have begun when it returns.

    asyncio loses a connection whose server is closed in the turn of the event loop after the one in which it was taken.
    """
    try:
        for server in servers:
            for each in server.sockets:
                asyncio.get_running_loop().remove_reader(each)
        for _ in range(3):  # a transport is made, its protocol told, and the task of that begun
            await asyncio.sleep(0)
    finally:
        for server in servers:
            server.close()


async def _bind(host: str, port: int) -> Sequence[socket.socket]:
    """Returns sockets that listen there; `::` means the addresses of IPv4 too. Raises OSError."""
    if is_any(host) and ":" in host:
        both = socket.create_server((host, port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=_UNACCEPTED)
        return [both]
    found = await asyncio.get_running_loop().create_server(asyncio.Protocol, host, port, start_serving=False)
    with closing(found), ExitStack() as opened:  # it has looked up the name, and is not needed any more
        sockets = [opened.enter_context(each.dup()) for each in found.sockets]
        for each in sockets:
            each.listen(_UNACCEPTED)
        opened.pop_all()
        return sockets
