"""Which hosts of the local networks answer as a board does: the way to find boards that announce nothing.

Only hosts that this machine knows already are connected to, each on the ports that profiles name, and left at once: a
board that is its own access point is the gateway, and one that this machine has exchanged anything with lately is among
the kernel's neighbours. No range of addresses is searched, and no public address is tried.

A connection is no proof, for any program may have the port. So a moment is left for what comes by itself. What a
profile begins with, such as a heartbeat, is sent only when that is asked for: to something that is no board it may mean
anything. A host that this machine is connected to is left alone, because a board has one connection to give.
"""

from __future__ import annotations

import asyncio
import ipaddress
import sys
from collections.abc import Iterable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import NamedTuple

from drivers.address import Address
from drivers.tcp_line import HostPort, TcpTransport, open_tcp
from drivers.transport import LinkError
from protocol.codebook import Codebook, expand
from protocol.endpoint import Host
from protocol.events import Garbage
from protocol.framing import Framer
from protocol.profile import Profile

PROC_NET = Path("/proc/self/net")  # /proc/net is not there where the unit has ProcSubset=pid
_MOST_HOSTS = 32
_AT_ONCE = 16
_UP_GATEWAY = 0x3
_COMPLETE = 0x2
_ESTABLISHED = "01"


class AnsweringHost(NamedTuple):
    """A host that takes connections on a port. `profile` is the id of the one whose frame it has sent, if it has."""

    host: str
    port: int
    profile: str | None = None


def list_known_hosts(folder: Path = PROC_NET) -> list[str]:
    """Returns the IPv4 addresses of the gateways, then of the neighbours; private ones alone, and at most 32."""
    gateways = [
        _decode(gateway)
        for _, destination, gateway, flags in _read_rows(folder / "route", 4)
        if int(destination, 16) == 0 and int(flags, 16) & _UP_GATEWAY == _UP_GATEWAY
    ]
    neighbours = [host for host, _, flags in _read_rows(folder / "arp", 3) if int(flags, 16) & _COMPLETE]
    hosts = dict.fromkeys([*gateways, *neighbours])
    return [host for host in hosts if ipaddress.ip_address(host).is_private][:_MOST_HOSTS]


def find_port(profile: Profile) -> int | None:
    """Returns where a board of this profile listens on the network, None if it does not."""
    return profile.tcp.port if profile.link == "tcp" and profile.tcp is not None else None


async def find_answers(
    profiles: Iterable[Profile],
    hosts: Sequence[str],
    *,
    ask: bool = False,
    connect_s: float = 1.5,
    listen_s: float = 1.0,
) -> list[AnsweringHost]:
    """Returns which of these hosts take connections on the ports of these profiles, in their order.

    With `ask` a host is sent what each profile begins with, such as a heartbeat, and may answer. So many seconds are
    left for a connection, and for its first frame.
    """
    at_ports: dict[int, list[Codebook]] = {}
    for profile in profiles:
        port = find_port(profile)
        if port is not None:
            at_ports.setdefault(port, []).append(expand(profile))
    connected = _list_connected()
    places = [(host, port) for host in hosts for port in at_ports]
    free = asyncio.Semaphore(_AT_ONCE)

    async def find(host: str, port: int) -> AnsweringHost | None:
        if (host, port) in connected:
            return AnsweringHost(host, port)
        async with free:
            for codebook in at_ports[port]:
                try:
                    async with asyncio.timeout(connect_s):
                        line = await open_tcp(Address("tcp", str(HostPort(host, port)), {}), codebook.profile)
                except (LinkError, TimeoutError):
                    return None
                async with aclosing(line):
                    if await _listen(line, codebook, ask, listen_s):
                        return AnsweringHost(host, port, codebook.profile.id)
        return AnsweringHost(host, port)

    return [answer for answer in await asyncio.gather(*(find(*place) for place in places)) if answer is not None]


async def _listen(line: TcpTransport, codebook: Codebook, ask: bool, listen_s: float) -> bool:
    """Whether what is sent first, within these seconds, is a frame that this profile knows."""
    host, framer = Host(codebook), Framer(codebook.profile.framing)
    host.on_open(0)
    with suppress(LinkError, TimeoutError):
        async with asyncio.timeout(listen_s):
            if ask:
                await line.send(host.outgoing())
            while True:
                data = await line.receive()
                if any(isinstance(event, Garbage) for event in host.feed(data, 0)):
                    return False
                if framer.feed(data):
                    return True
    return False


def _list_connected() -> set[tuple[str, int]]:
    """The hosts and ports that programs on this machine are connected to."""
    return {
        (_decode(host), int(port, 16))
        for _, _, remote, state in _read_rows(PROC_NET / "tcp", 4)
        if state == _ESTABLISHED
        for host, _, port in [remote.partition(":")]
    }


def _read_rows(file: Path, width: int) -> list[list[str]]:
    """The first columns of a table of the kernel, without its head; no rows where there is no such table."""
    try:
        lines = file.read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return []
    return [row[:width] for row in map(str.split, lines) if len(row) >= width]


def _decode(text: str) -> str:
    """The address that the kernel writes as a number of this machine, in hex."""
    return str(ipaddress.IPv4Address(int(text, 16).to_bytes(4, sys.byteorder)))
