"""Requests to the bridge itself that come in over MQTT: each is carried out once, and answered.

They are taken only where the configuration says so: who may publish them does what the settings of the page do.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, NamedTuple

from daemon.mqtt.inbox import COMMAND, RecentRequests, ReplyTopics
from daemon.mqtt.message import IncomingMessage
from daemon.mqtt.refusals import Refusals
from protocol.bodies import decode_transaction
from protocol.commands import CommandError
from protocol.messages import BridgeResponse, explain_failure
from protocol.topics import parse, topic

Data = dict[str, Any]  # Any: JSON

log = logging.getLogger("oche.mqtt")

_MOST_AT_ONCE = 4


Take = Callable[[str, bytes], Callable[[], Coroutine[None, None, Data]]]
"""Takes a request by its name and its body, and returns what carries it out and returns the data of the answer.

Both raise CommandError.
"""


class _Request(NamedTuple):
    name: str
    reply_to: str
    correlation: bytes | None = None
    transaction: str | None = None


class BridgeInbox:
    """The inbox of the bridge of this name. `send` takes a response, its topic and its CorrelationData.

    `take` is None where the configuration has it take none.
    """

    def __init__(
        self,
        bridge: str,
        base: str,
        replies: ReplyTopics,
        send: Callable[[BridgeResponse, str, bytes | None], None],
        take: Take | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._take = take
        self._bridge = bridge
        self._base = base
        self._replies = replies
        self._send = send
        self._recent: RecentRequests[Data] = RecentRequests()
        self._tasks: set[asyncio.Task[Data]] = set()
        self._has_warned = False
        self._refusals = Refusals(clock)

    @property
    def refused(self) -> int:
        """How many requests were refused."""
        return self._refusals.counts[self._bridge]

    def receive(self, message: IncomingMessage) -> None:
        """Takes one message; passes over one that is no request to this bridge. Never raises for what is in it."""
        address = parse(message.topic, self._base)
        if address is None or address.kind != "bridge_request" or address.names["bridge"] != self._bridge:
            return
        name = address.names["request"]
        if not COMMAND.fullmatch(name):
            return  # such a name belongs in no log and in no topic
        if message.retained:
            self._ignore_retained(message.topic)
            return
        ours = topic("bridge_response", self._base, bridge=self._bridge, request=name)
        request = _Request(name, self._replies.choose(message, ours), message.correlation)
        try:
            request = request._replace(transaction=decode_transaction(message.payload))
            self._replies.check(message)
            self._execute(request, message)
        except CommandError as error:
            self._refuse(request, error)

    def _execute(self, request: _Request, message: IncomingMessage) -> None:
        reply = self._recent.find(message.topic, request.transaction, message.payload)
        if reply is None:
            if self._take is None:
                raise CommandError("this oche carries out no requests: start it with oche run", "unavailable")
            carry_out = self._take(request.name, message.payload)
            if len(self._tasks) >= _MOST_AT_ONCE:
                raise CommandError("other requests are in progress: try again when they have been answered", "busy")
            log.info("the bridge received a request over MQTT: %s", request.name)
            task = asyncio.create_task(carry_out(), name=f"the request {request.name}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            self._recent.add(message.topic, request.transaction, message.payload, task)
            reply = task
        reply.add_done_callback(partial(self._answer, request))

    def _answer(self, request: _Request, reply: asyncio.Future[Data]) -> None:
        if reply.cancelled():
            return
        match reply.exception():
            case None:
                response = BridgeResponse("ok", request.transaction, data=reply.result())
                self._send(response, request.reply_to, request.correlation)
            case CommandError() as error:
                self._refuse(request, error)
            case error:
                log.error("the request %s failed", request.name, exc_info=error)
                self._refuse(request, CommandError("the request failed: see the log of oche", "unavailable"))

    def _refuse(self, request: _Request, error: CommandError) -> None:
        self._refusals.counts[self._bridge] += 1
        more = self._refusals.end_line(self._bridge)
        if more is not None:
            log.info("refused the request %s: %s%s", request.name, error, more)
        refused = BridgeResponse("error", request.transaction, data={}, error=explain_failure(error.code, error.said))
        self._send(refused, request.reply_to, request.correlation)

    def _ignore_retained(self, text: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            log.warning(
                "ignored the retained request on %s: it would be repeated at every reconnect; "
                "clear it by publishing an empty retained message there",
                text,
            )

    async def close(self) -> None:
        """Ends what is being carried out."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
