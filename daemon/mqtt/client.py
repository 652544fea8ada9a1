"""One connection to a broker, over aiomqtt and paho-mqtt, which only this module imports.

The library hides what people need to know (that a publish was refused, why a connection ended), and some packets
make it fail in its own code. Here failures come out as BrokerError and as results.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from functools import partial
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self, TypeVar, cast

import aiomqtt
from msgspec import Struct
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from daemon.config.credentials import make_tls_context
from daemon.config.sections import BrokerAddress, Mqtt
from daemon.mqtt.errors import BrokerError, ErrorKind, classify_reason_code, classify_socket_error
from daemon.mqtt.message import IncomingMessage, OutgoingMessage
from daemon.mqtt.packet_limit import LONGEST, PacketLimit, estimate_bytes
from daemon.mqtt.packets import encode_publish
from daemon.service.supervisor import wait_cancellable

T = TypeVar("T")

log = logging.getLogger("oche.mqtt")
_library_log = logging.getLogger("oche.mqtt.paho")
_library_log.setLevel(logging.CRITICAL)  # what it complains of comes out here, as one sentence

Version = Literal["5", "3.1.1"]

KEEPALIVE_S = 20
_LOOK_S = 5.0
"""How often it is looked whether the broker is to be asked for a sign of life. It gives up after 1.5 times KEEPALIVE_S.
"""
_MOST_IN_FLIGHT = 16
"""Messages that may wait for their acknowledgement at a time; fewer where the broker's Receive Maximum is lower."""
_UNSUPPORTED_VERSION = 132
_NO_SUBSCRIBERS = 16
_REFUSAL = 128
"""Reason codes of MQTT 5 are errors from here on."""


class UnsupportedVersion(BrokerError):
    """The broker does not speak this version of MQTT, as far as can be told."""


class Login(NamedTuple):
    """The identity of a connection; without a `username` it is anonymous."""

    client_id: str
    username: str | None = None
    password: str | None = None

    def __repr__(self) -> str:
        return f"Login({self.client_id!r}, {self.username!r})"


