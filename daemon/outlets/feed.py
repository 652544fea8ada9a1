"""The feed: what happens at a table, over Socket.IO, for clients that were written for darts-caller.

Nothing that a client sends steers the table. The table never waits, and no client waits for another: an update goes
into a queue of 100, from which the oldest go when it is full; a client that is 100 messages behind is cut off.

The library python-socketio speaks the protocol; uvicorn's protocol for h11 and wsproto, which come with oche and with
that library, carries it. uvicorn's own server is not used: it takes over the signals of the process, and wakes up ten
times a second. The number of connections and of sessions is limited, and the kernel keeps little for each.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

import socketio
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol
from uvicorn.server import ServerState

from daemon.config.outlets import Feed
from daemon.errors import UserError, escape_controls
from daemon.http.addresses import format_host_port
from daemon.http.connection import bind, close_servers
from daemon.outlets.backlog import MOST_WAITING, Backlog
from daemon.outlets.feed_messages import WELCOME, Translator
from daemon.part import Part
from daemon.table.effects import Update
from daemon.table.table import Table

log = logging.getLogger("oche.outlets")
_library_log = logging.getLogger("oche.outlets.feed")
_library_log.setLevel(logging.ERROR)  # it logs each kind of error once, and every message at INFO

_MOST_CLIENTS = 16
_MOST_CONNECTIONS = 2 * _MOST_CLIENTS
"""A client that polls may have two."""
_MOST_BYTES = 65_536
"""Of what a client sends at once: some tell all their settings."""
_BUFFER_BYTES = 16_384
"""What the kernel keeps for a client that does not read."""
_REQUEST_S, _UNREAD_S = 10.0, 20.0
"""For the first request of a connection to come, and for a client to take what was sent to it."""
_RETRY_S = 60.0
"""After this time a port that was taken is tried again."""
_STOP_S = 1.0
_MOST_NAMES, _LONGEST_NAME = 20, 20
"""Of what clients ask for in vain, in the log."""

Scope = dict[str, Any]  # Any: as ASGI has it
_Call = Callable[[], Awaitable[Any]]  # Any: as above
_Send = Callable[[Any], Awaitable[None]]  # Any: as above


class FeedServer(Part):
    """The feed of one table. A Part. It keeps what fails in `troubles`."""

    def __init__(self, config: Feed, table: Table, troubles: dict[str, str]) -> None:
        assert config.port is not None, "it is loaded only where there is one"
        self._host, self._port = config.host, config.port
        self._table = table
        self._troubles = troubles
        self._translator = Translator(table.codebook.layout, table.name, self._list_bots)
        self._waiting = Backlog[Update]("the feed")
        self._refused: set[str] = set()

    def publish(self, update: Update) -> None:
        """Notes an update of its table; `run` sends it."""
        if update.table == self._table.name and (update.state is not None or update.events):
            self._waiting.put(update)

    async def run(self) -> None:
        """Serves until cancelled. Where the port cannot be had, it says so and tries again."""
        while True:
            try:
                async with self._serve() as server:
                    await self._send_all(server)
            except UserError as error:
                if self._troubles.get("feed") != str(error):
                    self._troubles["feed"] = str(error)
                    log.error("%s", error)
                await asyncio.sleep(_RETRY_S)

    async def _send_all(self, server: socketio.AsyncServer) -> None:
        while True:
            for message in self._translator.translate(await self._waiting.take()):
                await server.emit("message", message)
            await _drop_slow(server)
            await asyncio.sleep(0)  # the tables have their turn between two updates

    @asynccontextmanager
    async def _serve(self) -> AsyncIterator[socketio.AsyncServer]:
        """Serves while the block lasts. Raises UserError."""
        sockets = await bind(self._host, self._port, "the feed", "outlets.feed")
        self._troubles.pop("feed", None)
        server = self._make_server()
        state = ServerState()
        config = Config(
            _limit_sessions(server),
            ws=WSProtocol,
            ws_max_size=_MOST_BYTES,
            ws_per_message_deflate=False,
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
        )
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
        loop = asyncio.get_running_loop()
        serving = [
            await loop.create_server(lambda: _Connection(config, state, {}), sock=each, start_serving=False)
            for each in sockets
        ]
        log.info(
            "the feed of the table %s is at http://%s/", self._table.name, format_host_port(self._host, self._port)
        )
        try:
            for each in serving:
                await each.start_serving()
            yield server
        finally:
            await close_servers(serving)
            await server.shutdown()
            for connection in tuple(state.connections):
                connection.transport.abort()
            if state.tasks:
                _, late = await asyncio.wait(state.tasks, timeout=_STOP_S)
                for task in late:
                    task.cancel()

    def _make_server(self) -> socketio.AsyncServer:
        server = socketio.AsyncServer(
            async_mode="asgi",
            max_http_buffer_size=_MOST_BYTES,
            logger=_library_log,
            engineio_logger=_library_log,
        )

        async def take(client: str, *said: object) -> None:
            wanted = said[0] if said else ""
            if isinstance(wanted, dict):  # clients tell which program they are
                wanted = wanted.get("event")
            if isinstance(wanted, str) and wanted.startswith("hello"):
                await server.emit("message", WELCOME, to=client)
                await _drop_slow(server)
            elif wanted is not None:
                self._refuse(str(wanted))

        async def take_other(event: str, client: str, *said: object) -> None:
            self._refuse(event)

        server.on("message", take)
        server.on("*", take_other)
        return server

    def _refuse(self, wanted: str) -> None:
        """Logs once that a client wants to steer."""
        name = escape_controls(wanted.partition(":")[0][:_LONGEST_NAME])
        if name not in self._refused and len(self._refused) < _MOST_NAMES:
            self._refused.add(name)
            log.warning('a client of the feed has sent "%s", which does nothing: use MQTT to steer the table', name)

    def _list_bots(self) -> list[str]:
        header = self._table.match.header
        return [player for player, is_bot in zip(header.players, header.is_bot, strict=True) if is_bot]


class _Connection(H11Protocol):
    """A connection, which is closed where there are too many, or where no request comes."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        if len(self.connections) > _MOST_CONNECTIONS:
            transport.abort()
            return
        own: socket.socket = transport.get_extra_info("socket")
        own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(_UNREAD_S * 1000))
        self.loop.call_later(_REQUEST_S, self._drop_silent)

    def _drop_silent(self) -> None:
        cycle: object = self.cycle
        if cycle is None and self.transport.get_protocol() is self:  # no request, and no WebSocket
            self.transport.abort()


def _limit_sessions(server: socketio.AsyncServer) -> Any:  # Any: as ASGI has it
    """Returns the application for uvicorn: it refuses a new session where there are enough."""
    serve = socketio.ASGIApp(server)

    async def respond(scope: Scope, receive: _Call, send: _Send) -> None:
        is_new = "sid" not in parse_qs(scope["query_string"].decode(errors="replace"))
        if not is_new or sum(not session.closed for session in server.eio.sockets.values()) < _MOST_CLIENTS:
            await serve(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close"})
        else:
            await send({"type": "http.response.start", "status": 503, "headers": [(b"retry-after", b"10")]})
            await send({"type": "http.response.body"})

    return respond


async def _drop_slow(server: socketio.AsyncServer) -> None:
    """Ends the sessions of clients for whom too much waits."""
    for session in tuple(server.eio.sockets.values()):
        if not session.closed and session.queue.qsize() > MOST_WAITING:
            log.warning("a client of the feed is more than %s messages behind: it is cut off", MOST_WAITING)
            await session.close(wait=False, abort=True)
