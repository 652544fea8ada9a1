"""A serial port of another computer, which a server with RFC 2217 sets to the speed of the board, such as ser2net."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from drivers.address import Address
from drivers.port_control import PortControl, escape
from drivers.tcp_line import HostPort, TcpTransport, connect, parse_host_port
from drivers.transport import Lost, Refused, Unavailable
from protocol.profile import Profile
from protocol.sentence import Sentence, say

_ANSWER_S = 3.0
"""After so long a port is used as it is: some servers set it and do not say so."""


class Rfc2217Transport(TcpTransport):
    """An open connection to such a server. Made by `open_rfc2217`."""

    def __init__(self, name: str, baud: int) -> None:
        super().__init__(name)
        self.control = PortControl(baud)
        self._answered = asyncio.Event()

    async def wait_settled(self) -> None:
        """Waits until the server has set the port, or has had the time for it. Raises Lost."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_ANSWER_S):
                while not (self.control.is_settled or self.control.is_other or self._lost):
                    self._answered.clear()
                    await self._answered.wait()
        if self._lost is not None:
            raise self._lost

    async def send(self, data: bytes) -> None:
        await super().send(escape(data))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the loop: the connection stands."""
        super().connection_made(transport)
        self._say()

    def data_received(self, data: bytes) -> None:
        """Called by the loop: bytes have arrived."""
        line = self.control.feed(data)
        self._say()
        if self.control.is_broken:
            self.drop(say(*_NO_RFC2217, name=self._name))
        if line:
            super().data_received(line)
        self._answered.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the loop: the connection is over, and all that had arrived was handed out."""
        super().connection_lost(exc)
        self._answered.set()

    def drop(self, reason: str | Sentence) -> None:
        """Ends the connection at once."""
        self._end(reason)
        if self._transport is not None:
            self._transport.abort()

    def _say(self) -> None:
        data = self.control.outgoing()
        if data and self._transport is not None:
            self._transport.write(data)


async def open_rfc2217(address: Address, profile: Profile) -> Rfc2217Transport:
    """Connects, and has the port set; raises Unavailable or Refused with what to do."""
    host, port = parse_host_port(address)
    assert port is not None, "an address without one is refused before"
    baud = address.number("baud", profile.serial.baud)
    line = await connect(host, port, lambda name: Rfc2217Transport(name, baud))
    name = str(HostPort(host, port))
    try:
        await line.wait_settled()
        if not line.control.is_agreed:
            raise Refused(say(*_NO_RFC2217, name=name))
        if line.control.is_other:
            raise Refused(say(*_OTHER, name=name, given=baud))
    except BaseException as error:
        line.drop(f"the connection to {name} is closed")
        if isinstance(error, Lost):
            raise Unavailable(error.said) from None
        raise
    return line


_NO_RFC2217 = (
    "link.no_rfc2217",
    "the server at {name} does not speak RFC 2217: switch it on there (ser2net: telnet(rfc2217)), or write tcp:{name}",
)
_OTHER = (
    "link.rfc2217_baud",
    "the server at {name} does not set its port to {given} baud, 8N1: correct baud in the address, or allow it there",
)
