"""The door of the page: who comes in, how fast, and with how much; and the same headers on whatever goes out.

While this machine alone reaches the page, everybody is at home. Where others can, whoever comes needs the token
(daemon/access.py): a browser changes it for a cookie, a program sends it with every request. The address of a seat is a
right of its own, for that seat alone; a browser that opens one is given another cookie, by which the seat is its own.
The code of the page is no secret, so whoever has no token yet can load the form that asks for it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence

import msgspec
from aiohttp import HttpVersion10, web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler
from aiohttp.web_exceptions import HTTPException

from daemon.access import Access, is_loopback
from daemon.answers import dress, read_body, refusal
from daemon.connection import visitor_of
from daemon.crowd import Pace, Room
from daemon.visitors import check_visitor
from daemon.whereabouts import Whereabouts
from protocol.commands import MAX_BODY_BYTES

_STAY_S = 400 * 24 * 3600
"""As long as browsers allow; it begins anew whenever the page is opened."""
_BODY_S = 10.0
_LOOK_S = 1.0
_OPEN = ("/", "/history")
_NO_PAGE, _NO_USE = "there is no such page", "this page cannot be used so"
_PASSED_ON = ("Forwarded", "X-Forwarded-For")


class _Entry(msgspec.Struct):
    token: str


class Door:
    """The door of one page: `names` are what it is called."""

    def __init__(self, names: Sequence[str], access: Access) -> None:
        self.whereabouts = Whereabouts("", 0, tuple(name.lower() for name in names))
        self._access = access
        self._cookie = self._phone = "oche"
        self._reads = Pace(burst=500, per_s=100)
        self._writes = Pace(burst=60, per_s=20)
        self._tries = Pace(burst=10, per_s=0.1)
        self.connections = Room(each=128, most=512)
        self.streams = Room(each=48, most=128)

    @property
    def routes(self) -> list[web.RouteDef]:
        """What is answered here."""
        return [web.post("/api/enter", self._enter)]

    def open_at(self, host: str, port: int) -> None:
        """Browsers give the cookies of one machine to all its ports, so ours are named after its own."""
        self._cookie, self._phone = f"oche-{port}", f"oche-{port}-phone"
        self.whereabouts = self.whereabouts._replace(host=host, port=port)

    def phone_of(self, request: web.Request) -> str:
        """By which a browser that has opened a seat's address is known again; "" of a program."""
        return request.cookies.get(self._phone, "")

    async def watch(self, ended: Callable[[], None]) -> None:
        """Tells when another token counts, until cancelled."""
        cookie = self._access.cookie if self._access.is_needed else None
        while self._access.is_needed:
            await asyncio.sleep(_LOOK_S)
            if cookie != (cookie := self._access.cookie):
                ended()

    @web.middleware
    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Lets a request through to its answer."""
        try:
            answer = await self._admit(request) or await handler(request)
        except HTTPException as known:
            if known.text == f"{known.status}: {known.reason}":
                known.text = _NO_PAGE if known.status == web.HTTPNotFound.status_code else _NO_USE
            raise
        if not answer.prepared and request.path in _OPEN:
            if self._shows_cookie(request):
                self._give_cookie(answer)
            if "seat" in request.query and not self.phone_of(request):
                self._know_phone(answer)
        return answer

    async def dress(self, request: web.Request, answer: web.StreamResponse) -> None:
        """The headers of whatever goes out. For `on_response_prepare`: some answers never came past the guard."""
        dress(answer, request.path)
        if answer.status == web.HTTPExpectationFailed.status_code and isinstance(answer, web.Response):
            answer.text = _NO_USE

    async def _admit(self, request: web.Request) -> web.Response | None:
        """None, or why not."""
        if request.version < HttpVersion10:
            raise web.HTTPBadRequest(text="this is no HTTP request that oche understands")
        check_visitor(request, self.whereabouts.names)
        is_in = self._is_in(request)
        is_read, who = request.method in ("GET", "HEAD"), visitor_of(request)
        if is_in:
            who += " with the token"  # strangers behind the same router have a pace of their own
        pace = self._reads if is_read else self._writes
        wait_s = pace.wait_s(who)
        if wait_s:
            return refusal(429, "busy", "that was too fast: wait a moment, and try again", wait_s)
        pace.take(who)
        refused = self._check_right(request) if self._access.is_needed and not is_in else None
        if refused is None and "Content-Encoding" in request.headers:
            refused = refusal(415, "invalid", "a body is taken as it is: send it without Content-Encoding")
        if refused is None and (request.content_length or 0) > MAX_BODY_BYTES:
            refused = refusal(413, "invalid", f"the body is too long: {MAX_BODY_BYTES} bytes are the limit")
        if refused is None and not is_read:
            refused = await _read(request)
        return refused

    def _is_in(self, request: web.Request) -> bool:
        """Does it come with the token, or with the cookie for it?"""
        return self._shows_cookie(request) or (self._access.is_needed and self._access.knows(_bearer(request) or ""))

    def _check_right(self, request: web.Request) -> web.Response | None:
        """Of whoever is not in."""
        if request.path == "/api/broker" and _is_ours(request):
            return None  # oche doctor asks, who is no visitor
        trouble = self._access.trouble
        if trouble:
            return _closed(request, trouble)
        if request.path in (*_OPEN, "/api/enter") or request.path.startswith(("/static/", "/api/seat/")):
            return None
        if _bearer(request) is None:
            return refusal(401, "unauthorized", "the token of this page is needed: enter it on the page")
        return self._wrong(visitor_of(request))

    def _wrong(self, who: str) -> web.Response:
        """The answer to a wrong token, and to more of them a wait.

        The right one is let in however many wrong ones came from its address: else one guest would keep out everybody
        behind his router. What stands against guessing is the length of a token.
        """
        wrong = f"this is not the token of this page: {self._access.source}"
        wait_s = self._tries.wait_s(who)
        if wait_s:
            return refusal(429, "busy", f"{wrong}. Many wrong ones came from here: wait a moment", wait_s)
        self._tries.take(who)
        return refusal(401, "unauthorized", wrong)

    async def _enter(self, request: web.Request) -> web.Response:
        """The token for the cookie."""
        try:
            token = read_body(await request.read(), _Entry).token
        except ValueError:
            return refusal(400, "invalid", 'a body such as {"token": "…"} is needed')
        if self._access.is_needed and not self._access.knows(token):
            return self._wrong(visitor_of(request))
        answer = web.json_response({})
        if self._access.is_needed:
            self._give_cookie(answer)
        return answer

    def _know_phone(self, answer: web.StreamResponse) -> None:
        """Before it asks for the hand: so it does not lose it with an answer. Lax, for links come from other sites."""
        name = secrets.token_hex(16)
        answer.set_cookie(self._phone, name, max_age=_STAY_S, path="/", httponly=True, samesite="Lax")

    def _shows_cookie(self, request: web.Request) -> bool:
        return self._access.is_needed and self._access.has_entered(request.cookies.get(self._cookie, ""))

    def _give_cookie(self, answer: web.StreamResponse) -> None:
        answer.set_cookie(
            self._cookie, self._access.cookie or "", max_age=_STAY_S, path="/", httponly=True, samesite="Strict"
        )


def _bearer(request: web.Request) -> str | None:
    """The token that a program sends; None: it sends none."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    return token if kind.lower() == "bearer" else None


async def _read(request: web.Request) -> web.Response | None:
    """Has the body read, whole, before anybody acts on it."""
    try:
        async with asyncio.timeout(_BODY_S):
            await request.read()
    except TimeoutError:
        return refusal(408, "invalid", "the rest of the request did not come: send it again")
    except (HttpProcessingError, web.RequestPayloadError):
        return refusal(400, "invalid", "the request ended before its body was whole, or its body is none")
    return None


def _closed(request: web.Request, trouble: str) -> web.Response:
    if request.path.startswith("/api/"):
        return refusal(503, "unavailable", trouble)
    return web.Response(status=503, text=trouble)


def _is_ours(request: web.Request) -> bool:
    """Does it come from this machine, and not through a proxy here? A proxy that does not say so is taken for us."""
    ours = request.transport.get_extra_info("sockname") if request.transport else None
    is_near = request.remote is not None and (is_loopback(request.remote) or (ours and ours[0] == request.remote))
    return bool(is_near) and not any(name in request.headers for name in _PASSED_ON)
