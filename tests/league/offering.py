"""The daemons of a test, as a league hears them: one client that offers records until each is taken."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Self
from uuid import uuid4

import msgspec
from msgspec import Struct

from daemon.collect.received import Sender
from daemon.config.sections import BrokerAddress, Mqtt
from daemon.mqtt.client import Connection, Login, Version
from daemon.mqtt.errors import BrokerError
from daemon.mqtt.message import IncomingMessage, OutgoingMessage
from protocol.league_messages import LeagueHeard, LeagueOffer, LeagueTaken
from protocol.topics import parse, topic
from tests.daemon.process import ended, eventually
from tests.league.postgres import Postgres

Said = tuple[Sender, str, str]
"""A daemon, and what an answer names: a match and the checksum of its record, or "" and what was heard."""


def write_config(folder: Path, broker_port: int, postgres: Postgres, database: str, more: str = "") -> Path:
    """The configuration of a collector."""
    file = folder / "league.toml"
    file.write_text(
        f"""
[database]
url = "{postgres.url(database).partition("&user")[0]}"

[mqtt]
host = "127.0.0.1"
port = {broker_port}

{more}
""",
        encoding="utf-8",
    )
    return file


class Offering:
    """`async with` it says all that was given to `offer` and `say` again and again, until it is answered."""

    def __init__(self, broker_port: int, random: Random | None = None, version: Version = "5") -> None:
        self.answers: dict[Said, LeagueTaken | LeagueHeard] = {}
        self._waiting: dict[Said, tuple[str, bytes]] = {}
        self._address = BrokerAddress("127.0.0.1", broker_port)
        self._random = random or Random(1)
        self._version: Version = version
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        await ended(self._task)

    def offer(self, sender: Sender, offer: LeagueOffer) -> Said:
        """Offers a record; returns what its answer is found by."""
        said = sender, offer.match, offer.sha256
        return self._say(said, "league_offer", offer)

    def offer_all(self, offers: Iterable[tuple[Sender, LeagueOffer]]) -> None:
        """Offers these records."""
        for sender, offer in offers:
            self.offer(sender, offer)

    def say(self, sender: Sender, kind: str, message: Struct, of: str) -> Said:
        """Says something of players, whose answer names `of`."""
        return self._say((sender, "", of), kind, message)

    def _say(self, said: Said, kind: str, message: Struct) -> Said:
        self._waiting[said] = topic(kind, said[0].base, bridge=said[0].name), msgspec.json.encode(message)
        self._news.set()
        return said

    async def answered(self) -> Mapping[Said, LeagueTaken | LeagueHeard]:
        """Waits until everything is answered."""
        await eventually(lambda: self.is_answered)
        return self.answers

    @property
    def is_answered(self) -> bool:
        """Whether all was answered."""
        return not self._waiting

    async def _run(self) -> None:
        while True:
            with suppress(BrokerError):
                login = Login(f"offering-{uuid4().hex[:8]}")
                mqtt = Mqtt(self._address.host, self._address.port)
                async with Connection(self._address, mqtt, login, self._version, on_message=self._receive) as link:
                    for wanted in ("+/bridge/+/league/taken", "+/bridge/+/league/heard"):
                        await link.subscribe(wanted)
                    await self._say_again(link)
            await asyncio.sleep(0.05)

    async def _say_again(self, link: Connection) -> None:
        while True:
            self._news.clear()
            waiting = [*self._waiting.values()]
            self._random.shuffle(waiting)
            for where, payload in waiting:
                await link.publish(OutgoingMessage(where, payload, retain=False, qos=1))
            with suppress(TimeoutError):
                async with asyncio.timeout(0.5):
                    await self._news.wait()

    def _receive(self, message: IncomingMessage) -> None:
        base = message.topic.partition("/")[0]
        address = parse(message.topic, base)
        assert address is not None
        sender = Sender(base, address.names["bridge"])
        if address.kind == "league_taken":
            taken = msgspec.json.decode(message.payload, type=LeagueTaken)
            said = sender, taken.match, taken.sha256
            self.answers[said] = taken
        else:
            heard = msgspec.json.decode(message.payload, type=LeagueHeard)
            said = sender, "", heard.of
            self.answers[said] = heard
        self._waiting.pop(said, None)
