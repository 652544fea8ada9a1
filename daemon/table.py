"""A table: one board, one match, one journal. Every input goes through its queue, one after the other.

The order is the promise: an input is ruled on, committed to the journal, and only then shown and answered. Inputs that
come faster than the disk are committed together. A table fails alone: a broken rule refuses its input and is reported,
a journal that cannot be written refuses what it could not keep, and neither reaches another table.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar, TypeVarTuple

from msgspec import Struct

from daemon import matches
from daemon.batch import Answer, Batch
from daemon.scorer import Scorer
from daemon.sections import TableConfig
from daemon.snapshot import snapshot
from daemon.spotter import BoardItem, Counts, Spotter
from daemon.store import Store, StoreError
from daemon.takeout import Takeout, mode
from daemon.updates import BoardNews, Events, Outlet, Update
from engine.match import Match
from protocol import messages
from protocol.codebook import Codebook
from protocol.commands import CommandError

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

log = logging.getLogger("oche.table")

_QUEUE, _BATCH = 4096, 64
"""Inputs that may wait, and that may share one commit."""
_REREAD_S = 5.0
"""The wait before a journal that could not be read is read again."""


class _Work(Struct):
    """One thing to do. `reply` is resolved when its effect is on disk."""

    item: BoardItem | dict[str, Any]  # Any: a command's JSON
    source: str
    reply: asyncio.Future[Answer] | None = None


class Table:
    """One table of the daemon; `run` it as a task. Raises StoreError when its journal cannot be used."""

    def __init__(self, config: TableConfig, codebook: Codebook, store: Store, session: str) -> None:
        self.config = config
        self.codebook = codebook
        self.outlets: list[Outlet] = []
        self._store = store
        self._queue: asyncio.Queue[_Work] = asyncio.Queue(_QUEUE)
        self._events = Events(session)
        self._trouble: str | None = None  # why the journal cannot be read now
        self._takeout = Takeout(mode(config.takeout, codebook.profile.buttons), config.takeout_s)
        stored, face = store.latest(), codebook.layout
        opened = matches.resume(stored, face, config.doubles) if stored else matches.first(config, face)
        self._scorer = Scorer(config.name, opened, self._events, self._takeout, asyncio.get_running_loop().time)
        if stored is None:
            opening = Batch()
            self._scorer.open(opening)
            store.write(opening.written)
        self._spotter = Spotter(config.name, config.board, codebook, self._scorer, self._events)
        self._look()
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"journal {config.name}")

    @property
    def name(self) -> str:
        """As in topics."""
        return self.config.name

    @property
    def title(self) -> str:
        """As people read it."""
        return self.config.title or self.config.name

    @property
    def match(self) -> Match:
        """The match at hand, to look at."""
        return self._scorer.match

    @property
    def board(self) -> BoardNews:
        """Our view of its board."""
        return self._spotter.board

    @property
    def whole(self) -> Update:
        """All that is true of it now."""
        return Update(self.name, self._shown, board=self.board, plan=self._scorer.plan)

    @property
    def counts(self) -> Counts:
        """What its board has said."""
        return self._spotter.counts

    @property
    def backlog(self) -> int:
        """Inputs that are waiting."""
        return self._queue.qsize()

    def state(self, seat: int | None = None) -> messages.State:
        """The snapshot that was published last, as this seat may see it; what is not on disk yet is not in it."""
        return self._hands[seat] if seat is not None and seat < len(self._hands) else self._shown

    @property
    def hands(self) -> list[messages.State]:
        """The same as every seat may see it; empty where there is nothing to hide."""
        return self._hands

    @property
    def match_id(self) -> str:
        """What the match at hand is called."""
        return self._scorer.match_id

    async def feed(self, item: BoardItem) -> None:
        """Something from the board; waits while the queue is full, so that nothing is dropped."""
        await self._queue.put(_Work(item, "board"))

    def command(self, command: dict[str, Any], source: str) -> asyncio.Future[Answer]:  # Any: JSON
        """A player's command (see protocol.commands); its answer once it is on disk. Raises CommandError."""
        if self._trouble is not None:
            raise CommandError(self._trouble, "unavailable")
        if self._queue.full():
            raise CommandError("the table has too much to do; try again", "busy")
        reply: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Work(command, source, reply))
        return reply

    def say(self, notice: str) -> None:
        """Tells whoever looks at this table."""
        self._publish(Update(self.name, notice=notice))

    async def run(self) -> None:
        """Works through the queue until cancelled. Started again after a failure, it goes on from what is on disk."""
        await self._reload()
        self._publish(self.whole)
        while True:
            await self._commit(await self._take())

    async def close(self) -> None:
        """Ends the use of the journal; whatever was accepted is in it."""
        await self._on_disk(self._store.close)
        self._disk.shutdown()

    async def _take(self) -> Batch:
        """The next inputs, ruled on."""
        batch = Batch()
        takeout, spotter = self._takeout.due, self._spotter.due
        try:
            async with asyncio.timeout_at(min((due for due in (takeout, spotter) if due is not None), default=None)):
                work = await self._queue.get()
        except TimeoutError:
            if spotter is not None and (takeout is None or spotter <= takeout):
                self._spotter.tick(batch)
            else:
                self._spotter.settle(batch)
                self._scorer.time_is_up(batch)
            return batch
        self._handle(work, batch)
        while len(batch.written) < _BATCH and not self._queue.empty():
            self._handle(self._queue.get_nowait(), batch)
        return batch

    async def _commit(self, batch: Batch) -> None:
        """Writes, then shows, then answers."""
        if batch.written:
            try:
                await self._on_disk(self._store.write, batch.written)
            except StoreError as error:
                await self._roll_back(batch, error)
                return
        try:
            state = self._look() if batch.written else None
            self._publish(Update(self.name, state, tuple(batch.events), batch.board, batch.notice, batch.plan))
        finally:
            for reply, answer in batch.replies:
                _resolve(reply, answer)

    async def _roll_back(self, batch: Batch, error: StoreError) -> None:
        """What could not be written has not happened."""
        log.error("%s: %s", self.name, error)
        for reply, _ in batch.replies:
            _resolve(reply, CommandError(str(error), "unavailable"))
        await self._reload()
        self._publish(self.whole._replace(notice=f"the last input was not kept: {error}"))

    async def _reload(self) -> None:
        """Back to what the disk knows, however long it takes to read it."""
        while True:
            try:
                stored = await self._on_disk(self._store.latest)
                if stored is None:
                    raise StoreError(f"the journal of the table {self.name} was emptied: start oche again")
                self._scorer.resume(matches.resume(stored, self.codebook.layout))
                self._trouble = None
                break
            except StoreError as error:
                self._trouble = str(error)
                log.error("%s: %s", self.name, error)
                await asyncio.sleep(_REREAD_S)
        self._look()

    async def _on_disk(self, work: Callable[[*Ts], T], *args: *Ts) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._disk, work, *args)

    def _look(self) -> messages.State:
        """Takes the snapshots of the match as it is on disk; private ones where there is something to hide."""
        match, session = self.match, self._events.session
        seen_by = partial(snapshot, match, self.match_id, session=session, seq=self._events.number())
        hidden = match.game.has_secrets(match.options)
        self._hands = [seen_by(seat=seat) for seat in range(len(match.seating.players))] if hidden else []
        self._shown = seen_by(seat=None)
        return self._shown

    def _publish(self, update: Update) -> None:
        for outlet in self.outlets:
            outlet.publish(update)

    def _handle(self, work: _Work, batch: Batch) -> None:
        answer: Answer | CommandError
        try:
            if isinstance(work.item, dict):
                self._spotter.settle(batch)
                self._scorer.obey(work.item, work.source, batch)
            else:
                self._spotter.notice(work.item, batch)
            answer = {"line": self.match.line, "phase": self.match.position.phase}
        except CommandError as error:
            answer = error
            if work.reply is None:
                batch.notice = str(error)
        if work.reply is not None:
            batch.replies.append((work.reply, answer))


def _resolve(reply: asyncio.Future[Answer], answer: Answer | CommandError) -> None:
    if reply.done():
        return  # whoever asked has gone
    if isinstance(answer, CommandError):
        reply.set_exception(answer)
    else:
        reply.set_result(answer)
