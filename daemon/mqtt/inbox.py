"""Commands that come in over MQTT: the table they are for, the command, and the answer.

A command is executed once, when it is sent. So a retained one, which the broker would repeat at every reconnect, is
ignored; a request that is repeated gets the first answer again; and every request is answered. A table that is not in
the configuration is passed over in silence: another bridge on the broker may have it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from daemon.mqtt.message import IncomingMessage
from daemon.mqtt.refusals import Refusals
from daemon.table.scoresheet import SeatSender, Sender
from daemon.table.table import BUSY, Table
from protocol.bodies import decode_command, decode_transaction
from protocol.commands import CommandError
from protocol.messages import Answer, Response, explain_failure
from protocol.sentence import Sentence
from protocol.topics import parse, topic

T = TypeVar("T")
Reply = asyncio.Future[Answer]

log = logging.getLogger("oche.mqtt")

_MAX_BACKLOG = 256
"""Inputs of a table that may wait while commands are taken: the darts of its board come after them."""
_BROKER = "broker"
"""As a client of a table: all that come over the broker, which does not say who they are, have one share."""
_MAX_WARNED = 100
"""Topics that are warned of: a client that invents ever new ones must not fill the memory."""
COMMAND = re.compile(r"[a-z0-9_-]{1,40}")
_SEAT = re.compile(r"[0-9]|[1-9][0-9]")
_MAX_REPLY_TOPIC = 1000
_MAX_REMEMBERED = 256
"""Requests of one topic, the last ones."""
_REMEMBERED_S = 600.0


class _Request(NamedTuple):
    """A command as far as it was understood.

    The answer goes to `reply_to`: the client's ResponseTopic if it named one, and only there, else the contract's topic
    for responses. It is None for a command that is not answered.
    """

    table: str
    command: str
    sender: Sender
    reply_to: str | None = None
    correlation: bytes | None = None
    transaction: str | None = None


class Inbox:
    """The inbox of one bridge. `unusable` are the tables that cannot be played on, with the reason.

    `send` takes a response, its topic and its CorrelationData. `response_topics` as in [mqtt] of the configuration.
    """

    def __init__(
        self,
        tables: Mapping[str, Table],
        unusable: Mapping[str, str],
        base: str,
        discovery_prefix: str,
        send: Callable[[Response, str, bytes | None], None],
        response_topics: Sequence[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tables = tables
        self._unusable = unusable
        self._base = base
        self.replies = ReplyTopics(base, discovery_prefix, response_topics)
        self._send = send
        self.refusals = Refusals(clock)
        """Of the commands of each table."""
        self._recent: RecentRequests[Answer] = RecentRequests()
        self._warned: set[str] = set()
        self._busy: set[str] = set()

    def receive(self, message: IncomingMessage) -> None:
        """Takes one message; the answer follows when the table has it. Never raises for what is in it."""
        address = parse(message.topic, self._base)
        if address is None or address.kind not in ("cmd", "request", "seat_cmd"):
            return
        table, command = address.names["table"], address.names.get("command", "choose")
        if table not in self._tables and table not in self._unusable:
            return
        if not (COMMAND.fullmatch(command) and _SEAT.fullmatch(address.names.get("seat", "0"))):
            return  # such a name belongs in no log and in no topic
        if message.retained:
            self._ignore_retained(message, table)
            return
        sender: Sender = SeatSender(int(address.names["seat"])) if address.kind == "seat_cmd" else "mqtt"
        ours = topic("response", self._base, table=table, command=command) if address.kind == "request" else None
        request = _Request(table, command, sender, self.replies.choose(message, ours), message.correlation)
        try:
            if request.reply_to is not None:
                request = request._replace(transaction=decode_transaction(message.payload, command))
            self.replies.check(message)
            self._execute(request, message)
        except CommandError as error:
            self._refuse(request, error)

    def _execute(self, request: _Request, message: IncomingMessage) -> None:
        if request.table in self._unusable:
            raise CommandError(f"the table cannot be used: {self._unusable[request.table]}", "unavailable")
        table = self._tables[request.table]
        reply = self._recent.find(message.topic, request.transaction, message.payload)
        if reply is None:
            decoded = decode_command(request.command, message.payload)
            if len(table.backlog) >= _MAX_BACKLOG:
                raise CommandError(BUSY, "busy")
            reply = table.command(decoded.command, request.sender, decoded.at, _BROKER)
            self._recent.add(message.topic, request.transaction, message.payload, reply)
            if not table.is_hurried_by(_BROKER):
                self._busy.discard(request.table)
        reply.add_done_callback(partial(self._answer, request))

    def _answer(self, request: _Request, reply: Reply) -> None:
        try:
            data = msgspec.to_builtins(reply.result())
        except CommandError as error:
            self._refuse(request, error)
        else:
            if request.reply_to is not None:
                self._send(Response("ok", request.transaction, data=data), request.reply_to, request.correlation)

    def _refuse(self, request: _Request, error: CommandError) -> None:
        self.refusals.counts[request.table] += 1
        self._log_refusal(request, error)
        if request.reply_to is not None:
            refusal = explain_failure(error.code, error.said)
            refused = Response("error", request.transaction, data={}, error=refusal)
            self._send(refused, request.reply_to, request.correlation)
        elif request.sender == "mqtt" and request.table not in self._busy:
            self._show_notice(request.table, error.said)
        if error.code == "busy":
            self._busy.add(request.table)

    def _log_refusal(self, request: _Request, error: CommandError) -> None:
        fields = {"table": request.table}
        if error.code == "busy" and request.sender == "mqtt":
            if request.table not in self._busy:  # one warning, however many are refused
                log.warning("%s: %s; commands that come too fast are refused", request.table, error, extra=fields)
            return
        more = self.refusals.end_line(request.table)
        if more is None:
            return
        if request.sender != "mqtt":  # an answer of a seat is that player's secret
            log.info("%s: refused an answer from %s%s", request.table, request.sender, more, extra=fields)
        else:
            log.info("%s: refused %s: %s%s", request.table, request.command, error, more, extra=fields)

    def _show_notice(self, table: str, notice: str | Sentence) -> None:
        if table in self._tables:
            self._tables[table].notify(notice)

    def _ignore_retained(self, message: IncomingMessage, table: str) -> None:
        is_known = message.topic in self._warned
        if not message.payload:
            self._warned.discard(message.topic)
            sentence = f"ignored an empty retained message on {message.topic}: send commands without the retain flag"
        else:
            sentence = (
                f"ignored the retained command on {message.topic}: it would be repeated at every reconnect; "
                "clear it by publishing an empty retained message there"
            )
        if is_known or len(self._warned) >= _MAX_WARNED:
            return
        if message.payload:
            self._warned.add(message.topic)
        log.warning("%s", sentence, extra={"table": table})
        self._show_notice(table, sentence)


class ReplyTopics:
    """Where answers may go; `response_topics` as in [mqtt] of the configuration."""

    def __init__(self, base: str, discovery_prefix: str, response_topics: Sequence[str] | None) -> None:
        self._base = base
        self._reserved = (f"{base}/", f"{discovery_prefix}/", "$")
        """Below these no response is sent, except on the contract's own topics."""
        self._response_topics = response_topics

    def choose(self, message: IncomingMessage, ours: T) -> str | T:
        """Returns the ResponseTopic of a message; `ours` where it names none, or one that is not allowed."""
        return message.reply_to if message.reply_to is not None and self._is_allowed(message.reply_to) else ours

    def check(self, message: IncomingMessage) -> None:
        """Raises CommandError for a ResponseTopic that is not allowed."""
        if message.reply_to is not None and not self._is_allowed(message.reply_to):
            raise CommandError(
                "oche cannot answer on this ResponseTopic: name one that has no other messages, and that "
                "mqtt.response_topics allows if it is set"
            )

    def _is_allowed(self, wanted: str) -> bool:
        """Returns False for a topic on which a response would be a command, or a false statement of the contract."""
        if not (0 < len(wanted) <= _MAX_REPLY_TOPIC and wanted.isprintable()) or re.search("[+#]", wanted):
            return False
        address = parse(wanted, self._base)
        if address is not None and address.kind in ("response", "bridge_response"):
            return True
        is_allowed = self._response_topics is None or wanted.startswith(tuple(self._response_topics))
        return is_allowed and not wanted.startswith(self._reserved)


