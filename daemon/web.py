"""The scoreboard page and the door for displays without MQTT: server-sent events out, commands in.

Every reader has a bounded backlog of its own; one that is too slow is dropped and comes back by itself with the newest
state, so a display can never hold up a dart. Commands from pages of another origin are refused.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib import resources

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler

from daemon.errors import UserError
from daemon.table import Table
from daemon.updates import BoardNews, Update
from protocol.commands import MAX_BODY_BYTES, CommandError, read_command

log = logging.getLogger("oche.web")

_BACKLOG = 500
_PING_S = 5.0
_STATUS = {"unknown": 404, "invalid": 400, "busy": 503, "unavailable": 503}
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}

_Backlog = asyncio.Queue[bytes | None]


class Web:
    """The page of all tables. An Outlet."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = tables
        self._readers: dict[str, set[_Backlog]] = {name: set() for name in tables}

    def publish(self, update: Update) -> None:
        """Hands news to everyone who is looking at that table."""
        readers = self._readers[update.table]
        for chunk in _chunks(update) if readers else ():
            for backlog in tuple(readers):
                if backlog.qsize() < _BACKLOG:
                    backlog.put_nowait(chunk)
                else:
                    readers.discard(backlog)
                    backlog.put_nowait(None)

    @asynccontextmanager
    async def serve(self, host: str, port: int) -> AsyncIterator[str]:
        """Serves while the block lasts; gives the address to open. Raises UserError when the port cannot be had."""
        app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[_guard])
        app.add_routes(
            [
                web.get("/", self._page),
                web.get("/static/{file}", self._page),
                web.get("/api/tables", self._list),
                web.get("/api/table/{table}/events", self._stream),
                web.get("/api/table/{table}/state", self._state),
                web.get("/api/table/{table}/layout", self._layout),
                web.post("/api/table/{table}/{command}", self._obey),
            ]
        )
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        try:
            site = web.TCPSite(runner, host, port)
            await site.start()
        except OSError as error:
            await runner.cleanup()
            reason = (error.strerror or str(error)).lower()
            raise UserError(f"the page cannot be served at {host}:{port}: {reason}; set another web.port") from None
        try:
            yield f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else host}:{runner.addresses[0][1]}/"
        finally:
            for readers in self._readers.values():
                for backlog in readers:
                    backlog.put_nowait(None)
            await runner.cleanup()

    async def _page(self, request: web.Request) -> web.Response:
        name = request.match_info.get("file", "index.html")
        folder = resources.files("daemon") / "page"
        known = {entry.name for entry in folder.iterdir()}
        if name not in known:
            raise web.HTTPNotFound(text="there is no such file")
        kind = _TYPES.get(name.rpartition(".")[2], "application/octet-stream")
        return web.Response(body=(folder / name).read_bytes(), content_type=kind, charset="utf-8")

    async def _list(self, request: web.Request) -> web.Response:
        return _json([{"table": table.name, "name": table.title} for table in self._tables.values()])

    async def _state(self, request: web.Request) -> web.Response:
        return _json(self._table(request).state())

    async def _layout(self, request: web.Request) -> web.Response:
        face = self._table(request).match.layout
        segments = [
            {"id": s.id, "points": s.points, "groups": sorted(s.groups), "outline": s.outline} for s in face.segments
        ]
        return _json({"name": face.name, "radius": face.radius, "miss": face.miss.id, "segments": segments})

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        """Everything now, then everything new."""
        table = self._table(request)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **_HEADERS})
        response.headers["Cache-Control"] = "no-store"
        await response.prepare(request)
        backlog: _Backlog = asyncio.Queue()
        readers = self._readers[table.name]
        readers.add(backlog)
        try:
            now = Update(table.name, state=table.state(), board=table.board)
            for chunk in _chunks(now):
                await response.write(chunk)
            while (news := await _next(backlog)) is not None:
                await response.write(news)
        except ConnectionError:
            pass  # the reader has gone
        finally:
            readers.discard(backlog)
        return response

    async def _obey(self, request: web.Request) -> web.Response:
        try:
            table = self._table(request)
            body = await request.read()
            name = request.match_info["command"]
            return _json(await table.command(read_command(name, body), "page"))
        except CommandError as error:
            answer = {"error": {"code": error.code, "message": str(error)}}
            return _json(answer, _STATUS.get(error.code, 409))

    def _table(self, request: web.Request) -> Table:
        name = request.match_info["table"]
        table = self._tables.get(name)
        if table is None:
            raise web.HTTPNotFound(text=f"there is no table {name!r}")
        return table


@web.middleware
async def _guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Writes only from our own page, and the same headers on everything."""
    if request.method not in ("GET", "HEAD"):
        site = request.headers.get("Sec-Fetch-Site", "same-origin")
        origin = request.headers.get("Origin")
        if site not in ("same-origin", "none") or (origin is not None and origin.rpartition("//")[2] != request.host):
            raise web.HTTPForbidden(text="commands are taken from the page itself only", headers=_HEADERS)
    response = await handler(request)
    if not response.prepared:
        response.headers.update(_HEADERS)
    return response


async def _next(backlog: _Backlog) -> bytes | None:
    """The next news; a comment when there are none for a while, so that a reader can tell silence from a dead link."""
    try:
        async with asyncio.timeout(_PING_S):
            return await backlog.get()
    except TimeoutError:
        return b": ping\n\n"


def _chunks(update: Update) -> list[bytes]:
    chunks = []
    if update.board is not None:
        chunks.append(_event("board", _board(update.board)))
    if update.state is not None:
        chunks.append(_event("state", update.state))
    chunks += [_event("fact", event) for event in update.events]
    if update.notice is not None:
        chunks.append(_event("notice", {"text": update.notice}))
    return chunks


def _board(news: BoardNews) -> dict[str, str]:
    return {"state": "online" if news.online else "offline", "text": news.info.text}


def _event(name: str, value: object) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + msgspec.json.encode(value) + b"\n\n"


def _json(value: object, status: int = 200) -> web.Response:
    return web.Response(body=msgspec.json.encode(value), status=status, content_type="application/json")
