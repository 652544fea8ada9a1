"""Tests whether the broker lets oche use its topics, and makes the lines that are missing in its ACL.

A broker may take everything and pass nothing on: one that refuses a subscription often grants it all the same, and in
MQTT 3.1.1 it cannot say that a publish was refused. So a nonce is sent along every way that commands come.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

from daemon.config.sections import Mqtt
from daemon.mqtt.errors import Diagnosis
from daemon.mqtt.message import IncomingMessage, OutgoingMessage
from protocol.topics import ECHO, filter_subtree, make_filter, parse, topic

PATIENCE_S = 3.0
_COMMANDS = ("cmd", "request", "seat_cmd")
"""The kinds of topics that commands come on; the last one only where the broker is private."""


def list_command_filters(base: str, bridge: str, tables: Iterable[str], *, private: bool) -> Iterator[str]:
    """Yields the topic filters that commands come on; those of seats only where they are `private`."""
    yield topic("echo", base, bridge=bridge)
    for table in tables:
        yield from (make_filter(kind, base, table=table) for kind in _COMMANDS[: 2 + private])


def list_echo_topics(base: str, bridge: str, tables: Iterable[str], *, private: bool) -> Iterator[str]:
    """Yields one topic for each of these filters. What comes on it is never obeyed."""
    yield topic("echo", base, bridge=bridge)
    for table in tables:
        yield from (topic(kind, base, table=table, command=ECHO, seat=ECHO) for kind in _COMMANDS[: 2 + private])


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
        """Returns the topics that have not echoed, after at most PATIENCE_S seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
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
        else:
            wanted[each] = "readwrite"
    return tuple(f"topic {access} {name}" for name, access in wanted.items())


def diagnose_acl(topics: Collection[str], mqtt: Mqtt, bridge: str, tables: Collection[str]) -> Diagnosis:
    """Returns which of these topics the broker denies, and the ACL lines it needs."""
    first, *rest = sorted(topics)
    more = f" and {len(rest)} more" if rest else ""
    lines = "; ".join(make_acl_lines(topics, mqtt, bridge, tables))
    user = f"user {mqtt.username}" if mqtt.username else "everybody"
    return Diagnosis(f"the broker does not let oche use {first}{more}", f"add to its ACL, for {user}: {lines}")
