"""The statistics on the web, beside the page that shows them: reading and playing again in a thread, so no dart waits.

    GET /api/stats                      {"v": 1, "players": [...], "unread": 0}: a line each (players.PlayerSummary)
    GET /api/stats/player?name=Ann      {"v": 1, "name": "Ann", "games": [...], ...}: all figures (players.PlayerReport)

Both take `game` (a game's id, a preset, another variant), `since` (2026-11-30), `table` and `bots=1`. Only
matches that are over are in them. `unread` is how many matches and journals could not be read: `oche stats` tells why.

The first reading of a long history takes time: a client is kept waiting for a few seconds, and then told
202 with {"v": 1, "reading": {"done": 340, "of": 2000}}: ask again. All who ask meanwhile share one reading.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import TypeVar

import msgspec

from daemon.errors import UserError
from daemon.history import players
from daemon.history.history import History, HistoryClosed, PlayedMatch
from daemon.release import read_version
from daemon.web.http_messages import Answered, HttpRequest, HttpResponse, Route, answer_text, respond_json
from protocol.segment import Layout

T = TypeVar("T")

_PATIENCE_S = 4.0
"""The page gives up after twice that."""


class StatsPages:
    """What the history page asks for. `layouts` are those of the tables, by name."""

    def __init__(self, folder: Path, layouts: Mapping[str, Layout]) -> None:
        self._history = History(folder, layouts, read_version(), is_gentle=True)
        self._reading: asyncio.Task[list[PlayedMatch]] | None = None
        self.routes = [Route("GET", "/api/stats", self._players), Route("GET", "/api/stats/player", self._player)]

    def close(self) -> None:
        """Stops the thread that reads."""
        self._history.close()

    async def _players(self, request: HttpRequest) -> HttpResponse:
        found = await self._read(request, players.rank_players)
        told = {"v": 1, "players": found, "unread": len(self._history.problems)}
        return respond_json(told, accepted=request.header("accept-encoding"))

    async def _player(self, request: HttpRequest) -> HttpResponse:
        wanted = players.name_key(request.query.get("name", ""))
        found = await self._read(
            request, lambda known: players.report_player(known[wanted]) if wanted in known else None
        )
        if found is None:
            raise answer_text(404, "no match of a player of that name is over")
        return respond_json({"v": 1, **msgspec.to_builtins(found)}, accepted=request.header("accept-encoding"))

    async def _read(self, request: HttpRequest, work: Callable[[Mapping[str, list[players.Appearance]]], T]) -> T:
        selection = _selection(request.query)
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(asyncio.to_thread(lambda: list(self._history.counted_matches())))
        reading = self._reading
        await asyncio.wait([reading], timeout=_PATIENCE_S)
        if not reading.done():
            done, of = self._history.progress
            raise Answered(respond_json({"v": 1, "reading": {"done": done, "of": of}}, 202))
        try:
            matches = reading.result()
        except (UserError, HistoryClosed) as error:
            raise answer_text(503, str(error)) from None
        return await asyncio.to_thread(lambda: work(players.collect_appearances(matches, selection)))


def _selection(query: Mapping[str, str]) -> players.Selection:
    since = query.get("since")
    try:
        moment = players.start_of_day(date.fromisoformat(since)) if since else None
    except ValueError:
        raise answer_text(400, "since must be a day such as 2026-11-30") from None
    return players.Selection(query.get("game"), moment, query.get("table"), query.get("bots") == "1")
