"""Offers the finished matches of this daemon, each until it is taken, and says what the league is to know of players.

An offer is said at once, and again with ever longer pauses: who takes it may be away for days. A match that is
corrected after its end has another record, which is offered anew. Only a few records are in the memory at a time: the
others are read when those are taken. Journals are read in the process beside the daemon, so no dart waits for it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from math import inf
from pathlib import Path
from random import Random

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from daemon.errors import UserError
from daemon.league.notes import Notes
from daemon.league.on_the_way import OnTheWay, Said
from daemon.league.records import Found, Key, Reading, Taken, Taker, Wanted
from daemon.mqtt.link import MqttLink
from daemon.mqtt.message import IncomingMessage
from daemon.part import Part
from daemon.table.effects import Update
from daemon.table.table import Table
from drivers.backoff import Backoff
from protocol.league_messages import (
    LeagueForget,
    LeagueHeard,
    LeaguePlayers,
    LeagueResults,
    LeagueTaken,
    PlayerChange,
    ResultByHand,
)
from protocol.messages import State
from protocol.topics import TopicNames

log = logging.getLogger("oche.league")

AGAIN = Backoff(1.0, 300.0)
_WINDOWS: Mapping[Taker, int] = {"asked": 64, "league": 16}
"""So many offers are on the way at a time."""
_FRESH = 3
"""What was said so often is hardly answered soon."""
_ROTATED, _ROTATED_ANYWAY = 5, 15
"""What is not answered after so many times, while the league answered others or anyway, lets others go first."""
_SILENT_S = 30.0
"""Who answers after such a silence is there again."""
_LOOK_S = 2.0
"""While there is no connection, it is looked for one so often."""
MISSED = Backoff(60.0, 3600.0)
"""How soon after journals could not be read, or not all of them, all are looked through again."""
_PLAYERS_S = 10.0
"""How often it is looked whether players were renamed or forgotten by another program."""
_PLAYERS = ("players", "")
_RESULTS = "results"
_LOST = "lost"
"""In place of the checksum of the players that the league has heard of."""
_SHA256 = 64
"""Digits of a checksum; the id of a forgetting has fewer."""


def _name_results(tournament: str, results: tuple[ResultByHand, ...]) -> str:
    """By what the answer names these results."""
    return f"{tournament}-{hashlib.sha256(msgspec.json.encode(results)).hexdigest()[:32]}"


class LeagueOffers(Part):
    """A Part for these tables. It has the news of them from when it is made; `folder` has their journals.

    A match of whose `ref` `is_own` is true was asked for by this daemon itself, and is not offered to it. `bridge_id`
    is what the league knows this daemon by; None: there is no league.
    """

    def __init__(
        self,
        folder: Path,
        tables: Mapping[str, Table],
        link: MqttLink,
        bridge: str,
        is_own: Callable[[str], bool],
        reading: Reading,
        bridge_id: str | None = None,
    ) -> None:
        self._tables = tables
        self._outbox = link.outbox
        self._bridge = bridge
        self._is_own = is_own
        self._reading = reading
        self._bridge_id = bridge_id
        self._notes = Notes(folder)
        self._way = OnTheWay(lambda: asyncio.get_running_loop().time())
        self._queues: dict[Taker, dict[Key, Wanted]] = {by: {} for by in _WINDOWS}
        """What is offered when there is room on the way, by whom it is for."""
        self._current = {name: table.match_id for name, table in tables.items()}
        self._ended: dict[tuple[str, str], State | None] = {}
        """By table and match: the state of a match that is over, until it is looked for; None if another has begun."""
        self._must_look = True
        """Everything is to be looked through."""
        self._changes = 0
        """How often players were changed: what was read before may have a name that it must not have."""
        self._players: object = None
        self._players_due_s = 0.0
        self._answered_s = 0.0
        self._is_failing = False
        self._missed = 0
        """How often in a row not all of the journals could be read."""
        self._retry_s = inf
        self._random = Random()
        self._reasons: set[str] = set()
        """For which the league has refused a match; each is logged once."""
        self._connection = 0
        self._heard_results: dict[str, Said] = {}
        """What the league has heard of the results of each tournament, in this run."""
        self._news = asyncio.Event()
        link.follow("league_taken", self._receive_taken, bridge=bridge)
        if bridge_id is not None:
            link.follow("league_heard", self._receive_heard, bridge=bridge)
        for table in tables.values():
            table.subscribe(self)

    def publish(self, update: Update) -> None:
        """Notes that a match is over, or goes on after its end."""
        state = update.state
        if state is None or state.match is None or (state.ref is UNSET and self._bridge_id is None):
            return
        last, self._current[update.table] = self._current[update.table], state.match
        if last != state.match and self._bridge_id is not None:  # it is stopped, where it was not over
            self._ended.setdefault((update.table, last), None)
            self._news.set()
        if state.phase == "over":
            self._ended[update.table, state.match] = state
            self._news.set()
        else:
            for by in _WINDOWS:
                self._queues[by].pop((state.match, by), None)
                self._way.remove((state.match, by))
            self._ended.pop((update.table, state.match), None)

    def say_results(self, tournament: str, line: int, results: tuple[ResultByHand, ...]) -> None:
        """Says what the organiser of a tournament has entered so far, if it is not what the league has heard."""
        if self._bridge_id is None:
            return
        name, of = (tournament, _RESULTS), _name_results(tournament, results)
        said = self._way.get(name) or self._heard_results.get(tournament)
        if said is not None and said.sha256 == of:
            return
        message = LeagueResults(1, self._bridge_id, of, tournament, line, results)
        self._way.add(name, Said("league_results", (message,), None, of))
        self._news.set()

    def notice_change(self) -> None:
        """Has everything looked through again: players were renamed or forgotten, or more is to be sent.

        What was read before is dropped: it may have the name of one who is forgotten.
        """
        if self._bridge_id is None:
            return
        self._changes += 1
        self._must_look = True
        for name, _ in self._way.list_offers("league"):
            self._way.remove(name)
        self._news.set()

    async def run(self) -> None:
        """Offers until cancelled."""
        await self._notes.open()
        while True:
            self._news.clear()
            # First: what changes while it reads is then seen to have changed.
            waits: list[float | None] = [] if self._bridge_id is None else [await self._watch_players()]
            waits += [await self._read_journals(), await self._say(), await self._write()]
            with suppress(TimeoutError):
                async with asyncio.timeout(min((each for each in waits if each is not None), default=None)):
                    await self._news.wait()

    async def close(self) -> None:
        """Writes what was answered last."""
        await self._write(at_once=True)

    async def _write(self, *, at_once: bool = False) -> float | None:
        waiting = {by: len(self._queues[by]) + len(self._way.list_offers(by)) for by in _WINDOWS}
        return await self._notes.write(waiting["league"], is_waiting=any(waiting.values()), at_once=at_once)

    # Reading

    async def _read_journals(self) -> float | None:
        """Finds and reads what is to be offered; returns after how many seconds to try again what failed."""
        if (now_s := asyncio.get_running_loop().time()) >= self._retry_s:
            self._must_look, self._retry_s = True, inf
        try:
            await self._look()
            await self._load()
        except UserError as error:
            if not self._is_failing:
                log.error("results cannot be offered: %s", error)
            self._is_failing = True
            self._note_missed()
        else:
            self._is_failing = False
        return None if self._retry_s == inf else max(self._retry_s - now_s, 0.0)

    def _note_missed(self) -> None:
        """Has everything looked through again after a while: not all of it could be read."""
        if self._retry_s == inf:
            self._missed += 1
            self._retry_s = asyncio.get_running_loop().time() + MISSED.delay_s(self._missed, self._random)

    async def _look(self) -> None:
        """Finds what is to be offered. Raises UserError."""
        while self._must_look:
            await self._look_through()
        for place in await self._notes.settle_doubts():
            self._ended.setdefault(place, None)
        for place, state in [*self._ended.items()]:
            found = await self._reading.find(place)
            if found.is_partial:
                self._note_missed()
            if place in self._ended and self._ended[place] is state:  # else it goes on, or was corrected meanwhile
                del self._ended[place]
                for wanted in found.wanted:
                    if state is not None or wanted.by == "league":
                        self._add(wanted)
                        if wanted.by == "asked":
                            self._put_first(wanted)

    async def _look_through(self) -> None:
        """Finds it in all journals. Raises UserError."""
        self._must_look, changes = False, self._changes  # now: more may be to look for meanwhile
        try:
            await self._notes.catch_up()
            found = await self._reading.find()
        except UserError:
            self._must_look = True
            raise
        if changes == self._changes:
            self._take_all(found)
        if found.is_partial or self._notes.is_behind:
            self._note_missed()
        else:
            self._missed, self._retry_s = 0, inf

    def _take_all(self, found: Found) -> None:
        for queue in self._queues.values():
            queue.clear()
        # Whoever asked for old ones may be gone for good: the latest come first.
        for wanted in (each for each in reversed(found.wanted) if each.by == "asked"):
            self._add(wanted)
        for wanted in (each for each in found.wanted if each.by == "league"):
            self._add(wanted)
        if self._bridge_id is None:
            if not found.wanted and not self._way.list_offers("asked"):
                self._notes.is_needless = True
            return
        for name in self._way.list_names("league_forget"):
            self._way.remove((name, ""))
        for each in self._notes.forgettings:
            forget = LeagueForget(1, self._bridge_id, each.id, each.names, each.at)
            self._way.add((each.id, ""), Said("league_forget", (forget,)))
        self._take_players(found.players, self._bridge_id)
        self._notes.settle_forgotten(found.unforgotten)

    def _take_players(self, players: tuple[PlayerChange, ...], bridge_id: str) -> None:
        sha256 = hashlib.sha256(msgspec.json.encode(players)).hexdigest()
        said = self._way.get(_PLAYERS)
        if sha256 == self._notes.heard or not (players or self._notes.heard):
            self._way.remove(_PLAYERS)
        elif said is None or said.sha256 != sha256:
            self._way.add(
                _PLAYERS, Said("league_players", (LeaguePlayers(1, bridge_id, sha256, players),), None, sha256)
            )

    def _add(self, wanted: Wanted) -> None:
        """Has this offered, unless it is already."""
        said = self._way.get(wanted.key)
        if self._notes.has(wanted) or (said is not None and said.wanted == wanted):
            return
        self._way.remove(wanted.key)
        self._queues[wanted.by][wanted.key] = wanted

    def _put_first(self, wanted: Wanted) -> None:
        """Has this read next, in the place of what was said most often without an answer if there is no room."""
        queue = self._queues[wanted.by]
        if wanted.key not in queue:
            return
        waiting = {wanted.key: wanted} | queue
        queue.clear()
        queue.update(waiting)
        on_way = self._way.list_offers(wanted.by)
        if len(on_way) >= _WINDOWS[wanted.by]:
            name, said = max(on_way, key=lambda each: each[1].times)
            if self._way.remove(name) and said.wanted is not None:
                queue[said.wanted.key] = said.wanted

    async def _load(self) -> None:
        """Reads as many records as there is room for on the way. Raises UserError."""
        if not self._outbox.is_followed:
            return
        for by, most in _WINDOWS.items():
            queue, on_way = self._queues[by], self._way.list_offers(by)
            fresh = sum(said.times < _FRESH for _, said in on_way)
            if queue and len(on_way) < most and fresh <= most // 2:  # several at once: a reading takes a moment
                await self._load_some(queue, [*islice(queue.values(), most - len(on_way))])

    async def _load_some(self, queue: dict[Key, Wanted], chosen: list[Wanted]) -> None:
        for wanted in filter(self._is_ours, chosen):
            del queue[wanted.key]
        changes = self._changes
        for made in await self._reading.read(tuple(each for each in chosen if each.key in queue)):
            key = made.wanted.key
            if changes != self._changes or queue.get(key) != made.wanted:
                continue
            del queue[key]
            if made.trouble:
                log.error("%s: a result cannot be offered: %s", made.wanted.table, made.trouble)
                self._note_missed()
            elif made.known is not None:
                self._notes.add(replace(made.known, stamp=made.wanted.stamp))
            else:
                self._way.add(key, Said("league_offer", made.offers, made.wanted, made.sha256))
        self._news.set()

    def _is_ours(self, wanted: Wanted) -> bool:
        return wanted.by == "asked" and wanted.ref is not None and self._is_own(wanted.ref)

    async def _watch_players(self) -> float:
        """Looks whether another program has changed players or fetched matches; returns when to look again, in s."""
        now_s = asyncio.get_running_loop().time()
        if now_s >= self._players_due_s:
            self._players_due_s = now_s + _PLAYERS_S
            with suppress(UserError):
                stamp = await self._reading.stamp()
                if self._players is not None and self._players != (stamp,):
                    self.notice_change()
                self._players = (stamp,)
        return self._players_due_s - now_s

    # Saying

    async def _say(self) -> float | None:
        """Says what is due; returns after how many seconds more is, None: there is nothing."""
        if not self._outbox.is_followed:
            return _LOOK_S if any(self._queues.values()) or self._way.find_wait_s() is not None else None
        if self._outbox.connections != self._connection:  # who takes it may be there again as well
            self._connection = self._outbox.connections
            self._way.hurry()
        for name, said in self._way.list_due():
            if said.wanted is not None and self._is_ours(said.wanted):
                self._way.remove(name)
                continue
            for message in said.messages:  # one after the other: nothing else waits for a row of them
                if not await self._outbox.deliver(said.kind, message, bridge=self._bridge):
                    return _LOOK_S
                if self._way.get(name) is not said:
                    break
            self._way.note_said(said, AGAIN)
            self._rotate(name, said)
        return self._way.find_wait_s()

    def _rotate(self, name: Key | tuple[str, str], said: Said) -> None:
        """Lets others go first, of whom there are some, if this is not answered; sooner if a league answers others."""
        wanted = said.wanted
        if wanted is None:
            return
        is_answered = wanted.by == "league" and self._answered_s > said.since_s
        if said.times < (_ROTATED if is_answered else _ROTATED_ANYWAY):
            return
        queue = self._queues[wanted.by]
        if queue and self._way.remove(name):
            queue[wanted.key] = wanted
            self._news.set()

    # Answers

    def _receive_taken(self, message: IncomingMessage, _: TopicNames) -> None:
        try:
            taken = msgspec.json.decode(message.payload, type=LeagueTaken)
        except (ValueError, RecursionError):
            return
        by: Taker = "asked" if taken.by is UNSET else "league"
        if by == "league" and self._bridge_id is None:
            return
        if not taken.match:  # who takes is there again
            self._way.hurry(by)
            if taken.again:
                self._say_again(by)
            self._news.set()
            return
        self._note_there(by)
        said = self._way.get((taken.match, by))
        if taken.older_than is not UNSET:
            self._renew((taken.match, by), taken.sha256, taken.older_than)
            return
        if said is None or said.wanted is None or said.sha256 != taken.sha256:
            if by == "league" and taken.answer == "kept":
                self._doubt(taken, said)
            return
        if not self._way.settle((taken.match, by)):
            self._news.set()
            return
        lines = None if taken.lines is UNSET else taken.lines
        reason = "" if taken.reason is UNSET else taken.reason
        wanted = said.wanted
        self._notes.add(Taken(by, wanted.table, wanted.match, wanted.stamp, said.sha256, taken.answer, lines, reason))
        if taken.answer == "not_taken" and reason not in self._reasons:
            self._reasons.add(reason)
            log.warning("%s: the league does not take the match %s: %s", wanted.table, wanted.match, reason)
        self._news.set()

    def _say_again(self, by: Taker) -> None:
        """Has everything said again: who took it has lost it."""
        self._notes.offer_again(by)
        self._must_look = True
        if by != "league":
            return
        if self._notes.heard:
            self._notes.hear(_LOST)
        for tournament, said in self._heard_results.items():
            if self._way.get((tournament, _RESULTS)) is None:
                self._way.add((tournament, _RESULTS), said)
        self._heard_results.clear()

    def _renew(self, name: Key | tuple[str, str], sha256: str, order: int) -> None:
        """Has what is said so said as newer than that order: the clock was set back, or another one came late."""
        said = self._way.get(name)
        if said is not None and said.sha256 == sha256:
            self._way.renew(name, order)
            self._news.set()

    def _doubt(self, taken: LeagueTaken, said: Said | None) -> None:
        """Has the newest record offered once more.

        An older one, maybe with a name that is not to be sent any more, may have come late to another collector.
        """
        if said is not None:
            said.is_doubted = True
        else:
            self._notes.doubt(taken.match, taken.sha256)
            self._news.set()

    def _receive_heard(self, message: IncomingMessage, _: TopicNames) -> None:
        try:
            heard = msgspec.json.decode(message.payload, type=LeagueHeard)
        except (ValueError, RecursionError):
            return
        self._note_there("league")
        players = self._way.get(_PLAYERS)
        results = heard.of.partition("-")[0], _RESULTS
        if self._way.get(results) is not None:
            self._hear_results(results, heard)
        elif heard.older_than is not UNSET:
            self._renew(_PLAYERS, heard.of, heard.older_than)
        elif players is not None and players.sha256 == heard.of:
            if self._way.settle(_PLAYERS):
                self._notes.hear(heard.of)
        elif (found := self._way.get((heard.of, ""))) is not None and found.kind == "league_forget":
            self._way.remove((heard.of, ""))
            matches = 0 if heard.matches is UNSET else heard.matches
            left = "" if heard.left is UNSET else heard.left
            self._notes.note_forgotten(heard.of, matches, left)
            self._must_look = True
            log.info("the league has forgotten a player, in %d matches. %s", matches, left)
        elif len(heard.of) == _SHA256 and heard.of != self._notes.heard:  # older, come late to another collector
            if players is not None:
                players.is_doubted = True
            else:
                self._notes.hear(heard.of)
                self._must_look = True
        self._news.set()

    def _hear_results(self, name: tuple[str, str], heard: LeagueHeard) -> None:
        if heard.older_than is not UNSET:
            self._renew(name, heard.of, heard.older_than)
        elif (said := self._way.get(name)) is not None and said.sha256 == heard.of:
            self._way.remove(name)
            self._heard_results[name[0]] = Said(said.kind, said.messages, sha256=heard.of)

    def _note_there(self, by: Taker) -> None:
        """Notes that the league has answered."""
        if by != "league":
            return
        now_s = asyncio.get_running_loop().time()
        if now_s > self._answered_s + _SILENT_S:
            self._way.hurry("league")
        self._answered_s = now_s
        self._notes.answered_at = datetime.now(UTC).isoformat(timespec="seconds")
