"""HTTP requests and responses, and which function answers which request.

A response has the headers of all responses; a refusal is one sentence without internals.
"""

from __future__ import annotations

import asyncio
import gzip
import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeVar
from urllib.parse import parse_qsl, unquote

import h11
import msgspec
from msgspec import Struct

from protocol.json_depth import check_depth
from protocol.sentence import Sentence, write_sentence

T = TypeVar("T")
Role = Literal["setup", "play", "look"]
"""What a client may: change settings and all else, play, or read what the page shows. Each includes those after it."""
ROLES: tuple[Role, ...] = ("setup", "play", "look")

_SITE = re.compile("^https?://[^/?]*", re.IGNORECASE)


def write_policy(*hashes: str, framed: str = "'self'") -> str:
    """Returns the Content-Security-Policy of a document in which the scripts of these hashes are.

    It may be `framed` in documents of these sources.
    """
    scripts = " ".join(["'self'", *(f"'{each}'" for each in hashes)])
    return (
        f"default-src 'self'; script-src {scripts}; style-src 'self'; img-src 'self'; connect-src 'self'; "
        f"object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors {framed}"
    )


def write_permissions(*allowed: str) -> str:
    """Returns the Permissions-Policy of a document that may use these devices, and no other."""
    devices = ("camera", "microphone", "geolocation", "payment", "usb", "serial")
    return ", ".join(f"{device}=({'self' if device in allowed else ''})" for device in devices)


HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
    "Server": "oche",
}
DOCUMENT_HEADERS = {
    "Content-Security-Policy": write_policy(),
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": write_permissions(),
}
"""What a browser heeds of what it shows; a script or a style sheet is a part of that, and is shown as plain text."""
_PARTS = ("text/javascript", "text/css")


class BodyStream(Protocol):
    """A body of unknown length that is sent piece by piece."""

    async def next(self) -> bytes | None:
        """Returns the next piece; None at the end."""

    def end(self) -> None:
        """Ends it: the client has gone."""

    def close(self) -> None:
        """Called once, when nothing more is asked of it."""


class HttpResponse:
    """A response with a body of bytes, or with a stream. Its own headers win over those of all responses."""

    def __init__(self, body: bytes | BodyStream, kind: str = "text/plain; charset=utf-8", status: int = 200) -> None:
        self.status = status
        self.body = body
        self.headers = {"Content-Type": kind}
        self.cookies: list[str] = []

    @property
    def all_headers(self) -> dict[str, str]:
        """The headers of all responses, and its own."""
        is_part = self.headers["Content-Type"].startswith(_PARTS)
        return {**HEADERS, **({} if is_part else DOCUMENT_HEADERS), **self.headers}

    def set_cookie(self, name: str, value: str, seconds: int, same_site: str, *, is_secure: bool) -> None:
        """Sets a cookie for the whole page that no script can read. Name and value are tokens of letters and digits."""
        secure = "; Secure" if is_secure else ""
        self.cookies.append(f"{name}={value}; HttpOnly; Max-Age={seconds}; Path=/; SameSite={same_site}{secure}")


class EarlyResponse(Exception):
    """Ends the handling of a request with this response."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__(response.status)
        self.response = response


def answer_text(status: int, text: str) -> EarlyResponse:
    """Returns a sentence as plain text, to be raised."""
    return EarlyResponse(HttpResponse(text.encode(), status=status))


def respond_json(value: object, status: int = 200, *, accepted: str = "") -> HttpResponse:
    """Returns a value as JSON; compressed where `accepted`, the client's Accept-Encoding, names gzip."""
    response = HttpResponse(msgspec.json.encode(value), "application/json", status)
    if accepts_gzip(accepted):
        assert isinstance(response.body, bytes)
        response.body = gzip.compress(response.body, compresslevel=6, mtime=0)
        response.headers["Content-Encoding"] = "gzip"
    return response


class PackedJson(Struct, frozen=True):
    """A value as JSON, plain and compressed: for what is large, or asked for often."""

    plain: bytes
    zipped: bytes

    def respond(self, request: HttpRequest) -> HttpResponse:
        """Returns the response in the form that the client takes."""
        is_zipped = accepts_gzip(request.header("accept-encoding"))
        response = HttpResponse(self.zipped if is_zipped else self.plain, "application/json")
        if is_zipped:
            response.headers["Content-Encoding"] = "gzip"
        return response


async def pack_json(value: object) -> PackedJson:
    """Returns a value as JSON. It is compressed in a thread, which holds up no dart."""
    plain = msgspec.json.encode(value)
    return PackedJson(plain, await asyncio.to_thread(gzip.compress, plain, 6, mtime=0))


def accepts_gzip(accepted: str) -> bool:
    """Returns whether a client with this Accept-Encoding takes gzip."""
    return "gzip" in accepted.lower()


def respond_error(
    status: int,
    code: str,
    said: str | Sentence | Mapping[str, Any],
    wait_s: float = 0.0,
    path: Sequence[str | int] | None = None,
) -> HttpResponse:
    """Returns the sentence as JSON, in the form in which commands are refused; `wait_s` is when to try again.

    It may be as write_sentence has written it. `path` is that of the value to blame.
    """
    written = dict(said) if isinstance(said, Mapping) else write_sentence(said)
    error = {"code": code, "message": written.pop("text"), **written, **({} if path is None else {"path": path})}
    response = respond_json({"error": error}, status)
    if wait_s > 0:
        response.headers["Retry-After"] = str(math.ceil(wait_s))
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="oche"'
    return response


