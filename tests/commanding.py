"""Commands to a table in the words that come in over MQTT and from the page."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from daemon.table.scoresheet import Sender
from daemon.table.table import Table
from protocol.bodies import BODIES, Request, decode_command
from protocol.messages import Answer


def decode(words: dict[str, Any]) -> Request:  # Any: JSON
    """The command in these words, such as {"throw": "T20", "at": 7} or {"start": header, "order": "bull"}."""
    name = "amend" if "amend" in words else next(name for name in BODIES if name in words)
    value = words[name]
    body = value if name == "game" else {**words, "start": value or {}} if name == "start" else words
    if name == "start" and value is None:
        body = {key: words[key] for key in ("at", "order") if key in words}
    if name == "game" and isinstance(value, dict) and "at" in words:
        body = {**value, "at": words["at"]}
    return decode_command(name, json.dumps(body).encode())


def give(
    table: Table,
    words: dict[str, Any],  # Any: JSON
    sender: Sender,
    client: str = "",
) -> asyncio.Future[Answer]:
    """A command in these words. Raises CommandError."""
    request = decode(words)
    return table.command(request.command, sender, request.at, client)