class Connection:
    """A connection for as long as `async with` lasts. All methods raise BrokerError when it has ended.

    With a `will` it ends without a DISCONNECT, so that the broker publishes the will, unless `publish_will` has done so
    before: however the block is left, the broker never keeps what is no longer true. `unread` is kept up to date: the
    topics whose latest retained message no client reads, as far as the broker says so, which it may in MQTT 5.
    """

    def __init__(
        self,
        address: BrokerAddress,
        config: Mqtt,
        login: Login,
        version: Version = "5",
        *,
        on_message: Callable[[IncomingMessage], None] = lambda message: None,
        unread: set[str] | None = None,
        will: OutgoingMessage | None = None,
        timeout_s: float = 10.0,
    ) -> None:
        self._version = version
        self._will = will  # None: it has been published
        limits = None
        if version == "5":
            limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            limits.MaximumPacketSize = LONGEST
        self._client = _Client(
            *address,
            username=login.username,
            password=login.password,
            identifier=login.client_id,
            protocol=aiomqtt.ProtocolVersion.V5 if version == "5" else aiomqtt.ProtocolVersion.V311,
            will=aiomqtt.Will(will.topic, will.payload, will.qos, will.retain) if will else None,
            tls_context=make_tls_context(config),
            keepalive=KEEPALIVE_S,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # else a state waits 40 ms behind an event
            timeout=timeout_s,
            properties=limits,
            logger=_library_log,
            queue_type=cast("type[asyncio.Queue[aiomqtt.Message]]", partial(_DirectQueue, on_message)),
        )
        self._client.unread = set() if unread is None else unread
        self._stack = AsyncExitStack()
        self.unanswered: list[str] = []
        """The subscriptions that wait for the broker's answer: some brokers hang up on one that they deny."""

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            stack.callback(self._client.drop)
            try:
                await wait_cancellable(stack.enter_async_context(self._client))
            except asyncio.CancelledError:
                self._drop_without_disconnect()
                raise
            except UnicodeError as error:  # a host name that no name can be
                raise classify_socket_error(error) from None
            except aiomqtt.MqttError as error:
                raise _classify_connect_error(error, is_open=not self._client.is_closed) from None
            if self._client.is_closed:
                raise self._explain_loss()
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._drop_without_disconnect()
        try:
            await self._stack.aclose()
        except aiomqtt.MqttError:
            raise self._explain_loss() from None

    async def publish_will(self) -> None:
        """Publishes the will now, so that the connection ends with a DISCONNECT."""
        if self._will is not None and await self.publish(self._will):
            self._will = None

    def _drop_without_disconnect(self) -> None:
        """After a DISCONNECT the broker would forget the will."""
        if self._will is not None:
            self._client.drop()

    @property
    def most_in_flight(self) -> int:
        """How many messages that were sent may wait for their acknowledgement."""
        return self._client.most_in_flight

    @property
    def longest(self) -> int | None:
        """The bytes of the longest packet that the broker takes, where it has said so in MQTT 5."""
        return self._client.longest

    def fits(self, message: OutgoingMessage) -> bool:
        """Returns whether the broker takes so long a message; for one that is too long it would hang up."""
        return self.longest is None or estimate_bytes(message) <= self.longest

    def send(self, message: OutgoingMessage, on_done: Callable[[bool], None]) -> None:
        """Sends a message without waiting. It leaves with `flush`, or when fewer wait for their acknowledgement.

        `on_done` is called, and must not raise, when the broker has acknowledged it, or with QoS 0 when it has left:
        with False if the broker refused it, which it cannot say in MQTT 3.1.1 or with QoS 0.
        """
        if not self._client.send(message, on_done):
            raise self._explain_loss()

    def flush(self) -> None:
        """Hands what was sent to the network, in as few packets as there can be."""
        self._client.flush()

    async def publish(self, message: OutgoingMessage) -> bool:
        """Sends a message and waits until it is done with. Returns False as `send` passes it on."""
        acknowledged: asyncio.Queue[bool] = asyncio.Queue()
        self.send(message, acknowledged.put_nowait)
        self.flush()
        try:
            async with asyncio.timeout(self._client.timeout):
                return await acknowledged.get()
        except TimeoutError:
            raise self._explain_loss() from None

    async def subscribe(self, wanted: str, *, qos: int = 1, is_live: bool = False) -> bool:
        """Returns False if the broker refused it.

        `is_live`: retained messages are not sent; in MQTT 5 one published meanwhile keeps its retain flag.
        """
        self.unanswered.append(wanted)
        try:
            if self._version == "5" and is_live:
                options = SubscribeOptions(qos=qos, retainAsPublished=True, retainHandling=2)
                granted = await wait_cancellable(self._client.subscribe(wanted, options=options))
            else:
                # A cluster of that version (NATS) keeps a QoS 1 subscription on several nodes, and refuses it while
                # one is down.
                granted = await wait_cancellable(
                    self._client.subscribe(wanted, qos=0 if self._version == "3.1.1" else qos)
                )
        except aiomqtt.MqttError:
            raise self._explain_loss() from None
        self.unanswered.remove(wanted)
        return all((code.value if isinstance(code, ReasonCode) else code) < _REFUSAL for code in granted)

    async def wait_closed(self) -> None:
        """Waits for the end of the connection; raises BrokerError then."""
        try:
            async for _ in self._client.messages:
                pass
        except aiomqtt.MqttError:
            raise self._explain_loss() from None

    def _explain_loss(self) -> BrokerError:
        """Returns why an established connection has ended, as far as the broker gave a reason."""
        reason = self._client.disconnect_reason
        return (
            BrokerError(ErrorKind.LOST)
            if reason is None
            else classify_reason_code(reason.value, str(reason), was_established=True)
        )


def _classify_connect_error(error: aiomqtt.MqttError, *, is_open: bool) -> BrokerError:
    """Returns the kind of an error that came before the CONNACK; `is_open`: the socket still stands."""
    if isinstance(error.__context__, OSError) and not is_open:
        return classify_socket_error(error.__context__)
    if not isinstance(error, aiomqtt.MqttCodeError) or not isinstance(error.rc, ReasonCode):
        return UnsupportedVersion(ErrorKind.NO_ANSWER)  # it hung up, or was silent
    if error.rc.value == _UNSUPPORTED_VERSION:
        return UnsupportedVersion(ErrorKind.DENIED, str(error.rc))
    return classify_reason_code(error.rc.value, str(error.rc), was_established=False)


class _DirectQueue(asyncio.Queue[aiomqtt.Message]):
    """Passes on each message as it is read, instead of keeping it.

    A full queue would drop one table's command because of another table's flood; so a flood waits in the network.
    """

    def __init__(self, on_message: Callable[[IncomingMessage], None], maxsize: int) -> None:
        super().__init__(maxsize)
        self._on_message = on_message

    def put_nowait(self, item: aiomqtt.Message) -> None:
        """Passes it on."""
        reply_to = getattr(item.properties, "ResponseTopic", None)
        correlation = getattr(item.properties, "CorrelationData", None)
        try:
            self._on_message(IncomingMessage(str(item.topic), item.payload, item.retain, reply_to, correlation))
        except Exception:  # a message that cannot be handled must not end the connection
            log.exception("could not process a message on %r", str(item.topic))


