"""Does what we say come back? A broker may take everything and pass nothing on.

One that refuses a subscription often grants it all the same, and in MQTT 3.1.1 it cannot say that a publish was
refused. So a nonce is sent along every way that commands come, and what does not come back is missing in the ACL.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable, Iterator

from daemon.mqtt.inbox import Letter
from daemon.mqtt.shadow import Message
from protocol.topics import ECHO, pattern, topic

PATIENCE_S = 3.0


def ways_in(base: str, bridge: str, tables: Iterable[str], *, private: bool) -> Iterator[str]:
    """What to subscribe to; the seats' answers only where they are private."""
    yield topic("echo", base, bridge=bridge)
    for table in tables:
        yield from (pattern(kind, base, table=table) for kind in _kinds(private=private))


def echo_topics(base: str, bridge: str, tables: Iterable[str], *, private: bool) -> Iterator[str]:
    """One topic for each way that something comes in; nobody obeys what comes on it."""
    yield topic("echo", base, bridge=bridge)
    for table in tables:
        yield from (topic(kind, base, table=table, command=ECHO, seat=ECHO) for kind in _kinds(private=private))


def _kinds(*, private: bool) -> tuple[str, ...]:
    return ("cmd", "request", "seat_cmd") if private else ("cmd", "request")


class Echo:
    """One test of these topics: publish `messages()`, hand in what is `heard`, and ask what is `missing`."""

    def __init__(self, topics: Iterable[str]) -> None:
        self.topics = frozenset(topics)
        self._nonce = secrets.token_hex(8)
        self._missing = set(self.topics)
        self._all = asyncio.Event()

    def messages(self) -> Iterator[Message]:
        """What to publish: one on each topic that is silent so far."""
        for each in sorted(self._missing):
            yield Message(each, self._nonce.encode(), retain=False, qos=1)

    def heard(self, letter: Letter) -> bool:
        """Is this letter an echo, of ours or of somebody else's test?"""
        if letter.body == self._nonce.encode():
            self._missing.discard(letter.topic)
            if not self._missing:
                self._all.set()
        return letter.topic in self.topics

    async def missing(self) -> frozenset[str]:
        """The topics that are silent; waits for a while before it says so."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._all.wait()
        except TimeoutError:
            pass
        return frozenset(self._missing)
