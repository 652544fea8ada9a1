"""How many connections one client may have, and what counts as one client.

A client is an address; in IPv6 a network of 64 bits, for one machine has as many addresses there as it likes. In our
own network, though, each address is a client.
"""

from __future__ import annotations

from collections import Counter
from ipaddress import IPv6Address, IPv6Network, ip_address

from daemon.http.addresses import is_loopback

_LOCAL_NETWORKS = IPv6Network("fe80::/10"), IPv6Network("fc00::/7")
"""Addresses that are used within one site only."""


def make_client_key(peer: str | None, ours: str | None = None) -> str:
    """Returns the name of the client that connects from `peer` to our address `ours`."""
    try:
        found = ip_address((peer or "").partition("%")[0])
    except ValueError:
        return peer or ""
    if isinstance(found, IPv6Address):
        found = found.ipv4_mapped or (found if _is_neighbour(found, ours) else _find_network(found))
    return str(found)


def is_this_machine(peer: str | None, ours: str | None) -> bool:
    """Returns whether the client at this address is on this machine."""
    return peer is not None and (is_loopback(peer) or peer == ours)


def _is_neighbour(peer: IPv6Address, ours: str | None) -> bool:
    """Returns whether it is in our network: a client connects to our address that is nearest to its own (RFC 6724)."""
    if any(peer in network for network in _LOCAL_NETWORKS):
        return True
    try:
        return _find_network(peer) == _find_network(IPv6Address((ours or "").partition("%")[0]))
    except ValueError:
        return False


def _find_network(address: IPv6Address) -> IPv6Address:
    return IPv6Address(int(address) >> 64 << 64)


class ConnectionLimit:
    """How many connections there may be at the same time: `each` of one client, and `most` in all."""

    def __init__(self, each: int, most: int) -> None:
        self._each = each
        self._most = most
        self._open: Counter[str] = Counter()

    def enter(self, client: str) -> bool:
        """Counts a new connection. Returns False, without counting it, when the limit is reached."""
        if self._open[client] >= self._each or self._open.total() >= self._most:
            if not self._open[client]:
                del self._open[client]
            return False
        self._open[client] += 1
        return True

    def is_reached_by(self, client: str) -> bool:
        """Returns whether this client has as many as one may have."""
        return self._open.get(client, 0) >= self._each

    def leave(self, client: str) -> None:
        """Counts a connection of this client as closed."""
        self._open[client] -= 1
        if not self._open[client]:
            del self._open[client]
