"""A small collector of a league on a broker: it keeps what daemons offer in its memory, and answers as it is told."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Iterable
from random import Random
from types import TracebackType
from typing import Any, Self

import aiomqtt

from tests.daemon.display import AT_ONCE, fits
from tests.daemon.process import PATIENCE_S, ended

JSON = dict[str, Any]  # Any: JSON
OFFER, PLAYERS, FORGET, RESULTS = (
    f"oche/bridge/oche/league/{each}" for each in ("offer", "players", "forget", "results")
)
KINDS = {OFFER: "league_offer", PLAYERS: "league_players", FORGET: "league_forget", RESULTS: "league_results"}
MOST_ON_THE_WAY = 16


def read_record(offer: JSON) -> str:
    """The text of an offer in one message."""
    text = offer["record"]
    return zlib.decompress(base64.b64decode(text)).decode() if offer.get("packed") else str(text)


def without_order(messages: Iterable[JSON]) -> list[JSON]:
    """These messages without what differs each time that one is made again."""
    return [{name: value for name, value in each.items() if name != "order"} for each in messages]


class Collector:
    """Subscribes with QoS 0, as collectors do. With `chance`, of each answer some are lost, doubled or late.

    `decide` makes the answer to an offer, None: it says nothing.
    """

    def __init__(
        self, port: int, chance: Random | None = None, decide: Callable[[JSON], JSON | None] = lambda _: {}
    ) -> None:
        self._client = aiomqtt.Client(
            "127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V311, socket_options=[AT_ONCE]
        )
        self._chance = chance
        self.decide = decide
        self.is_deaf = False
        self.payloads: list[str] = []
        """All that came, and all records in it."""
        self.offers: list[JSON] = []
        self.kept: dict[str, str] = {}
        """The records that are kept, by match."""
        self.players: list[JSON] = []
        self.forgotten: list[JSON] = []
        self.results: list[JSON] = []
        self._news = asyncio.Event()
        self._late: list[tuple[str, JSON]] = []

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        for each in KINDS:
            await self._client.subscribe(each, qos=0)
        self._task = asyncio.create_task(self._listen())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await ended(self._task)
        await self._client.__aexit__(kind, error, trace)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Waits until what came makes this true."""
        async with asyncio.timeout(PATIENCE_S):
            while not is_so():
                if self._task.done():
                    await self._task  # which says what is wrong
                self._news.clear()
                await self._news.wait()

    async def say(self, kind: str, body: JSON) -> None:
        """Says this to the daemon."""
        await self._client.publish(f"oche/bridge/oche/league/{kind}", json.dumps(body), qos=1)

    async def _listen(self) -> None:
        async for message in self._client.messages:
            topic, text = str(message.topic), bytes(message.payload).decode()
            body = json.loads(text)
            fits(KINDS[topic], body)
            self.payloads.append(text)
            match topic:
                case _ if self.is_deaf:
                    pass
                case _ if topic == OFFER:
                    await self._take(body)
                case _ if topic == PLAYERS:
                    self.players.append(body)
                    await self._answer("heard", {"of": body["sha256"]})
                case _ if topic == RESULTS:
                    self.results.append(body)
                    await self._answer("heard", {"of": body["id"]})
                case _:
                    self.forgotten.append(body)
                    await self._answer("heard", {"of": body["id"], "matches": 2, "left": "backups have the name"})
            self._news.set()

    async def _take(self, offer: JSON) -> None:
        self.offers.append(offer)
        if "bridge_id" not in offer or (answer := self.decide(offer)) is None:
            return
        text = read_record(offer)
        self.payloads.append(text)
        assert hashlib.sha256(text.encode()).hexdigest() == offer["sha256"]
        assert len(text.splitlines()) == offer["lines"]
        if answer.get("answer", "kept") == "kept":
            self.kept[offer["match"]] = text
        about = {"match": offer["match"], "sha256": offer["sha256"], "by": "league", "table": offer["table"]}
        await self._answer("taken", about | answer)

    async def _answer(self, kind: str, body: JSON) -> None:
        times = 1
        if self._chance is not None:
            times = self._chance.choice((0, 1, 1, 2))
            if self._chance.random() < 0.3:
                self._late.append((kind, body))
                times = 0
            elif self._late and self._chance.random() < 0.5:
                await self.say(*self._late.pop(0))
        for _ in range(times):
            await self.say(kind, body)
