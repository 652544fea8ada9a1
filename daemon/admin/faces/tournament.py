"""How a tournament is asked for: by the right of the setup, by the link of its organiser, or by its code to sign up.

The link and the code are rights for this tournament alone, so what they open needs no token of the page, and is judged
here. The token in the link comes in a header, so that no web server in front writes it into its log; the code stands on
a wall. Once the tournament is over the link only shows it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from time import monotonic_ns
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from daemon.admin import requests
from daemon.admin.faces.http import PageRoutes
from daemon.admin.requests import Request
from daemon.admin.requests.tournament import TOURNAMENT
from daemon.http.limits import ConnectionLimit
from daemon.http.messages import (
    EarlyResponse,
    HttpRequest,
    HttpResponse,
    HttpRoute,
    PackedJson,
    pack_json,
    read_body,
    respond_error,
    respond_json,
)
from daemon.web.auth import Auth, read_whole
from daemon.web.joining import is_of_this_machine
from daemon.web.qr_code import QrCodes
from daemon.web.tournament_codes import (
    Sign,
    is_organiser_token,
    is_sign_up_code,
    make_organiser_token,
    make_sign_up_code,
)
from drivers.rate_limit import Rate, RateLimits
from protocol.sentence import Sentence, get_reason, say

if TYPE_CHECKING:
    from daemon.admin.tournaments.tournaments import ShownTournament

ORGANISER, CODE = "oche-organiser", "oche-code"
Right = Literal["setup", "link", "look", "code"]
"""What lets a client in: the right of the setup, the link of the organiser, a token of the page, or the code."""
_ORGANISERS: tuple[Right, ...] = ("setup", "link")
_TRIES = Rate(burst=1, per_s=1.0)
_MOST_CLIENTS = 1024
_FULL_S = 10.0
_KEPT = 32
"""Answers that are kept as they were sent: each of a hundred phones asks at each change."""


class _SignUp(Struct):
    code: str
    people: tuple[str, ...]
    name: str = ""


class TournamentRoutes:
    """The routes. `page` answers what is asked, once it is allowed."""

    def __init__(self, auth: Auth, page: PageRoutes) -> None:
        self._auth = auth
        self._page = page
        self._drawings = QrCodes()
        self._tries = RateLimits(_TRIES, _MOST_CLIENTS)
        self._shown: OrderedDict[tuple[str, str], None] = OrderedDict()
        """Clients that have shown the right code, each with its tournament."""
        self._waiting: Mapping[bool, ConnectionLimit] = {
            True: ConnectionLimit(each=48, most=128),
            False: ConnectionLimit(each=48, most=64),
        }
        """Those who wait for a change: who came with a token of the page, and who did not."""
        self._packing = asyncio.Lock()
        self._packed: OrderedDict[tuple[str, str, Right], PackedJson] = OrderedDict()
        """By the tournament, its version, and what let the client in."""

    def make(self) -> list[HttpRoute]:
        """Returns them."""
        own = {
            requests.ReadTournament: self._read,
            requests.SignUp: self._sign_up,
            requests.WriteNewTon: self._write,
            requests.ProposeDraw: self._propose,
        }
        found = [
            HttpRoute("GET", "/api/tournament/{id}/links", self._make_links, "nothing"),
            HttpRoute("GET", "/api/tournament/{id}/code", self._make_code, "nothing"),
        ]
        for kind, asked in TOURNAMENT.items():
            if asked.role in ("organise", "code"):
                method, _, path = asked.page.partition(" ")
                respond = own.get(kind) or partial(self._respond, kind)
                # A long body is read once it is known that an organiser sends it.
                found.append(HttpRoute(method, path, respond, "nothing", takes_file=asked.most_bytes is not None))
        return found

    async def _respond(self, kind: type[Request], request: HttpRequest) -> HttpResponse:
        await self._check(kind, request)
        if (most := TOURNAMENT[kind].most_bytes) is not None and (refused := await read_whole(request, most)):
            return refused
        return await self._page.respond(kind, request)

    async def _check(self, kind: type[Request], request: HttpRequest) -> None:
        """Raises EarlyResponse for a client that may not ask that."""
        right = self._find_right(request)
        if TOURNAMENT[kind].role == "organise" and right not in _ORGANISERS:
            said = say(
                "tournament.not_organiser",
                "only the organiser may do this: open the organiser's link, or enter the setup token",
            )
            raise _refuse(403, "forbidden", said)
        if right == "link" and request.method == "POST" and await self._is_over(request):
            said = say("tournament.link_ended", "this tournament is over, and the organiser's link has ended with it")
            raise _refuse(403, "forbidden", said)

    def _find_right(self, request: HttpRequest) -> Right:
        """Returns what lets this client in. Raises EarlyResponse."""
        if request.is_admitted and request.role == "setup":
            return "setup"
        if is_organiser_token(self._auth.sign, request.params["id"], request.header(ORGANISER)):
            return "link"
        if request.is_admitted:
            return "look"
        if code := request.header(CODE) or request.query.get("code", ""):
            self._check_code(request, code)
            return "code"
        said = say(
            "tournament.no_right", "to see this tournament, enter the token of this page, or open a link to sign up"
        )
        raise _refuse(401, "unauthorized", said)

    def _check_code(self, request: HttpRequest, code: str, *, is_entry: bool = False) -> None:
        """Raises EarlyResponse for a wrong code. After one, or an entry, a client has to wait for a second.

        No code is judged until then; but the right one, where the client has shown it before, counts: else one phone
        would keep all others behind its router from reading.
        """
        client, tournament, now = request.connection.client, request.params["id"], monotonic_ns()
        is_right = is_sign_up_code(self._auth.sign, tournament, code)
        if is_right and not is_entry and (client, tournament) in self._shown:
            return
        if wait_s := self._tries.wait_s(client, now):
            raise _refuse(429, "busy", say("tournament.many_tries", "one try a second: wait, and try again"), wait_s)
        if is_entry or not is_right:
            self._tries.take(client, now)
        if not is_right:
            said = say("tournament.code", "this is not the code of this tournament: look at the screen again")
            raise _refuse(403, "forbidden", said)
        self._shown[client, tournament] = None
        while len(self._shown) > _MOST_CLIENTS:
            self._shown.popitem(last=False)

    async def _is_over(self, request: HttpRequest) -> bool:
        told = await self._page.ask(requests.ReadSignUp(request.params["id"]), request)
        return bool(told["phase"] == "over")

    async def _read(self, request: HttpRequest) -> HttpResponse:
        """Answers with all of a tournament. Who waits for a change has a place for so long."""
        right, client = self._find_right(request), request.connection.client
        if not request.query.get("since"):
            return await self._show(request, right)
        waiting = self._waiting[request.is_admitted]
        if not waiting.enter(client):
            said = say("refused.many_displays", "too many displays are watching: close one, or try again later")
            raise _refuse(503, "busy", said, _FULL_S)
        try:
            return await self._show(request, right)
        finally:
            waiting.leave(client)

    async def _show(self, request: HttpRequest, right: Right) -> HttpResponse:
        wanted = requests.ReadTournament(request.params["id"], request.query.get("since", ""))
        shown: ShownTournament = await self._page.ask(wanted, request)
        tag = f'"{shown.version} {right}"'
        if tag in request.header("if-none-match"):
            response = HttpResponse(b"", "application/json", 304)
        else:
            response = (await self._pack(shown, right)).respond(request)
        response.headers["ETag"] = tag
        return response

    async def _pack(self, shown: ShownTournament, right: Right) -> PackedJson:
        """Returns the tournament as a client may see it, packed once for all of them."""
        key = shown.id, shown.version, right
        async with self._packing:
            if key not in self._packed:
                self._packed[key] = await pack_json(_hide(shown, right))
            self._packed.move_to_end(key)
            while len(self._packed) > _KEPT:
                self._packed.popitem(last=False)
            return self._packed[key]

    async def _sign_up(self, request: HttpRequest) -> HttpResponse:
        """Enters people. The code alone lets them in, whatever else the device may do; each try counts."""
        try:
            given = read_body(request.body, _SignUp)
        except ValueError as error:
            return respond_error(400, "invalid", get_reason(error))
        self._check_code(request, given.code, is_entry=True)
        asked = requests.SignUp(request.params["id"], given.people, given.name)
        return respond_json(await self._page.ask(asked, request))

    async def _propose(self, request: HttpRequest) -> HttpResponse:
        """Answers with the draw that comes next."""
        await self._check(requests.ProposeDraw, request)
        return respond_json(await self._page.ask(requests.ProposeDraw(**request.params), request))

    async def _write(self, request: HttpRequest) -> HttpResponse:
        """Answers with a match for NewTon, and its QR code."""
        await self._check(requests.WriteNewTon, request)
        written = await self._page.ask(requests.WriteNewTon(**request.params), request)
        qr = await self._drawings.draw(written.text, request.connection.client)
        return respond_json({"v": 1, "text": written.text, "qr": qr})

    async def _make_links(self, request: HttpRequest) -> HttpResponse:
        """Answers with the links of a tournament; the organiser's only if the client may set up."""
        await self._check(requests.ProposeDraw, request)
        found = {"sign_up": await self._draw_link(request, "sign_up", make_sign_up_code)}
        if request.is_admitted and request.role == "setup":
            found["organise"] = await self._draw_link(request, "organise", make_organiser_token)
        return _respond_secret({"v": 1, "local": is_of_this_machine(self._find_base(request)), **found})

    async def _make_code(self, request: HttpRequest) -> HttpResponse:
        """Answers with the link to sign up, for a wall."""
        self._find_right(request)
        link = await self._draw_link(request, "sign_up", make_sign_up_code)
        return _respond_secret({"v": 1, "local": is_of_this_machine(self._find_base(request)), **link})

    async def _draw_link(self, request: HttpRequest, view: str, make: Callable[[Sign, str], str]) -> dict[str, Any]:
        """Returns the link to this view of the page, with what lets a client in, and its QR code."""  # Any: JSON
        tournament = request.params["id"]
        await self._page.ask(requests.ReadSignUp(tournament), request)  # whether there is one
        url = f"{self._find_base(request)}tournament#/{tournament}/{view}/{make(self._auth.sign, tournament)}"
        return {"url": url, "qr": await self._drawings.draw(url, request.connection.client)}

    def _find_base(self, request: HttpRequest) -> str:
        """Returns the address of the page for a phone beside the display that asks. Raises EarlyResponse."""
        try:
            return self._auth.public_url.for_phones(request.query.get("base", f"http://{request.header('host')}/"))
        except ValueError as error:
            raise _refuse(400, "invalid", str(error)) from None


def _respond_secret(value: object) -> HttpResponse:
    response = respond_json(value)
    response.headers["Cache-Control"] = "no-store"
    return response


def _hide(shown: ShownTournament, right: Right) -> ShownTournament:
    """Returns what a client may see: what was paid is the organiser's; the code does not show how others play."""
    if right in _ORGANISERS:
        return replace(shown, role="organise")
    hidden: dict[str, Any] = {"paid": False}  # Any: fields
    if right == "code":
        hidden |= {"average": None, "darts": 0}
    return replace(shown, entrants=tuple(replace(each, **hidden) for each in shown.entrants))


def _refuse(status: int, code: str, said: str | Sentence, wait_s: float = 0.0) -> EarlyResponse:
    """Returns the refusal, to be raised."""
    return EarlyResponse(respond_error(status, code, said, wait_s))
