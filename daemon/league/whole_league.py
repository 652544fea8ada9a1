"""The statistics of the whole league on a daemon's page: what is asked with `league=1` is asked of `oche league`.

The league has a second to answer. Its latest answers are kept for a day, for when it does not; where there is none, the
daemon answers with its own figures. None is kept over a change in the book of the players: a name may be in it that was
forgotten. The header `Oche-League` says which it is:

    own         the daemon's own figures, as was asked
    now         the league has just said so
    none        the league does not answer, and has not lately: the daemon's own figures
    otherwise   the moment (ISO 8601, UTC) from which the league's answer is
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from math import inf
from time import monotonic
from typing import Literal
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Raw, Struct

from daemon.config.sections import League
from daemon.errors import UserError
from daemon.http.messages import HttpRequest, HttpResponse, HttpRoute, Respond, answer_text, pack_json, respond_json
from daemon.league.pages_client import NoAnswer, PagesClient

log = logging.getLogger("oche.league")

HEADER = "Oche-League"
_PATHS = ("/api/stats", "/api/match")
"""How the addresses begin of what a league can be asked."""
_MAY_MISS = "/api/stats/player", "/api/stats/head_to_head", "/api/match/", "/api/league/season"
"""What is asked of somebody, of a match or a season, whom a league may not know."""
_NOT_TOLD = HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT
"""What a league answers to a question that it cannot answer, or not about so many matches."""
_OWN = "/api/match/{match}/record", "/api/stats/week"
"""What the daemon alone answers: a file, and what is told of one place."""
_TIMEOUT_S = 1.0
_KEPT_S = 24 * 3600.0
_REST_S = 5.0
"""After so long a league that has not answered is asked again: no page waits a second for each of its questions."""
_AT_ONCE = 8
_MOST_BYTES = 2_000_000
_MOST_KEPT, _MOST_KEPT_BYTES = 200, 8_000_000


class _Answer(Struct):
    """What every answer about the history has; msgspec checks that the rest is JSON, too, and keeps nothing of it."""

    v: Literal[1]


class _Kept(Struct, frozen=True):
    """An answer of the league, None: it knows of no such thing. `since_s` is when it came, by the monotonic clock."""

    body: bytes | None
    at: str
    since_s: float


class _Refused(Exception):
    """The league does not answer with figures; the text says how."""


class WholeLeague:
    """Asks the pages of this league. `stamp` returns another value after a change in the book of the players."""

    def __init__(self, league: League, stamp: Callable[[], object]) -> None:
        self._find_stamp = stamp
        self._stamp: object = None
        """That of the book since which answers were kept."""
        self._pages = PagesClient(league)
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._asking = 0
        self._rests_until_s = 0.0
        self._answered_s = -inf
        self._trouble = ""

    def extend(self, routes: Sequence[HttpRoute]) -> Iterator[HttpRoute]:
        """Yields these routes, those of the history so that they ask the league where that is wanted; and its own."""
        for each in routes:
            is_asked = each.method == "GET" and each.path.startswith(_PATHS) and each.path not in _OWN
            yield each._replace(respond=partial(self._respond, each.respond)) if is_asked else each
        yield HttpRoute("GET", "/api/league", partial(self._respond_of_league, _say_nothing))
        yield HttpRoute("GET", "/api/league/season", partial(self._respond_of_league, _know_no_season))

    async def _respond(self, own: Respond, request: HttpRequest) -> HttpResponse:
        """Answers as the daemon does, or with what the league says."""
        if "league" in request.query:
            return await self._respond_of_league(own, request)
        response = await own(request)
        response.headers[HEADER] = "own"
        return response

    async def _respond_of_league(self, own: Respond, request: HttpRequest) -> HttpResponse:
        found, said = await self._find(_write_target(request))
        if found is None:
            response = await own(request)
        elif found.body is None:
            raise answer_text(404, "the league knows of no such thing")
        else:
            response = (await pack_json(Raw(found.body))).respond(request)
        response.headers[HEADER] = said
        return response

    async def _find(self, target: str) -> tuple[_Kept | None, str]:
        """Returns what the league answers or has answered, and what the header says of it."""
        stamp = await asyncio.to_thread(self._find_stamp)
        if stamp != self._stamp:
            self._stamp = stamp
            self._kept.clear()
        now = monotonic()
        if now >= self._rests_until_s and self._asking < _AT_ONCE:
            self._asking += 1
            try:
                found = await self._ask(target)
            except (_Refused, NoAnswer, UserError) as error:
                if monotonic() > self._answered_s + _REST_S:  # else it is this question alone
                    self._rests_until_s = monotonic() + _REST_S
                self._note(str(error))
            else:
                self._answered_s = monotonic()
                self._note("")
                if stamp == self._stamp:
                    self._keep(target, found)
                return found, "now"
            finally:
                self._asking -= 1
        kept = self._kept.get(target)
        if kept is None or now - kept.since_s > _KEPT_S:
            return None, "none"
        return kept, kept.at

    async def _ask(self, target: str) -> _Kept:
        """Returns what the league answers. Raises _Refused, NoAnswer and UserError."""
        reply = await self._pages.get(target, accept="application/json", timeout_s=_TIMEOUT_S, most_bytes=_MOST_BYTES)
        body: bytes | None = None
        if reply.status == HTTPStatus.OK:
            body = await asyncio.to_thread(_check_answer, reply.body)
        elif reply.status == HTTPStatus.NOT_FOUND and not target.startswith(_MAY_MISS):
            raise _Refused("there is none: check league.url")
        elif reply.status not in _NOT_TOLD:
            raise _Refused(f"it answered with status {reply.status}")
        return _Kept(body, datetime.now(UTC).isoformat(timespec="seconds"), monotonic())

    def _keep(self, target: str, found: _Kept) -> None:
        """Keeps an answer, and drops the oldest ones where that makes too many."""
        self._kept.pop(target, None)
        self._kept[target] = found
        size = sum(len(each.body or b"") for each in self._kept.values())
        while len(self._kept) > _MOST_KEPT or size > _MOST_KEPT_BYTES:
            _, dropped = self._kept.popitem(last=False)
            size -= len(dropped.body or b"")

    def _note(self, trouble: str) -> None:
        """Logs what is wrong with the league, where it is something else than before."""
        if trouble and trouble != self._trouble:
            log.warning("the pages of the league: %s; the page shows what is known of it, or this board alone", trouble)
        elif self._trouble and not trouble:
            log.info("the pages of the league answer again")
        self._trouble = trouble


def _check_answer(body: bytes) -> bytes:
    """Returns it. Raises _Refused for what is no answer about a history."""
    if len(body) >= _MOST_BYTES:
        raise _Refused("its answer is too large")
    try:
        msgspec.json.decode(body, type=_Answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _Refused("its answer is no statistics: check league.url") from None
    return body


def _write_target(request: HttpRequest) -> str:
    """Returns the path and the query of the question, as the league is asked."""
    path = "/".join(quote(step, safe="") for step in request.steps)
    query = urlencode({key: value for key, value in sorted(request.query.items()) if key != "league"})
    return f"/{path}?{query}" if query else f"/{path}"


async def _say_nothing(request: HttpRequest) -> HttpResponse:
    """Answers with what the daemon itself knows of the league."""
    return respond_json({"v": 1, "name": "", "places": [], "games": [], "seasons": []})


async def _know_no_season(_: HttpRequest) -> HttpResponse:
    """A daemon alone has no seasons. Raises EarlyResponse."""
    raise answer_text(404, "the league does not answer, and has not lately said how this season stands")
