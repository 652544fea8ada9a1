"""Tries out a broker: why it does not answer, whether it admits anonymous clients, and whether oche can use it.

`oche play`, and `oche run` without a configuration, choose their broker so: the wanted one, else one of their own, else
none. A broker that others use is tried by echoes on our own topics, under another client id: no other client notices.

A broker may take everything and pass nothing on: one that refuses a subscription often grants it all the same, and in
MQTT 3.1.1 it cannot say that a publish was refused. So a nonce is sent along every way that commands come.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import ssl
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from typing import Literal, NamedTuple

from msgspec.structs import replace

from daemon.config.credentials import make_tls_context, read_password
from daemon.config.sections import BrokerAddress, Mqtt
from daemon.errors import UserError
from daemon.free_port import find_free_port
from daemon.mqtt.client import Connection, Login, UnsupportedVersion, Version
from daemon.mqtt.errors import BrokerError, Diagnosis, ErrorKind, classify_socket_error, explain
from daemon.mqtt.local_broker import check_local_broker, is_local_broker_at
from daemon.mqtt.message import IncomingMessage, OutgoingMessage
from protocol.sentence import say
from protocol.topics import filter_subtree, list_command_filters, list_echo_topics, make_filter, parse, topic

log = logging.getLogger("oche.mqtt")

ECHO_S = 3.0
_PATIENCE_S = 5.0
_TRY_S = 3.0
_ALERT_S = 1.0
"""In TLS 1.3 a broker checks our certificate after the handshake, so its refusal comes a little later."""
_VERSIONS: tuple[Version, ...] = ("5", "3.1.1")
_READ_OF_OTHERS = ("bridge_info", "bridge_state", "state", "event", "board_state", "league_input", "league_input_taken")
"""The kinds of topics of which a daemon reads those of others, in matches in two places."""


async def refine_error(error: BrokerError, address: BrokerAddress, mqtt: Mqtt) -> BrokerError:
    """Returns why this broker hung up or was silent, if TLS is the reason; else the same error."""
    if error.kind != ErrorKind.NO_ANSWER:
        return error
    if not mqtt.tls:
        return BrokerError(ErrorKind.TLS) if await _speaks_tls(address) else error
    try:
        async with asyncio.timeout(_PATIENCE_S):
            reader, writer = await asyncio.open_connection(*address, ssl=make_tls_context(mqtt))
    except ConnectionError:
        return BrokerError(ErrorKind.NO_TLS)  # a server without TLS takes the handshake for garbage
    except OSError as failure:  # time-outs too
        return classify_socket_error(failure)
    try:
        async with asyncio.timeout(_ALERT_S):
            await reader.read(1)
    except TimeoutError:
        return error
    except ssl.SSLError as failure:
        return classify_socket_error(failure)
    except ConnectionError:
        pass
    finally:
        writer.transport.abort()
    return error


async def _speaks_tls(address: BrokerAddress) -> bool:
    """Returns whether it shows a certificate, trusted or not: nothing is sent to it."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            _, writer = await asyncio.open_connection(*address, ssl=ssl.create_default_context())
    except ssl.SSLCertVerificationError:
        return True
    except OSError as error:
        return classify_socket_error(error).kind == ErrorKind.OWN_CERTIFICATE
    writer.transport.abort()
    return True


async def refuses_anonymous(address: BrokerAddress, mqtt: Mqtt, client_id: str, version: Version) -> bool | None:
    """Connects without a login and without our certificate. Returns None if there was no answer."""
    bare = replace(mqtt, cert_file=None, key_file=None)
    anonymous = Connection(address, bare, Login(f"{client_id}_anonymous"), version, timeout_s=_PATIENCE_S)
    try:
        async with anonymous:
            return False
    except BrokerError as error:
        refined = await refine_error(error, address, bare)
        return True if refined.kind in (ErrorKind.LOGIN, ErrorKind.OWN_CERTIFICATE) else None


async def is_private(address: BrokerAddress, mqtt: Mqtt, client_id: str, version: Version) -> bool:
    """Returns whether the broker was seen to refuse anonymous clients. Only then may it have the players' hands."""
    if mqtt.username is None or mqtt.host is None:
        return False
    refuses = await refuses_anonymous(address, mqtt, client_id, version)
    if refuses is False:
        log.warning(
            "the broker admits anonymous clients, so oche publishes no hands: players see theirs on the page only"
        )
    return refuses is True


