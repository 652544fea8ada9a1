"""A table: one board, one match, one journal. Every input goes through its queue, one after the other.

The order is the promise: an input is ruled on, committed to the journal, and only then shown and answered. Inputs that
come faster than the disk are committed together. A table fails alone: a broken rule refuses its input and is reported.
While its journal cannot be written it is in trouble: what is shown is what the disk has, every dart is a stray and
every command is refused, loudly, until the recorder can write again. Neither reaches another table.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from daemon import matches, rules
from daemon.backlog import Backlog, Work
from daemon.batch import Answer, Batch
from daemon.recorder import Recorder
from daemon.resumption import Resumption
from daemon.scorer import Scorer
from daemon.sections import TableConfig
from daemon.spotter import BoardItem, Counts, Spotter
from daemon.store import StoreError
from daemon.takeout import Takeout, mode
from daemon.updates import BoardNews, Events, Outlet, Update
from engine.match import Match
from protocol import messages
from protocol.codebook import Codebook
from protocol.commands import CommandError

_BATCH = 64
"""Inputs that may share one commit."""


class Table:
    """One table of the daemon, whose journal is at `path`: `open` it, then `run` it as a task.

    Raises Unreadable when the match of its configuration cannot be played.
    """

    def __init__(self, config: TableConfig, codebook: Codebook, path: Path, session: str) -> None:
        self.config = config
        self.codebook = codebook
        self.outlets: list[Outlet] = []
        self._recorder = Recorder(config.name, path)
        self._backlog = Backlog()
        self._events = Events(session)
        self._has_run = False
        self._takeout = Takeout(mode(config.takeout, codebook.profile.buttons), config.takeout_s)
        opened = matches.first(config, codebook.layout)
        self._scorer = Scorer(opened, self._events, self._takeout, asyncio.get_running_loop().time)
        self._spotter = Spotter(config.name, config.board, codebook, self._scorer, self._events)
        self._resumption = Resumption(config, codebook.layout, self._recorder, self._scorer)
        self._look()

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
        """Our view of its board, and why nothing counts, which displays look for in the same place."""
        online, info = self._spotter.board
        return BoardNews(online, replace(info, trouble=self.trouble or rules.withdrawn(self.match.game)))

    @property
    def whole(self) -> Update:
        """All that is true of it now. While nobody knows what is on disk, a state said by an earlier run stays."""
        state = self._shown if self._resumption.is_begun else None
        return Update(self.name, state, board=self.board, plan=self._scorer.plan)

    @property
    def counts(self) -> Counts:
        """What its board has said."""
        return self._spotter.counts

    @property
    def backlog(self) -> int:
        """Inputs that are waiting."""
        return len(self._backlog)

    @property
    def waiting_s(self) -> float:
        """For how long the oldest input that waits, for its turn or for the disk, has been waiting; 0.0: none does."""
        return self._backlog.waiting_s

    @property
    def trouble(self) -> str | None:
        """Why what is thrown cannot be kept now, in one sentence; None: it can."""
        return self._scorer.trouble

    @property
    def remark(self) -> str | None:
        """What became of its journal or its match since the daemon started, where somebody should look at it."""
        return self._resumption.remark

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
        """Something from the board; waits while too much waits already, so that nothing is dropped."""
        await self._backlog.put(Work(item, "board"))

    def command(self, command: dict[str, Any], source: str) -> asyncio.Future[Answer]:  # Any: JSON
        """A player's command (see protocol.commands); its answer once it is on disk. Raises CommandError."""
        if self.trouble is not None:
            raise CommandError(self.trouble, "unavailable")
        reply: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._backlog.put_at_once(Work(command, source, reply))
        return reply

    def say(self, notice: str) -> None:
        """Tells whoever looks at this table."""
        self._publish(Update(self.name, notice=notice))

    async def open(self) -> None:
        """A look at the journal. Raises Unusable the first time; what may pass by itself is trouble."""
        await self._resumption.begin()
        self._look()

    async def run(self) -> None:
        """Works through what comes until cancelled. Started again after a failure, it goes on from what is on disk."""
        if self._has_run:
            self._backlog.all_done()
            await self.open()
        self._has_run = True
        self._publish(self.whole)
        async with asyncio.TaskGroup() as both:
            both.create_task(self._play())
            both.create_task(self._mend())

    async def close(self) -> None:
        """Ends the use of the journal; whatever was accepted is in it."""
        await self._recorder.close()

    async def _play(self) -> None:
        while True:
            batch = Batch()
            try:
                await self._take(batch)
                await self._commit(batch)
            except Exception:  # nobody expected it: whoever waits is told, and the table starts again from the disk
                batch.refuse(CommandError("the table stopped at this; look, and try again", "unavailable"))
                raise
            self._backlog.done(batch.inputs)

    async def _mend(self) -> None:
        """Goes on by itself when there was trouble."""
        async for notice in self._resumption.changes():
            if self.trouble is None:
                self._look()
            self._publish(self.whole._replace(notice=notice))
            await self._backlog.put(Work(None, "journal"))  # whoever waits for a timer looks at it again

    async def _take(self, batch: Batch) -> None:
        """The next inputs, ruled on."""
        takeout, spotter = self._takeout.due if self.trouble is None else None, self._spotter.due
        try:
            async with asyncio.timeout_at(min((due for due in (takeout, spotter) if due is not None), default=None)):
                work = await self._backlog.take()
        except TimeoutError:
            if spotter is not None and (takeout is None or spotter <= takeout):
                self._spotter.tick(batch)
            elif self.trouble is None:
                self._spotter.settle(batch)
                self._scorer.time_is_up(batch)
            return
        self._handle(work, batch)
        while len(batch.written) < _BATCH and self._backlog:
            self._handle(await self._backlog.take(), batch)

    async def _commit(self, batch: Batch) -> None:
        """Writes, then shows, then answers."""
        if batch.written:
            try:
                await self._recorder.write(batch.written)
            except StoreError as error:
                self._refuse(batch, str(error))
                return
        try:
            state = self._look() if batch.written else None
            board = self.board if batch.board is not None else None
            self._publish(Update(self.name, state, tuple(batch.events), board, batch.notice, batch.plan))
        finally:
            batch.answer()

    def _refuse(self, batch: Batch, trouble: str) -> None:
        """What could not be written has not happened."""
        self._resumption.stop(trouble)
        batch.refuse(CommandError(trouble, "unavailable"))
        notice = f"the last input was not kept: {trouble}"
        self._publish(self.whole._replace(events=self._spotter.refused(batch), notice=notice))

    def _look(self) -> messages.State:
        """Takes the snapshots of the match as it is on disk; private ones where there is something to hide."""
        numbered = partial(replace, session=self._events.session, seq=self._events.number())
        self._hands = [numbered(hand) for hand in self._scorer.seen.hands]
        self._shown = numbered(self._scorer.seen.public)
        if not self._resumption.is_begun:
            self._shown = replace(self._shown, match=None)
        return self._shown

    def _publish(self, update: Update) -> None:
        for outlet in self.outlets:
            outlet.publish(update)

    def _handle(self, work: Work, batch: Batch) -> None:
        answer: Answer | CommandError
        batch.inputs += 1
        if work.item is None:
            return
        try:
            if isinstance(work.item, dict):
                if self.trouble is not None:
                    raise CommandError(self.trouble, "unavailable")
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
