"""What a dialogue and a link of HTTP and WebSocket tell each other: one JSON text for each message, both ways.

A dialogue knows no connection, and a link knows no dart. So a link hands over each message of the board with where it
came from, and a dialogue asks for what it wants in the same form: packets, as of any other board, which can be recorded
and replayed. A token is never in them: the link fills it in.

    {"from": "/api/live", "json": {…}}                       a message of the WebSocket at that path
    {"from": "/api/live", "socket": "open"}                  it stands; "closed", with `code`, where it has ended
    {"from": "GET /api/state", "status": 200, "json": {…}}   an answer; `text` where it is no JSON
    {"from": "GET /api/state", "failed": "no answer"}        there was none
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from protocol.json_depth import check_depth

MOST_BYTES = 65_536
"""Of a message of the board. A link passes over a longer one, and says so."""
MOST_PACKET_BYTES = MOST_BYTES + 1024
"""With where it came from: what the framing of a profile has as its limit."""

Method = Literal["GET", "POST", "PUT", "DELETE"]


class Received(Struct, frozen=True, omit_defaults=True):
    """A message of the board. `source` is the path of a socket, or the method and the path of a request.

    `failed` says why there is no answer, in a word or two: `refused`, `no answer`, `too long`, `not connected`.
    """

    source: str = field(name="from")
    json: Any = UNSET  # Any: what the board says
    text: str | None = None
    status: int | None = None
    socket: Literal["open", "closed"] | None = None
    code: int | None = None
    failed: str | None = None


class Wanted(Struct, frozen=True, omit_defaults=True):
    """A request of a dialogue; or, with `say`, a message for the open socket, in JSON.

    `path` may have names in braces, for which the link fills in the token or an option of the address. Its answer comes
    with the method and this path as its source, so that a dialogue compares what it has written.
    """

    method: Method | None = None
    path: str = ""
    body: Any = UNSET  # Any: as above
    say: Any = UNSET  # Any: as above


def encode_packet(message: Received | Wanted) -> bytes:
    """The message as one packet."""
    return msgspec.json.encode(message)


def decode_received(packet: bytes) -> Received | None:
    """The message in this packet; None where it is none: a board may be at the other end that is none."""
    try:
        check_depth(packet)
        return msgspec.json.decode(packet, type=Received)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def decode_wanted(packet: bytes) -> Wanted:
    """The request in this packet, which a dialogue has made."""
    return msgspec.json.decode(packet, type=Wanted)


def read_number(value: object) -> float | None:
    """The finite number that a board has written, also as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < 1e9 else None


def is_given(value: object) -> bool:
    """Whether there is a value at all: an absent key and null are the same to a reader."""
    return value is not None and not isinstance(value, UnsetType)
