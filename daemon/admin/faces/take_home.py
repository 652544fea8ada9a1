"""What players take home: the codes that a wall shows after a match, and what a phone with one may see.

What a phone may see has the addresses below /api/taken/, which answer as those below /api/ do, but of the match or the
evening of the code alone. The code comes in a header, so that no web server in front writes it into its log.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec
from msgspec import Raw, Struct

from daemon.admin import requests
from daemon.admin.admin import Admin
from daemon.admin.answers import Refused, StillReading
from daemon.admin.faces.http import encode_answer, refuse_request
from daemon.errors import UserError
from daemon.http.messages import HttpRequest, HttpResponse, HttpRoute, respond_error, respond_json
from daemon.web.auth import Auth
from daemon.web.hour_codes import CodeRefused, HourCodes, Seen
from daemon.web.joining import is_of_this_machine
from daemon.web.qr_code import QrCodes
from protocol.player_names import name_key

HEADER = "oche-code"
_TOLD = ("name", "nickname", "colour", "picture", "face")
"""What of a player's profile a phone with a code is told."""
_KEPT = 64
"""Codes whose pictures are remembered."""

_NOT_SHOWN = "this code does not show that: it is for one match, or for one evening or week"


class _Side(Struct):
    players: list[str]


class _Match(Struct):
    sides: list[_Side]


class _Listed(Struct):
    match: str
    players: list[str]


class _Told(Struct):
    result: _Listed


class _Evening(Struct):
    matches: list[_Told]


class _NotRead(Exception):
    """The matches are still being read; `answer` says how far."""

    def __init__(self, answer: StillReading) -> None:
        super().__init__()
        self.answer = answer


_Answer = Callable[[Seen, HttpRequest], Awaitable[HttpResponse]]


