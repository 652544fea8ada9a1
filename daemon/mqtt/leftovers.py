"""What an earlier run left on the broker: hands, and tables that are not configured any more.

A broker repeats it to whoever comes, for ever. So at every connect we look ourselves: a hand that is not
(or no longer) ours to show is emptied, even when the run that showed it crashed; and the tables of our last
`bridge/<bridge>/info` that are not configured any more are emptied, unless another bridge says that they are its own.
With an ACL, reading `bridge/+/info` must be allowed for that.

Subscribed with QoS 0, so that all that is retained comes in the order we asked for it: what the bridges have, before
what is to be cleared.
"""

from __future__ import annotations

import logging
from collections.abc import Collection

import msgspec

from daemon.mqtt.shadow import Shadow
from protocol.topics import TOPICS, TopicError, check_name, parse

log = logging.getLogger("oche.mqtt")

_OF_A_TABLE = tuple(
    kind
    for kind, found in TOPICS.items()
    if found.retain and found.direction == "out" and found.template.startswith("{base}/table/")
)


class _Info(msgspec.Struct):
    """What is read of a bridge's info, ours or another's, of whatever version."""

    tables: tuple[str, ...] = ()


class Leftovers:
    """What may be left of one bridge with these tables; it is cleared through the shadow."""

    def __init__(self, base: str, bridge: str, tables: Collection[str], shadow: Shadow) -> None:
        self._base = base
        self._bridge = bridge
        self._tables = tables
        self._shadow = shadow
        self._gone: set[str] = set()
        """Tables that we had once; kept for the next connect, because the info that named them is replaced."""
        self._others: set[str] = set()
        self._wanted: list[str] = []

    def restart(self) -> None:
        """A new connection: everything is to be looked at again."""
        self._others.clear()
        self._wanted = [self._pattern("bridge_info", bridge="+")]
        self._wanted += [self._pattern("seat_state", table=table) for table in self._tables]
        for table in self._gone:
            self._look_at(table)

    def wanted(self) -> list[str]:
        """The topics to subscribe to now; each is named once a connection."""
        wanted, self._wanted = self._wanted, []
        return wanted

    def take(self, text: str, body: bytes) -> None:
        """A retained message. One that is nobody's any more is cleared."""
        address = parse(text, self._base)
        if address is None or not body:
            return
        if address.kind == "bridge_info":
            self._read(address.names["bridge"], body)
        elif address.kind in _OF_A_TABLE and self._is_left(address.kind, address.names["table"], text):
            self._shadow.clear(text)

    def _is_left(self, kind: str, table: str, text: str) -> bool:
        if table in self._tables:
            return kind == "seat_state" and not self._shadow.holds(text)
        return table in self._gone and table not in self._others

    def _read(self, bridge: str, body: bytes) -> None:
        try:
            tables = {check_name(name, "table") for name in msgspec.json.decode(body, type=_Info).tables}
        except (msgspec.DecodeError, TopicError, RecursionError):
            return
        if bridge != self._bridge:
            self._others |= tables
            return
        for table in sorted(tables - set(self._tables) - self._gone):
            log.info("the table %s is not configured any more: taking off the broker what it left there", table)
            self._gone.add(table)
            self._look_at(table)

    def _look_at(self, table: str) -> None:
        self._wanted += [self._pattern(kind, table=table) for kind in _OF_A_TABLE]

    def _pattern(self, kind: str, **names: str) -> str:
        return TOPICS[kind].template.format_map({"base": self._base, "attr": "+", "seat": "+", **names})
