"""The link to the broker: publishes what the shadow holds, listens for commands, and comes back by itself.

The only module that knows an MQTT library. `online` is said last after a connect, so whoever sees it can trust
everything else; a clean stop says `offline` itself, because a clean disconnect suppresses the last will.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, suppress
from random import Random
from typing import TypeVar

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from daemon.config import Mqtt
from daemon.errors import UserError
from daemon.inbox import Inbox
from daemon.shadow import Shadow
from daemon.supervisor import ended
from daemon.table import Table
from daemon.updates import Update
from drivers.backoff import Backoff
from protocol.messages import Response
from protocol.topics import subscriptions, topic

T = TypeVar("T")

log = logging.getLogger("oche.mqtt")

_RETRY = Backoff(0.5, 60.0)
_REFUSED_LOGIN = (134, 135)
_REFUSED_WAIT_S = 30.0
_UNSUPPORTED_VERSION = 132
_UNANSWERED = "Operation timed out"
"""What the library says when a connection stands and nothing comes back."""
_CONNECTED = "connected"


class MqttLink:
    """One connection for all tables. An Outlet; run it as a task."""

    def __init__(
        self, config: Mqtt, bridge: str, tables: Mapping[str, Table], password: Callable[[], str | None]
    ) -> None:
        self.status = "not connected yet"
        """One sentence on the broker, for people."""
        self.reconnects = 0
        self.shadow = Shadow(config.base)
        self._config = config
        self._bridge = bridge
        self._client_id = f"oche-{bridge}"
        self._tables = tables
        self._password = password
        self._listeners: dict[str, Callable[[bytes], None]] = {}
        self._news = asyncio.Event()
        self._is_private = False
        """The broker was seen to refuse somebody without a login, so a hand may be published."""
        embedded = config.host is None
        self._protocol = aiomqtt.ProtocolVersion.V311 if embedded else aiomqtt.ProtocolVersion.V5
        self._inbox = Inbox(tables, config.base, self._answer)

    def publish(self, update: Update) -> None:
        """Takes news; they are sent as soon as the broker can be reached."""
        self.shadow.tell(update)
        if update.state is not None:
            self._tell_seats(self._tables[update.table])
        self._news.set()

    def _tell_seats(self, table: Table) -> None:
        """Each hand to its own topic while the match goes on, where strangers are kept out."""
        shown = self._is_private and table.state().phase != "over"
        self.shadow.tell_seats(table.name, table.hands if shown else [])

    def say(self, kind: str, value: object, **names: str) -> None:
        """Publishes one message of the bridge itself."""
        self.shadow.say(kind, value, **names)
        self._news.set()

    def forget(self, kind: str, **names: str) -> None:
        """Takes a retained message off the broker."""
        self.shadow.forget(kind, **names)
        self._news.set()

    def listen(self, kind: str, listener: Callable[[bytes], None], **names: str) -> None:
        """Hands on what comes in on this topic, retained or not; to be said before the link runs."""
        self._listeners[topic(kind, self._config.base, **names)] = listener

    def _answer(self, response: Response, table: str, command: str) -> None:
        self.say("response", response, table=table, command=command)

    async def run(self) -> None:
        """Stays connected until cancelled."""
        failures = 0
        while True:
            since = time.monotonic()
            error = (await ended(self._until_it_fails(), "a connection to the broker")).result()
            if self._falls_back(error):
                continue
            failures = 1 if time.monotonic() - since > _RETRY.most_s else failures + 1
            self.reconnects += self.status == _CONNECTED
            self._report(_explain(error, self._config, self._client_id))
            is_login = _code(error) in _REFUSED_LOGIN
            await asyncio.sleep(_REFUSED_WAIT_S if is_login else _RETRY.delay_s(failures, Random()))

    async def _until_it_fails(self) -> Exception:
        """One connection; gives what ended it."""
        found: list[Exception] = []
        try:
            await self._connect()
        except* (aiomqtt.MqttError, UserError) as group:
            found += _leaves(group)
        return found[0]

    def _falls_back(self, error: Exception) -> bool:
        """Some brokers refuse MQTT 5 by its code, others never answer it. One that answers to neither is just away."""
        if self._protocol is aiomqtt.ProtocolVersion.V311:
            if self.status != _CONNECTED and self._config.host is not None:
                self._protocol = aiomqtt.ProtocolVersion.V5
            return False
        if self.status == _CONNECTED or not (str(error) == _UNANSWERED or _code(error) == _UNSUPPORTED_VERSION):
            return False
        log.info("the broker does not answer to MQTT 5: trying 3.1.1")
        self._protocol = aiomqtt.ProtocolVersion.V311
        return True

    def _report(self, sentence: str) -> None:
        if sentence != self.status:
            log.log(logging.INFO if sentence == _CONNECTED else logging.WARNING, "broker: %s", sentence)
        self.status = sentence

    async def _connect(self) -> None:
        """One connection, to its end; raises (groups of) MqttError."""
        availability = topic("bridge_state", self._config.base, bridge=self._bridge)
        client = aiomqtt.Client(
            self._config.host or "127.0.0.1",
            self._config.port,
            username=self._config.username,
            password=self._password(),
            identifier=self._client_id,
            protocol=self._protocol,
            will=aiomqtt.Will(availability, "offline", qos=1, retain=True),
            keepalive=20,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # else a state waits 40 ms behind an event
            timeout=10,
            max_queued_incoming_messages=1000,
        )
        async with AsyncExitStack() as stack:
            await _whole(stack.enter_async_context(client))
            try:
                async with asyncio.TaskGroup() as both:  # who listens is the first to learn of a lost connection
                    both.create_task(self._listen(client))
                    both.create_task(self._talk(client, availability))
            except asyncio.CancelledError:
                with suppress(aiomqtt.MqttError, TimeoutError):
                    async with asyncio.timeout(2):
                        await self._send(client)
                        await _whole(client.publish(availability, "offline", qos=1, retain=True))
                raise

    async def _subscribe(self, client: aiomqtt.Client, wanted: str) -> None:
        """Retained commands are not asked for, and in MQTT 5 seen for what they are when they come all the same."""
        if self._protocol is aiomqtt.ProtocolVersion.V5:
            options = SubscribeOptions(qos=1, retainAsPublished=True, retainHandling=2)
            await _whole(client.subscribe(wanted, options=options))
        else:
            await _whole(client.subscribe(wanted, qos=1))

    async def _talk(self, client: aiomqtt.Client, availability: str) -> None:
        """All there is to say, `online` after it, and then all news."""
        self._is_private = await self._refuses_strangers()
        for table in self._tables.values():
            for wanted in subscriptions(self._config.base, table.name, private=self._is_private):
                await self._subscribe(client, wanted)
            self._tell_seats(table)
        for wanted in self._listeners:
            await _whole(client.subscribe(wanted, qos=1))
        self.shadow.restart()
        await self._send(client)
        await _whole(client.publish(availability, "online", qos=1, retain=True))
        self._report(_CONNECTED)
        while True:
            await self._news.wait()
            await self._send(client)

    async def _refuses_strangers(self) -> bool:
        """Knocks without a login: a broker that lets strangers in must not have anybody's hand."""
        if self._config.username is None:
            return False
        stranger = aiomqtt.Client(
            self._config.host or "127.0.0.1",
            self._config.port,
            identifier=f"{self._client_id}-stranger",
            protocol=self._protocol,
            timeout=5,
        )
        try:
            async with AsyncExitStack() as stack:
                await _whole(stack.enter_async_context(stranger))
        except aiomqtt.MqttError as error:
            return _code(error) in _REFUSED_LOGIN
        log.warning("the broker lets strangers in, so no hand is published: players see theirs on the page only")
        return False

    async def _send(self, client: aiomqtt.Client) -> None:
        self._news.clear()
        for message in self.shadow.take():
            properties = None
            if message.expiry_s is not None and self._protocol is aiomqtt.ProtocolVersion.V5:
                properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
                properties.MessageExpiryInterval = message.expiry_s
            await _whole(
                client.publish(
                    message.topic, message.payload, qos=message.qos, retain=message.retain, properties=properties
                )
            )

    async def _listen(self, client: aiomqtt.Client) -> None:
        """Takes commands as they come; a table that is slow to answer does not hold up another one."""
        async with asyncio.TaskGroup() as answers:
            async for message in client.messages:
                listener = self._listeners.get(str(message.topic))
                if listener is not None:
                    listener(message.payload)
                    continue
                answers.create_task(self._inbox.take(str(message.topic), message.payload, retained=message.retain))


