"""Which boards announce themselves on the local networks: Avahi is asked where it runs, else the network itself.

Avahi listens all the time and knows the answer; it is asked over D-Bus and never started. Without it one question goes
out on each interface, by IPv4 and IPv6, and again after a second for what is still missing. It is asked from a port of
its own, so the answers come to us alone, whatever else listens to mDNS here; and only for as long as it is looked for.
An interface that leads to one other machine, as of a tunnel, is not a local network.
"""

from __future__ import annotations

import asyncio
import fcntl
import ipaddress
import socket
import struct
from collections.abc import Sequence
from contextlib import ExitStack, suppress

from drivers.mdns import MOST_PACKET_BYTES, Announced, Lookup
from drivers.network_scan import PROC_NET

_PORT = 5353
_GROUP_V4, _GROUP_V6 = "224.0.0.251", "ff02::fb"
_MOST_INTERFACES = 16
_AGAIN_S = 1.0
_SIOCGIFFLAGS = 0x8913
_UP, _LOOPBACK, _POINT_TO_POINT, _MULTICAST = 0x1, 0x8, 0x10, 0x1000
_READ_AT_ONCE = 64
"""Packets that are read in a row; then others get their turn."""


async def find_announced(services: Sequence[str], seconds: float = 2.5) -> list[Announced]:
    """Returns what announces one of these services within so many seconds; nothing where it cannot be asked for."""
    if not services:
        return []
    from drivers.avahi import AvahiMissingError, browse  # noqa: PLC0415  D-Bus is loaded by those who look

    try:
        return await browse(services, seconds)
    except AvahiMissingError:
        return await ask_network(services, seconds)


async def ask_network(services: Sequence[str], seconds: float) -> list[Announced]:
    """Returns what answers on the local networks themselves."""
    lookup, loop = Lookup(services), asyncio.get_running_loop()
    with ExitStack() as stack:
        lines = [(name, *line) for name in list_interfaces() for line in _open_lines(name)]
        for name, line, _ in lines:
            stack.enter_context(line)
            loop.add_reader(line, _read, line, lookup, name)
            stack.callback(loop.remove_reader, line)
        until = loop.time() + seconds
        while lines and (left := until - loop.time()) > 0:
            for _, line, group in lines:
                with suppress(OSError):  # it has no address, or has just gone
                    line.sendto(lookup.ask(), group)
            await asyncio.sleep(min(_AGAIN_S, left))
    return lookup.list_found()


def list_interfaces() -> list[str]:
    """Returns the names of the interfaces that are up and lead to a local network."""
    try:
        rows = (PROC_NET / "dev").read_text(encoding="utf-8", errors="replace").splitlines()[2:]
    except OSError:
        return []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        names = [row.partition(":")[0].strip() for row in rows]
        return [name for name in names if _is_local_network(any_socket, name)][:_MOST_INTERFACES]


def _is_local_network(any_socket: socket.socket, name: str) -> bool:
    try:
        told = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, struct.pack("16s16x", name.encode()[:15]))
    except OSError:
        return False
    (flags,) = struct.unpack_from("=H", told, 16)
    return bool(flags & _UP and flags & _MULTICAST) and not flags & (_LOOPBACK | _POINT_TO_POINT)


def _open_lines(name: str) -> list[tuple[socket.socket, tuple[str, int] | tuple[str, int, int, int]]]:
    """Returns a socket for each version of IP that this interface has, and where its questions go."""
    lines: list[tuple[socket.socket, tuple[str, int] | tuple[str, int, int, int]]] = []
    with suppress(OSError):
        index = socket.if_nametoindex(name)
        line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        lines.append((line, (_GROUP_V4, _PORT)))
        here = struct.pack("4s4si", bytes(4), bytes(4), index)
        line.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, here)
        line.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        line = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        lines.append((line, (_GROUP_V6, _PORT, 0, index)))
        line.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        line.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
        line.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
    return lines


def _read(line: socket.socket, lookup: Lookup, interface: str) -> None:
    for _ in range(_READ_AT_ONCE):
        try:
            packet, sender = line.recvfrom(MOST_PACKET_BYTES + 1)
        except OSError:
            return
        if ipaddress.ip_address(sender[0].partition("%")[0]).is_private:
            lookup.feed(packet, interface)