async def hangs_up_on(wanted: str, address: BrokerAddress, mqtt: Mqtt, login: Login, version: Version) -> bool:
    """Returns whether the broker hangs up on a subscription to this, or cannot be asked; under another client id."""
    other = Login(f"{login.client_id}-{secrets.token_hex(4)}", login.username, login.password)
    is_answered = False
    try:
        async with Connection(address, mqtt, other, version, timeout_s=_TRY_S) as link, asyncio.TaskGroup() as tasks:
            closed = tasks.create_task(link.wait_closed())  # the end is noticed there
            await link.subscribe(wanted)
            is_answered = True
            closed.cancel()
    except* (BrokerError, UserError):  # also a certificate that is being renewed: it is asked again
        pass
    return not is_answered


class FoundBroker(NamedTuple):
    """The [mqtt] section to use, and the broker it leads to (None: there is none).

    The `remark` says why the wanted broker is not used, or why there is none.
    """

    mqtt: Mqtt
    address: BrokerAddress | None
    remark: str = ""

    def __str__(self) -> str:
        """Returns where the match can be followed, for people."""
        if self.address is None:
            return f"none, so you can use the page only ({self.remark})"
        state = f"{self.address}, retained state on {topic('state', self.mqtt.base, table='main')}"
        return f"{state} ({self.remark})" if self.remark else state


async def find_broker(wanted: Mqtt | None, bridge: str, tables: Collection[str]) -> FoundBroker:
    """Returns the wanted broker if a bridge of this name with these tables can use it; else our own; else none.

    Where a broker is wanted our own is not at the usual port, so that the other can still be started there.
    """
    why_not = None if wanted is None else await explain_refusal(wanted, bridge, tables)
    if wanted is not None and why_not is None:
        return FoundBroker(wanted, wanted.brokers()[0])
    own = Mqtt(port=find_free_port(Mqtt().port if wanted is None else 0))
    try:
        check_local_broker(own.port)
    except UserError as error:
        return FoundBroker(Mqtt(on=False), None, why_not or str(error))
    return FoundBroker(own, own.brokers()[0], why_not or "")


async def explain_refusal(mqtt: Mqtt, bridge: str, tables: Collection[str]) -> str | None:
    """Returns why a bridge of this name with these tables cannot use this broker, in one sentence; None: it can."""
    try:
        login = Login(f"oche-{bridge}-{secrets.token_hex(4)}", mqtt.username, read_password(mqtt))
    except UserError as error:
        return str(error)
    sentence = ""
    for address in mqtt.brokers():
        for version in _VERSIONS:
            try:
                return await _try(address, mqtt, login, version, bridge, tables)
            except BrokerError as error:
                sentence = str(explain(error, address, mqtt, login.client_id))
                if not isinstance(error, UnsupportedVersion):
                    break
    return sentence


async def find_other_broker(port: int) -> Literal["open", "login"] | None:
    """Returns whether the broker at this port of 127.0.0.1 lets in clients without a login.

    None: no broker answers there in MQTT 5, or it is the one that an oche has started.
    """
    if is_local_broker_at(port):
        return None
    login = Login(f"oche-scan-{secrets.token_hex(4)}")
    try:
        async with Connection(BrokerAddress("127.0.0.1", port), Mqtt(), login, timeout_s=_TRY_S):
            return "open"
    except BrokerError as error:
        return "login" if error.kind == ErrorKind.LOGIN else None


async def clear_retained(mqtt: Mqtt, topics: Iterable[str]) -> None:
    """Removes what is retained on these topics, if the broker can be reached."""
    login = Login(f"oche-{secrets.token_hex(4)}", mqtt.username, read_password(mqtt))
    for address in mqtt.brokers():
        for version in _VERSIONS:
            with suppress(BrokerError):
                async with Connection(address, mqtt, login, version, timeout_s=_TRY_S) as link:
                    for text in topics:
                        await link.publish(OutgoingMessage(text, b"", retain=True, qos=1))
                return


async def _try(
    address: BrokerAddress, mqtt: Mqtt, login: Login, version: Version, bridge: str, tables: Collection[str]
) -> str | None:
    """The same for one address and version. Raises BrokerError."""
    echo = EchoTest(list_echo_topics(mqtt.base, bridge, tables, private=False, requests=mqtt.requests))
    availability = topic("bridge_state", mqtt.base, bridge=bridge)
    states = []

    def receive(message: IncomingMessage) -> None:
        if message.topic == availability:
            states.append(message.payload)
        echo.receive(message)

    async with Connection(address, mqtt, login, version, on_message=receive, timeout_s=_TRY_S) as link:
        commands = list_command_filters(mqtt.base, bridge, tables, private=False, requests=mqtt.requests)
        for wanted in (availability, *commands):
            await link.subscribe(wanted)
        for message in echo.messages():
            await link.publish(message)
        missing = await echo.find_missing()
    if missing:
        return str(diagnose_acl(missing, mqtt, bridge, tables))
    if b"online" in states:
        return f"another oche on the broker {address} also has the name {bridge}"
    return None


