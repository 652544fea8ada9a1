"""The link to the broker: publishes what the shadow holds, listens for commands, and comes back by itself.

The only module that knows an MQTT library. `online` is said last after a connect, so whoever sees it can trust
everything else; a clean stop says `offline` itself, because a clean disconnect suppresses the last will.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random

import aiomqtt
import msgspec
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from daemon.config import Mqtt
from daemon.shadow import Shadow
from daemon.table import Table
from daemon.updates import Update
from drivers.backoff import Backoff
from protocol.commands import CommandError, read_command
from protocol.messages import Response
from protocol.topics import parse, subscriptions, topic

log = logging.getLogger("oche.mqtt")

_RETRY = Backoff(0.5, 60.0)
_REFUSED_LOGIN = (134, 135)
_REFUSED_WAIT_S = 30.0
_UNSUPPORTED_VERSION = 132
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
        self._tables = tables
        self._password = password
        self._news = asyncio.Event()
        embedded = config.host is None
        self._protocol = aiomqtt.ProtocolVersion.V311 if embedded else aiomqtt.ProtocolVersion.V5
        self._warned: set[str] = set()

    def publish(self, update: Update) -> None:
        """Takes news; they are sent as soon as the broker can be reached."""
        self.shadow.tell(update)
        self._news.set()

    def say(self, kind: str, value: object, **names: str) -> None:
        """Publishes one message of the bridge itself."""
        self.shadow.say(kind, value, **names)
        self._news.set()

    async def run(self) -> None:
        """Stays connected until cancelled."""
        failures = 0
        while True:
            connected_at = time.monotonic()
            error = await self._until_it_fails()
            if self._falls_back(error):
                continue
            failures = 1 if time.monotonic() - connected_at > _RETRY.most_s else failures + 1
            self.reconnects += self.status == _CONNECTED
            self._report(_explain(error, self._config))
            is_login = _code(error) in _REFUSED_LOGIN
            await asyncio.sleep(_REFUSED_WAIT_S if is_login else _RETRY.delay_s(failures, Random()))

    async def _until_it_fails(self) -> Exception:
        """One connection; gives what ended it."""
        found: list[Exception] = []
        try:
            await self._connect()
        except* aiomqtt.MqttError as group:
            found += _leaves(group)
        return found[0]

    def _falls_back(self, error: Exception) -> bool:
        """Some brokers refuse MQTT 5 by its code, others never answer it."""
        unanswered = "timed out" in str(error) and self.status != _CONNECTED
        if self._protocol is aiomqtt.ProtocolVersion.V311 or not (unanswered or _code(error) == _UNSUPPORTED_VERSION):
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
            identifier=f"oche-{self._bridge}",
            protocol=self._protocol,
            will=aiomqtt.Will(availability, "offline", qos=1, retain=True),
            keepalive=20,
            timeout=10,
            max_queued_incoming_messages=1000,
        )
        async with client:
            for name in self._tables:
                for wanted in subscriptions(self._config.base, name):
                    await self._subscribe(client, wanted)
            self.shadow.restart()
            await self._send(client)
            await client.publish(availability, "online", qos=1, retain=True)
            self._report(_CONNECTED)
            try:
                async with asyncio.TaskGroup() as both:
                    both.create_task(self._keep_sending(client))
                    both.create_task(self._listen(client))
            except asyncio.CancelledError:
                with suppress(aiomqtt.MqttError, TimeoutError):
                    async with asyncio.timeout(2):
                        await self._send(client)
                        await client.publish(availability, "offline", qos=1, retain=True)
                raise

    async def _subscribe(self, client: aiomqtt.Client, wanted: str) -> None:
        """Retained commands are not asked for, and in MQTT 5 seen for what they are when they come all the same."""
        if self._protocol is aiomqtt.ProtocolVersion.V5:
            options = SubscribeOptions(qos=1, retainAsPublished=True, retainHandling=2)
            await client.subscribe(wanted, options=options)
        else:
            await client.subscribe(wanted, qos=1)

    async def _keep_sending(self, client: aiomqtt.Client) -> None:
        while True:
            await self._news.wait()
            await self._send(client)

    async def _send(self, client: aiomqtt.Client) -> None:
        self._news.clear()
        for message in self.shadow.take():
            await client.publish(message.topic, message.payload, qos=message.qos, retain=message.retain)

    async def _listen(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            text = str(message.topic)
            if message.retain:
                self._warn_of_retained(text)
            else:
                await self._obey(text, message.payload)

    def _warn_of_retained(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            log.warning(
                "ignored the retained command on %s: it would be repeated at every reconnect; "
                "clear it by publishing an empty retained message there",
                text,
            )

    async def _obey(self, text: str, body: bytes) -> None:
        address = parse(text, self._config.base)
        if address is None or address.kind not in ("cmd", "request"):
            return
        table = self._tables.get(address.names["table"])
        if table is None:
            return
        name = address.names["command"]
        transaction: str | None = None
        try:
            command = read_command(name, body)
            transaction = command.get("transaction")
            answer = Response("ok", transaction, data=await table.command(command, "mqtt"))
        except CommandError as error:
            answer = Response("error", transaction, data={}, error={"code": error.code, "message": str(error)})
            log.info("%s: refused %s: %s", table.name, name, error)
            if address.kind == "cmd":
                self.publish(Update(table.name, notice=str(error)))
        if address.kind == "request":
            self.say("response", msgspec.to_builtins(answer), table=table.name, command=name)


def _leaves(error: BaseException) -> list[Exception]:
    """The single errors in a group of groups."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [error] if isinstance(error, Exception) else []


def _code(error: Exception) -> int | None:
    """The broker's reason, as MQTT 5 numbers it."""
    code = getattr(error, "rc", None)
    return code.value if isinstance(code, ReasonCode) else None


def _explain(error: Exception, config: Mqtt) -> str:
    """Why there is no connection, and what to do, in one sentence."""
    where = f"{config.host or '127.0.0.1'}:{config.port}"
    if _code(error) in _REFUSED_LOGIN:
        return f"the broker {where} refused the login: check mqtt.username and the password"
    text = str(error) or type(error).__name__
    if "refused" in text.lower():
        return f"no broker answers at {where}: start it, or check mqtt.host and mqtt.port"
    return f"the connection to the broker {where} failed: {text}"
