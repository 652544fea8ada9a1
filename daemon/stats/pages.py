"""The statistics on the web, beside the page that shows them: reading and playing again in a thread, so no dart waits.

    GET /api/stats                      {"v": 1, "players": [...], "unread": 0}: a line each (players.Standing)
    GET /api/stats/player?name=Ann      {"v": 1, "name": "Ann", "games": [...], ...}: all figures (players.Report)
    GET /api/layout/{face}              a board face as it is drawn

Both of the first take `game` (a game's id, a preset, another variant), `since` (2026-11-30), `table` and `bots=1`. Only
matches that are over are in them. `unread` is how many matches and journals could not be read: `oche stats` tells why.

The first reading of a long history takes time, in which whoever asks is kept waiting for a few seconds, and then told
202 with {"v": 1, "reading": {"done": 340, "of": 2000}}: ask again. All who ask meanwhile share one reading.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from aiohttp import web

from daemon.cli import version
from daemon.errors import UserError
from daemon.stats.drawing import drawing
from daemon.stats.history import Closed, History, Played
from daemon.stats.players import report, standings
from daemon.stats.shares import Selection, Share, first_moment, known_as, shares
from protocol.layouts import layout
from protocol.segment import Layout

T = TypeVar("T")

_PATIENCE_S = 4.0
"""The page gives up after twice that."""


class StatsPages:
    """What the history page asks for. `faces` are those of the tables, by name."""

    def __init__(self, folder: Path, faces: Mapping[str, Layout]) -> None:
        self._faces = faces
        self._history = History(folder, faces, version())
        self._reading: asyncio.Task[list[Played]] | None = None

    @property
    def routes(self) -> list[web.RouteDef]:
        """What is answered here."""
        return [
            web.get("/api/stats", self._players),
            web.get("/api/stats/player", self._player),
            web.get("/api/layout/{face}", self._layout),
        ]

    def close(self) -> None:
        """Breaks off what a thread is busy with."""
        self._history.close()

    async def _players(self, request: web.Request) -> web.Response:
        found = await self._read(request, standings)
        return _json({"v": 1, "players": found, "unread": len(self._history.problems)})

    async def _player(self, request: web.Request) -> web.Response:
        wanted = known_as(request.query.get("name", ""))
        found = await self._read(request, lambda everybody: report(everybody[wanted]) if wanted in everybody else None)
        if found is None:
            raise web.HTTPNotFound(text="no match of a player of that name is over")
        return _json({"v": 1, **msgspec.to_builtins(found)})

    async def _layout(self, request: web.Request) -> web.Response:
        name = request.match_info["face"]
        try:
            face = next((own for own in self._faces.values() if own.name == name), None) or layout(name)
        except ValueError as error:
            raise web.HTTPNotFound(text=str(error)) from None
        return _json(drawing(face))

    async def _read(self, request: web.Request, work: Callable[[Mapping[str, list[Share]]], T]) -> T:
        selection = _selection(request.query)
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(asyncio.to_thread(lambda: list(self._history.played())))
        reading = self._reading
        await asyncio.wait([reading], timeout=_PATIENCE_S)
        if not reading.done():
            done, of = self._history.progress
            still = msgspec.json.encode({"v": 1, "reading": {"done": done, "of": of}})
            raise web.HTTPAccepted(text=still.decode(), content_type="application/json")
        try:
            matches = reading.result()
        except (UserError, Closed) as error:
            raise web.HTTPServiceUnavailable(text=str(error)) from None
        return await asyncio.to_thread(lambda: work(shares(matches, selection)))


def _selection(query: Mapping[str, str]) -> Selection:
    since = query.get("since")
    try:
        moment = first_moment(date.fromisoformat(since)) if since else None
    except ValueError:
        raise web.HTTPBadRequest(text="since must be a day such as 2026-11-30") from None
    return Selection(query.get("game"), moment, query.get("table"), query.get("bots") == "1")


def _json(value: dict[str, Any]) -> web.Response:  # Any: JSON
    answer = web.Response(body=msgspec.json.encode(value), content_type="application/json")
    answer.enable_compression()
    return answer
