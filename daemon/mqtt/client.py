"""One connection to a broker, on the MQTT library, which nobody but daemon/mqtt/paho.py and this module knows.

It keeps things to itself that people need to be told: that a publish was refused, that the broker hung up before it
answered, and what kind of error it was. Here they come out, as `Trouble` and results.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from types import TracebackType
from typing import Literal, NamedTuple, Self, cast

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from daemon.mqtt.address import BrokerAddress
from daemon.mqtt.credentials import tls_context
from daemon.mqtt.inbox import Letter
from daemon.mqtt.paho import REFUSAL, AtOnce, Library, whole
from daemon.mqtt.shadow import Message
from daemon.mqtt.words import Trouble, of_code, of_socket
from daemon.sections import Mqtt

_library_log = logging.getLogger("oche.mqtt.paho")
_library_log.setLevel(logging.CRITICAL)  # what it complains of comes out here, as one sentence

Version = Literal["5", "3.1.1"]

KEEPALIVE_S = 20
_LONGEST = 256 * 1024
"""Bytes of a packet that we take: many times what anybody has to tell us. In MQTT 3.1.1 only the broker can say so."""
_UNSUPPORTED_VERSION = 132


class OldBroker(Trouble):
    """The broker does not speak this version of MQTT, as far as can be told."""


class Login(NamedTuple):
    """Who we say we are; nobody in particular where `username` is None."""

    client_id: str
    username: str | None = None
    password: str | None = None

    def __repr__(self) -> str:
        return f"Login({self.client_id!r}, {self.username!r})"


class Connection:
    """`async with Connection(…)` makes it. Everything raises Trouble when it cannot be made or has ended."""

    def __init__(
        self,
        where: BrokerAddress,
        config: Mqtt,
        login: Login,
        version: Version = "5",
        *,
        take: Callable[[Letter], None] = lambda letter: None,
        will: Message | None = None,
        timeout_s: float = 10.0,
    ) -> None:
        self._version = version
        limits = None
        if version == "5":
            limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            limits.MaximumPacketSize = _LONGEST
        self._client = Library(
            *where,
            username=login.username,
            password=login.password,
            identifier=login.client_id,
            protocol=aiomqtt.ProtocolVersion.V5 if version == "5" else aiomqtt.ProtocolVersion.V311,
            will=aiomqtt.Will(will.topic, will.payload, will.qos, will.retain) if will else None,
            tls_context=tls_context(config),
            keepalive=KEEPALIVE_S,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # else a state waits 40 ms behind an event
            timeout=timeout_s,
            properties=limits,
            logger=_library_log,
            queue_type=cast("type[asyncio.Queue[aiomqtt.Message]]", partial(AtOnce, take)),
        )
        self._stack = AsyncExitStack()
        self._one_at_a_time = asyncio.Lock()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            stack.callback(self._client.drop)
            try:
                await whole(stack.enter_async_context(self._client))
            except UnicodeError as error:  # a host name that no name can be
                raise of_socket(error) from None
            except aiomqtt.MqttError as error:
                raise _no_connection(error, is_open=not self._client.is_closed) from None
            if self._client.is_closed:
                raise self._lost()
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._stack.aclose()
        except aiomqtt.MqttError:
            raise self._lost() from None

    async def publish(self, message: Message) -> bool:
        """Sends it. False: the broker refused it; in MQTT 3.1.1, and with QoS 0, nobody is told."""
        properties = None
        if self._version == "5":
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            if message.expiry_s is not None:
                properties.MessageExpiryInterval = message.expiry_s
            if message.correlation is not None:
                properties.CorrelationData = message.correlation
        async with self._one_at_a_time:
            self._client.refusal = None
            try:
                await whole(
                    self._client.publish(
                        message.topic, message.payload, message.qos, message.retain, properties=properties
                    )
                )
            except aiomqtt.MqttError:
                raise self._lost() from None
            return self._client.refusal is None

    async def subscribe(self, wanted: str, *, qos: int = 1, is_live: bool = False) -> bool:
        """Listens. `is_live`: to no retained message, and in MQTT 5 each is seen for what it is. False: refused."""
        try:
            if self._version == "5" and is_live:
                options = SubscribeOptions(qos=qos, retainAsPublished=True, retainHandling=2)
                granted = await whole(self._client.subscribe(wanted, options=options))
            else:
                # A cluster of that version (NATS) keeps a QoS 1 subscription on several nodes, and refuses it while
                # one is dead; what we listen to is not sent twice anyhow.
                granted = await whole(self._client.subscribe(wanted, qos=0 if self._version == "3.1.1" else qos))
        except aiomqtt.MqttError:
            raise self._lost() from None
        return all((code.value if isinstance(code, ReasonCode) else code) < REFUSAL for code in granted)

    async def until_it_ends(self) -> None:
        """Waits for the end of the connection: raises Trouble then."""
        try:
            async for _ in self._client.messages:
                pass
        except aiomqtt.MqttError:
            raise self._lost() from None

    def _lost(self) -> Trouble:
        """The end of a connection that was made, with what the broker said of it."""
        said = self._client.farewell
        return Trouble("lost") if said is None else of_code(said.value, str(said), stood=True)


def _no_connection(error: aiomqtt.MqttError, *, is_open: bool) -> Trouble:
    """What an error means that came before the broker's welcome. `is_open`: it is only that nothing came."""
    if isinstance(error.__context__, OSError) and not is_open:
        return of_socket(error.__context__)
    if not isinstance(error, aiomqtt.MqttCodeError):
        return OldBroker("silent")
    if not isinstance(error.rc, ReasonCode):
        return OldBroker("hung_up")
    if error.rc.value == _UNSUPPORTED_VERSION:
        return OldBroker("denied", str(error.rc))
    return of_code(error.rc.value, str(error.rc), stood=False)
