"""Which requests are admitted: with which token, how often, and with how long a body.

Where only this machine reaches the page, no token is needed, and who sits at it may change settings, too. Where others
can, a client needs it (daemon/web/token.py): a browser exchanges it for a cookie, a program sends it with every
request. With the token of spectators it reads what the page shows, and no more; with that of the setup it changes
settings, too. Which role a request needs, its route says (daemon/http/messages.py); all that has no route is
refused to spectators. The address of a seat is a right of its own, for that seat alone; a browser that opens one gets
another cookie, by which the seat is its own. The code of the page is no secret: without a token a client can load the
form that asks for it.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from time import monotonic_ns
from typing import NamedTuple

import h11
import msgspec

from daemon.http.limits import ConnectionLimit
from daemon.http.messages import (
    ROLES,
    HttpRequest,
    HttpResponse,
    HttpRoute,
    Role,
    find_route,
    read_body,
    respond_error,
    respond_json,
)
from daemon.web.devices import MOST_DEVICES, Device, DevicesFull
from daemon.web.origin import check_origin, is_at_machine, is_local, is_over_tls, is_proxied
from daemon.web.public_url import PublicUrl
from daemon.web.token import PageToken, hash_token
from drivers.rate_limit import Rate, RateLimits
from protocol.bodies import MAX_BODY_BYTES
from protocol.sentence import Sentence, say

_COOKIE_S = 400 * 24 * 3600
"""As long as browsers allow; renewed whenever the page is opened."""
_MOST_SHOWN = _MOST_CLIENTS = 1024
_WRITES = Rate(burst=60, per_s=20)
_BODY_S = 10.0
_LOOK_S = 1.0
_OPEN = ("/", "/history", "/settings", "/guide", "/take_home", "/story", "/tournament")
_FOR_COMMANDS = ("/api/broker", "/api/care/traffic")
"""What `oche doctor` and `oche report` ask for on this machine. Neither is a secret: the bytes of a board are darts."""
_LOOKS_ON = say("refused.looks_on", "this device can only watch: enter the token of the page on it to play")
_NO_SETUP = say(
    "refused.no_setup", "this device cannot change settings: first enter the setup token, which begins with setup-"
)

_SETUP_HERE = say(
    "refused.setup_here",
    "settings can only be changed at the machine itself: open the page there, or make the page ask for tokens",
)


class _Login(msgspec.Struct):
    token: str


class _Admitted(NamedTuple):
    """What a client may, and the id of its device; "": it is none that has entered a token."""

    role: Role
    device: str = ""


class Auth:
    """The admission to the page at this host and port (0: it is not served).

    `names` and `proxies` are those in [web], `key` is what read_key returns. The cookies are named after the port:
    browsers send those of a machine to all its ports.
    """

    def __init__(
        self,
        names: Sequence[str],
        token: PageToken,
        key: bytes,
        proxies: Collection[str] = (),
        host: str = "",
        port: int = 0,
    ) -> None:
        self.public_url = PublicUrl(host, port, tuple(name.lower() for name in names))
        self.key = key
        self._token = token
        self._proxies = frozenset(map(ip_address, proxies))
        self._token_cookie, self._browser_cookie = _name_cookie(port), f"oche-{port}-phone"
        self._spectator_cookie = f"oche-{port}-look"
        self._reads = RateLimits(Rate(burst=500, per_s=100), _MOST_CLIENTS)
        self._files = RateLimits(Rate(burst=7000, per_s=100), _MOST_CLIENTS)
        """The page has two hundred and fifty, and behind one address two dozen phones may open it at once."""
        self._writes = RateLimits(_WRITES, _MOST_CLIENTS)
        self._tries = RateLimits(Rate(burst=10, per_s=0.1), _MOST_CLIENTS, of_others=Rate(burst=1000, per_s=100))
        """A machine has addresses without end in its own network: with few tries for the others, it would keep all out.
        So many at once find no token either."""
        self._entries = RateLimits(Rate(burst=10, per_s=10 / 60), _MOST_CLIENTS)
        self._adding = asyncio.Lock()
        self._shown: OrderedDict[tuple[str, bytes], tuple[str | None, Role]] = OrderedDict()
        """Clients that have shown a right token, with its hash: the page's fingerprint then, and the role."""
        self.connections = ConnectionLimit(each=128, most=512)
        self.streams: Mapping[Role, ConnectionLimit] = {
            "setup": (players := ConnectionLimit(each=48, most=128)),
            "play": players,
            "look": ConnectionLimit(each=48, most=64),
        }

    @property
    def routes(self) -> list[HttpRoute]:
        """The routes of the token form."""
        return [HttpRoute("POST", "/api/enter", self._exchange_token, "nothing")]

    @property
    def needs_token(self) -> bool:
        """Whether a client needs the token."""
        return self._token.is_needed

    @property
    def own_token(self) -> str:
        """Where the token of the page comes from, the end of a sentence; "" where it is one that oche has made."""
        return self._token.own_source

    @property
    def folder(self) -> Path:
        """The state folder, which the hashes of the tokens are in."""
        return self._token.folder

    async def admit_setup(self, request: HttpRequest, response: HttpResponse, port: int = 0) -> None:
        """Lets the browser in as if it had entered the token of the setup, also where the page moves to this port."""
        is_secure, agent = is_over_tls(request), request.header("user-agent")
        cookie = await self._add_device("setup", is_secure=is_secure, agent=agent)
        name = _name_cookie(port) if port else self._token_cookie
        response.set_cookie(name, cookie, _COOKIE_S, "Strict", is_secure=is_secure)

    async def _add_device(self, role: Role, *, is_secure: bool, agent: str) -> str:
        """Returns the cookie of a new device with the token of this role, once the disk has it; one after the other.

        Raises DevicesFull.
        """
        of, setup = self._token.fingerprint_of(role) or "", self._token.setup_fingerprint
        async with self._adding:
            return await asyncio.to_thread(self._token.devices.add, of, is_secure=is_secure, agent=agent, setup=setup)

    @property
    def spectator_token(self) -> str:
        """The token of those who only look on; "" where none is needed."""
        return self._token.make_spectator(self.key) if self._token.is_needed else ""

    def sign(self, text: str) -> str:
        """Returns 22 letters that only this daemon can add to a text; others once the page has another token."""
        signed = hmac.digest(self.key, f"code {self._token.fingerprint} {text}".encode(), "sha256")
        return urlsafe_b64encode(signed[:16]).decode().rstrip("=")

    def browser_of(self, request: HttpRequest) -> str:
        """Returns the id of a browser that has opened a seat's address; "" of any other client."""
        return request.cookie(self._browser_cookie)

    def note_device(self, device: str) -> None:
        """Notes that a device is here; "": it is none that has entered a token."""
        if device and self._token.devices.is_due(device):
            asyncio.get_running_loop().run_in_executor(None, self._token.devices.note, device)

    def client_of(self, request: HttpRequest) -> str:
        """Returns whose share of a table's commands a request takes: its device's, else that of its address."""
        return f"device {request.device}" if request.device else request.connection.client

    async def watch_token(self, on_change: Callable[[], None]) -> None:
        """Calls back whenever the token has changed or a device was revoked, until cancelled."""
        if not self._token.is_needed:
            await asyncio.Event().wait()
        tokens = self._list_fingerprints()
        while True:
            await asyncio.sleep(_LOOK_S)
            is_same = tokens == (tokens := self._list_fingerprints())
            if self._token.devices.have_gone() or not is_same:
                on_change()

    async def answer(self, request: HttpRequest, routes: Sequence[HttpRoute]) -> HttpResponse:
        """Refuses a request, or passes it to its route. Raises EarlyResponse."""
        route = find_route(routes, request)
        response = await self._check(request, route) or await route.respond(request)
        if request.path in _OPEN:
            if (device := self._find_device(request)) is not None:
                cookie = request.cookie(self._token_cookie)
                response.set_cookie(self._token_cookie, cookie, _COOKIE_S, "Strict", is_secure=device.is_secure)
            elif self._looks_on(request):
                self._set_spectator_cookie(request, response)
            if "seat" in request.query and not self.browser_of(request):
                self._set_browser_cookie(request, response)
        return response

    async def _check(self, request: HttpRequest, route: HttpRoute) -> HttpResponse | None:
        """Returns the refusal; None: the request is admitted. Raises EarlyResponse for another origin."""
        needed = route.role
        by_proxy = is_proxied(request, self._proxies)
        check_origin(request, self.public_url.names, by_proxy=by_proxy)
        judged = self._judge_request(request, by_proxy=by_proxy)
        is_read, client = request.method in ("GET", "HEAD"), request.connection.client
        is_command = is_read and request.path in _FOR_COMMANDS and is_local(request)
        if isinstance(judged, _Admitted):
            request.admit(*judged)
            request.connection.admit(may_play=judged.role != "look", has_shown=self._token.is_needed)
            if self._token.is_needed:
                client += f" may {judged.role}"  # those without behind the same router have a limit of their own
        is_file = needed is None and not request.path.startswith("/api/")
        limit = self._writes if not is_read else self._files if is_file else self._reads
        if wait_s := limit.wait_s(client, now := monotonic_ns()):
            said = say("refused.wait", "that was too fast: wait a moment, and try again")
            return respond_error(429, "busy", said, wait_s)
        limit.take(client, now)
        if is_command:
            refused = None
        elif isinstance(judged, HttpResponse):
            refused = self._check_public(request, judged, is_open=needed is None)
        else:
            refused = _check_role(judged.role, needed, _NO_SETUP if self._token.is_needed else _SETUP_HERE)
        if refused is None and request.header("content-encoding"):
            refused = respond_error(415, "invalid", "oche does not decode bodies: send it without Content-Encoding")
        most = route.most_bytes or MAX_BODY_BYTES
        if refused is None and not route.takes_file and int(request.header("content-length") or 0) > most:
            refused = _refuse_length(most)
        if refused is None and not is_read and not route.takes_file:
            refused = await read_whole(request, most)
        return refused

    def _judge_request(self, request: HttpRequest, *, by_proxy: bool) -> HttpResponse | _Admitted:
        """Returns the refusal of a request without a token or a cookie, or what one that comes with one may do."""
        if not self._token.is_needed:
            return _Admitted("setup" if is_at_machine(request) else "play")
        if (device := self._find_device(request)) is not None:
            number = request.cookie(self._token_cookie)[:8]
            self.note_device(number)
            is_of_setup = device.token_fingerprint == self._token.setup_fingerprint
            return _Admitted("setup" if is_of_setup else "play", number)
        token = _bearer(request)
        if token is None and by_proxy:
            return _Admitted("play")
        if token is None and self._looks_on(request):
            return _Admitted("look")
        if token is None or not any(self._list_fingerprints()):
            said = say("refused.no_token", "this page needs its token: enter it on the page")
            return respond_error(401, "unauthorized", said)
        judged = self._judge_token(request.connection.client, token)
        return judged if isinstance(judged, HttpResponse) else _Admitted(judged)

    def _check_public(self, request: HttpRequest, refused: HttpResponse, *, is_open: bool) -> HttpResponse | None:
        """Returns the refusal of a request without a valid token; None: it needs none, as where its route `is_open`."""
        trouble = self._token.trouble
        if trouble:  # there is no valid token at all
            is_api = request.path.startswith("/api/")
            return (
                respond_error(503, "unavailable", trouble)
                if is_api
                else HttpResponse(str(trouble).encode(), status=503)
            )
        return None if is_open else refused

    def _judge_token(self, client: str, token: str) -> HttpResponse | Role:
        """Returns the refusal of a token, or its role if it is right. After many wrong ones a client has to wait.

        No token is judged then; but the right one, where the client has shown it before, counts: else one program would
        lock out all others behind its router. The cookies of devices are too long to be guessed, and have no limit.
        """
        shown = client, hash_token(token)
        fingerprint, role = self._shown.get(shown, (None, "look"))
        if fingerprint is not None and fingerprint == self._token.fingerprint_of(role):
            self._shown.move_to_end(shown)
            return role
        if wait_s := self._tries.wait_s(client, now := monotonic_ns()):
            said = say("refused.many_tokens", "too many wrong tokens came from here: wait a moment, and try again")
            return respond_error(429, "busy", said, wait_s)
        found = "look" if self._is_spectator(token) else self._token.find_role(token)
        if found is None:
            self._tries.take(client, now)
            said = say("refused.token", "this is not the token of this page: {details}", details=self._token.source)
            return respond_error(401, "unauthorized", said)
        self._shown[shown] = self._token.fingerprint_of(found), found
        if len(self._shown) > _MOST_SHOWN:
            self._shown.popitem(last=False)
        return found

    async def _exchange_token(self, request: HttpRequest) -> HttpResponse:
        try:
            token = read_body(request.body, _Login).token
        except ValueError:
            return respond_error(400, "invalid", 'a body such as {"token": "…"} is needed')
        response = respond_json({})
        if self._token.is_needed:
            judged = self._judge_token(request.connection.client, token)
            if isinstance(judged, HttpResponse):
                return judged
            if judged == "look":
                self._set_spectator_cookie(request, response)
                return response
            if wait_s := self._entries.wait_s(request.connection.client, now := monotonic_ns()):
                said = say(
                    "refused.many_entries", "too many devices have signed in from here: wait a moment, and try again"
                )
                return respond_error(429, "busy", said, wait_s)
            self._entries.take(request.connection.client, now)
            is_secure, agent = is_over_tls(request), request.header("user-agent")
            try:
                cookie = await self._add_device(judged, is_secure=is_secure, agent=agent)
            except DevicesFull:
                said = say(
                    "refused.many_devices",
                    "{most} devices have signed in, all of them recently: to sign some out, run  sudo oche "
                    "token --list  on the machine, then  sudo oche token --revoke DEVICE",
                    most=MOST_DEVICES,
                )
                return respond_error(503, "unavailable", said)
            response.set_cookie(self._token_cookie, cookie, _COOKIE_S, "Strict", is_secure=is_secure)
        return response

    def _is_spectator(self, token: str) -> bool:
        own = self.spectator_token
        return bool(own) and hmac.compare_digest(token.strip().encode("utf-8", "replace"), own.encode())

    def _looks_on(self, request: HttpRequest) -> bool:
        """Returns whether the request has the cookie of spectators: their token itself, which all of them share."""
        return self._is_spectator(request.cookie(self._spectator_cookie))

    def _set_spectator_cookie(self, request: HttpRequest, response: HttpResponse) -> None:
        """Sets a cookie beside that of a device, which counts for more: none who may play looks on by mistake."""
        is_secure = is_over_tls(request)
        response.set_cookie(self._spectator_cookie, self.spectator_token, _COOKIE_S, "Strict", is_secure=is_secure)

    def _set_browser_cookie(self, request: HttpRequest, response: HttpResponse) -> None:
        """Sets it before the browser asks for the hand, so that no lost response costs it the seat.

        Lax, because a link to the seat may come from another site.
        """
        name = secrets.token_hex(16)
        response.set_cookie(self._browser_cookie, name, _COOKIE_S, "Lax", is_secure=is_over_tls(request))

    def _find_device(self, request: HttpRequest) -> Device | None:
        """Returns the device whose cookie this request has; None: it has none that counts."""
        if not self._token.is_needed:
            return None
        return self._token.devices.find(request.cookie(self._token_cookie), self._list_fingerprints())

    def _list_fingerprints(self) -> list[str | None]:
        return [self._token.fingerprint, self._token.setup_fingerprint] if self._token.is_needed else []


