"""What a player's command means: from what MQTT or the page sent to the words of the match record.

Bodies are forgiving about form (plain text where JSON is a burden) and strict about meaning.
"""

from __future__ import annotations

from typing import Any

import msgspec

from protocol.spelling import nearest
from protocol.topics import COMMANDS

MAX_BODY_BYTES = 8192
_MAX_TRANSACTION = 128

PLANNED = ("game", "players", "teams", "team_names", "options", "format")
"""What may be said of the next match, each by itself; the rest stays as it was."""
_BARE = {"next": True, "undo": True, "redo": True, "stop": True}
_TEXT = ("throw", "choose", "game")
"""Their bodies are words even where they look like a number."""


class CommandError(ValueError):
    """A body that cannot be a command; `code` is one of the contract's error codes."""

    def __init__(self, sentence: str, code: str = "invalid") -> None:
        super().__init__(sentence)
        self.code = code


def read_command(name: str, body: bytes) -> dict[str, Any]:  # Any: JSON
    """The command as an object: a line of the match record, or {"start": header or None} or {"game": id or object}.

    With a start goes its `order`: how it is decided in which order the sides throw. Keys that the contract gives to
    requests (`transaction`, `at`) are passed through. Raises CommandError.
    """
    if name not in COMMANDS:
        raise CommandError(f"there is no command {name!r}{nearest(name, COMMANDS)}", "unknown")
    if len(body) > MAX_BODY_BYTES:
        raise CommandError(f"the body has {len(body)} bytes; {MAX_BODY_BYTES} are the limit")
    value = _value(body)
    if isinstance(value, dict) and not _is_line(value.get("at")):
        raise CommandError("at must be the line of the match that you saw, a whole number such as 17")
    extra = {key: value[key] for key in ("transaction", "at") if key in value} if isinstance(value, dict) else {}
    return {**_meaning(name, value, body), **extra}


def read_transaction(body: bytes) -> str | None:
    """What a request is known by, None when it does not say; its answer repeats it. Raises CommandError."""
    try:
        value = _value(body) if len(body) <= MAX_BODY_BYTES else None
    except CommandError:
        return None
    found = value.get("transaction") if isinstance(value, dict) else None
    if found is not None and not (isinstance(found, str) and len(found) <= _MAX_TRANSACTION):
        raise CommandError(f"transaction must be a text of at most {_MAX_TRANSACTION} characters, new for each request")
    return found


def _is_line(at: Any) -> bool:
    return at is None or (isinstance(at, int) and not isinstance(at, bool))


def _meaning(name: str, value: Any, body: bytes) -> dict[str, Any]:
    if name in _BARE:
        return {name: True}
    if name == "miss":
        return {"miss": True}
    if name == "start":
        return {"start": _header(value), **_order(value)}
    if name == "amend":
        if isinstance(value, dict) and "amend" in value:
            return value
        raise CommandError('amend needs a body such as {"amend": 7, "throw": "S20"}')
    if name == "game" and isinstance(value, dict):
        return {"game": {key: value[key] for key in PLANNED if key in value}}
    if isinstance(value, dict):
        if name not in value:
            raise CommandError(f"{name} needs a body with the key {name!r}")
        return {key: value[key] for key in (name, "prompt") if key in value}
    if value is None or value == "":
        raise CommandError(f"{name} needs a body")
    return {name: body.decode().strip() if name in _TEXT and not isinstance(value, str) else value}


def _header(value: Any) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        if value not in (None, ""):
            raise CommandError("start needs a match record's header, or an empty body for the same again")
        return None
    if isinstance(value.get("start"), dict):
        return dict(value["start"])
    header = {key: inner for key, inner in value.items() if key not in ("transaction", "at", "start", "order")}
    return header or None


def _order(value: Any) -> dict[str, Any]:
    order = value.get("order") if isinstance(value, dict) else None
    if order is not None and not isinstance(order, str):
        raise CommandError('order must be a word such as "bull"')
    return {} if order is None else {"order": order}


def _value(body: bytes) -> Any:
    try:
        text = body.decode().strip()
    except UnicodeDecodeError:
        raise CommandError("the body is not UTF-8 text") from None
    if not text:
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        if text[0] in '{["':
            raise CommandError("the body begins like JSON and is none") from None
        return text
