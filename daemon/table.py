"""A table: one board, one match, one journal. Every input goes through its queue, one after the other.

The order is the promise: an input is ruled on, committed to the journal, and only then shown and answered. Inputs that
come faster than the disk are committed together. A table fails alone: a broken rule refuses its input and is reported,
a journal that cannot be written refuses what it could not keep, and neither reaches another table.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from daemon import matches
from daemon.config import TableConfig
from daemon.scorer import Answer, Batch, Scorer
from daemon.snapshot import snapshot
from daemon.store import Store, StoreError
from daemon.takeout import Takeout
from daemon.updates import BoardNews, Events, Outlet, Update
from drivers.session import LinkDown, LinkUp
from engine.match import Match
from protocol import messages
from protocol.codebook import Codebook
from protocol.commands import CommandError
from protocol.debounce import Debounce
from protocol.events import Battery, Button, Event, Garbage, Hit, Miss, Status

log = logging.getLogger("oche.table")

BoardItem = Event | LinkUp | LinkDown
_QUEUE = 4096
_BATCH = 64
"""Inputs that may share one commit."""


class Counts(Struct):
    """What a table has seen since the daemon started."""

    hits: int = 0
    dropped: int = 0
    stray: int = 0
    garbage: int = 0


class _Work(Struct):
    """One thing to do. `reply` is resolved when its effect is on disk."""

    item: BoardItem | dict[str, Any]  # Any: a command's JSON
    source: str
    reply: asyncio.Future[Answer] | None = None


class Table:
    """One table of the daemon; `run` it as a task. Raises StoreError when its journal cannot be read."""

    def __init__(self, config: TableConfig, codebook: Codebook, store: Store, session: str) -> None:
        self.config = config
        self.codebook = codebook
        self.outlets: list[Outlet] = []
        self.counts = Counts()
        info = messages.BoardInfo(codebook.profile.id, config.board, "the board has not been found yet")
        self.board = BoardNews(False, info)
        self._store = store
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"journal {config.name}")
        self._queue: asyncio.Queue[_Work] = asyncio.Queue(_QUEUE)
        self._debounce = Debounce(codebook)
        self._events = Events(session)
        self._takeout = Takeout(takeout_mode(config, codebook), config.takeout_s)
        stored = store.latest()
        opened = matches.resume(stored) if stored else matches.first(config)
        self._is_new = stored is None
        self._scorer = Scorer(config.name, opened, self._events, self._takeout, asyncio.get_running_loop().time)

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
    def backlog(self) -> int:
        """Inputs that are waiting."""
        return self._queue.qsize()

    def state(self) -> messages.State:
        """The snapshot as it is now, numbered."""
        return snapshot(self.match, self._scorer.match_id, session=self._events.session, seq=self._events.number())

    async def feed(self, item: BoardItem) -> None:
        """Something from the board; waits while the queue is full, so that nothing is dropped."""
        await self._queue.put(_Work(item, "board"))

    async def command(self, command: dict[str, Any], source: str) -> Answer:  # Any: JSON
        """A player's command (see protocol.commands); its answer once it is on disk. Raises CommandError."""
        reply: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        try:
            self._queue.put_nowait(_Work(command, source, reply))
        except asyncio.QueueFull:
            raise CommandError("the table has too much to do; try again", "busy") from None
        return await reply

    async def run(self) -> None:
        """Works through the queue until cancelled."""
        self._publish(Update(self.name, board=self.board))
        if self._is_new:
            opening = Batch()
            self._scorer.open(opening)
            await self._commit(opening)
        else:
            self._scorer.resume(self._scorer.opened)
            self._publish(Update(self.name, self.state()))
        while True:
            await self._commit(await self._take())

    async def close(self) -> None:
        """Ends the use of the journal; whatever was accepted is in it."""
        await asyncio.get_running_loop().run_in_executor(self._disk, self._store.close)
        self._disk.shutdown()

    async def _take(self) -> Batch:
        """The next inputs, ruled on."""
        batch = Batch()
        try:
            async with asyncio.timeout_at(self._takeout.due):
                work = await self._queue.get()
        except TimeoutError:
            self._takeout.due = None
            try:
                self._scorer.next(batch, "timer", with_defaults=True)
            except CommandError as error:
                batch.notice = str(error)
            return batch
        self._handle(work, batch)
        while len(batch.written) < _BATCH and not self._queue.empty():
            self._handle(self._queue.get_nowait(), batch)
        return batch

    async def _commit(self, batch: Batch) -> None:
        """Writes, then shows, then answers."""
        if batch.written:
            try:
                await asyncio.get_running_loop().run_in_executor(self._disk, self._store.write, batch.written)
            except StoreError as error:
                await self._roll_back(batch, error)
                return
        state = self.state() if batch.written else None
        self._publish(Update(self.name, state, tuple(batch.events), batch.board, batch.notice))
        for reply, answer in batch.replies:
            _resolve(reply, answer)

    async def _roll_back(self, batch: Batch, error: StoreError) -> None:
        """What could not be written has not happened: back to what the disk knows."""
        log.error("%s: %s", self.name, error)
        try:
            stored = await asyncio.get_running_loop().run_in_executor(self._disk, self._store.latest)
            if stored is not None:
                self._scorer.resume(matches.resume(stored))
        except StoreError as worse:
            log.error("%s: %s", self.name, worse)
        self._publish(Update(self.name, self.state(), notice=f"the last input was not kept: {error}"))
        for reply, _ in batch.replies:
            _resolve(reply, CommandError(str(error), "unavailable"))

    def _publish(self, update: Update) -> None:
        for outlet in self.outlets:
            outlet.publish(update)

    def _handle(self, work: _Work, batch: Batch) -> None:
        answer: Answer | CommandError
        try:
            if isinstance(work.item, dict):
                self._scorer.obey(work.item, work.source, batch)
            else:
                self._notice(work.item, batch)
            answer = {"line": self.match.line, "phase": self.match.position.phase}
        except CommandError as error:
            answer = error
            if work.reply is None:
                batch.notice = str(error)
        if work.reply is not None:
            batch.replies.append((work.reply, answer))

    def _notice(self, item: BoardItem, batch: Batch) -> None:
        """Something from the board."""
        match item:
            case Hit():
                self._hit(item, batch)
            case Miss():
                if self.match.position.phase == "throwing":
                    self._scorer.throw(self.match.layout.miss.id, "board", batch)
            case Button(name=name):
                self._scorer.press(name, batch)
            case Garbage(raw=raw):
                self.counts.garbage += 1
                log.info("%s: bytes that mean nothing: %s", self.name, raw.hex())
            case Battery(percent=percent):
                self._learn(batch, battery=percent)
            case Status(text=text):
                self._learn(batch, firmware=text)
            case LinkUp(address=address):
                self._link(True, f"connected to {address}", batch)
            case LinkDown(reason=reason):
                self._link(False, reason, batch)

    def _hit(self, hit: Hit, batch: Batch) -> None:
        verdict = self._debounce.judge(hit)
        segment_id = hit.segment.id
        if verdict.dropped:
            self.counts.dropped += 1
            if verdict.dropped == "stuck":
                batch.events.append(self._events.event("board_problem", segment=segment_id, problem="stuck"))
                batch.notice = f"{segment_id} seems to be stuck: free the segment"
            return
        self.counts.hits += 1
        batch.events.append(self._events.event("hit", segment=segment_id))
        outcome = self._scorer.throw(segment_id, "board", batch)
        if not outcome.accepted:
            self.counts.stray += 1
            batch.events.append(self._events.event("stray", segment=segment_id))
            batch.notice = f"{segment_id} did not count: {outcome.reason}"

    def _link(self, online: bool, text: str, batch: Batch) -> None:
        if online != self.board.online:
            batch.events.append(self._events.event("board_online" if online else "board_offline"))
        self.board = BoardNews(online, self.board.info)
        self._learn(batch, text=text)
        log.log(logging.INFO if online else logging.WARNING, "%s: board: %s", self.name, text)

    def _learn(self, batch: Batch, **known: object) -> None:
        """Something new about the board itself."""
        self.board = batch.board = self.board._replace(info=replace(self.board.info, **known))


def takeout_mode(config: TableConfig, codebook: Codebook) -> str:
    """button, timer or hits: as configured, else the button where the board has one."""
    has_button = bool({"next", "takeout"} & set(codebook.profile.buttons))
    return config.takeout or ("button" if has_button else "timer")


def _resolve(reply: asyncio.Future[Answer], answer: Answer | CommandError) -> None:
    if reply.done():
        return  # whoever asked has gone
    if isinstance(answer, CommandError):
        reply.set_exception(answer)
    else:
        reply.set_result(answer)
