"""A board on the network: a TCP connection, for boards with Wi-Fi and for serial ones behind ser2net or a bridge.

The event loop's own connection is used, without asyncio's streams: after a reset those forget the bytes that had
arrived before it. A board that loses power says nothing, so the system asks now and then whether it is still there;
within half a minute the link is lost and the session looks for it again.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import re
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, TypeVar, cast

from drivers.address import Address, AddressError
from drivers.transport import LinkError, Lost, Refused, Transport, Unavailable
from protocol.profile import Profile
from protocol.sentence import Sentence, say

_KEPT_BYTES = 4096
"""Kept for a slow reader; then the system's own buffers fill, and the board has to wait."""
_UNSENT_BYTES = 65536
_STAGGER_S = 0.25
_CONNECT_S = 10.0
_CLOSE_S = 1.0
_SILENT_S = 10
_ASK_S = 5
_ASKED = 3
_UNHEARD_MS = 25_000
_RECEIVED_BYTES = 16384
"""Kept by the system: what a board floods with must not take long to read once that is over."""

_HOST_PORT = re.compile(r"(?:\[(?P<v6>[^\[\]]*)\]|(?P<host>[^\[\]:]*))(?::(?P<port>[^:]*))?")


class HostPort(NamedTuple):
    """A host and its port; None: the port of the profile."""

    host: str
    port: int | None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"


def parse_host_port(address: Address) -> HostPort:
    """Host and port in the address; raises AddressError that says what would be right."""
    text = address.target
    if text.lower() == "auto":
        raise AddressError(
            say(
                "address.no_auto",
                "oche does not choose a board on the network by itself: name one that oche scan shows, "
                "as in {kind}:192.168.0.1",
                kind=address.scheme,
            )
        )
    found = _HOST_PORT.fullmatch(text)
    if found is None:
        if text.count(":") > 1 and "[" not in text:
            raise AddressError(
                say(
                    "address.brackets",
                    "put the IPv6 address in {given} in brackets, as in {kind}:[fe80::1%wlan0]:11080",
                    given=str(address),
                    kind=address.scheme,
                )
            )
        raise AddressError(
            say(
                "address.no_host_port",
                "{given} is not a host and port: write it like {kind}:192.168.0.1:11080",
                given=repr(text),
                kind=address.scheme,
            )
        )
    host, port = found["v6"] or found["host"], found["port"]
    if found["v6"] is not None:
        try:
            ipaddress.IPv6Address(host)
        except ValueError:
            raise AddressError(
                say(
                    "address.no_v6",
                    "{given} in {name} is not an IPv6 address: correct what is in the brackets",
                    given=repr(host),
                    name=str(address),
                )
            ) from None
    elif not _is_host(host):
        raise AddressError(
            say(
                "address.no_host",
                "{given} in {name} is not a host: write a name, or a number such as 192.168.0.1",
                given=repr(host),
                name=str(address),
            )
        )
    if port is None:
        return HostPort(host, None)
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise AddressError(
            say(
                "address.port",
                "the port {given} in {name} must be a whole number from 1 to 65535",
                given=repr(port),
                name=str(address),
            )
        )
    return HostPort(host, int(port))


def _is_host(text: str) -> bool:
    """Whether this is a name or four numbers: the system takes fewer numbers for another host."""
    if re.fullmatch(r"[\d.]+", text):
        try:
            ipaddress.IPv4Address(text)
        except ValueError:
            return False
        return True
    return re.fullmatch(r"\w([\w.-]*\w)?\.?", text) is not None


T = TypeVar("T", bound="TcpTransport")


