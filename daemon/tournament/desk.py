"""The desk of the tournaments of this daemon: makes them, takes what is done in them, calls matches, takes results.

What is done is accepted by the journal of its tournament, then on the disk, and only then answered and shown. A task of
its own does what follows by itself: it takes what tables say, calls matches, offers them at their tables, and tells
those who listen what changed. It wakes up only for news, and while a match waits for something that time brings.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from daemon.journal.errors import StoreError
from daemon.rules import Guard
from daemon.service.supervisor import keep_running
from daemon.tournament.asking import ask_table
from daemon.tournament.calls import Offer, Offers, choose_offers, find_elsewhere, find_free, look_at_tables, plays_else
from daemon.tournament.checks import check_spec
from daemon.tournament.missed import find_matches
from daemon.tournament.open_tournament import OpenTournament
from daemon.tournament.rating import ReadStrengths, rate
from daemon.tournament.ref import read_ref
from daemon.tournament.store import Kept, TournamentStore
from daemon.tournament.tables import TableMatch, TableState, TournamentTables
from engine.tournament.dispatch import choose_calls, order_next, propose_writer
from engine.tournament.draws import propose_draw
from engine.tournament.journal import TournamentJournal, replay
from engine.tournament.view import check_seen
from protocol.commands import CommandError, IllegalInput, refuse
from protocol.match_spec import Unreadable
from protocol.segment import Layout
from protocol.sentence import say
from protocol.tournament import (
    EMPTY,
    By,
    Call,
    Enter,
    FoundTable,
    Input,
    Line,
    Redo,
    Seen,
    TournamentSpec,
    TournamentView,
    Undo,
)

T = TypeVar("T")

log = logging.getLogger("oche.tournament")

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_LOOK_S = 15.0
"""While matches are played or wait, it is looked so often at what time alone brings: a rest that is over."""


class Desk:
    """The tournaments in this folder. Nothing is read before `start`.

    `layouts` are those of the boards of this daemon's tables, by table. Everything that takes the id of a tournament
    raises CommandError for one that is not there.
    """

    def __init__(
        self,
        folder: Path,
        tables: Iterable[TournamentTables],
        layouts: Mapping[str, Layout],
        guard: Guard,
        read_strengths: ReadStrengths,
        read_time_s: Callable[[], float] = time.time,
    ) -> None:
        self._folder = folder
        self._store = TournamentStore(folder)
        self._layouts = layouts
        self._guard = guard
        self._read_strengths = read_strengths
        self._read_time_s = read_time_s
        self._tables: list[TournamentTables] = []
        self._kept: dict[str, Kept] = {}
        self._open: dict[str, OpenTournament] = {}
        self._starting = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None
        self._loading = asyncio.Lock()
        self._restoring = asyncio.Lock()
        self._wake = asyncio.Event()
        self._news: dict[tuple[str, str], TableMatch] = {}
        """What tables have said and is not in a journal yet, by table and record, in the order in which it came."""
        self._offers = Offers()
        self._offering: dict[str, asyncio.Task[None]] = {}
        """What is being asked of tables, one thing of each."""
        self._listeners: list[Callable[[TournamentView], None]] = []
        self._told: dict[str, int] = {}
        """Which version of each tournament the listeners know."""
        self._warned: set[str] = set()
        self._work: set[asyncio.Task[object]] = set()
        for each in tables:
            self.add_tables(each)

    async def start(self) -> None:
        """Reads which tournaments there are, takes what was not heard of those that run, and runs from then on.

        Does nothing once it runs. Raises StoreError.
        """
        async with self._starting:
            if self._running is None:
                await self._read()
                self._running = asyncio.create_task(keep_running("the desk of the tournaments", self._run))

    def add_tables(self, tables: TournamentTables) -> None:
        """Matches can be played at these as well from now on."""
        self._tables.append(tables)
        tables.listen(self._take_news)
        self._wake.set()

    def subscribe(self, listener: Callable[[TournamentView], None]) -> None:
        """Calls this with the view of each tournament that changes from now on, and once with each that runs."""
        self._listeners.append(listener)
        self._told.clear()
        self._wake.set()

    @property
    def titles(self) -> dict[str, str]:
        """What each table is called that matches can be played at, by its name."""
        return {name: title for tables in self._tables for name, title in tables.titles.items()}

    def list_found(self, found: OpenTournament) -> list[FoundTable]:
        """The tables that this tournament can still be given; see `TournamentTables.list_found`."""
        used = {each.name for each in found.tournament.tables}
        return [each for tables in self._tables for each in tables.list_found() if each.name not in used]

    def look(self, table: str) -> TableState:
        """How this table is now; away, where there is none of this name."""
        found = self._find_tables(table)
        return TableState(is_away=True) if found is None else found.look(table)

    def owns(self, ref: str) -> bool:
        """Whether a match with this ref belongs to a tournament of this desk."""
        found = read_ref(ref)
        return found is not None and found.tournament in self._kept

    def is_entered(self, table: str, record: str) -> bool:
        """Whether nothing is left to write of what this table has said of its match of this id."""
        return (table, record) not in self._news

    def list_since(self, at_s: float) -> set[str]:
        """The ids of those that go on, or ended since then (Unix time)."""
        return {name for name, kept in self._kept.items() if kept.ended_s is None or kept.ended_s >= at_s}

    async def list(self) -> list[OpenTournament]:
        """All tournaments that can be read, the latest first."""
        found = []
        for name in [*self._kept]:
            with suppress(CommandError):
                found.append(await self.find(name))
        return found

    async def find(self, tournament: str) -> OpenTournament:
        """The tournament of this id. Raises CommandError."""
        kept = self._kept.get(tournament)
        if kept is None:
            raise CommandError(say("tournament.unknown", "there is no such tournament on this machine"), "unknown")
        async with self._loading:
            if tournament not in self._open:
                try:
                    lines = await self._store.read_lines(tournament)
                    # Thousands of lines take seconds: beside the event loop, for tables play on meanwhile.
                    self._open[tournament] = await asyncio.to_thread(OpenTournament, kept, lines)
                except (StoreError, IllegalInput) as error:
                    said = say(
                        "tournament.unreadable",
                        "the tournament {name} cannot be read: {why}",
                        name=kept.spec.name,
                        why=error.said,
                    )
                    raise CommandError(said, "unavailable") from None
                self._wake.set()  # it is told to those who listen
            return self._open[tournament]

    async def make(self, spec: TournamentSpec) -> str:
        """Makes a tournament; returns its id. Raises CommandError for one that cannot be played or written."""
        name = "".join(secrets.choice(_LETTERS) for _ in range(8))
        await self.restore(name, self._now_s, replace(spec, seed=spec.seed or secrets.token_hex(8)), ())
        return name

    async def restore(self, tournament: str, made_s: int, spec: TournamentSpec, lines: Sequence[Line]) -> None:
        """Goes on with a tournament from these lines. One that is here gets those that it lacks, and loses none.

        Raises IllegalInput, and CommandError: it cannot be played or written, or the one here went on differently.
        """
        if read_ref(f"{tournament}/final-1/1") is None:
            raise CommandError(say("tournament.no_id", "{id} is not the id of a tournament", id=tournament), "invalid")
        async with self._restoring:  # who sends a file twice must not take back what was done in between
            if tournament in self._kept:
                found = await self.find(tournament)
                await self._complete(self._extend(found, spec, lines))
            else:
                check_spec(spec, self._guard)
                kept = Kept(tournament, made_s, spec, None)
                found = await asyncio.to_thread(OpenTournament, kept, [*lines])
                await self._complete(self._make(found))
        if lines:
            for tables in self._tables:
                tables.ask_again()
            await self._take_missed([found])

    async def do(self, tournament: str, given: Input, by: By, seen: Seen | None = None) -> Line:
        """Does this; returns its line once it is on the disk. Raises IllegalInput, and CommandError if it fails.

        With `seen` it is refused if its match stands otherwise by now. It is completed also when the caller gives up.
        """
        found = await self.find(tournament)
        if isinstance(given, Call) and given.table is not None:
            if found.tournament.play(given.match).is_thrown:
                self._check_free(found.make_ref(given.match), given.table)
            if given.writer == EMPTY:
                elsewhere = find_elsewhere(found, self._open.values(), self._now_s)
                writer = propose_writer(found.tournament, given.match, self._now_s, elsewhere)
                given = replace(given, writer=writer)
        return await self._complete(self._do(found, given, by, seen))

    async def propose(self, tournament: str) -> Input | None:
        """The draw that comes next, made by luck or by seeds as the tournament says; None: none is to be made now.

        Raises IllegalInput where too few have entered for it.
        """
        found = await self.find(tournament)
        return await asyncio.to_thread(propose_draw, found.tournament, secrets.token_hex(8))

    async def reload(self) -> None:
        """Reads all that is open once more: names were overwritten on the disk. Raises StoreError.

        Matches that wait at tables are planned there by the new names.
        """
        self._kept = {kept.id: kept for kept in await self._store.list_kept()}
        for found in [*self._open.values()]:
            async with found.writing:
                before = found.list_headers()
                found.restore(await self._store.read_lines(found.id))
            for header in found.list_headers():
                if header not in before and header.ref is not None:
                    self._offers.renew(header.ref)
        self._wake.set()

    async def close(self) -> None:
        """Ends its task, completes what is being written, and closes the file."""
        ended = [*self._offering.values(), *([] if self._running is None else [self._running])]
        for task in ended:
            task.cancel()
        if waited := [*ended, *self._work]:
            await asyncio.wait(waited)
        await self._store.close()

    @property
    def _now_s(self) -> int:
        return int(self._read_time_s())

    async def _read(self) -> None:
        """Raises StoreError."""
        self._kept = {kept.id: kept for kept in await self._store.list_kept()}
        for kept in reversed(self._kept.values()):  # the oldest first
            if kept.ended_s is None:
                try:
                    await self.find(kept.id)
                except CommandError as error:
                    log.error("%s", error)
        await self._take_missed([*self._open.values()])
        self._ask_tables()

    def _ask_tables(self) -> None:
        """Takes what is at each table now."""
        for name in self.titles:
            self._take_news(name, self.look(name).match)

    async def _take_missed(self, found: Sequence[OpenTournament]) -> None:
        """Takes the results of these that the journals of our tables have, and they have not."""
        if not found:
            return
        since_s = min(each.kept.made_s for each in found)
        known = {record for each in found for record in each.known_records}
        find = partial(find_matches, self._folder, self._layouts, since_s, known, self._guard)
        for table, match in await asyncio.to_thread(lambda: [*find()]):
            self._take_news(table, match)

    async def _run(self) -> None:
        """Does what follows by itself, until cancelled."""
        while True:
            self._wake.clear()
            is_waiting = await self._follow()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S if is_waiting else None):
                    await self._wake.wait()

    async def _follow(self) -> bool:
        """Does what follows now. Returns whether time alone may bring more."""
        is_waiting = not await self._enter_news()
        running = [each for each in self._open.values() if each.tournament.phase == "playing"]
        for found in running:
            await self._call(found)
        is_waiting |= self._offer()
        for found in [*self._open.values()]:
            if not found.is_over:
                self._look_at_tables(found)
            self._tell(found)
        for found in [each for each in self._open.values() if not each.is_over]:
            await found.foresee(self._now_s)
            self._tell(found)
        return is_waiting or bool(running)

    def _take_news(self, table: str, match: TableMatch | None) -> None:
        """Keeps what a table says of a match of ours, until it is in the journal: of each match the latest."""
        if not self._kept:
            return
        ref = None if match is None else read_ref(match.header.ref)
        if match is not None and ref is not None and ref.tournament in self._kept:
            self._news[table, match.record] = match
        self._wake.set()

    async def _enter_news(self) -> bool:
        """Writes what tables have said. Returns False if some of it is left, because it could not be written now."""
        for key, match in [*self._news.items()]:
            ref = read_ref(match.header.ref)
            assert ref is not None, "other news are not kept"
            try:
                found = await self.find(ref.tournament)
                while (given := found.read_news(ref, key[0], match)) is not None:
                    await self._complete(self._do(found, given, "table"))
            except IllegalInput as error:
                self._warn(f"{key[0]}: the match {ref} does not count: {error}")
            except CommandError as error:
                self._warn(f"{key[0]}: the match {ref} is not entered yet: {error}")
                continue
            if self._news.get(key) is match:  # else more was said meanwhile
                del self._news[key]
            else:
                self._wake.set()
        return not self._news

    async def _call(self, found: OpenTournament) -> None:
        """Calls the matches that go to a free table by themselves."""
        if not found.tournament.auto:
            return
        free = find_free(found, self._open.values(), self.look, self._now_s)
        elsewhere = find_elsewhere(found, self._open.values(), self._now_s)
        for call in choose_calls(found.tournament, self._now_s, free, elsewhere) if free else ():
            try:
                await self._complete(self._do(found, call, "desk"))
            except (IllegalInput, CommandError) as error:
                self._warn(f"{found.kept.spec.name}: the match {call.match} cannot be called: {error}")

    def _offer(self) -> bool:
        """Plans the matches that are called at their tables, and withdraws others. Returns whether some is left.

        A table that does not answer keeps no other waiting.
        """
        idle = [name for name in self.titles if name not in self._offering]
        ended = {name for name, kept in self._kept.items() if kept.ended_s is not None}
        offers = choose_offers(self._open, ended, idle, self.look, self._offers, time.monotonic())
        for offer in offers.made:
            self._offering[offer.table] = asyncio.create_task(self._make_offer(offer))
        return offers.is_waiting

    async def _make_offer(self, offer: Offer) -> None:
        try:
            await ask_table(offer, self._find_tables, self._warn)
        except (CommandError, Unreadable) as error:
            is_unheard = isinstance(error, CommandError) and error.code == "unavailable"
            wait_s = self._offers.note_failed(offer, time.monotonic(), is_unheard=is_unheard)
            asyncio.get_running_loop().call_later(wait_s, self._wake.set)
            self._warn(f"{offer.table}: the next match cannot be planned: {error}")
        finally:
            del self._offering[offer.table]
            self._wake.set()

    def _look_at_tables(self, found: OpenTournament) -> None:
        """Has the view show how the tables are, and which matches should be called next."""
        now = look_at_tables(found, self.titles, self.look), order_next(found.tournament, self._now_s)
        if now != (found.tables, found.next):
            found.tables, found.next = now
            found.note_change()

    def _tell(self, found: OpenTournament) -> None:
        if self._told.get(found.id) != found.version:
            self._told[found.id] = found.version
            for listener in self._listeners:
                listener(found.view)

    def _warn(self, sentence: str) -> None:
        """Logs this, once however often it is tried again."""
        if sentence not in self._warned:
            self._warned.add(sentence)
            log.warning("%s", sentence)

    def _find_tables(self, table: str) -> TournamentTables | None:
        return next((tables for tables in self._tables if table in tables.titles), None)

    async def _make(self, made: OpenTournament) -> None:
        """Raises CommandError."""
        async with self._loading:
            await self._write_all(made, made.journal)
            self._kept = {made.id: made.kept} | self._kept
            self._open[made.id] = made
        self._wake.set()

    async def _extend(self, found: OpenTournament, spec: TournamentSpec, lines: Sequence[Line]) -> None:
        """Raises CommandError."""
        async with found.writing:
            if not found.is_same(spec, lines):
                said = say(
                    "tournament.is_other", "this tournament is here already, and it is not the same as in the file"
                )
                raise CommandError(said, "illegal")
            if len(lines) <= len(found.journal.lines):
                return
            await self._write_all(found, replay(spec, [*lines]))
            self._kept[found.id] = found.kept
            found.restore([*lines])
        self._wake.set()

    async def _write_all(self, found: OpenTournament, journal: TournamentJournal) -> None:
        """Raises CommandError."""
        kept = found.kept._replace(ended_s=journal.ended_s)
        try:
            await self._store.make(kept, journal.lines)
        except StoreError as error:
            raise CommandError(error.said, "unavailable") from None
        found.kept = kept

    async def _do(self, found: OpenTournament, given: Input, by: By, seen: Seen | None = None) -> Line:
        if isinstance(given, Enter) and given.average is None and found.kept.spec.seeding in ("average", "rating"):
            given = await rate(given, found.kept.spec, self._read_strengths)
        async with found.writing:
            if seen is not None:
                check_seen(found.tournament, given, seen)
            before = [*found.journal.lines]
            line = found.apply(self._now_s, by, given)
            try:
                await self._store.add(found.id, line, found.journal.ended_s)
            except StoreError as error:
                found.restore(before)
                raise CommandError(error.said, "unavailable") from None
            self._kept[found.id] = found.kept = found.kept._replace(ended_s=found.journal.ended_s)
            found.note_change()
        if isinstance(given, Call) and (played := found.find_played(given.match)) is not None:
            with suppress(IllegalInput):
                await self._do(found, played, "table")
        if isinstance(given, Undo | Redo):
            self._ask_tables()  # what counted nowhere while a call was undone may count now
        self._wake.set()
        return line

    def _check_free(self, ref: str, table: str) -> None:
        """Raises IllegalInput where others play at the table to which a match that has begun moves: it would wait."""
        if plays_else(ref, self.look(table)):
            raise refuse(
                "tournament.table_busy",
                "table {name} plays something else: move the match once people there have ended, or to another table",
                name=self.titles.get(table, table),
            )

    async def _complete(self, work: Coroutine[None, None, T]) -> T:
        """Waits for this; it goes on when the caller gives up."""
        task = asyncio.create_task(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return await asyncio.shield(task)