def _name_cookie(port: int) -> str:
    return f"oche-{port}"


def _check_role(role: Role, needed: Role | None, no_setup: Sentence) -> HttpResponse | None:
    """Returns the refusal of what this role may not do; None: it may. `no_setup`: why it may not set up."""
    if needed is None or ROLES.index(role) <= ROLES.index(needed):
        return None
    return respond_error(403, "forbidden", _LOOKS_ON if needed == "play" else no_setup)


def _bearer(request: HttpRequest) -> str | None:
    kind, _, token = request.header("authorization").partition(" ")
    return token if kind.lower() == "bearer" else None


async def read_whole(request: HttpRequest, most: int) -> HttpResponse | None:
    """Reads the body before it is used. Returns the refusal of one that is too long or does not come in full.

    Of a route that takes a file, `respond` may do so, once it knows who sends it.
    """
    try:
        async with asyncio.timeout(_BODY_S):
            async for piece in request.connection.receive_pieces():
                request.body += piece
                if len(request.body) > most:
                    return _refuse_length(most)
    except TimeoutError:
        return respond_error(408, "invalid", "the rest of the request did not arrive: send it again")
    except h11.RemoteProtocolError:
        return respond_error(400, "invalid", "the body of the request is incomplete or malformed")
    return None


def _refuse_length(most: int) -> HttpResponse:
    return respond_error(413, "invalid", f"the body is too long: {most} bytes are the limit")