class _InFlight(Struct, frozen=True):
    """A message that was sent and is not acknowledged; `since_s` by the clock of the event loop."""

    since_s: float
    message: OutgoingMessage
    on_done: Callable[[bool], None]


class _Client(aiomqtt.Client):
    """The library's client, with what its callbacks receive, and without the errors in them."""

    most_in_flight = _MOST_IN_FLIGHT
    longest: int | None = None  # see Connection
    unread: set[str]  # the same
    disconnect_reason: ReasonCode | None = None
    """Why the broker ended the connection; the library makes one up for a connection that just broke."""

    def __init__(self, *address: Any, **settings: Any) -> None:  # Any: the library's own
        super().__init__(*address, **settings)
        PacketLimit(self._client)
        # The library's makes objects of a reason code and of properties, which takes longer than all the rest.
        cast("Any", self._client)._handle_pubackcomp = self._take_acknowledgement  # noqa: SLF001
        cast("Any", self._client).loop_read = self._read
        self._loop = cast("asyncio.AbstractEventLoop", _Loop(self._loop, self._client.socket))
        self._is_version_5 = settings["protocol"] == aiomqtt.ProtocolVersion.V5
        self._waiting: deque[tuple[OutgoingMessage, Callable[[bool], None]]] = deque()
        """What leaves with the next `flush`, or when the broker takes more."""
        self._in_flight: dict[int, _InFlight] = {}
        self._leaving: list[int] = []
        """Those of them with QoS 0, which are done with when they have left."""
        self._check: asyncio.TimerHandle | None = None
        for end in (self._connected, self._disconnected):
            end.add_done_callback(_retrieve_exception)

    @property
    def is_closed(self) -> bool:
        """Whether there is no socket: the library does not notice a connection that ends at once."""
        return self._client.socket() is None

    def drop(self) -> None:
        """Closes the socket if it is still open: the library leaves one open on which no answer came."""
        self._client._sock_close()  # noqa: SLF001  the only way without a DISCONNECT
        if self._check is not None:
            self._check.cancel()

    def send(self, message: OutgoingMessage, on_done: Callable[[bool], None]) -> bool:
        """See Connection.send. Returns False when the connection has ended.

        The library's own `publish` makes a task, or two, and a timer for each message.
        """
        if self.is_closed:
            return False
        self._waiting.append((message, on_done))
        return True

    def flush(self) -> None:
        """See Connection.flush."""
        current = cast("socket.socket | None", self._client.socket())
        if current is None:
            return
        if packet := self._take_waiting():  # as one packet, behind what the library has not written yet
            self._client._out_packet.append(  # noqa: SLF001  its own `publish` writes each by itself
                {"command": 0, "mid": 0, "qos": 0, "pos": 0, "to_process": len(packet), "packet": packet, "info": None}
            )
        if self._client.want_write():
            try:
                self._client.loop_write()
            except OSError as error:
                self._end(error)
        if not self._client.want_write():
            left, self._leaving = self._leaving, []
            for number in left:
                self._note_done(number)
        elif current.fileno() >= 0:
            self._loop.add_writer(current.fileno(), self.flush)  # the rest when there is room

    def _take_waiting(self) -> bytes:
        """Returns the packets of as many as the broker takes now."""
        packets = []
        while self._waiting and len(self._in_flight) < self.most_in_flight:
            message, on_done = self._waiting.popleft()
            number = self._client._mid_generate()  # noqa: SLF001  subscriptions have them too
            packets.append(encode_publish(message, number, is_version_5=self._is_version_5))
            self._in_flight[number] = _InFlight(self._loop.time(), message, on_done)
            if not message.qos:
                self._leaving.append(number)
        if packets and self._check is None:
            self._check = self._loop.call_later(self.timeout, self._look_for_overdue)
        return b"".join(packets)

    def _look_for_overdue(self) -> None:
        """Ends the connection when an acknowledgement is overdue; else looks again when the oldest one would be."""
        self._check = None
        oldest = next(iter(self._in_flight.values()), None)
        if oldest is None:
            return
        wait_s = oldest.since_s + self.timeout - self._loop.time()
        if wait_s > 0:
            self._check = self._loop.call_later(wait_s, self._look_for_overdue)
        else:
            self._end(aiomqtt.MqttError("the broker did not acknowledge a message in time"))

    def _end(self, error: Exception) -> None:
        if not self._disconnected.done():
            self._disconnected.set_exception(error)

    async def _misc_loop(self) -> None:
        """The library looks every second, which was most of what an idle daemon did."""
        while self._client.loop_misc() == MQTTErrorCode.MQTT_ERR_SUCCESS:  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_S)

    def _on_socket_register_write(self, client: Any, userdata: Any, sock: Any) -> None:
        """Writes at the end of this turn of the event loop, instead of a turn later."""
        if self._connected.done():
            self._loop.call_soon(self.flush)
        else:  # in another thread
            super()._on_socket_register_write(client, userdata, sock)

    def _on_connect(
        self, client: Any, userdata: Any, flags: Any, reason_code: ReasonCode, properties: Properties | None = None
    ) -> None:
        """Notes how many messages the broker takes at a time, and how long ones, in MQTT 5."""
        self.longest = getattr(properties, "MaximumPacketSize", None)
        self.most_in_flight = min(_MOST_IN_FLIGHT, getattr(properties, "ReceiveMaximum", _MOST_IN_FLIGHT))
        super()._on_connect(client, userdata, flags, reason_code, properties)

    def _on_message(self, client: Any, userdata: Any, message: Any) -> None:
        with suppress(ValueError):  # an invalid topic; the library would read the packet again and again
            super()._on_message(client, userdata, message)

    def _read(self, max_packets: int = 1) -> MQTTErrorCode:
        """Reads as many packets as acknowledgements are awaited, and one at least.

        The library counts what its own `publish` has sent, and would read one packet in each turn of the event loop:
        after a pause of the whole machine, acknowledgements that have come long ago would be overdue.
        """
        for _ in range(max(1, len(self._in_flight))):
            if self.is_closed:
                return MQTTErrorCode.MQTT_ERR_NO_CONN
            found = self._client._packet_read()  # noqa: SLF001
            if found > 0:
                return self._client._loop_rc_handle(found)  # noqa: SLF001
            if found == MQTTErrorCode.MQTT_ERR_AGAIN:
                break
        return MQTTErrorCode.MQTT_ERR_SUCCESS

    def _take_acknowledgement(self, kind: str) -> MQTTErrorCode:
        """Takes one that the library has read."""
        body = self._client._in_packet["packet"]  # noqa: SLF001
        if len(body) < 2:
            return MQTTErrorCode.MQTT_ERR_PROTOCOL
        self._note_done(int.from_bytes(body[:2]), body[2] if len(body) > 2 else 0)
        return MQTTErrorCode.MQTT_ERR_SUCCESS

    def _note_done(self, number: int, code: int = 0) -> None:
        if (found := self._in_flight.pop(number, None)) is not None:
            is_unread = found.message.retain and code == _NO_SUBSCRIBERS
            (self.unread.add if is_unread else self.unread.discard)(found.message.topic)
            found.on_done(code < _REFUSAL)
            if self._waiting:
                self._loop.call_soon(self.flush)

    def _on_disconnect(
        self, client: Any, userdata: Any, flags: Any, reason_code: ReasonCode, properties: Properties | None = None
    ) -> None:
        """Ends the wait for a CONNACK at once when the broker hangs up."""
        if flags.is_disconnect_packet_from_server and reason_code.value >= _REFUSAL:
            self.disconnect_reason = reason_code
        if not self._connected.done():
            self._connected.set_exception(aiomqtt.MqttCodeError(None, "hung up"))
        if not self._connected.cancelled():
            super()._on_disconnect(client, userdata, flags, reason_code, properties)


class _Loop:
    """The event loop as the library sees it: a socket that was closed meanwhile is not watched."""

    def __init__(self, loop: asyncio.AbstractEventLoop, current: Callable[[], Any]) -> None:  # Any: a socket or like it
        self._loop = loop
        self._current = current

    def __getattr__(self, name: str) -> Any:  # Any: the rest of a loop
        return getattr(self._loop, name)

    def add_reader(self, number: int, callback: Callable[[], None]) -> None:
        if self._is_open(number):
            self._loop.add_reader(number, callback)

    def add_writer(self, number: int, callback: Callable[[], None]) -> None:
        if self._is_open(number):
            self._loop.add_writer(number, callback)

    def _is_open(self, number: int) -> bool:
        current = self._current()
        return current is not None and current.fileno() == number >= 0


def _retrieve_exception(end: asyncio.Future[None]) -> None:
    """Keeps asyncio from logging an exception that nothing waits for any more."""
    if not end.cancelled():
        end.exception()
