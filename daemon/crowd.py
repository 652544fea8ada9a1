"""How much of the daemon one visitor can have, so that there is always some left for the darts.

A visitor is an address: in IPv6 the network of 64 bits, for one machine has as many addresses there as it likes. Our
own network is the whole house, though: there each address is a visitor. What is kept of visitors is bounded as well.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network, ip_address
from time import monotonic

_REMEMBERED = 1024
"""Visitors whose pace is known; of more, those are forgotten who came least recently."""
_AT_HOME = IPv6Network("fe80::/10"), IPv6Network("fc00::/7")
"""Addresses that are used within one site only."""


def visitor(peer: str | None, ours: str | None = None) -> str:
    """Who comes from this address to `ours`."""
    try:
        found = ip_address((peer or "").partition("%")[0])
    except ValueError:
        return peer or ""
    if isinstance(found, IPv6Address):
        found = found.ipv4_mapped or (found if _is_neighbour(found, ours) else _network(found))
    return str(found)


def _is_neighbour(peer: IPv6Address, ours: str | None) -> bool:
    """Is it in our network? Whoever is comes to that address of ours which is nearest to his own (RFC 6724)."""
    if any(peer in network for network in _AT_HOME):
        return True
    try:
        return _network(peer) == _network(IPv6Address((ours or "").partition("%")[0]))
    except ValueError:
        return False


def _network(address: IPv6Address) -> IPv6Address:
    return IPv6Address(int(address) >> 64 << 64)


class Pace:
    """So many at once, and so many a second for good: for each visitor."""

    def __init__(self, burst: int, per_s: float, clock: Callable[[], float] = monotonic) -> None:
        self._burst = burst
        self._per_s = per_s
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """What a visitor has left, and when that was."""

    def wait_s(self, who: str) -> float:
        """How long it is until this visitor may; 0.0: now."""
        return max(0.0, (1 - self._count(who)) / self._per_s)

    def take(self, who: str) -> None:
        """The visitor does it."""
        self._left[who] = (max(0.0, self._count(who) - 1), self._clock())
        self._left.move_to_end(who)
        while len(self._left) > _REMEMBERED:
            self._left.popitem(last=False)

    def _count(self, who: str) -> float:
        left, since = self._left.get(who, (float(self._burst), 0.0))
        return min(self._burst, left + (self._clock() - since) * self._per_s)


class Room:
    """How many there may be at the same time: of one visitor, and in all."""

    def __init__(self, each: int, most: int) -> None:
        self._each = each
        self._most = most
        self._here: Counter[str] = Counter()

    def enter(self, who: str) -> bool:
        """False: there is no room for one more."""
        if self._here[who] >= self._each or self._here.total() >= self._most:
            if not self._here[who]:
                del self._here[who]
            return False
        self._here[who] += 1
        return True

    def leave(self, who: str) -> None:
        """Whoever has entered leaves once."""
        self._here[who] -= 1
        if not self._here[who]:
            del self._here[who]
