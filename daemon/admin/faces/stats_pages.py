"""The statistics on the web, beside the page that shows them: read in a process of its own, so no dart waits.

    GET /api/stats                      {"v": 1, "players": [...], "unread": 0}: a line each (players.PlayerSummary)
    GET /api/stats/player?name=Ann      {"v": 1, "name": "Ann", "games": [...], ...}: all figures (players.PlayerReport)

    GET /api/matches                    {"v": 1, "matches": [...], "more": false}: the latest (listing.ListedMatch)
    GET /api/match/ID                   {"v": 1, "match": "ID", "sides": [...], ...} (match_report.MatchReport)
    GET /api/match/ID/steps?first=60    {"v": 1, "first": 60, "steps": [...]}: states, one after the other
    GET /api/match/ID/record            its record, a file

The first two take `game` (a game's id, a preset, another variant), `since` (2026-11-30), `table` and `bots=1`. Only
matches that are over are in them. `unread` is how many matches and journals could not be read: `oche stats` tells why.

The first reading of a long history takes time: a client is kept waiting for a few seconds, and then told
202 with {"v": 1, "reading": {"done": 340, "of": 2000}}: ask again. All who ask meanwhile share one reading.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from datetime import date, datetime

import msgspec

from daemon.admin.history import players
from daemon.admin.history.listing import MatchFilter
from daemon.admin.history.process import HistoryProcess
from daemon.errors import UserError
from daemon.http.messages import Answered, HttpRequest, HttpResponse, Route, answer_text, pack_json, respond_json

_DAY = len("2026-11-30")
_PATIENCE_S = 4.0
"""The page gives up after twice that."""
_OWED_S = 60.0
"""Clients that were told to ask again have so long to do it: else a reading that ends between two questions would be
made in vain, and the next one as well."""


class StatsPages:
    """What the history page asks for."""

    def __init__(self, history: HistoryProcess) -> None:
        self._history = history
        self._reading: asyncio.Task[bytes | None] | None = None
        self._owed_until = 0.0
        """Until when the latest reading answers the clients that were told to ask again, by the event loop's clock."""
        self.routes = [
            Route("GET", "/api/stats", self._answer_players),
            Route("GET", "/api/stats/player", self._answer_player),
            Route("GET", "/api/matches", self._matches),
            Route("GET", "/api/match/{match}", self._match),
            Route("GET", "/api/match/{match}/steps", self._steps),
            Route("GET", "/api/match/{match}/record", self._record),
        ]

    async def _answer_players(self, request: HttpRequest) -> HttpResponse:
        return await self._answer(request, "list_players", _read_selection(request.query))

    async def _answer_player(self, request: HttpRequest) -> HttpResponse:
        return await self._answer(
            request, "describe_player", request.query.get("name", ""), _read_selection(request.query)
        )

    async def _matches(self, request: HttpRequest) -> HttpResponse:
        query = request.query
        wanted = MatchFilter(
            query.get("player"), query.get("table"), _read_moment(query, "since"), _read_moment(query, "before")
        )
        return await self._answer(request, "list_matches", query.get("game"), wanted)

    async def _match(self, request: HttpRequest) -> HttpResponse:
        return await _respond(request, await self._ask(request, "describe_match"))

    async def _steps(self, request: HttpRequest) -> HttpResponse:
        first = request.query.get("first", "0")
        if not re.fullmatch("[0-9]{1,9}", first):
            raise answer_text(400, "first must be the number of a step, counted from 0")
        return await _respond(request, await self._ask(request, "list_steps", int(first)))

    async def _record(self, request: HttpRequest) -> HttpResponse:
        name, _, record = (await self._ask(request, "read_record")).partition(b"\n")
        response = HttpResponse(record, "application/x-ndjson")
        response.headers["Content-Disposition"] = f'attachment; filename="{name.decode()}"'
        return response

    async def _ask(self, request: HttpRequest, question: str, *about: object) -> bytes:
        """Returns what the history says of the match that the path names."""
        try:
            found = await self._history.ask(question, request.params["match"], *about)
        except UserError as error:
            raise answer_text(409, str(error)) from None
        if found is None:
            raise answer_text(404, "no match of that id is over")
        return found

    async def _answer(self, request: HttpRequest, question: str, *about: object) -> HttpResponse:
        """Answers with what the history says to this question, which is about matches that are over."""
        now = asyncio.get_running_loop().time
        if self._reading is None or (self._reading.done() and now() > self._owed_until):
            self._reading = asyncio.create_task(self._history.ask("read"))
        reading = self._reading
        await asyncio.wait([reading], timeout=_PATIENCE_S)
        if not reading.done():
            self._owed_until = now() + _OWED_S
            done, of = self._history.progress
            raise Answered(respond_json({"v": 1, "reading": {"done": done, "of": of}}, 202))
        try:
            reading.result()
            found = await self._history.ask(question, *about)
        except UserError as error:
            self._owed_until = 0.0
            raise answer_text(503, str(error)) from None
        if found is None:
            raise answer_text(404, "no match of a player of that name is over")
        return await _respond(request, found)


async def _respond(request: HttpRequest, found: bytes) -> HttpResponse:
    return (await pack_json(msgspec.Raw(found))).respond(request)


def _read_selection(query: Mapping[str, str]) -> players.Selection:
    return players.Selection(
        query.get("game"), _read_moment(query, "since"), query.get("table"), query.get("bots") == "1"
    )


def _read_moment(query: Mapping[str, str], name: str) -> datetime | None:
    """The day in this query, or the moment, as answers have it."""
    given = query.get(name)
    try:
        if not given:
            return None
        return players.start_of_day(date.fromisoformat(given)) if len(given) <= _DAY else _parse_moment(given)
    except ValueError:
        raise answer_text(400, f"{name} must be a day such as 2026-11-30") from None


def _parse_moment(given: str) -> datetime:
    moment = datetime.fromisoformat(given)
    if moment.tzinfo is None:
        raise ValueError(given)
    return moment
