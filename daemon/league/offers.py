"""Offers the finished matches that were asked for with a `ref` to whoever asked, until each is taken.

An offer is said at once, and again with ever longer pauses: who asked may be away for days. A match that is corrected
after its end has another record, which is offered anew.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random

import msgspec
from msgspec import UNSET, Struct

from daemon.journal.errors import StoreError
from daemon.league.records import find_records, read_record
from daemon.league.taken import read_taken, remove_taken, write_taken
from daemon.mqtt.link import MqttLink
from daemon.mqtt.message import IncomingMessage
from daemon.part import Part
from daemon.rules import Guard
from daemon.table.effects import Update
from daemon.table.table import Table
from drivers.backoff import Backoff
from protocol.league_messages import LeagueOffer, LeagueTaken
from protocol.messages import State
from protocol.topics import TopicNames

log = logging.getLogger("oche.league")

AGAIN = Backoff(1.0, 300.0)
_MOST_ASKED = 16
_LOOK_S = 2.0
"""While there is no connection, it is looked for one so often."""


class _Waiting(Struct):
    """An offer that nobody has taken yet; it is said again at `due_s`, by the clock of the event loop."""

    offer: LeagueOffer
    times: int = 0
    due_s: float = 0.0


class LeagueOffers(Part):
    """A Part for these tables. It has the news of them from when it is made; `folder` has their journals.

    A match of whose `ref` `is_own` is true was asked for by this daemon itself, and is not offered.
    """

    def __init__(
        self,
        folder: Path,
        tables: Mapping[str, Table],
        link: MqttLink,
        bridge: str,
        guard: Guard,
        is_own: Callable[[str], bool],
    ) -> None:
        self._folder = folder
        self._tables = tables
        self._link = link
        self._bridge = bridge
        self._guard = guard
        self._is_own = is_own
        self._taken: dict[str, str] = {}
        self._waiting: dict[str, _Waiting] = {}
        """By the ids of their matches."""
        self._ended: dict[str, State] = {}
        """By table: the state of a match that is over, until its record is read."""
        self._asked: set[str] = set()
        """How the refs begin of which all is to be offered again."""
        self._is_changed = False
        """Something was taken that the file does not have, or is not any more."""
        self._connection = 0
        self._random = Random()
        self._news = asyncio.Event()
        link.follow("league_taken", self._receive_taken, bridge=bridge)
        for table in tables.values():
            table.subscribe(self)

    def publish(self, update: Update) -> None:
        """Notes that a match with a `ref` is over, or goes on after its end."""
        state = update.state
        if state is None or state.ref is UNSET or state.match is None:
            return
        if state.phase == "over":
            self._ended[update.table] = state
            self._news.set()
        else:
            self._waiting.pop(state.match, None)
            self._ended.pop(update.table, None)

    async def run(self) -> None:
        """Offers until cancelled."""
        await self._begin()
        while True:
            self._news.clear()
            await self._offer_again()
            await self._read_ended()
            wait_s = self._say()
            if self._is_changed:
                self._is_changed = False
                await asyncio.to_thread(write_taken, self._folder, {**self._taken})
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._news.wait()

    async def _begin(self) -> None:
        """Takes up what earlier runs have left; without any, the file goes, so that the next start need not look."""
        taken = await asyncio.to_thread(read_taken, self._folder)
        found = await self._find_records("")
        known = {offer.match for offer in found}
        self._taken = {match: sha256 for match, sha256 in taken.items() if match in known} | self._taken
        for offer in found:
            self._add(offer)
        self._look_at_tables()
        if found or any(table.committed.public.ref is not UNSET for table in self._tables.values()):
            await asyncio.to_thread(write_taken, self._folder, {**self._taken})
        else:
            await asyncio.to_thread(remove_taken, self._folder)

    async def _find_records(self, refs: str) -> list[LeagueOffer]:
        layouts = {name: table.codebook.layout for name, table in self._tables.items()}
        return await asyncio.to_thread(lambda: [*find_records(self._folder, layouts, self._guard, refs)])

    def _look_at_tables(self) -> None:
        """Notes what is over by now, or goes on, and is not so in what was found."""
        for table in self._tables.values():
            self.publish(table.everything)

    async def _offer_again(self) -> None:
        """Offers what was asked for again, though it was taken."""
        while self._asked:
            for offer in await self._find_records(self._asked.pop()):
                self._is_changed |= self._taken.pop(offer.match, None) is not None
                self._add(offer)
            self._look_at_tables()

    async def _read_ended(self) -> None:
        """Makes offers of what is over."""
        for table, state in [*self._ended.items()]:
            layout, match = self._tables[table].codebook.layout, str(state.match)
            try:
                offer = await asyncio.to_thread(read_record, self._folder, table, layout, match)
            except StoreError as error:
                log.error("%s: a result cannot be offered: %s", table, error)
                offer = None
            if self._ended.get(table) is state:  # else it goes on, or has been corrected meanwhile
                del self._ended[table]
                if offer is not None:
                    self._add(offer)

    def _add(self, offer: LeagueOffer) -> None:
        known = self._waiting.get(offer.match)
        if offer.sha256 not in (self._taken.get(offer.match), known and known.offer.sha256):
            self._waiting[offer.match] = _Waiting(offer)

    def _say(self) -> float | None:
        """Says each offer that is due; returns after how many seconds the next one is, None: there is none."""
        self._waiting = {
            match: each
            for match, each in self._waiting.items()
            if each.offer.ref is not UNSET and not self._is_own(each.offer.ref)
        }
        if not self._waiting:
            return None
        outbox = self._link.outbox
        if not outbox.is_followed:
            return _LOOK_S
        if outbox.connections != self._connection:  # who has asked may be there again as well
            self._connection = outbox.connections
            self._hurry()
        now_s = asyncio.get_running_loop().time()
        for each in self._waiting.values():
            if each.due_s <= now_s:
                outbox.put("league_offer", each.offer, bridge=self._bridge)
                each.times += 1
                each.due_s = now_s + AGAIN.delay_s(each.times, self._random)
        return min(each.due_s for each in self._waiting.values()) - now_s

    def _hurry(self) -> None:
        """Has all that waits said at once, and then as often as at first."""
        for each in self._waiting.values():
            each.times, each.due_s = 0, 0.0

    def _receive_taken(self, message: IncomingMessage, _: TopicNames) -> None:
        try:
            taken = msgspec.json.decode(message.payload, type=LeagueTaken)
        except (ValueError, RecursionError):
            return
        if taken.by is not UNSET:  # the league answers for itself
            return
        if not taken.match:  # who asked for matches is there again
            self._hurry()
            if taken.refs and len(self._asked) < _MOST_ASKED:
                self._asked.add(taken.refs)
            self._news.set()
        known = self._waiting.get(taken.match)
        if known is not None and known.offer.sha256 == taken.sha256:
            del self._waiting[taken.match]
            self._taken[taken.match] = taken.sha256
            self._is_changed = True
            self._news.set()