def read_body(body: bytes, kind: type[T]) -> T:
    """Returns a JSON body as this type. Raises ValueError with a sentence."""
    check_depth(body)
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None
    except UnicodeDecodeError:
        raise ValueError("the body is not UTF-8 text") from None


class HttpRequest:
    """A request whose head is complete; the body is there once it was read.

    `site` is the name in an absolute address (`GET http://name/`), "" where it is none. `params` are the variable steps
    of the path. `role` is what its client may, the least until that is judged, and `device` the id of one that has
    entered the token. One that is not admitted only gets what needs no token. Of a header or a query key that comes
    several times, the first counts.
    """

    def __init__(self, head: h11.Request, connection: ClientConnection) -> None:
        self.method = head.method.decode()
        self.version = head.http_version.decode()
        target = head.target.decode()
        site = _SITE.match(target)
        self.site = "" if site is None else site[0].partition("//")[2]
        path, _, query = target[len(site[0]) if site else 0 :].partition("?")
        self.steps = [unquote(step) for step in path.removeprefix("/").split("/")]
        self.path = "/" + "/".join(self.steps)
        self.query = dict(reversed(parse_qsl(query, keep_blank_values=True)))
        self.params: dict[str, str] = {}
        self.role: Role = "look"
        self.is_admitted = False
        self.device = ""
        self.body = b""
        self.connection = connection
        self._headers = [(name.decode(), value.decode("latin-1")) for name, value in head.headers]

    def admit(self, role: Role, device: str) -> None:
        """Notes what its client may, and its device."""
        self.role, self.device, self.is_admitted = role, device, True

    def header(self, name: str) -> str:
        """Returns the value of a header; "" where there is none. Names are in lower case."""
        return next(iter(self.all_of(name)), "")

    def all_of(self, name: str) -> list[str]:
        """Returns all values of a header."""
        return [value for each, value in self._headers if each == name]

    @property
    def header_names(self) -> list[str]:
        """The names of all headers, in lower case."""
        return [name for name, _ in self._headers]

    def cookie(self, name: str) -> str:
        """Returns the value of a cookie; "" where there is none."""
        pairs = (part.strip().partition("=") for value in self.all_of("cookie") for part in value.split(";"))
        return next((value for each, _, value in pairs if each == name), "")


@dataclass
class ClientConnection:
    """The connection that a request came over.

    `client` is the client as make_client_key names it, `peer` its address, `ours` the address that it has connected to.
    `receive_pieces` yields the body of the request, and raises h11.RemoteProtocolError; `abort` hangs up at once.
    `is_known`: the client is on this machine, or has shown a token that is right; such a connection keeps its place.
    `may_play`: it may do more than look on; what others ask for has a small share of the time.
    `on_end` is called once the client has gone.
    """

    client: str
    peer: str | None
    ours: str | None
    receive_pieces: Callable[[], AsyncIterator[bytes]]
    abort: Callable[[], None]
    is_known: bool = False
    may_play: bool = False
    on_end: Callable[[], object] | None = None

    def admit(self, *, may_play: bool, has_shown: bool) -> None:
        """Notes whether its client may play; it `has_shown` by what, unless nothing has to be shown here."""
        self.may_play = may_play
        if has_shown:
            self.is_known = may_play


Respond = Callable[[HttpRequest], Awaitable[HttpResponse]]


class HttpRoute(NamedTuple):
    """A method and a path, whose steps in braces may be anything, and what answers such requests.

    `needs` is the role that a client needs for it, or "nothing", not even a token; left out, it is "look" for what is
    read, and else "play". The body of one that `takes_file` is left to `respond`; another one has at most
    `most_bytes` bytes; None: as the server says.
    """

    method: str
    path: str
    respond: Respond
    needs: Role | Literal["nothing"] | None = None
    takes_file: bool = False
    most_bytes: int | None = None

    @property
    def role(self) -> Role | None:
        """The role that a client needs; None: not even a token."""
        if self.needs is None:
            return "look" if self.method == "GET" else "play"
        return None if self.needs == "nothing" else self.needs

    def match(self, steps: Sequence[str]) -> dict[str, str] | None:
        """Returns the variable steps of a path; None: it is another path."""
        own = self.path.removeprefix("/").split("/")
        if len(own) != len(steps):
            return None
        pairs = list(zip(own, steps, strict=True))
        if any(name != step if name[:1] != "{" else not step for name, step in pairs):
            return None
        return {name[1:-1]: step for name, step in pairs if name[:1] == "{"}


def find_route(routes: Sequence[HttpRoute], request: HttpRequest) -> HttpRoute:
    """Returns the first route that fits, and puts its variable steps into the request.

    Where there is none, it is one whose `respond` raises EarlyResponse.
    """
    method = "GET" if request.method == "HEAD" else request.method
    others = set()
    for route in routes:
        params = route.match(request.steps)
        if params is not None:
            if route.method == method:
                request.params = params
                return route
            others.add(route.method)

    async def refuse(request: HttpRequest) -> HttpResponse:
        if not others:
            raise answer_text(404, "there is no such page")
        refused = answer_text(405, "this page does not support that method")
        refused.response.headers["Allow"] = ", ".join(sorted(others | ({"HEAD"} if "GET" in others else set())))
        raise refused

    return HttpRoute(method, request.path, refuse)