class TcpTransport(asyncio.Protocol, Transport):
    """An open connection. Made by `open_tcp`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._kept = bytearray()
        self._news = asyncio.Event()
        self._gone = asyncio.Event()
        self._lost: Lost | None = None
        self._is_held = False
        self._transport: asyncio.Transport | None = None

    async def receive(self) -> bytes:
        while not self._kept:
            if self._lost is not None:
                raise self._lost
            self._news.clear()
            await self._news.wait()
        data = bytes(self._kept)
        self._kept.clear()
        if self._is_held and self._transport is not None:
            self._is_held = False
            self._transport.resume_reading()
        return data

    async def send(self, data: bytes) -> None:
        if self._transport is not None and self._lost is None:
            self._transport.write(data)
            if self._transport.get_write_buffer_size() > _UNSENT_BYTES:
                full = "link.tcp_full", "the board at {name} accepts no more bytes: switch it off and on"
                self._end(say(*full, name=self._name))
                self._transport.abort()
        if self._lost is not None:
            raise self._lost

    async def aclose(self) -> None:
        self._end(f"the connection to {self._name} is closed")
        if self._transport is None:
            return
        self._transport.close()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_S):  # what was sent last may still be on its way
                    await self._gone.wait()
        finally:
            if not self._gone.is_set():
                self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the loop: the connection stands."""
        self._transport = cast(asyncio.Transport, transport)
        watch_connection(transport.get_extra_info("socket"))

    def data_received(self, data: bytes) -> None:
        """Called by the loop: bytes have arrived."""
        self._kept += data
        self._news.set()
        if len(self._kept) >= _KEPT_BYTES and not self._is_held and self._transport is not None:
            self._is_held = True
            self._transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the loop: the connection is over, and all that had arrived was handed out."""
        if isinstance(exc, TimeoutError) or getattr(exc, "errno", None) in (errno.EHOSTUNREACH, errno.ENETUNREACH):
            self._end(say(*SILENT, name=self._name))
        self._end(say(*HUNG_UP, name=self._name))
        self._gone.set()

    def _end(self, reason: str | Sentence) -> None:
        self._lost = self._lost or Lost(reason)
        self._news.set()


async def open_tcp(address: Address, profile: Profile) -> TcpTransport:
    """Connects; raises Unavailable or Refused with what to do, AddressError for an address that names no place."""
    host, port = parse_host_port(address)
    if port is None:
        if profile.tcp is None:
            said = say(
                "settings.no_tcp_port",
                "neither the address {given} nor the profile {name} has a port: add it, as in {given}:11080",
                given=str(address),
                name=profile.id,
            )
            raise Refused(said)
        port = profile.tcp.port
    return await connect(host, port, TcpTransport)


async def connect(host: str, port: int, make: Callable[[str], T]) -> T:
    """Connects what `make` makes of the name of the place; raises Unavailable or Refused with what to do."""
    name = str(HostPort(host, port))
    try:
        async with asyncio.timeout(_CONNECT_S):
            _, line = await asyncio.get_running_loop().create_connection(
                lambda: make(name), host, port, happy_eyeballs_delay=choose_stagger_s(host)
            )
    except (OSError, UnicodeError) as error:
        raise explain_connect_error(error, name, host) from None
    return line


def choose_stagger_s(host: str) -> float | None:
    """How long to wait for one address of a host before the next is tried beside it; None where it has but one.

    Where asyncio tries several at once, a connection that stands when it is cancelled is left open for a while.
    """
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return _STAGGER_S
    return None


def watch_connection(connection: socket.socket, received_bytes: int = _RECEIVED_BYTES) -> None:
    """Has the system test whether the other end is there, and keep no more than that of what comes too fast."""
    for level, option, value in (
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.SOL_SOCKET, socket.SO_RCVBUF, received_bytes),
        (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _SILENT_S),
        (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, _ASK_S),
        (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _ASKED),
        (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNHEARD_MS),
    ):
        connection.setsockopt(level, option, value)


def explain_connect_error(error: OSError | UnicodeError, name: str, host: str) -> LinkError:
    """Returns why there is no connection to this host. `name` is the host with its port."""
    code = getattr(error, "errno", None)
    if isinstance(error, socket.gaierror | UnicodeError):
        return Unavailable(say(*_UNKNOWN, name=host))
    if isinstance(error, TimeoutError):
        return Unavailable(say(*_NO_ANSWER, name=name))
    if isinstance(error, PermissionError):
        return Refused(say(*_FIREWALL, name=name))
    if isinstance(error, ConnectionRefusedError) or code is None:  # None: several addresses, none of which worked
        return Unavailable(say(*_CLOSED, name=name))
    return Unavailable(say(*_NO_WAY, name=name))


SILENT = "link.tcp_silent", "the board at {name} can no longer be heard: check its power and its network"
HUNG_UP = (
    "link.tcp_hung_up",
    "the board at {name} ended the connection: check that it is switched on, and that no other program uses it",
)
_UNKNOWN = (
    "link.tcp_unknown",
    "{name} is not known in this network: correct the address, or use the board's number",
)
_NO_ANSWER = (
    "link.tcp_no_answer",
    "nothing answers at {name}: switch the board on, and connect this machine to its network",
)
_FIREWALL = "link.tcp_firewall", "this machine does not let oche connect to {name}: check its firewall"
_CLOSED = (
    "link.tcp_closed",
    "{name} refuses the connection: check that the board is on, the port is right, and no other program uses it",
)
_NO_WAY = (
    "link.tcp_no_way",
    "there is no route to {name}: connect this machine to the board's network, or correct the address",
)
