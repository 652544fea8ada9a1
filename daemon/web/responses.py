"""HTTP responses: the headers of all of them, JSON, and refusals, which are one sentence without internals."""

from __future__ import annotations

import gzip
import math
from typing import Protocol, TypeVar

import msgspec

T = TypeVar("T")

_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Frame-Options": "SAMEORIGIN",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), bluetooth=()",
    "Cache-Control": "no-cache",
    "Server": "oche",
}


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

    def set_cookie(self, name: str, value: str, seconds: int, same_site: str) -> None:
        """Sets a cookie for the whole page that no script can read. Name and value are tokens of letters and digits."""
        self.cookies.append(f"{name}={value}; HttpOnly; Max-Age={seconds}; Path=/; SameSite={same_site}")


class Answered(Exception):
    """Ends the handling of a request with this response."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__(response.status)
        self.response = response


def answer_text(status: int, text: str) -> Answered:
    """Returns a sentence as plain text, to be raised."""
    return Answered(HttpResponse(text.encode(), status=status))


def respond_json(value: object, status: int = 200, *, accepted: str = "") -> HttpResponse:
    """Returns a value as JSON; compressed where `accepted`, the client's Accept-Encoding, names gzip."""
    response = HttpResponse(msgspec.json.encode(value), "application/json", status)
    if accepts_gzip(accepted):
        assert isinstance(response.body, bytes)
        response.body = gzip.compress(response.body, compresslevel=6, mtime=0)
        response.headers["Content-Encoding"] = "gzip"
    return response


def accepts_gzip(accepted: str) -> bool:
    """Returns whether a client with this Accept-Encoding takes gzip."""
    return "gzip" in accepted.lower()


def respond_error(status: int, code: str, sentence: str, wait_s: float = 0.0) -> HttpResponse:
    """Returns the sentence as JSON, in the form in which commands are refused; `wait_s` is when to try again."""
    response = respond_json({"error": {"code": code, "message": sentence}}, status)
    if wait_s > 0:
        response.headers["Retry-After"] = str(math.ceil(wait_s))
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="oche"'
    return response


def read_body(body: bytes, kind: type[T]) -> T:
    """Returns a JSON body as this type. Raises ValueError with a sentence."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None
    except (UnicodeDecodeError, RecursionError):
        raise ValueError("the body is not UTF-8 text, or too deep") from None
