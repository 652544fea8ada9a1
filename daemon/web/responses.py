"""HTTP responses: the headers of all of them, JSON, and refusals, which are one sentence without internals."""

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


def add_headers(response: web.StreamResponse, path: str) -> None:
    """Adds the headers that every response has; nothing of the API is cached."""
    response.headers.update(HEADERS)
    if path.startswith("/api/"):
        response.headers["Cache-Control"] = "no-store"


def json_response(value: object, *, compress: bool = False) -> web.Response:
    """Returns a value as JSON, compressed for clients that take it if `compress`."""
    response = web.Response(body=msgspec.json.encode(value), content_type="application/json")
    if compress:
        response.enable_compression()
    return response


def refusal(status: int, code: str, sentence: str, wait_s: float = 0.0) -> web.Response:
    """Returns the sentence as JSON, in the form in which commands are refused; `wait_s` is when to try again."""
    response = json_response({"error": {"code": code, "message": sentence}})
    response.set_status(status)
    if wait_s > 0:
        response.headers["Retry-After"] = str(math.ceil(wait_s))
    if status == web.HTTPUnauthorized.status_code:
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
