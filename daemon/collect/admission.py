"""Who may read the pages of the league: everyone where they are public, else whoever has shown a token.

A daemon sends its token with every request, a browser exchanges one for a cookie. Whose a token is is asked of the
database once in a while, so one that was removed opens nothing a few seconds later.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from time import monotonic, monotonic_ns

from msgspec import Struct

from daemon.collect.tokens import Holder
from daemon.http.addresses import is_loopback
from daemon.http.messages import EarlyResponse, HttpRequest, HttpResponse, read_body, respond_error, respond_json
from daemon.web.auth import read_whole
from daemon.web.origin import check_origin, is_over_tls
from daemon.web.token import hash_token
from drivers.rate_limit import Rate, RateLimits
from protocol.sentence import say

FindHolder = Callable[[bytes], Awaitable[Holder | None]]
_COOKIE_S = 400 * 24 * 3600
_KNOWN_S = 10.0
"""So long a token counts that the database has known."""
_MOST_KNOWN = _MOST_CLIENTS = 1024
_MOST_BYTES = 1000


class _Login(Struct):
    token: str


class Admission:
    """Of pages at this port that are opened under these `names`. `find` asks whose token has a checksum."""

    def __init__(self, find: FindHolder, names: Sequence[str], port: int, *, is_public: bool) -> None:
        self._find = find
        self._names = [name.lower() for name in names]
        self._cookie = f"oche-{port}-league"
        self._is_public = is_public
        self._known: OrderedDict[bytes, tuple[Holder, float]] = OrderedDict()
        """Whose tokens are, and until when that counts, by their checksums."""
        self._reads = RateLimits(Rate(burst=6000, per_s=200), _MOST_CLIENTS)
        """A web server in front asks for many."""
        self._tries = RateLimits(Rate(burst=10, per_s=0.1), _MOST_CLIENTS, of_others=Rate(burst=1000, per_s=100))

    async def admit(self, request: HttpRequest, *, is_open: bool) -> None:
        """Notes the daemon whose token has come with a request as its device. One that `is_open` needs no token.

        Raises EarlyResponse, and as `find` does.
        """
        check_origin(request, self._names, by_proxy=False)
        client = _find_client(request)
        if not self._reads.take(client, now := monotonic_ns()):
            said = say("refused.wait", "that was too fast: wait a moment, and try again")
            raise EarlyResponse(respond_error(429, "busy", said, self._reads.wait_s(client, now)))
        if is_open:
            return
        kind, _, token = request.header("authorization").partition(" ")
        token = token if kind.lower() == "bearer" else request.cookie(self._cookie)
        if not token and not self._is_public:
            said = say("refused.no_token", "this page needs its token: enter it on the page")
            raise EarlyResponse(respond_error(401, "unauthorized", said))
        holder = await self._judge(client, token) if token else None
        request.admit("look", holder.bridge_id.hex if holder and holder.bridge_id else "")
        request.connection.admit(may_play=True, has_shown=holder is not None)  # it waits for no stranger

    async def enter(self, request: HttpRequest) -> HttpResponse:
        """Exchanges a token for a cookie. Raises as `admit` does."""
        if (refused := await read_whole(request, _MOST_BYTES)) is not None:
            return refused
        try:
            token = read_body(request.body, _Login).token.strip()
        except ValueError:
            return respond_error(400, "invalid", 'a body such as {"token": "…"} is needed')
        await self._judge(_find_client(request), token)
        response = respond_json({})
        response.set_cookie(self._cookie, token, _COOKIE_S, "Lax", is_secure=is_over_tls(request))
        return response

    async def _judge(self, client: str, token: str) -> Holder:
        """Returns whose token it is. After many wrong ones a client has to wait. Raises EarlyResponse."""
        sha256, now = hash_token(token), monotonic()
        holder, until = self._known.get(sha256, (None, 0.0))
        if holder is not None and now < until:
            return holder
        if holder is None and (wait_s := self._tries.wait_s(client, monotonic_ns())):
            said = say("refused.many_tokens", "too many wrong tokens came from here: wait a moment, and try again")
            raise EarlyResponse(respond_error(429, "busy", said, wait_s))
        found = await self._find(sha256)
        self._known.pop(sha256, None)
        if found is None:
            self._tries.take(client, monotonic_ns())
            remedy = "oche league token add makes another one"
            said = say("refused.token", "this is not the token of this page: {details}", details=remedy)
            raise EarlyResponse(respond_error(401, "unauthorized", said))
        self._known[sha256] = found, now + _KNOWN_S
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return found


def _find_client(request: HttpRequest) -> str:
    """Returns who asks: behind a web server on this machine, the address that it has seen."""
    connection = request.connection
    seen = request.header("x-forwarded-for").rpartition(",")[2].strip()
    if not seen or connection.peer is None or not is_loopback(connection.peer):
        return connection.client
    try:
        return str(ip_address(seen))
    except ValueError:
        return connection.client
