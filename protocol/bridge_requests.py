"""What a bridge itself can be asked over MQTT, beside its tables: the body of each request, and what answers it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from protocol.bodies import ANYTHING, Body, parse_body
from protocol.commands import CommandError
from protocol.spelling import explain_decode_error, suggest_nearest

_TABLE = Annotated[str, Meta(min_length=1, max_length=40)]
MOST_CAPTURE_S = 3600


class Plain(Struct, kw_only=True):
    """What every request of a bridge takes. `transaction` comes back in the answer."""

    transaction: Annotated[str, Meta(max_length=128)] | UnsetType | None = UNSET


class Restart(Plain, kw_only=True):
    """Starts the daemon anew."""


class OptionChange(Struct):
    """The value of the configuration at this path; without one the default. See POST /api/settings in web.md."""

    path: Annotated[tuple[str | int, ...], Meta(min_length=1)]
    value: Any = None  # Any: TOML


class Options(Plain, kw_only=True):
    """Changes the configuration; without `changes` only its version is told.

    With a `version` it is changed only while it is this one.
    """

    changes: tuple[OptionChange, ...] = ()
    version: str | UnsetType | None = UNSET


class Backup(Plain, kw_only=True):
    """Writes a backup beside the journals."""


class HealthCheck(Plain, kw_only=True):
    """Has the doctor look."""


class Capture(Plain, kw_only=True):
    """Begins to record the raw traffic of a table's board, for at most so many seconds, or ends that."""

    table: _TABLE
    capture: Literal["start", "stop"]
    seconds: Annotated[int, Meta(ge=1, le=MOST_CAPTURE_S)] = 300


class Identify(Plain, kw_only=True):
    """Shows which board and page are those of a table."""

    table: _TABLE


BridgeRequest = Restart | Options | Backup | HealthCheck | Capture | Identify

BRIDGE_BODIES = {
    "restart": Body("starts the daemon anew with the file as it is now; matches go on", (Restart,), ANYTHING),
    "options": Body(
        "changes the configuration as the page does, and starts anew with it; `data` is `version`",
        (Options,),
        None,
        {"changes": [{"path": ["bridge", "log_level"], "value": "debug"}]},
    ),
    "backup": Body(
        "writes a backup on the machine; `data` is its `file` and how many `bytes` that has", (Backup,), ANYTHING
    ),
    "health_check": Body(
        "asks the doctor; `data` is `healthy` (no problem was found) and its `checks`", (HealthCheck,), ANYTHING
    ),
    "capture": Body(
        "records the raw traffic of a board; `data` is the `file` on the machine",
        (Capture,),
        None,
        {"table": "main", "capture": "start", "seconds": 60},
    ),
    "identify": Body(
        "lamps of the board blink, and the page says which table it is", (Identify,), "main", {"table": "main"}
    ),
}
"""The requests by their names, as in topics."""


def decode_bridge_request(name: str, body: bytes) -> BridgeRequest:
    """Returns the request of this name with this body. Raises CommandError."""
    if name not in BRIDGE_BODIES:
        raise CommandError(f"there is no request {name!r}{suggest_nearest(name, [*BRIDGE_BODIES])}", "unknown")
    known = BRIDGE_BODIES[name]
    value = parse_body(body)
    if not isinstance(value, dict):
        if known.text is None or (known.text != ANYTHING and value in (None, "")):
            raise CommandError(f"{name} needs a body such as {msgspec.json.encode(dict(known.example)).decode()}")
        value = {} if known.text == ANYTHING else {"table": body.decode().strip()}
    (kind,) = known.json
    try:
        return cast("BridgeRequest", msgspec.convert(value, kind))
    except msgspec.ValidationError as error:
        reason, path = explain_decode_error(error, kind)
        where = ".".join(map(str, path))
        raise CommandError(f"{name}: {where}{': ' if where else ''}{reason}") from None