async def _whole(call: Awaitable[T]) -> T:
    """The result of a call of the library, or the cancellation that came during it.

    The library waits by asyncio.wait_for, which on Python 3.11 swallows a cancellation that comes together with the
    result; the daemon would then wait for ever for this task to stop.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    result = await call
    if task and task.cancelling() > before:
        raise asyncio.CancelledError
    return result


def _leaves(error: BaseException) -> list[Exception]:
    """The single errors in a group of groups."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [error] if isinstance(error, Exception) else []


def _code(error: BaseException | None) -> int | None:
    """The broker's reason, as MQTT 5 numbers it."""
    while error is not None:
        code = getattr(error, "rc", None)
        if isinstance(code, ReasonCode):
            return int(code.value)
        error = error.__cause__
    return None


def _explain(error: Exception, config: Mqtt, client_id: str) -> str:
    """Why there is no connection, and what to do, in one sentence."""
    if isinstance(error, UserError):
        return str(error)
    where = f"{config.host or '127.0.0.1'}:{config.port}"
    code, text = _code(error), str(error) or type(error).__name__
    if code in _REFUSED_LOGIN:
        return f"the broker {where} refused the login: check mqtt.username and the password"
    if "refused" in text.lower():
        return f"no broker answers at {where}: start it, or check mqtt.host and mqtt.port"
    if text == _UNANSWERED:
        return f"what listens at {where} does not answer like a broker: check mqtt.host and mqtt.port"
    if isinstance(error.__cause__, aiomqtt.MqttError):
        return (
            f"the connection to the broker {where} was lost; all is sent again when it is back "
            f"(if this repeats, another client calls itself {client_id}: give each oche its own bridge.name)"
        )
    return f"the connection to the broker {where} failed ({text}): check mqtt.host, mqtt.port and the network"
