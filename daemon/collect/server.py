"""`oche league`: the statistics pages, answered from the database of the league. Nothing is changed by any request.

    GET /api/league             what the league is called, its places, games and seasons: LeagueSummary
    GET /api/league/season      how a season stands: ?name=winter-2026: SeasonView
    GET /api/league/record      the record of a match, for the daemon that has sent it: ?table=main&match=…

All else is asked as of a daemon (docs/web.md), also with `place`, `season`, `since` and `before`.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from functools import partial
from math import inf
from time import monotonic
from typing import IO, cast
from uuid import UUID

from msgspec import Raw

from daemon.admin.answers import File, Refused
from daemon.admin.faces.http import encode_answer, end_with_client, read_request, refuse_request
from daemon.admin.history.reader import FiguresReader
from daemon.admin.requests import FiguresRequest
from daemon.admin.requests.asked import Request
from daemon.admin.requests.history import HISTORY, ReadEvening, ReadWeek
from daemon.collect.admission import Admission
from daemon.collect.bounded_source import BoundedSource, SeasonSource
from daemon.collect.config import LeagueConfig
from daemon.collect.kept import make_stamp
from daemon.collect.places import Filters, choose, read_filters, summarize_league
from daemon.collect.postgres_source import Connect
from daemon.collect.questions import DatabaseTrouble, Questions
from daemon.collect.seasons import list_seasons, read_season
from daemon.collect.tokens import Holder, find_holder
from daemon.errors import UserError
from daemon.http.connection import OpenPort
from daemon.http.limits import ConnectionLimit
from daemon.http.messages import (
    HttpRequest,
    HttpResponse,
    HttpRoute,
    answer_text,
    find_route,
    pack_json,
    respond_error,
)
from daemon.league.whole_league import HEADER
from daemon.release import read_version
from daemon.web.drawn_layouts import describe_layout, find_dartboard
from daemon.web.page_files import PageFiles
from protocol.layouts import find_layout
from protocol.season import SeasonView
from protocol.sentence import get_reason

log = logging.getLogger("oche.league")

_PAGE = "/history"
_FILES = "/static/", "/joined/"
_ENTER = "/api/enter"
_NOT_SERVED = ReadEvening, ReadWeek
"""What is told of one place; it takes all matches of everybody who has played there."""
_AGAIN_S = 60.0
_CONNECTIONS = 256, 512
"""Of one client, as which all count behind a web server in front, and in all."""
_READ_RECORD = "select record from oche.match where bridge_id = %s and table_name = %s and match = %s"


class LeagueServer:
    """The pages of a league at this port."""

    def __init__(self, config: LeagueConfig, port: OpenPort, questions: Questions) -> None:
        self._name = config.league.name
        self._trouble, self._said_s = "", -inf
        self._port = port
        self._questions = questions
        self._stamp = make_stamp(read_version(), config.league.time_zone)
        self._admission = Admission(self._find_holder, config.web.names, port.number, is_public=config.web.public)
        files = [each for each in PageFiles().routes if each.path == _PAGE or each.path.startswith(_FILES)]
        figures = [
            HttpRoute("GET", asked.page.removeprefix("GET "), partial(self._answer, kind))
            for kind, asked in HISTORY.items()
            if kind not in _NOT_SERVED
        ]
        self._routes = [
            *files,
            HttpRoute("GET", "/", _lead_to_page, "nothing"),
            HttpRoute("POST", _ENTER, self._admission.enter, "nothing"),
            HttpRoute("GET", "/api/layout/{name}", _draw_layout, "nothing"),
            HttpRoute("GET", "/api/league", self._summarize),
            HttpRoute("GET", "/api/league/season", self._show_season),
            HttpRoute("GET", "/api/league/record", self._send_record),
            *figures,
        ]

    async def run(self) -> None:
        """Serves until cancelled."""
        async with self._port.serve(self._respond, ConnectionLimit(*_CONNECTIONS)):
            try:
                await self._questions.ask(lambda _: None)
            except UserError as error:
                self._note(str(error))
            await asyncio.Event().wait()

    async def _respond(self, request: HttpRequest) -> HttpResponse:
        """Answers a request. Raises EarlyResponse."""
        if request.method not in ("GET", "HEAD") and (request.method, request.path) != ("POST", _ENTER):
            refused = answer_text(405, "these pages only show: nothing can be changed here")
            refused.response.headers["Allow"] = "GET, HEAD"
            raise refused
        with end_with_client(request):
            try:
                return await self._pass_on(request)
            except Refused as error:
                return respond_error(503, error.code, error.said, error.wait_s)
            except UserError as error:
                self._note(str(error))
                return respond_error(503, "unavailable", get_reason(error))

    def _note(self, trouble: str) -> None:
        """Logs what is wrong with the database, once a minute where it stays the same."""
        now = monotonic()
        if trouble != self._trouble or now > self._said_s + _AGAIN_S:
            self._trouble, self._said_s = trouble, now
            log.warning("%s", trouble)

    async def _pass_on(self, request: HttpRequest) -> HttpResponse:
        route = find_route(self._routes, request)
        await self._admission.admit(request, is_open=route.role is None)
        return await route.respond(request)

    async def _find_holder(self, sha256: bytes) -> Holder | None:
        def find(connect: Connect) -> Holder | None:
            with connect() as db:
                return find_holder(db, sha256)

        return await self._questions.ask(find)

    async def _summarize(self, request: HttpRequest) -> HttpResponse:
        found = await self._questions.ask(lambda connect: summarize_league(connect, self._name))
        return (await pack_json(found)).respond(request)

    async def _show_season(self, request: HttpRequest) -> HttpResponse:
        found = await self._questions.ask(partial(_find_season, request.query.get("name", "")))
        if found is None:
            raise answer_text(404, "the league has no such season")
        response = (await pack_json(found)).respond(request)
        response.headers[HEADER] = "whole"
        return response

    async def _answer(self, kind: type[Request], request: HttpRequest) -> HttpResponse:
        """Answers what is asked of the history."""
        try:
            filters = read_filters(request.query)
            try:
                wanted = read_request(kind, request)
            except ValueError as error:
                raise Refused("invalid", get_reason(error)) from None
            answer = await self._questions.ask(
                partial(_answer_figures, self._stamp, filters, cast("FiguresRequest", wanted))
            )
        except Refused as error:
            return refuse_request(kind, error)
        except DatabaseTrouble:
            raise
        except UserError as error:  # a record that cannot be shown, or a question that takes too long
            return refuse_request(kind, Refused("illegal", str(error)))
        response = await encode_answer(kind, request, answer, _release)
        response.headers[HEADER] = "whole"
        return response

    async def _send_record(self, request: HttpRequest) -> HttpResponse:
        """Answers with a record as the daemon has sent it: to that daemon, by its own token."""
        if not request.device:
            raise answer_text(403, "a record is only for the daemon that has sent it, with its own token")
        key = UUID(request.device), request.query.get("table", ""), request.query.get("match", "")
        record = await self._questions.ask(partial(_read_record, *key))
        if record is None:
            raise answer_text(404, "this daemon has sent no such match")
        return HttpResponse(record, "application/x-ndjson")


def _answer_figures(stamp: str, filters: Filters, wanted: FiguresRequest, connect: Connect) -> Raw | File:
    scope, matches = choose(connect, filters)
    source = BoundedSource(connect, scope, kept=stamp) if matches is None else SeasonSource(connect, scope, matches)
    return FiguresReader(source).answer(wanted)


def _find_season(name: str, connect: Connect) -> SeasonView | None:
    with connect() as db:
        return read_season(db, name) if name in {each.id for each in list_seasons(db)} else None


def _read_record(bridge_id: UUID, table: str, match: str, connect: Connect) -> bytes | None:
    with connect() as db:
        row = db.execute(_READ_RECORD, [bridge_id, table, match]).fetchone()
    return zlib.decompress(row[0]) if row else None


def _release(file: IO[bytes]) -> None:
    file.close()


async def _lead_to_page(request: HttpRequest) -> HttpResponse:
    response = HttpResponse(b"", status=302)
    response.headers["Location"] = _PAGE.removeprefix("/")
    return response


async def _draw_layout(request: HttpRequest) -> HttpResponse:
    name = request.params["name"]
    try:
        layout = find_dartboard(name) or find_layout(name)
    except ValueError as error:
        raise answer_text(404, str(error)) from None
    return (await pack_json(describe_layout(layout))).respond(request)
