"""The way over MQTT to ask: what the bridge itself is asked, beside its tables. No secret is in an answer.

The bodies of the requests, and their JSON Schemas, are made from the fields of the requests. This module is loaded only
where the configuration has the bridge take requests.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import nullcontext
from functools import partial
from typing import Annotated, cast

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import fields

from daemon.admin.admin import Admin
from daemon.admin.answers import Answer, Checks, Json, Refused
from daemon.admin.requests import ASKED, HealthCheck, KeepBackup, Request
from daemon.errors import UserError
from daemon.files import explain_errors
from daemon.remedies import suggest_in_daemon
from protocol.bodies import ANYTHING, Body, parse_body
from protocol.commands import CommandError
from protocol.sentence import Sentence
from protocol.source import SourceError
from protocol.spelling import explain_decode_error, suggest_nearest

_UNMADE = {KeepBackup: "the backup cannot be made", HealthCheck: "the doctor cannot run"}
"""The sentence for a disk that fails."""
_STALE = "the configuration has changed since you read it: read it again"


class Plain(Struct, kw_only=True):
    """What every request of a bridge takes. `transaction` comes back in the answer."""

    transaction: Annotated[str, Meta(max_length=128)] | UnsetType | None = UNSET


_KINDS = {asked.mqtt: kind for kind, asked in ASKED.items() if asked.mqtt}
"""The requests by their names, as in topics."""


def _describe(name: str, about: str, text: str | None = ANYTHING, **example: object) -> Body:
    kind = _KINDS[name]
    made = [(each.encode_name, each.type, *(() if each.required else (each.default,))) for each in fields(kind)]
    title, more = name.title().replace("_", ""), {"__doc__": kind.__doc__}
    return Body(about, (msgspec.defstruct(title, made, bases=(Plain,), namespace=more, kw_only=True),), text, example)


BODIES = {
    "restart": _describe("restart", "restarts the daemon, which reads its configuration again; matches go on"),
    "options": _describe(
        "options",
        "changes the configuration as the page does, then restarts; `data` has the new `version`",
        None,
        changes=[{"path": ["bridge", "log_level"], "value": "debug"}],
    ),
    "backup": _describe(
        "backup",
        "writes a backup on the machine; `data` has its `file`, its size in `bytes`, and `remarks` on what is left out",
    ),
    "health_check": _describe(
        "health_check", "runs the doctor; `data` has its `checks`, and `healthy`, which is true if there is no problem"
    ),
    "capture": _describe(
        "capture",
        "records the raw traffic of a board; `data` has the `file` on the machine",
        None,
        table="main",
        capture="start",
        seconds=60,
    ),
    "identify": _describe(
        "identify", "makes the lamps of the board blink, and the page shows which table it is", "main", table="main"
    ),
}
"""What comes with each request, by its name."""


class BridgeRequests:
    """What the bridge is asked, carried out."""

    def __init__(self, admin: Admin) -> None:
        self._admin = admin

    def take(self, name: str, body: bytes) -> Callable[[], Coroutine[None, None, Json]]:
        """Returns what carries out the request of this name with this body: it returns the data of the answer.

        Both raise CommandError.
        """
        return partial(self._carry_out, decode_request(name, body))

    async def _carry_out(self, wanted: Request) -> Json:
        unmade = _UNMADE.get(type(wanted))
        try:
            with nullcontext() if unmade is None else explain_errors(unmade, suggest_in_daemon):
                answer = await self._admin.ask(wanted)
        except Refused as error:
            raise _explain(error) from None
        except SourceError as error:
            where = ".".join(map(str, error.path))
            raise CommandError(f"{where}: {error.reason}" if where else str(error.reason)) from None
        except UserError as error:
            raise CommandError(str(error), "unavailable") from None
        match answer:
            case Checks(checks=lines):
                checks = [msgspec.json.decode(line) for line in lines]
                return {"healthy": all(check["verdict"] != "problem" for check in checks), "checks": checks}
            case Answer():
                return {}
        return cast("Json", answer)


def _explain(error: Refused) -> CommandError:
    if error.code == "changed":
        return CommandError(_STALE, "stale")
    if error.code == "busy":
        return CommandError(str(error.said), "busy")
    return CommandError(cast("str | Sentence", error.said), error.code)


def decode_request(name: str, body: bytes) -> Request:
    """Returns the request of this name with this body. Raises CommandError."""
    if name not in BODIES:
        raise CommandError(f"there is no request {name!r}{suggest_nearest(name, [*BODIES])}", "unknown")
    known, kind = BODIES[name], _KINDS[name]
    value = parse_body(body)
    if not isinstance(value, dict):
        if known.text is None or (known.text != ANYTHING and value in (None, "")):
            raise CommandError(f"{name} needs a body such as {msgspec.json.encode(dict(known.example)).decode()}")
        value = {} if known.text == ANYTHING else {"table": body.decode().strip()}
    (sent,) = known.json
    try:
        found = msgspec.convert(value, sent)
    except msgspec.ValidationError as error:
        reason, path = explain_decode_error(error, sent)
        where = ".".join(map(str, path))
        raise CommandError(f"{name}: {where}{': ' if where else ''}{reason}") from None
    return kind(**{each: getattr(found, each) for each in kind.__struct_fields__})