class _Recent(NamedTuple, Generic[T]):
    at_s: float
    digest: bytes
    reply: asyncio.Future[T]


class RecentRequests(Generic[T]):
    """The recent requests of one bridge by their transactions. `clock` gives monotonic seconds.

    A client that got no answer may send its request again for as long as it is kept here, in the memory of this
    process. A client that repeats requests over a restart of the daemon sends `at` with them: one that was carried out
    before the restart is then refused as stale, because it has moved the match on.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._by_topic: dict[str, OrderedDict[str, _Recent[T]]] = {}

    def find(self, topic: str, transaction: str | None, payload: bytes) -> asyncio.Future[T] | None:
        """Returns the reply to this request, perhaps still pending; None if it has to be carried out.

        Raises CommandError when another request has had its transaction.
        """
        known = self._by_topic.get(topic)
        found = known.get(transaction) if known and transaction else None
        if found is None or self._clock() - found.at_s > _REMEMBERED_S or _was_unavailable(found.reply):
            return None
        if found.digest != _hash_payload(payload):
            raise CommandError("this transaction was already used for another request: use a new one for each request")
        return found.reply

    def add(self, topic: str, transaction: str | None, payload: bytes, reply: asyncio.Future[T]) -> None:
        """Keeps the reply of a request that is carried out, if it has a transaction."""
        if not transaction:
            return
        known = self._by_topic.setdefault(topic, OrderedDict())
        known[transaction] = _Recent(self._clock(), _hash_payload(payload), reply)
        known.move_to_end(transaction)
        while len(known) > _MAX_REMEMBERED or self._clock() - next(iter(known.values())).at_s > _REMEMBERED_S:
            known.popitem(last=False)


def _was_unavailable(reply: asyncio.Future[Any]) -> bool:  # Any: whatever it is a reply to
    """Whether the request could not be stored: carrying it out again is then right."""
    error = reply.exception() if reply.done() and not reply.cancelled() else None
    return isinstance(error, CommandError) and error.code == "unavailable"


def _hash_payload(payload: bytes) -> bytes:
    return hashlib.blake2b(payload, digest_size=16).digest()
