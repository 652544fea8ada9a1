"""The scoreboard page and the door for displays without MQTT: server-sent events out, commands in.

Who may come in is the door's business. A seat's private view is behind its unguessable address; see seats.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from aiohttp import web

from daemon import rules
from daemon.answers import read_body, refusal
from daemon.connection import authority, serving, visitor_of
from daemon.door import Door
from daemon.lobby import Lobby
from daemon.page_files import PageFiles
from daemon.seats import Seat, Seats, Taken, qr_code
from daemon.stats.drawing import drawing
from daemon.stats.pages import StatsPages
from daemon.stream import Reader, chunks, of_broker, of_page
from daemon.table import Table
from daemon.updates import Update
from protocol.commands import MAX_BODY_BYTES, CommandError, read_command

_FULL_S = 10.0
_STATUS = {"unknown": 404, "invalid": 400, "busy": 503, "unavailable": 503}


class Where(msgspec.Struct):
    """Where a finger touched the board: a point (tenths of a millimetre), or a segment by its id."""

    x: float | None = None
    y: float | None = None
    segment: str | None = None


Tap = Callable[[Where], str]
"""Throws a dart there; gives the id of the segment it landed in. Raises UnknownSegment."""


class Web:
    """The page of all tables. An Outlet."""

    def __init__(self, tables: Mapping[str, Table], door: Door, folder: Path) -> None:
        self.taps: dict[str, Tap] = {}
        """Tables whose simulated board takes darts from the page, and how."""
        self._tables = tables
        self._door = door
        self._seats = Seats(folder, self._tell_of_claim)
        self._stats = StatsPages(folder, {name: table.codebook.layout for name, table in tables.items()})
        self._files = PageFiles()
        self._lobby = Lobby(tables, folder)
        self._readers: dict[str, set[Reader]] = {name: set() for name in tables}
        self._broker = ""

    def publish(self, update: Update) -> None:
        """Hands news to everyone who is looking at that table."""
        readers, table = self._readers[update.table], self._tables[update.table]
        if readers:
            public = chunks(update)
            for reader in tuple(readers):
                private = update.state is not None and reader.seat is not None
                news = chunks(update._replace(state=table.state(reader.seat))) if private else public
                if not (reader.may_see(table) and reader.tell(news)):
                    readers.discard(reader)

    def tell_of_broker(self, trouble: str) -> None:
        """Shows the trouble with the broker, one sentence, to everyone who is looking; "" when it is over."""
        self._broker = trouble
        for readers in self._readers.values():
            for reader in tuple(readers):
                if not reader.tell([of_broker(trouble)]):
                    readers.discard(reader)

    @asynccontextmanager
    async def serve(self, host: str, port: int) -> AsyncIterator[str]:
        """Serves while the block lasts; gives the address to open. Raises UserError when the port cannot be had."""
        app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[self._door.guard])
        app.on_response_prepare.append(self._door.dress)
        app.add_routes(
            [
                *self._files.routes,
                web.get("/api/tables", self._list),
                web.get("/api/broker", self._trouble),
                web.get("/api/table/{table}/events", self._stream),
                web.get("/api/table/{table}/state", self._state),
                web.get("/api/table/{table}/plan", self._plan),
                web.get("/api/table/{table}/layout", self._layout),
                web.get("/api/table/{table}/seats", self._free_seats),
                web.post("/api/table/{table}/tap", self._tap),
                web.post("/api/table/{table}/{command}", self._obey),
                web.get("/api/seat/{token}", self._who),
                web.get("/api/seat/{token}/events", self._stream),
                web.get("/api/seat/{token}/layout", self._layout),
                web.post("/api/seat/{token}/choose", self._answer),
                *self._door.routes,
                *self._lobby.routes,
                *self._stats.routes,
            ]
        )
        async with serving(app, host, port, self._door.connections) as port:
            self._door.open_at(host, port)
            watch = asyncio.create_task(self._door.watch(self._show_out))
            try:
                yield f"http://{authority(host, port)}/"
            finally:
                watch.cancel()
                for readers in self._readers.values():
                    for reader in readers:
                        reader.end()
                self._stats.close()

    def _show_out(self) -> None:
        """Another token counts: whoever looks on has to enter anew. Seats are a right of their own."""
        for readers in self._readers.values():
            for reader in readers:
                if reader.seat is None:
                    reader.end()

    def _tell_of_claim(self, table: Table) -> None:
        """With a state, for with each of them a wall that shows codes asks which are left."""
        self.publish(Update(table.name, table.whole.state))

    async def _list(self, request: web.Request) -> web.Response:
        tables = self._tables.values()
        return _json([{"table": t.name, "name": t.title, "tap": t.name in self.taps} for t in tables])

    async def _trouble(self, request: web.Request) -> web.Response:
        return _json({"text": self._broker})

    async def _state(self, request: web.Request) -> web.Response:
        return _json(self._table(request).state())

    async def _plan(self, request: web.Request) -> web.Response:
        return _json(self._table(request).whole.plan)

    async def _layout(self, request: web.Request) -> web.Response:
        match = (self._seat(request).table if "token" in request.match_info else self._table(request)).match
        answer = _json({"face": rules.face(match), **drawing(match.layout)})
        answer.enable_compression()  # as many bytes as half of the page
        return answer

    async def _free_seats(self, request: web.Request) -> web.Response:
        table, asked = self._table(request), f"{request.scheme}://{request.host}/"
        try:
            base = self._door.whereabouts.for_phones(request.query.get("base", asked))
        except ValueError as error:
            return refusal(400, "invalid", str(error))
        free = []
        for seat in self._seats.free(table):
            url = f"{base}?seat={seat.token}"
            free.append({"seat": seat.number, "player": seat.player, "url": url, "qr": qr_code(url)._asdict()})
        return _json(free)

    async def _who(self, request: web.Request) -> web.Response:
        seat = self._seat(request)
        return _json({"table": seat.table.name, "seat": seat.number, "player": seat.player})

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        """Everything now, then everything new."""
        seat = self._seat(request) if "token" in request.match_info else None
        table = seat.table if seat else self._table(request)
        who = visitor_of(request)
        if not self._door.streams.enter(who):
            return refusal(503, "busy", "too many displays are looking on: close one, or try again later", _FULL_S)
        try:
            return await self._send_news(request, table, seat)
        finally:
            self._door.streams.leave(who)

    async def _send_news(self, request: web.Request, table: Table, seat: Seat | None) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        reader = Reader(table, seat.number if seat else None, request.transport)
        reader.tell([of_broker(self._broker), of_page(self._files.version)])
        self._readers[table.name].add(reader)
        try:
            while (news := await reader.next()) is not None:
                await response.write(news)
        except ConnectionError:
            pass  # the reader has gone
        finally:
            self._readers[table.name].discard(reader)
        return response

    async def _obey(self, request: web.Request) -> web.Response:
        table, name = self._table(request), request.match_info["command"]
        return await self._command(table, name, await request.read(), "page")

    async def _answer(self, request: web.Request) -> web.Response:
        seat = self._seat(request)
        return await self._command(seat.table, "choose", await request.read(), f"seat {seat.number}")

    async def _command(self, table: Table, name: str, body: bytes, source: str) -> web.Response:
        try:
            return _json(await table.command(read_command(name, body), source))
        except CommandError as error:
            return refusal(_STATUS.get(error.code, 409), error.code, str(error))

    async def _tap(self, request: web.Request) -> web.Response:
        """A dart thrown with a finger, where a simulated board takes it."""
        throw = self.taps.get(self._table(request).name)
        if throw is None:
            raise web.HTTPNotFound(text="this table has a real board: throw a dart")
        try:
            landed = throw(read_body(await request.read(), Where))
        except ValueError as error:
            return refusal(400, "invalid", str(error))
        return _json({"segment": landed})

    def _seat(self, request: web.Request) -> Seat:
        tables, phone = list(self._tables.values()), self._door.phone_of(request)
        try:
            seat = self._seats.claim(request.match_info["token"], tables, phone)
        except Taken as error:
            raise web.HTTPNotFound(text=str(error)) from None
        if seat is None:
            raise web.HTTPNotFound(text="no seat has this address (any more): scan the code of the match that is on")
        return seat

    def _table(self, request: web.Request) -> Table:
        name = request.match_info["table"]
        table = self._tables.get(name)
        if table is None:
            raise web.HTTPNotFound(text=f"there is no table {name!r}")
        return table


def _json(value: object) -> web.Response:
    return web.Response(body=msgspec.json.encode(value), content_type="application/json")
