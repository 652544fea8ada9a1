"""What a daemon says to its league comes once more, late, in another order; and messages come that nobody can read."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from random import Random
from typing import Self
from uuid import uuid4

import aiomqtt
import msgspec

from protocol.topics import topic
from tests.daemon.process import ended
from tests.faults.league.accidents import Target
from tests.league.offers import make_offer, make_text

UNPLAYABLE = "poison-4"
"""The match whose record can be kept and not played."""
_KEPT = 300
"""Messages that may come once more."""
_KINDS = ("league_offer", "league_players", "league_forget")


def make_poison(bridge_id: str) -> list[tuple[str, bytes]]:
    """Kinds of topics and messages of this daemon that cannot be read; the last one cannot be played."""
    text = make_text(("nobody", "noone"), table="poison")
    wrong = (
        make_offer(text, "poison-1", bridge_id=bridge_id, sha256="0" * 64),
        make_offer(text, "poison-2", bridge_id=bridge_id, packed=True, record="eJw="),
        make_offer(b"[]\n", "poison-3", bridge_id=bridge_id),
    )
    return [
        ("league_offer", b"\xff\x00"),
        ("league_offer", b"[" * 100_000),
        ("league_players", b'{"v":1}'),
        ("league_forget", b'{"v":1,"bridge_id":"","id":"","names":[],"at":"never"}'),
        *(("league_offer", msgspec.json.encode(each)) for each in wrong),
        ("league_offer", msgspec.json.encode(make_offer(text, UNPLAYABLE, bridge_id=bridge_id))),
    ]


class Repeater(Target):
    """`async with` it hears what the daemon of this name says at the broker, which has these addresses in turn."""

    kinds = ("said again", "poison")

    def __init__(self, name: str, brokers: Sequence[tuple[str, int]], password: str | None) -> None:
        super().__init__("messages")
        self.bridge = name
        self._brokers = brokers
        self._password = password
        self._heard = deque[tuple[str, bytes]](maxlen=_KEPT)
        self._client: aiomqtt.Client | None = None
        self._task: asyncio.Task[None] | None = None
        self.poison: Sequence[tuple[str, bytes]] = ()
        """What cannot be read, once it is known who the daemon is."""

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._hear())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        await ended(self._task)

    async def hit(self, kind: str, rng: Random) -> None:
        if kind == "poison":
            await self.say_poison()
        else:
            again = [*self._heard] * 2
            rng.shuffle(again)
            await self._say(again[: rng.randrange(1, _KEPT)])

    async def say_poison(self) -> None:
        """Says all that cannot be read."""
        await self._say([(topic(kind, "oche", bridge=self.bridge), payload) for kind, payload in self.poison])

    @property
    def unreadable(self) -> set[bytes]:
        """The checksums of what cannot be read."""
        return {hashlib.sha256(payload).digest() for _, payload in self.poison[:-1]}

    async def _say(self, messages: Sequence[tuple[str, bytes]]) -> None:
        """Says these, as far as there is a broker."""
        with suppress(aiomqtt.MqttError):
            for where, payload in messages:
                if self._client is not None:
                    await self._client.publish(where, payload, qos=1, timeout=5)

    async def _hear(self) -> None:
        turn = 0
        while True:
            host, port = self._brokers[turn % len(self._brokers)]
            turn += 1
            client = aiomqtt.Client(
                host,
                port,
                identifier=f"repeater-{uuid4().hex[:8]}",
                username=self.bridge if self._password else None,
                password=self._password,
                protocol=aiomqtt.ProtocolVersion.V311,
                timeout=5,
            )
            with suppress(aiomqtt.MqttError):
                async with client:
                    for kind in _KINDS:
                        await client.subscribe(topic(kind, "oche", bridge=self.bridge), qos=0)
                    self._client = client
                    async for message in client.messages:
                        assert isinstance(message.payload, bytes)
                        self._heard.append((str(message.topic), message.payload))
            self._client = None
            await asyncio.sleep(0.5)
