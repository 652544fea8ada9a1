"""HTTP requests as their handlers see them, and which handler takes which."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote

import h11

from daemon.web.responses import HttpResponse, answer_text

_SITE = re.compile("^https?://[^/?]*", re.IGNORECASE)


class HttpRequest:
    """A request whose head is complete; the body is there once it was read.

    `params` are the variable steps of the path. Of a header or a query key that comes several times, the first counts.
    """

    def __init__(self, head: h11.Request, link: Link) -> None:
        self.method = head.method.decode()
        path, _, query = _SITE.sub("", head.target.decode()).partition("?")
        self.steps = [unquote(step) for step in path.removeprefix("/").split("/")]
        self.path = "/" + "/".join(self.steps)
        self.query = dict(reversed(parse_qsl(query, keep_blank_values=True)))
        self.params: dict[str, str] = {}
        self.body = b""
        self.link = link
        self._headers = [(name.decode(), value.decode("latin-1")) for name, value in head.headers]

    def header(self, name: str) -> str:
        """Returns the value of a header; "" where there is none. Names are in lower case."""
        return next(iter(self.all_of(name)), "")

    def all_of(self, name: str) -> list[str]:
        """Returns all values of a header."""
        return [value for each, value in self._headers if each == name]

    def cookie(self, name: str) -> str:
        """Returns the value of a cookie; "" where there is none."""
        pairs = (part.strip().partition("=") for value in self.all_of("cookie") for part in value.split(";"))
        return next((value for each, _, value in pairs if each == name), "")


class Link(NamedTuple):
    """The connection that a request came over.

    `client` is the client as make_client_key names it, `peer` its address, `ours` the address that it has connected to.
    `receive_body` returns the complete body and raises h11.RemoteProtocolError; `abort` hangs up at once.
    """

    client: str
    peer: str | None
    ours: str | None
    receive_body: Callable[[], Awaitable[bytes]]
    abort: Callable[[], None]


Handler = Callable[[HttpRequest], Awaitable[HttpResponse]]


class Route(NamedTuple):
    """A method and a path, whose steps in braces may be anything, and the handler of such requests."""

    method: str
    path: str
    handler: Handler

    def match(self, steps: Sequence[str]) -> dict[str, str] | None:
        """Returns the variable steps of a path; None: it is another path."""
        own = self.path.removeprefix("/").split("/")
        if len(own) != len(steps):
            return None
        pairs = list(zip(own, steps, strict=True))
        if any(name != step if name[:1] != "{" else not step for name, step in pairs):
            return None
        return {name[1:-1]: step for name, step in pairs if name[:1] == "{"}


async def dispatch(routes: Sequence[Route], request: HttpRequest) -> HttpResponse:
    """Returns the response of the first route that fits. Raises Answered where there is none."""
    method = "GET" if request.method == "HEAD" else request.method
    others = set()
    for route in routes:
        params = route.match(request.steps)
        if params is not None:
            if route.method == method:
                request.params = params
                return await route.handler(request)
            others.add(route.method)
    if not others:
        raise answer_text(404, "there is no such page")
    refused = answer_text(405, "this page cannot be used so")
    refused.response.headers["Allow"] = ", ".join(sorted(others | ({"HEAD"} if "GET" in others else set())))
    raise refused
