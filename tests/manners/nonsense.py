"""Requests that are none, by kind and seed: what comes from scanners, broken programs, and the curious.

None of them can be obeyed: even where a piece of one makes a request by itself, it throws no dart (`T99`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import NamedTuple

LEAVE = b"Connection: close\r\n"
HEAD = b"Host: localhost\r\n" + LEAVE
READS = ("tables", "broker", "table/main/state", "table/main/layout", "table/main/seats", "stats", "stats/player")
TEXTS = (
    "",
    "T99",
    "\x00",
    "\u202eann",
    "\ufeff",
    "😀" * 40,
    "%s%n",
    "../../etc/passwd",
    "<script>",
    "A" * 7000,
    "\u017f",
)
STEPS = (
    *".. %2e%2e . %00 %ff %c0%af % %zz %2f %F0%9F%8E%AF ~ * state;x static api table main seat history".split(),
    *("app.js", "daemon", "web.py", "etc", "passwd", "a" * 300, ""),
)
"""Of a path."""
JSON = list[object] | dict[str, object] | str | float | bool | None


class Nonsense(NamedTuple):
    """What is sent. `is_whole`: no more has to be waited for, so that it must be answered, or hung up on."""

    data: bytes
    is_whole: bool = True


def first_line(dice: Random) -> Nonsense:
    """What should be a request line."""
    odd = dice.randbytes(dice.randrange(1, 60)).translate(None, b"\r\n")
    pieces = (
        odd + b"\r\n\r\n",
        bytes.fromhex("16030100a5010000a10303") + dice.randbytes(160) + b"\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/%d.%d\r\n%b\r\n" % (dice.choice((0, 2, 9)), dice.randrange(10), HEAD),
        b"%b / HTTP/1.1\r\n%b\r\n" % (odd[:8] + b"\x01", HEAD),
        b"GET /%b\x01 HTTP/1.1\r\n%b\r\n" % (odd.replace(b" ", b"\x02"), HEAD),
        b"GET /%b HTTP/1.1\r\n%b\r\n" % (b"a" * dice.randrange(4200, 30_000), HEAD),
        b"GET  / HTTP/1.1\r\n%b\r\n" % HEAD,
        b"get / http/1.1\r\n%b\r\n" % HEAD,
        b"GET http://[::%b/ HTTP/1.1\r\n%b\r\n" % (odd[:3] + b"\x02", HEAD),
    )
    return Nonsense(dice.choice(pieces))


def head(dice: Random) -> Nonsense:
    """Header fields."""
    odd = dice.randbytes(dice.randrange(1, 40)).translate(None, b"\r\n")
    fields = (
        b"Host: evil.example\r\n",
        b"Host: localhost\r\nHost: localhost\r\n",
        b"Host: [::\r\n",
        b"Host: \x00\r\n",
        b"Host: localhost\r\n%b\x00: 1\r\n" % odd,
        b"Host: localhost\r\nX Y: 1\r\n",
        b"Host: localhost\r\n folded: 1\r\n",
        b"Host: localhost\r\nX: %b\x00\r\n" % odd,
        b"Host: localhost\r\nX: %b\r\n" % (b"a" * dice.randrange(8300, 40_000)),
        b"Host: localhost\r\n" + b"".join(b"X-%d: 1\r\n" % n for n in range(dice.randrange(80, 400))),
        b"Host: localhost\r\n: 1\r\n",
        b"Host: localhost\r\nExpect: %b\r\n" % odd.hex().encode(),
        b"Host: 127.0.0.1.evil.example\r\n",
    )
    return Nonsense(b"GET /api/nothing HTTP/1.1\r\n%b%b\r\n" % (LEAVE, dice.choice(fields)))


def framing(dice: Random) -> Nonsense:
    """How long the body is said to be."""
    size = dice.choice((b"-1", b"+3", b"3, 3", b"0x3", b"9" * 30, b"", b"3\r\nContent-Length: 4", b"\xb2", b"1e1"))
    chunk = dice.choice((b"zz", b"-1", b"", b"3;" + b"a" * 20_000, b"f" * 20, b"3 3", b"0x3"))
    chunked = b"Transfer-Encoding: chunked\r\n"
    pieces = (
        b"Content-Length: %b\r\n\r\nT99" % size,
        b"Content-Length: 3\r\n%b\r\n3\r\nT99\r\n0\r\n\r\n" % chunked,
        b"%b\r\n%b\r\nT99\r\n0\r\n\r\n" % (chunked, chunk),
        b"%b\r\n3\r\nT99X\r\n0\r\n\r\n" % chunked,
        b"Transfer-Encoding: %b\r\n\r\nT99" % dice.choice((b"gzip", b"identity", b"chunked, chunked", b"x, y", b"")),
        b"Content-Encoding: %b\r\nContent-Length: 3\r\n\r\nT99" % dice.choice((b"gzip", b"br", b"deflate", b"zip")),
        b"Content-Length: %d\r\n\r\n" % dice.randrange(8193, 10**9),
        b"%b\r\n%b" % (chunked, b"1000\r\n%b\r\n" % (b"x" * 4096) * 40),
        b"Upgrade: websocket\r\nContent-Length: 3\r\n\r\nT99",
    )
    rest = dice.choice(pieces)
    is_whole = not rest.startswith(b"Content-Length: 3\r\n\r\n")
    return Nonsense(b"POST /api/table/main/throw HTTP/1.1\r\n" + HEAD + rest, is_whole)


def path(dice: Random) -> Nonsense:
    """Where to."""
    where = "/".join(dice.choice(STEPS) for _ in range(dice.randrange(1, 9)))
    asked = dice.choice(("", "?", "?" + "&" * 50, "?a=%ff", "?game=%00", "#x"))
    method = dice.choice(("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PROPFIND"))
    return Nonsense(f"{method} //x/{where}{asked} HTTP/1.1\r\n".encode() + HEAD + b"\r\n")


def early_end(dice: Random) -> Nonsense:
    """A right request that breaks off somewhere."""
    whole = b"POST /api/table/main/throw HTTP/1.1\r\n" + HEAD + b'Content-Length: 15\r\n\r\n{"throw":"T99"}'
    return Nonsense(whole[: dice.randrange(len(whole))], is_whole=False)


def pipeline(dice: Random) -> Nonsense:
    """Many at once, and then nonsense."""
    one = b"POST /api/table/main/throw HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nT99"
    return Nonsense(one * dice.randrange(1, 30) + first_line(dice).data)


def body(dice: Random) -> Nonsense:
    """Every way in with a body that says nothing right."""
    where = dice.choice(("table/main/" + dice.choice(tuple(RIGHT)), "table/tap/tap", "seat/0/choose", "enter"))
    content = nothing_right(dice, where.rpartition("/")[2])
    kind = dice.choice(("application/json", "text/plain", "multipart/form-data; boundary=x", "\x7f", "a/b; charset=zz"))
    said = f"POST /api/{where} HTTP/1.1\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n".encode()
    return Nonsense(said + HEAD + b"\r\n" + content)


def question(dice: Random) -> Nonsense:
    """Every way to read, with questions that make no sense."""
    keys = ("name", "game", "since", "table", "bots", "seat", "token", "x")
    odd = ("", "%ff", "%00", "0001-01-01", "9999-12-31", "-1", "x01", "a" * 500, "%E2%80%AE", "%27%22%3C", "2026-W01-1")
    asked = "&".join(f"{dice.choice(keys)}={dice.choice(odd)}" for _ in range(dice.randrange(1, 6)))
    return Nonsense(f"GET /api/{dice.choice(READS)}?{asked} HTTP/1.1\r\n".encode() + HEAD + b"\r\n")


HTTP: dict[str, Callable[[Random], Nonsense]] = {
    kind.__name__: kind for kind in (first_line, head, framing, path, early_end, pipeline, body, question)
}

RIGHT: dict[str, JSON] = {
    "throw": {"throw": "T20"},
    "choose": {"choose": "pair", "prompt": "row@1"},
    "amend": {"amend": 7, "throw": "S20"},
    "retire": {"retire": 1},
    "game": {"game": "x01", "options": {"start": 501}},
    "start": {"oche": 1, "game": "x01", "players": ["Ann", "Bo"], "options": {}},
    "next": {"next": True},
    "miss": {"miss": True},
    "undo": {"undo": True},
    "redo": {"redo": True},
    "concede": {"concede": True},
    "stop": {"stop": True},
}


def nothing_right(dice: Random, command: str) -> bytes:
    """A body for a command that can only be refused: JSON that breaks off, is no text, too deep, or means nothing."""
    right = RIGHT.get(command, {"token": "", "segment": "T99"})
    text = json.dumps(right).encode()
    match dice.randrange(6):
        case 0:
            return text[: dice.randrange(1, len(text))]
        case 1:
            at = dice.randrange(len(text))
            return text[:at] + bytes([dice.randrange(128, 192)]) + text[at:]
        case 2:
            return b'{"b":' + dice.choice((b"[", b'{"a":', b'[{"a":')) * dice.randrange(100, 1300)
        case 3:
            return b"{" + dice.randbytes(dice.randrange(1, 3000))
        case 4:
            return json.dumps({**dict(right if isinstance(right, dict) else {}), "at": odd_value(dice)}).encode()
    assert isinstance(right, dict)
    if "game" in right:  # what is odd in one place only: unknown keys of a header are refused
        return json.dumps({**right, "game": dice.choice(TEXTS), "at": 999}).encode()
    return json.dumps({key: odd_value(dice) for key in right} | {"at": 999}).encode()


def odd_value(dice: Random, depth: int = 0) -> JSON:
    """Something of the wrong type, size or alphabet; as a line of the match it is never the one at hand."""
    match dice.randrange(5 if depth < 3 else 3):
        case 0:
            return dice.choice(TEXTS)
        case 1:
            return dice.choice((-1, 0, 2**31, 2**63, 1e308, -0.5, 10**40, 999))
        case 2:
            return dice.choice((True, False, "null", "1"))
        case 3:
            return [odd_value(dice, depth + 1) for _ in range(dice.randrange(4))]
        case _:
            return {dice.choice(TEXTS)[:50]: odd_value(dice, depth + 1) for _ in range(dice.randrange(4))}
