"""What comes in over MQTT: which table is meant, what it is told, and what is answered.

A command is executed once, when it is sent. So a retained one, which the broker would repeat at every reconnect, is
never obeyed; and a request is answered whatever becomes of it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

import msgspec

from daemon.table import Table
from protocol.commands import CommandError, read_command
from protocol.messages import Response
from protocol.topics import parse

log = logging.getLogger("oche.mqtt")


class _Request(msgspec.Struct):
    """What is read of a request before all else, so that a refusal too is an answer to it."""

    transaction: str | None = None


class Inbox:
    """The inbox of one bridge. `answer` takes a response, the table's name and the command's."""

    def __init__(self, tables: Mapping[str, Table], base: str, answer: Callable[[Response, str, str], None]) -> None:
        self._tables = tables
        self._base = base
        self._answer = answer
        self._warned: set[str] = set()

    async def take(self, text: str, body: bytes, *, retained: bool) -> None:
        """One message, by its topic. Never raises for what is in it."""
        address = parse(text, self._base)
        if address is None or address.kind not in ("cmd", "request", "seat_cmd"):
            return
        table = self._tables.get(address.names["table"])
        if table is None:
            return
        if retained:
            self._warn_of_retained(text)
            return
        name = address.names.get("command", "choose")
        source = f"seat {address.names['seat']}" if address.kind == "seat_cmd" else "mqtt"
        is_request = address.kind == "request"
        transaction = _transaction(body) if is_request else None
        try:
            data = await table.command(read_command(name, body), source)
            response = Response("ok", transaction, data=data)
        except CommandError as error:
            response = Response("error", transaction, data={}, error={"code": error.code, "message": str(error)})
            if address.kind == "seat_cmd":
                log.info("%s: refused an answer of %s", table.name, source)  # what it was is nobody else's business
            else:
                log.info("%s: refused %s: %s", table.name, name, error)
                if not is_request:
                    table.say(str(error))
        if is_request:
            self._answer(response, table.name, name)

    def _warn_of_retained(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            log.warning(
                "ignored the retained command on %s: it would be repeated at every reconnect; "
                "clear it by publishing an empty retained message there",
                text,
            )


def _transaction(body: bytes) -> str | None:
    try:
        return msgspec.json.decode(body, type=_Request).transaction
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
