"""The statistics on the web, beside the page that shows them: read in a process of its own, so no dart waits.

    GET /api/stats                      {"v": 1, "players": [...], "unread": 0}: a line each (players.PlayerSummary)
    GET /api/stats/player?name=Ann      {"v": 1, "name": "Ann", "games": [...], ...}: all figures (players.PlayerReport)

Both take `game` (a game's id, a preset, another variant), `since` (2026-11-30), `table` and `bots=1`. Only
matches that are over are in them. `unread` is how many matches and journals could not be read: `oche stats` tells why.

The first reading of a long history takes time: a client is kept waiting for a few seconds, and then told
202 with {"v": 1, "reading": {"done": 340, "of": 2000}}: ask again. All who ask meanwhile share one reading.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import date

import msgspec

from daemon.errors import UserError
from daemon.history import players
from daemon.history.process import HistoryProcess
from daemon.web.http_messages import Answered, HttpRequest, HttpResponse, Route, answer_text, respond_json

_PATIENCE_S = 4.0
"""The page gives up after twice that."""


class StatsPages:
    """What the history page asks for."""

    def __init__(self, history: HistoryProcess) -> None:
        self._history = history
        self._reading: asyncio.Task[bytes | None] | None = None
        self.routes = [Route("GET", "/api/stats", self._players), Route("GET", "/api/stats/player", self._player)]

    async def _players(self, request: HttpRequest) -> HttpResponse:
        return await self._answer(request, "list_players")

    async def _player(self, request: HttpRequest) -> HttpResponse:
        return await self._answer(request, "describe_player", request.query.get("name", ""))

    async def _answer(self, request: HttpRequest, question: str, *about: str) -> HttpResponse:
        """Answers with what the history says to this question, of the matches that are selected."""
        selection = _selection(request.query)
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._history.ask("read"))
        reading = self._reading
        await asyncio.wait([reading], timeout=_PATIENCE_S)
        if not reading.done():
            done, of = self._history.progress
            raise Answered(respond_json({"v": 1, "reading": {"done": done, "of": of}}, 202))
        try:
            reading.result()
            found = await self._history.ask(question, *about, selection)
        except UserError as error:
            raise answer_text(503, str(error)) from None
        if found is None:
            raise answer_text(404, "no match of a player of that name is over")
        return respond_json(msgspec.Raw(found), accepted=request.header("accept-encoding"))


def _selection(query: Mapping[str, str]) -> players.Selection:
    since = query.get("since")
    try:
        moment = players.start_of_day(date.fromisoformat(since)) if since else None
    except ValueError:
        raise answer_text(400, "since must be a day such as 2026-11-30") from None
    return players.Selection(query.get("game"), moment, query.get("table"), query.get("bots") == "1")