class EchoTest:
    """One test of these topics: publish `messages()`, pass what comes in to `receive`, then await `find_missing()`."""

    def __init__(self, topics: Iterable[str]) -> None:
        self.topics = frozenset(topics)
        self._nonce = secrets.token_hex(8)
        self._missing = set(self.topics)
        self._is_complete = asyncio.Event()

    def messages(self) -> Iterator[OutgoingMessage]:
        """Yields what to publish: one message on each topic that has not echoed yet."""
        for each in sorted(self._missing):
            yield OutgoingMessage(each, self._nonce.encode(), retain=False, qos=1)

    def receive(self, message: IncomingMessage) -> bool:
        """Returns whether this message is an echo, of this test or of another one."""
        if message.payload == self._nonce.encode():
            self._missing.discard(message.topic)
            if not self._missing:
                self._is_complete.set()
        return message.topic in self.topics

    async def find_missing(self) -> frozenset[str]:
        """Returns the topics that have not echoed, after at most ECHO_S seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ECHO_S):
                await self._is_complete.wait()
        return frozenset(self._missing)


def make_acl_lines(topics: Iterable[str], mqtt: Mqtt, bridge: str, tables: Collection[str]) -> tuple[str, ...]:
    """Returns the lines of a mosquitto ACL that allow these topics."""
    wanted: dict[str, str] = {}
    ours = [
        filter_subtree("bridge", bridge, mqtt.base),
        *(filter_subtree("table", table, mqtt.base) for table in tables),
    ]
    for each in sorted(topics):
        subtree = next((subtree for subtree in ours if each.startswith(subtree.removesuffix("#"))), None)
        address = parse(each, mqtt.base)
        if subtree:
            wanted[subtree] = "readwrite"
        elif address and address.kind in ("discovery", "discovery_component"):
            wanted[make_filter(address.kind, mqtt.base, discovery=mqtt.discovery_prefix)] = "write"
        elif address and "tournament" in address.names:
            wanted[filter_subtree("tournament", "+", mqtt.base)] = "readwrite"
        elif address and address.kind in ("request", "response"):  # of a table of another daemon
            own = address.names["command"]
            command = own if address.kind == "request" or own == "lend" else "+"
            access = "write" if address.kind == "request" else "read"
            wanted[make_filter(address.kind, mqtt.base, command=command)] = access
        elif address and address.kind in _READ_OF_OTHERS:
            wanted[make_filter(address.kind, mqtt.base)] = "read"
        else:
            wanted[each] = "readwrite"
    return tuple(f"topic {access} {name}" for name, access in wanted.items())


def diagnose_acl(topics: Collection[str], mqtt: Mqtt, bridge: str, tables: Collection[str]) -> Diagnosis:
    """Returns which of these topics the broker denies, and the ACL lines it needs."""
    first, *rest = sorted(topics)
    more = say("broker.more", " and {number} more", number=len(rest)) if rest else ""
    what = say("broker.no_topic", "the broker does not let oche use {given}{more}", given=first, more=more)
    lines = "; ".join(make_acl_lines(topics, mqtt, bridge, tables))
    if mqtt.username:
        said = "broker.acl", "add to its ACL, for user {name}: {given}"
        return Diagnosis(what, say(*said, name=mqtt.username, given=lines))
    return Diagnosis(what, say("broker.acl_all", "add to its ACL, for everyone: {given}", given=lines))


def diagnose_hang_up(wanted: Collection[str], mqtt: Mqtt, bridge: str, tables: Collection[str]) -> Diagnosis:
    """Returns that the broker has hung up in place of an answer to these subscriptions, and the ACL lines for them."""
    said = "broker.hung_up", "the broker hung up when oche subscribed to {given}, as some do where that is denied"
    what = say(*said, given=", ".join(sorted(wanted)))
    return Diagnosis(what, diagnose_acl(wanted, mqtt, bridge, tables).remedy)


def diagnose_packet_limit(longest: int, needed: int, name: str | None = None) -> Diagnosis:
    """Returns that the broker takes no packet longer than `longest`; `name` is the topic of one with `needed` bytes."""
    what = say("broker.packet_limit", "the broker accepts no message of more than {most} bytes", most=longest)
    if name is not None:
        what = say("broker.too_long", "{what}, and {name} has {size}", what=what, name=name, size=needed)
    return Diagnosis(what, say("broker.raise_limit", "set max_packet_size there to {size} or more", size=needed))
