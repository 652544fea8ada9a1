"""What every answer on the web carries, and how a refusal reads: one sentence, and nothing about our insides."""

from __future__ import annotations

import math
from typing import TypeVar

import msgspec
from aiohttp import web

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


def dress(answer: web.StreamResponse, path: str) -> None:
    """Gives an answer its headers; what the API says is kept by nobody."""
    answer.headers.update(HEADERS)
    if path.startswith("/api/"):
        answer.headers["Cache-Control"] = "no-store"


def refusal(status: int, code: str, sentence: str, wait_s: float = 0.0) -> web.Response:
    """The sentence as JSON, as commands are refused; `wait_s` is when to try again."""
    body = msgspec.json.encode({"error": {"code": code, "message": sentence}})
    answer = web.Response(body=body, status=status, content_type="application/json")
    if wait_s > 0:
        answer.headers["Retry-After"] = str(math.ceil(wait_s))
    if status == web.HTTPUnauthorized.status_code:
        answer.headers["WWW-Authenticate"] = 'Bearer realm="oche"'
    return answer


def read_body(body: bytes, kind: type[T]) -> T:
    """A body that is JSON, as what it has to be. Raises ValueError with a sentence."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None
    except (UnicodeDecodeError, RecursionError):
        raise ValueError("the body is not UTF-8 text, or too deep") from None
