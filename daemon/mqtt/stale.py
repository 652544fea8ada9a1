"""What earlier runs left retained on the broker, and how it is removed.

A broker repeats what is retained for ever, under names that are no longer configured as well, and cannot tell whose it
is: two daemons may have had one name. So each daemon keeps a file of what it has published, and clears what is stale at
its next connect. Of tournaments it keeps each topic: nobody knows their rounds and tables once they are gone. Hands are
looked for on the broker itself (with QoS 0): one that is not shown now is cleared, even if the run that published it
crashed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from daemon import files
from daemon.mqtt.message import IncomingMessage
from daemon.mqtt.outbox import Outbox
from protocol.topics import list_retained_topics, make_filter, parse, topic

log = logging.getLogger("oche.mqtt")

Form = Literal["device", "components", "off"]
_Name = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\Z")]
"""Part of a topic; a damaged file must not lead to a publish on an invalid one."""
Platforms = dict[_Name, _Name]
"""The platform of each entity by its key."""


class PublishedNames(Struct, frozen=True):
    """A bridge and its tables, by their names in topics; whether there is what is said aloud."""

    base: _Name
    bridge: _Name
    tables: tuple[_Name, ...]
    is_spoken: bool = False

    def list_topics(self) -> Iterator[str]:
        """Yields all that may be retained under these names but hands."""
        return list_retained_topics(self.base, self.bridge, self.tables, is_spoken=self.is_spoken)


class AnnouncedEntities(Struct):
    """What was announced to Home Assistant below a prefix in one form: all entities that each table ever had."""

    prefix: _Name
    form: Form
    tables: dict[_Name, Platforms] = {}

    def without(self, tables: Collection[str]) -> AnnouncedEntities:
        """Returns the same without these tables."""
        return AnnouncedEntities(self.prefix, self.form, {k: v for k, v in self.tables.items() if k not in tables})


class _Content(Struct, omit_defaults=True):
    """The file's JSON. `said` are the names that were published under; the key is that of files of earlier versions.

    `tournaments` are topics, and `tournament` is the id of the tournament that is announced.
    """

    hosts: tuple[str, ...] = ()
    said: list[PublishedNames] = []
    announced: list[AnnouncedEntities] = []
    tournaments: list[_Name] = []
    tournament: str = ""


class PublishedFile:
    """The file in the state folder. `hosts` are those of the broker; what was published on another one is forgotten."""

    def __init__(self, folder: Path, hosts: Sequence[str]) -> None:
        self.awaits_tournaments = False
        """There are tournaments, and they have not published yet: until then nobody knows what of them is stale."""
        self._file = folder / "said.json"
        self._has_failed = False
        """The last attempt to write failed."""
        self._written = b""
        self._writing = asyncio.Lock()
        self._content = self._read()
        if self._content.hosts and not set(self._content.hosts) & set(hosts):
            log.info("the broker has changed; messages retained on %s stay there", " and ".join(self._content.hosts))
            self._content = _Content()
        self._content.hosts = tuple(hosts)

    def _read(self) -> _Content:
        try:
            self._written = self._file.read_bytes()
            return msgspec.json.decode(self._written, type=_Content)
        except FileNotFoundError:
            return _Content()
        except (OSError, ValueError, RecursionError):
            log.warning("%s cannot be read: messages retained by an earlier run are not removed", self._file)
            return _Content()

    @property
    def names(self) -> Sequence[PublishedNames]:
        """The names under which something may still be retained."""
        return self._content.said

    @property
    def announced(self) -> Sequence[AnnouncedEntities]:
        """The entities that may still be announced."""
        return self._content.announced

    @property
    def tournaments(self) -> Sequence[str]:
        """The topics of tournaments on which something may still be retained."""
        return self._content.tournaments

    @property
    def tournament(self) -> str:
        """The id of the tournament whose entities are announced; "": of none."""
        return self._content.tournament

    def save(
        self, *, names: Sequence[PublishedNames] | None = None, announced: Sequence[AnnouncedEntities] | None = None
    ) -> None:
        """Replaces the names or the entities. Writes only what is new; a disk that is full is logged, not raised.

        It waits for the disk: for the start of the daemon alone.
        """
        self._write(self._replace(names, announced))

    async def keep(
        self,
        *,
        names: Sequence[PublishedNames] | None = None,
        announced: Sequence[AnnouncedEntities] | None = None,
        tournaments: Collection[str] | None = None,
        tournament: str | None = None,
    ) -> None:
        """Does as `save`, beside the event loop, for what tournaments publish too; returns when the disk has it."""
        if tournaments is not None:
            self._content.tournaments = sorted(tournaments)
        if tournament is not None:
            self._content.tournament = tournament
        text = self._replace(names, announced)
        async with self._writing:
            await asyncio.to_thread(self._write, text)

    def _replace(self, names: Sequence[PublishedNames] | None, announced: Sequence[AnnouncedEntities] | None) -> bytes:
        """Returns the new content of the file."""
        if names is not None:
            self._content.said = list(names)
        if announced is not None:
            self._content.announced = [each for each in announced if each.tables]
        return msgspec.json.encode(self._content)

    def _write(self, text: bytes) -> None:
        if text == self._written:
            return
        try:
            files.replace_file(self._file, text)
            self._written, self._has_failed = text, False
        except OSError as error:
            if not self._has_failed:  # once is enough
                log.error("cannot write %s: %s", self._file, files.explain(error))
            self._has_failed = True


class StaleTopics:
    """Clears, through the outbox, what is retained beside that which is published `now`.

    The topics in `first` are cleared before all others: announcements of what reads the others.
    """

    def __init__(
        self, published: PublishedFile, now: PublishedNames, outbox: Outbox, first: Iterable[str] = ()
    ) -> None:
        self._published = published
        self._now = now
        self._outbox = outbox
        every = [now, *(each for each in published.names if each != now)]
        published.save(names=every)  # before anything is published
        ours = set(now.list_topics())
        known = (text for each in every for text in each.list_topics())
        self._stale = [*first, *(text for text in known if text not in ours)]
        self._tournaments: set[str] = set()
        """The topics of tournaments that are cleared."""
        self._bases = {each.base for each in every}
        boards = (topic("board_state", now.base, table=table) for table in now.tables)
        self.watched = {topic("bridge_state", now.base, bridge=now.bridge), *boards}
        """Our own topics: when another client empties one of them, everything has to be sent again."""
        self.hands = {make_filter("seat_state", each.base, table=table) for each in every for table in each.tables}
        """The topic filters of hands."""

    def clear(self) -> None:
        """Clears what is stale; to be called at each connect."""
        known = () if self._published.awaits_tournaments else self._published.tournaments
        self._tournaments = {*known} - self._outbox.retained
        for text in (*self._stale, *sorted(self._tournaments)):
            self._outbox.clear(text)

    def receive(self, message: IncomingMessage) -> None:
        """Clears a retained hand that is not shown now."""
        addresses = [parse(message.topic, base) for base in self._bases]
        is_hand = any(address is not None and address.kind == "seat_state" for address in addresses)
        if message.payload and is_hand and message.topic not in self._outbox.retained:
            self._outbox.clear(message.topic)

    async def mark_cleared(self) -> None:
        """Forgets what was stale; to be called when the broker has all that was sent."""
        if self._stale:
            log.info("removed retained messages of what is no longer configured")
            self._stale.clear()
        gone = self._tournaments - self._outbox.retained  # what is published again by now stays
        await self._published.keep(names=[self._now], tournaments={*self._published.tournaments} - gone)
