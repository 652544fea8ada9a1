"""Matches in two places: tables of this daemon that are lent to others, and those where such a match is kept.

Between two tables of one daemon the same messages go without the broker. Loaded with the first such match, or when a
table is to be lent.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import UNSET, Struct

from daemon.league.host_side import HostSide
from daemon.league.lent_file import LentFile
from daemon.league.lent_side import LentSide
from daemon.league.neighbours import Neighbours
from daemon.mqtt.link import MqttLink
from daemon.mqtt.message import IncomingMessage
from daemon.part import Part
from daemon.table.effects import Update
from daemon.table.lent_inputs import LentInputs
from daemon.table.table import Table
from drivers.session import now_ns
from protocol.commands import CommandError, Lend
from protocol.facts import Event
from protocol.league_messages import LeagueInput, LeagueInputTaken
from protocol.messages import State
from protocol.topics import TopicNames, topic
from protocol.tournament import FoundTable

T = TypeVar("T")

log = logging.getLogger("oche.league")

_LOOK_S = 1.0
"""It is looked so often whether there is a connection, and who is to be asked."""


class LentNews(Struct, frozen=True, omit_defaults=True):
    """What the displays of a table are told: that it is `asked` to be lent to a table, or that it is lent `to` it.

    `state` is the match there that it plays along in, as it was seen last; None: there is none yet. While it is not
    `linked` so many darts are `waiting` here.
    """

    asked: str | None = None
    to: str | None = None
    linked: bool = True
    waiting: int = 0
    state: State | None = None


class TwoPlaces(Part):
    """A Part for these tables, whose journals are in `folder`. It has the news of them from when it is made.

    `link` is the one to the broker, if there is one, and `base` that of its topics. To the tables in `lend_to` tables
    are lent without asking. `tell` tells the displays of a table, also those that come later; `tell_fact` tells those
    that are there what has happened in the match that it is lent for. `show` has the lamps, lights and voices of a
    table follow an update as if it were its own.
    """

    def __init__(
        self,
        tables: Mapping[str, Table],
        folder: Path,
        link: MqttLink | None,
        base: str,
        lend_to: Collection[str],
        tell: Callable[[str, object], None],
        tell_fact: Callable[[str, object], None],
        show: Callable[[Update], None],
    ) -> None:
        self._tables = tables
        self._folder = folder
        self._link = link
        self._base = base
        self._lend_to = lend_to
        self._tell = tell
        self._tell_fact = tell_fact
        self._show = show
        self._shown: dict[str, State | None] = {}
        """The match that the lamps, lights and voices of a table follow, where it is that of another one."""
        self._news = asyncio.Event()
        self._neighbours = Neighbours(link, tables, self._news.set)
        self._asked: dict[str, str] = {}
        """By table: the table that asks for it."""
        self._lent: dict[str, LentSide] = {}
        self._hosts: dict[str, HostSide] = {}
        self._told: dict[str, LentNews | None] = {}
        self._followed: set[tuple[str, str]] = set()
        for table in tables.values():
            table.subscribe(self)
        for name, table in tables.items():
            self._take_own(name, table.state())

    def publish(self, update: Update) -> None:
        """Notes who is to be lent, what was played, and what a lent table has to say."""
        if update.lend is not None:
            self._lend(update.table, update.lend)
        if update.state is not None:
            self._take_own(update.table, update.state)
            if update.table in self._shown:  # they have just followed the match of this table
                self._shown[update.table] = None
        self._hear_events(update.table, update.events)
        self._news.set()

    def list_found(self) -> list[FoundTable]:
        """The tables of other daemons that are there, which are looked for from the first time on."""
        self._neighbours.look_around()
        return self._neighbours.list_there()

    async def run(self) -> None:
        """Asks, sends and acknowledges until cancelled."""
        for name in self._tables:
            await self._take_up(name)
        while True:
            self._news.clear()
            for name, lent in [*self._lent.items()]:
                await lent.work(1 if lent.to in self._tables else self._neighbours.connections)
                if lent.is_over and self._lent.get(name) is lent:
                    del self._lent[name]
            for host in self._hosts.values():
                host.work()
            for name in self._tables:
                self._tell_news(name)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._find_pause_s()):
                    await self._news.wait()

    def _find_pause_s(self) -> float | None:
        due = [lent.deadline for lent in self._lent.values()]
        pauses = [(each - now_ns()) / 1e9 for each in due if each is not None]
        if self._lent or any(host.places for host in self._hosts.values()):
            pauses.append(_LOOK_S)
        return max(0.01, min(pauses)) if pauses else None

    # Tables that are lent

    async def _take_up(self, name: str) -> None:
        found = await asyncio.to_thread(LentFile(self._folder, name).read)
        if found is not None and name not in self._lent:
            self._agree(name, *found)

    def _lend(self, name: str, wanted: Lend) -> None:
        lent = self._lent.get(name)
        if wanted.to is None:
            self._asked.pop(name, None)
            if lent is not None:
                lent.leave()
        elif lent is not None and lent.to != wanted.to:
            log.info("%s: it is lent to %s, and %s asks for it", name, lent.to, wanted.to)
        elif lent is not None and not lent.is_leaving:
            lent.join_again()
        elif lent is not None and wanted.ask:
            lent.hurry()
        elif wanted.ask and wanted.to not in self._lend_to:
            self._asked[name] = wanted.to
        else:
            self._asked.pop(name, None)
            if lent is None:
                self._agree(name, wanted.to)
            else:
                lent.come_back()

    def _agree(self, name: str, to: str, inputs: LentInputs | None = None) -> None:
        file = LentFile(self._folder, name)
        self._lent[name] = lent = LentSide(self._tables[name], to, file, self._send_input, inputs)
        if to in self._tables:
            lent.see(self._tables[to].state())
        else:
            self._neighbours.watch(to)
            self._follow("state", to, self._take_state)
            self._follow("event", to, self._take_event)
            self._follow("league_input_taken", to, self._take_taken)
        self._news.set()

    def _take_own(self, name: str, state: State) -> None:
        """The state of a table of this daemon: others may be lent to it."""
        for lent in self._lent.values():
            if lent.to == name:
                lent.see(state)
        if state.places is UNSET:
            return
        if name not in self._hosts:
            self._hosts[name] = HostSide(
                self._tables[name], self._neighbours, self._send_taken, self._ask, self._tables.get
            )
        for far in self._hosts[name].places:
            self._neighbours.watch(far)
            if far not in self._tables:
                self._follow("league_input", far, self._take_input)

    def _tell_news(self, name: str) -> None:
        news = self._describe(name)
        if news != self._told.get(name):
            self._told[name] = news
            self._tell(name, news)
        if news is not None and news.state is not None:
            events = self._lent[name].take_events()
            for event in events:
                self._tell_fact(name, event)
            if events or news.state is not self._shown.get(name):
                self._shown[name] = news.state
                self._show(Update(name, news.state, tuple(events), is_lent=True))
        elif name in self._shown:
            del self._shown[name]
            self._show(Update(name, self._tables[name].state()))

    def _describe(self, name: str) -> LentNews | None:
        lent = self._lent.get(name)
        if lent is None or lent.is_leaving:
            asked = self._asked.get(name)
            return None if asked is None else LentNews(asked=asked)
        is_linked = self._neighbours.is_there(lent.to)
        return LentNews(None, lent.to, is_linked, 0 if is_linked else lent.waiting_darts, lent.shown)

    # What goes to and fro

    def _follow(self, kind: str, table: str, take: Callable[[IncomingMessage, TopicNames], None]) -> None:
        if self._link is not None and (kind, table) not in self._followed:
            self._followed.add((kind, table))
            self._link.follow(kind, take, table=table)

    def _send_input(self, name: str, said: LeagueInput) -> None:
        if said.to in self._hosts:
            self._hosts[said.to].decide(name, said)
        elif said.to not in self._tables and self._link is not None:
            self._link.outbox.put("league_input", said, table=name)

    def _send_taken(self, name: str, far: str, taken: LeagueInputTaken) -> None:
        if far in self._tables:
            self._hear(name, taken)
        elif self._link is not None:
            self._link.outbox.put("league_input_taken", taken, table=name)

    def _ask(self, name: str, far: str) -> None:
        if (own := self._tables.get(far)) is not None:
            with suppress(CommandError):
                reply = own.command(Lend(name, ask=True), "mqtt")
                reply.add_done_callback(asyncio.Future.exception)  # nobody looks at it
        elif self._link is not None:
            address = topic("request", self._base, table=far, command="lend")
            self._link.outbox.put_once(address, {"lend": name, "ask": True})

    def _take_state(self, message: IncomingMessage, address: TopicNames) -> None:
        if (state := _decode(message, State)) is not None:
            for lent in self._lent.values():
                if lent.to == address.names["table"]:
                    lent.see(state)
            self._news.set()

    def _take_event(self, message: IncomingMessage, address: TopicNames) -> None:
        event = None if message.retained else _decode(message, Event)
        if event is not None:
            self._hear_events(address.names["table"], [event])
            self._news.set()

    def _hear_events(self, table: str, events: Iterable[Event]) -> None:
        for event in events:
            for lent in self._lent.values():
                if lent.to == table:
                    lent.hear(event)

    def _take_taken(self, message: IncomingMessage, address: TopicNames) -> None:
        taken = None if message.retained else _decode(message, LeagueInputTaken)
        if taken is not None:
            self._hear(address.names["table"], taken)

    def _hear(self, to: str, taken: LeagueInputTaken) -> None:
        for lent in self._lent.values():
            if lent.to == to:
                lent.take(taken)
        self._news.set()

    def _take_input(self, message: IncomingMessage, address: TopicNames) -> None:
        said = None if message.retained else _decode(message, LeagueInput)
        if said is not None and said.to in self._hosts:
            self._hosts[said.to].decide(address.names["table"], said)


def _decode(message: IncomingMessage, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(message.payload, type=kind)
    except (ValueError, RecursionError):
        return None
