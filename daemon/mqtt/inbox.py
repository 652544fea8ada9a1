"""What comes in over MQTT: which table is meant, what it is told, and what is answered.

A command is executed once, when it is sent. So a retained one, which the broker would repeat at every reconnect, is
never obeyed; a request that comes again is answered again (daemon/mqtt/repeats.py); and a request is answered whatever
becomes of it. A table that is not in the configuration gets silence: another bridge on the broker may have it.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from daemon.mqtt.repeats import Repeats
from daemon.table import Table
from protocol.commands import CommandError, read_command, read_transaction
from protocol.messages import Response
from protocol.topics import parse, topic

log = logging.getLogger("oche.mqtt")

_WAITING = 256
"""Inputs of a table that may wait while commands are taken: the darts of its board come after them."""
_WARNINGS = 100
"""Topics that are warned of: whoever invents ever new ones must not fill our memory."""
_COMMAND = re.compile(r"[a-z0-9_-]{1,40}")
_SEAT = re.compile(r"[0-9]{1,2}")
_MAX_REPLY_TOPIC = 1000


class Letter(NamedTuple):
    """A message that came in. `reply_to` and `correlation` are MQTT 5’s ResponseTopic and CorrelationData."""

    topic: str
    body: bytes
    retained: bool = False
    reply_to: str | None = None
    correlation: bytes | None = None


class _Order(NamedTuple):
    """A letter that was understood so far.

    The answer goes to `reply_to`: the sender's ResponseTopic if it named one, and only there, else the contract's topic
    of a request. It is None where nobody waits for an answer.
    """

    table: str
    command: str
    source: str
    reply_to: str | None = None
    correlation: bytes | None = None
    transaction: str | None = None


class Inbox:
    """The inbox of one bridge. `unusable` are the tables that cannot be played on, with the reason.

    `send` takes a response, its topic and its CorrelationData.
    """

    def __init__(
        self,
        tables: Mapping[str, Table],
        unusable: Mapping[str, str],
        base: str,
        discovery_prefix: str,
        send: Callable[[Response, str, bytes | None], None],
    ) -> None:
        self._tables = tables
        self._unusable = unusable
        self._base = base
        self._kept = (f"{base}/", f"{discovery_prefix}/", "$")
        """Below these nobody is answered, but where the contract says so."""
        self._send = send
        self._repeats = Repeats()
        self._warned: set[str] = set()
        self._busy: set[str] = set()

    def take(self, letter: Letter) -> None:
        """One message; its answer follows when the table has it. Never raises for what is in it."""
        address = parse(letter.topic, self._base)
        if address is None or address.kind not in ("cmd", "request", "seat_cmd"):
            return
        table, command = address.names["table"], address.names.get("command", "choose")
        if table not in self._tables and table not in self._unusable:
            return
        if not (_COMMAND.fullmatch(command) and _SEAT.fullmatch(address.names.get("seat", "0"))):
            return  # nothing that could be said of it belongs in a log or a topic
        if letter.retained:
            self._ignore_retained(letter, table)
            return
        source = f"seat {address.names['seat']}" if address.kind == "seat_cmd" else "mqtt"
        ours = topic("response", self._base, table=table, command=command) if address.kind == "request" else None
        is_fit = letter.reply_to is not None and self._is_reply_topic(letter.reply_to)
        order = _Order(table, command, source, letter.reply_to if is_fit else ours, letter.correlation)
        try:
            if order.reply_to is not None:
                order = order._replace(transaction=read_transaction(letter.body))
            if letter.reply_to is not None and not is_fit:
                raise CommandError("no answer can go to this ResponseTopic: name one that nothing else is said on")
            self._obey(order, letter)
        except CommandError as error:
            self._refuse(order, error)

    def _is_reply_topic(self, wanted: str) -> bool:
        """Nobody makes us give commands, or say on the topics of the contract what is not so."""
        if not (0 < len(wanted) <= _MAX_REPLY_TOPIC and wanted.isprintable()) or re.search("[+#]", wanted):
            return False
        address = parse(wanted, self._base)
        return (address is not None and address.kind == "response") or not wanted.startswith(self._kept)

    def _obey(self, order: _Order, letter: Letter) -> None:
        if order.table in self._unusable:
            raise CommandError(f"the table cannot be used: {self._unusable[order.table]}", "unavailable")
        table = self._tables[order.table]
        reply = self._repeats.find(letter.topic, order.transaction, letter.body)
        if reply is None:
            command = read_command(order.command, letter.body)
            if table.backlog >= _WAITING:
                raise CommandError("the table has too much to do; try again", "busy")
            reply = table.command(command, order.source)
            self._repeats.keep(letter.topic, order.transaction, letter.body, reply)
            self._busy.discard(order.table)
        reply.add_done_callback(partial(self._answer, order))

    def _answer(self, order: _Order, reply: asyncio.Future[dict[str, object]]) -> None:
        try:
            data = reply.result()
        except CommandError as error:
            self._refuse(order, error)
        else:
            if order.reply_to is not None:
                self._send(Response("ok", order.transaction, data=data), order.reply_to, order.correlation)

    def _refuse(self, order: _Order, error: CommandError) -> None:
        here = {"table": order.table}
        if order.source != "mqtt":  # what the answer was is nobody else's business
            log.info("%s: refused an answer of %s", order.table, order.source, extra=here)
        elif error.code != "busy":
            log.info("%s: refused %s: %s", order.table, order.command, error, extra=here)
        elif order.table not in self._busy:  # said once, however many there are
            log.warning("%s: %s; commands that come too fast are refused", order.table, error, extra=here)
        if order.reply_to is not None:
            refusal = {"code": error.code, "message": str(error)}
            self._send(Response("error", order.transaction, data={}, error=refusal), order.reply_to, order.correlation)
        elif order.source == "mqtt" and order.table not in self._busy:
            self._tell(order.table, str(error))
        if error.code == "busy":
            self._busy.add(order.table)

    def _tell(self, table: str, notice: str) -> None:
        """To whoever looks at its page."""
        if table in self._tables:
            self._tables[table].say(notice)

    def _ignore_retained(self, letter: Letter, table: str) -> None:
        is_known = letter.topic in self._warned
        if not letter.body:
            self._warned.discard(letter.topic)
            sentence = f"ignored an empty retained message on {letter.topic}: send commands without the retain flag"
        else:
            sentence = (
                f"ignored the retained command on {letter.topic}: it would be repeated at every reconnect; "
                "clear it by publishing an empty retained message there"
            )
        if is_known or len(self._warned) >= _WARNINGS:
            return
        if letter.body:
            self._warned.add(letter.topic)
        log.warning("%s", sentence, extra={"table": table})
        self._tell(table, sentence)