class TakeHomeRoutes:
    """The routes. `venue` is the name of the place, as in [web]."""

    def __init__(self, admin: Admin, auth: Auth, codes: HourCodes, venue: str) -> None:
        self._admin = admin
        self._auth = auth
        self._codes = codes
        self._venue = venue
        self._drawings = QrCodes()
        self._pictures: OrderedDict[Seen, frozenset[str]] = OrderedDict()
        """The IDs of the pictures that a code shows, of the codes that were used last."""

    def make(self) -> list[HttpRoute]:
        """Returns them."""
        taken: dict[str, _Answer] = {
            "venue": self._tell_venue,
            "match/{match}": self._read_match,
            "match/{match}/best": self._read_best,
            "evening": self._read_evening,
            "players": self._list_players,
            "players/picture/{picture}": self._read_picture,
        }
        return [
            HttpRoute("GET", "/api/venue", self._get_venue),
            HttpRoute("GET", "/api/code", self._make_code),
            *(
                HttpRoute("GET", f"/api/taken/{path}", partial(self._respond, own), "nothing")
                for path, own in taken.items()
            ),
        ]

    async def _get_venue(self, request: HttpRequest) -> HttpResponse:
        return respond_json({"v": 1, "venue": self._venue})

    async def _make_code(self, request: HttpRequest) -> HttpResponse:
        """Answers with the link for a phone, and its QR code."""
        seen = _read_seen(request.query)
        if seen is None:
            return respond_error(400, "invalid", "name the match, or the moments since and before, in Unix time")
        try:
            base = self._auth.public_url.for_phones(request.query.get("base", f"http://{request.header('host')}/"))
        except ValueError as error:
            return respond_error(400, "invalid", str(error))
        code, until = self._codes.make(seen)
        url = f"{base}{'take_home' if seen.match else 'story'}#code={code}"
        drawn = await self._drawings.draw(url, request.connection.client)
        ends = datetime.fromtimestamp(until, UTC).isoformat()
        return respond_json({"v": 1, "url": url, "qr": drawn, "local": is_of_this_machine(url), "until": ends})

    async def _respond(self, answer: _Answer, request: HttpRequest) -> HttpResponse:
        """Answers a phone that has shown a code."""
        try:
            response = await answer(self._codes.read(request.header(HEADER)), request)
        except CodeRefused as error:
            return respond_error(403, "forbidden", error.said)
        except _NotRead as error:
            return respond_json(error.answer, 202)
        except (Refused, UserError) as error:
            return refuse_request(requests.ReadMatch, error)
        response.headers["Cache-Control"] = "no-store"
        return response

    async def _tell_venue(self, seen: Seen, request: HttpRequest) -> HttpResponse:
        return await self._get_venue(request)

    async def _read_match(self, seen: Seen, request: HttpRequest) -> HttpResponse:
        match = await self._check_match(seen, request)
        return await encode_answer(requests.ReadMatch, request, await self._ask_match(match), self._admin.release)

    async def _read_best(self, seen: Seen, request: HttpRequest) -> HttpResponse:
        answer = await self._admin.ask(requests.ReadBest(await self._check_match(seen, request)))
        return await encode_answer(requests.ReadBest, request, answer, self._admin.release)

    async def _check_match(self, seen: Seen, request: HttpRequest) -> str:
        """Returns the match that is asked for. Raises Refused for one that the code does not show, and _NotRead."""
        match = request.params["match"]
        if match != seen.match and (seen.match or match not in {each.match for each in await self._list_matches(seen)}):
            raise Refused("unknown", _NOT_SHOWN)
        return match

    async def _read_evening(self, seen: Seen, request: HttpRequest) -> HttpResponse:
        if seen.match:
            raise Refused("unknown", _NOT_SHOWN)
        return await encode_answer(requests.ReadEvening, request, await self._ask_evening(seen), self._admin.release)

    async def _list_players(self, seen: Seen, request: HttpRequest) -> HttpResponse:
        return respond_json(await self._find_players(seen))

    async def _read_picture(self, seen: Seen, request: HttpRequest) -> HttpResponse:
        picture = request.params["picture"]
        if picture not in self._pictures.get(seen, ()):
            await self._find_players(seen)
        if picture not in self._pictures[seen]:
            raise Refused("unknown", _NOT_SHOWN)
        answer = await self._admin.ask(requests.ReadPicture(picture))
        return await encode_answer(requests.ReadPicture, request, answer, self._admin.release)

    async def _find_players(self, seen: Seen) -> list[dict[str, Any]]:  # Any: JSON
        """Returns the profiles of those who played, and remembers their pictures."""
        if seen.match:
            report = msgspec.json.decode(await self._ask_match(seen.match), type=_Match)
            names = [name for side in report.sides for name in side.players]
        else:
            names = [name for match in await self._list_matches(seen) for name in match.players]
        keys = set(map(name_key, names))
        known: list[dict[str, Any]] = msgspec.to_builtins(await self._admin.ask(requests.ListPlayers()))
        found = [_tell(player) for player in known if name_key(player["name"]) in keys]
        self._pictures[seen] = frozenset(
            player[form] for player in found for form in ("picture", "face") if player.get(form)
        )
        self._pictures.move_to_end(seen)
        while len(self._pictures) > _KEPT:
            self._pictures.popitem(last=False)
        return found

    async def _ask_match(self, match: str) -> Raw:
        answer: Raw = await self._admin.ask(requests.ReadMatch(match))
        return answer

    async def _ask_evening(self, seen: Seen) -> Raw:
        """Returns the evening of a code. Raises _NotRead."""
        since, before = (datetime.fromtimestamp(each, UTC).isoformat() for each in (seen.since, seen.before))
        answer: Raw | StillReading = await self._admin.ask(requests.ReadEvening(since, before))
        if isinstance(answer, StillReading):
            raise _NotRead(answer)
        return answer

    async def _list_matches(self, seen: Seen) -> list[_Listed]:
        evening = msgspec.json.decode(await self._ask_evening(seen), type=_Evening)
        return [each.result for each in evening.matches]


def _read_seen(query: Mapping[str, str]) -> Seen | None:
    """Returns what a code is wanted for; None: it is not said, or wrongly."""
    match = query.get("match", "")
    if match:
        return Seen(match) if re.fullmatch(r"[\w-]{1,40}", match, re.ASCII) else None
    moments = [query.get(name, "") for name in ("since", "before")]
    if not all(re.fullmatch("[0-9]{1,10}", each) for each in moments):
        return None
    since, before = map(int, moments)
    return Seen(since=since, before=before) if 0 < before - since <= requests.LONGEST_STORY.total_seconds() else None


def _tell(player: Mapping[str, Any]) -> dict[str, Any]:  # Any: JSON
    return {name: player[name] for name in _TOLD if player.get(name) is not None}
