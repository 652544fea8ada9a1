"""A table: one board, one match, one journal. Every input goes through its queue, one after the other.

The order is guaranteed: an input is scored, committed to the journal, and only then shown and answered. Inputs that
come faster than the disk are committed together. A table fails alone: a broken rule refuses its input and is reported.
While its journal cannot be written it is in trouble: what is shown is what the disk has, every dart is a stray and
every command is refused, loudly, until the journal can be written again. Neither reaches another table.

What an input means is the scorer's (daemon/table/scorer.py), which is pure; here are the queue, the clock, the journal
and the outlets.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from traceback import walk_tb

from msgspec import Struct
from msgspec.structs import replace

from daemon.config.sections import TableConfig
from daemon.journal.errors import StoreError
from daemon.journal.lines import RewriteHeader
from daemon.journal.writer import JournalWriter
from daemon.rules import Guard
from daemon.table import matches
from daemon.table.committed import Committed, Earned, make_awards, read_committed
from daemon.table.effects import BoardNews, Effects, Outlet, TableAway, Update
from daemon.table.journal_recovery import JournalRecovery
from daemon.table.match_result import make_result
from daemon.table.scorer import Checkpoint, Scorer
from daemon.table.scoresheet import Sender, merge
from drivers.rate_limit import Rate, RateLimits
from drivers.session import now_ns
from engine.games import ROUTINES, Routines
from engine.match import Match
from protocol import messages
from protocol.codebook import Codebook
from protocol.commands import ChangePlan, Command, CommandError, Start
from protocol.events import BoardEvent, BoardItem, Garbage, LinkDown, LinkUp, name_doubts
from protocol.player_names import NO_ALIASES, Aliases
from protocol.sentence import Sentence, say

log = logging.getLogger("oche.table")

BUSY = say("refused.busy", "the table is overloaded: try again")
_BATCH = 4
"""Inputs that may share one commit; they are scored in one turn of the event loop."""
_MOST_WAITING = 4096
_NAMES_S = 2
"""A new match does not wait longer for the names of players."""
_COMMANDS = Rate(burst=500, per_s=20)
"""Commands of one client: more than people give with all their fingers, and a journal grows slowly of them."""
_MOST_CLIENTS = 200
"""Clients that have a share of their own; those beyond, while so many give commands, have one together."""


class Work(Struct):
    """One thing to do, and when it came (monotonic, ns); an `item` of None: only look at the clock again.

    `sender` and `at` belong to a command (see daemon/table/scorer.py); `reply` is resolved when its effect is on disk.
    """

    item: BoardItem | Command | TableAway | None
    time_ns: int
    sender: Sender = "board"
    at: int | None = None
    reply: asyncio.Future[messages.Answer] | None = None


class Backlog:
    """The inputs that wait at a table: bounded, so that a disk that stands still cannot fill the memory."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Work] = asyncio.Queue(_MOST_WAITING)
        self._since: deque[tuple[float, Work]] = deque()
        """The inputs that are not done with, and when each came, by the clock of the event loop."""

    def __len__(self) -> int:
        """How many inputs wait."""
        return self._queue.qsize()

    @property
    def waiting_s(self) -> float:
        """How long the oldest input that is not done with has been waiting; 0.0 when all are done."""
        return asyncio.get_running_loop().time() - self._since[0][0] if self._since else 0.0

    async def put(self, work: Work) -> None:
        """Adds an input; waits while the backlog is full, so that nothing is dropped."""
        await self._queue.put(work)
        self._since.append((asyncio.get_running_loop().time(), work))

    def put_at_once(self, work: Work) -> None:
        """Adds an input. Raises CommandError while the backlog is full."""
        try:
            self._queue.put_nowait(work)
        except asyncio.QueueFull:
            raise CommandError(BUSY, "busy") from None
        self._since.append((asyncio.get_running_loop().time(), work))

    async def take(self) -> Work:
        """Waits for the oldest input and removes it."""
        return await self._queue.get()

    def next_asks_for_match(self) -> bool:
        """Whether the next input that waits is about a new match; one waits."""
        return _asks_for_match(self._since[-len(self)][1])

    def done(self, count: int) -> None:
        """Notes that the oldest `count` of the inputs taken are done with."""
        for _ in range(count):
            self._since.popleft()

    def all_done(self) -> None:
        """Notes that all inputs taken are done with."""
        self.done(len(self._since) - self._queue.qsize())


class Table:
    """One table of the daemon, whose journal is at `path`: `open` it, then `run` it as a task.

    All tables of a daemon have one `guard` of the rules.
    `aliases` are the names that players have had, by which one person is known in a new match. They are brought up
    to date by `refresh`, in a thread, before one is begun or planned. `routines` can be started by name. `file` is that
    of the configuration, if there is one. Raises Unreadable when the match of its configuration cannot be played.
    """

    def __init__(
        self,
        config: TableConfig,
        codebook: Codebook,
        path: Path,
        run_id: str,
        guard: Guard,
        aliases: Aliases = NO_ALIASES,
        refresh: Callable[[], object] | None = None,
        routines: Routines = ROUTINES,
        file: Path | None = None,
    ) -> None:
        self.config = config
        self.name = config.name
        """As in topics."""
        self.codebook = codebook
        self.outlets: list[Outlet] = []
        """Those that receive every update, in this order; one that fails costs the others nothing."""
        self._failures = set[object]()
        """The kinds of failures of outlets that are logged."""
        self.guard = guard
        self.run_id = run_id
        """That of the daemon's run, which states and events carry as `session`."""
        self._seq = 0
        self._writer = JournalWriter(config.name, path)
        self.backlog = Backlog()
        self._commands = RateLimits(_COMMANDS, _MOST_CLIENTS)
        self._refresh = refresh
        self._reading: asyncio.Future[object] | None = None
        self._has_run = False
        self._scoring = asyncio.Lock()
        draw = secrets.token_hex
        opened = matches.begin_first(config, codebook.layout, draw, guard, aliases, routines)
        self.scorer = Scorer(opened, config, codebook, draw, guard)
        known = aliases, routines, file
        self.recovery = JournalRecovery(config, codebook.layout, self._writer, self.scorer, guard, *known)
        self._shown_withdrawal: str | None = None
        """Why the rules of the current match are withdrawn, as it was published last."""
        self.committed = self._read_committed()
        """What everything outside reads of the match and of the plan; the scorer may be ahead of the disk."""

    @property
    def title(self) -> str:
        """The name as people read it."""
        return self.config.title or self.config.name

    @property
    def match(self) -> Match:
        """The current match as the disk has it, to be read only: another one after each commit."""
        return self.committed.match

    @property
    def board(self) -> BoardNews:
        """Our view of its board, and why nothing counts, which displays look for in the same place."""
        news = self.scorer.status.at(now_ns())
        trouble = self.trouble or self.guard.find_withdrawal_reason(self.match.game)
        return news._replace(info=replace(news.info, trouble=trouble and str(trouble)), trouble=trouble)

    @property
    def everything(self) -> Update:
        """All there is to publish now. Of the match nothing until the journal was read: what was published stays."""
        if not self.recovery.is_match_stored:
            return Update(self.name, board=self.board)
        return Update(self.name, self.committed.public, board=self.board, plan=self.committed.plan)

    @property
    def trouble(self) -> str | Sentence | None:
        """Why nothing can be written to the journal now, in one sentence; None when it can."""
        return self.recovery.trouble

    def state(self, seat: int | None = None) -> messages.State:
        """The snapshot that was published last, as this seat may see it; what is not on disk yet is not in it."""
        _, _, public, hands, _ = self.committed
        return hands[seat] if seat is not None and seat < len(hands) else public

    @property
    def match_id(self) -> str:
        """The id of the current match."""
        return self.committed.match_id

    async def feed(self, item: BoardItem) -> None:
        """Queues an event of the board; waits while the backlog is full, so that nothing is dropped."""
        await self.backlog.put(Work(item, item.time_ns))

    def command(
        self, command: Command, sender: Sender, at: int | None = None, client: str = ""
    ) -> asyncio.Future[messages.Answer]:
        """Queues a command, as for Scorer.obey; returns its answer once its lines are on disk. Raises CommandError.

        It is refused as "busy" when so many come of this client that no person gives them.
        """
        if self.trouble is not None:
            raise CommandError(self.trouble, "unavailable")
        if sender != "bot" and not self._commands.take(client, now_ns()):
            raise CommandError(
                say(
                    "refused.too_fast",
                    "too many commands: wait a few seconds, and try again",
                ),
                "busy",
            )
        reply: asyncio.Future[messages.Answer] = asyncio.get_running_loop().create_future()
        self.backlog.put_at_once(Work(command, now_ns(), sender, at, reply))
        return reply

    def wake(self, item: TableAway | None = None) -> None:
        """Has the table look at its clock again, after what the link to another table has brought."""
        with suppress(CommandError):  # with so much to do it looks all the time
            self.backlog.put_at_once(Work(item, now_ns()))

    def subscribe(self, outlet: Outlet) -> None:
        """Sends this outlet every update from now on, after the outlets there already."""
        self.outlets.append(outlet)

    def notify(self, notice: str | Sentence) -> None:
        """Publishes this sentence for the people at the table."""
        self._publish(Update(self.name, notice=notice))

    def is_hurried_by(self, client: str) -> bool:
        """More commands of this client have come lately than people give."""
        return not self._commands.is_rested(client, now_ns())

    async def open(self) -> None:
        """Opens the journal and resumes its match. Raises Unusable on first use; a passing error sets `trouble`."""
        if await self.recovery.open():
            self.committed = self._read_committed()

    async def run(self) -> None:
        """Scores inputs until cancelled. Started again after a failure, it goes on from what is on disk."""
        if self._has_run:
            self.backlog.all_done()
            await self.open()
        self._has_run = True
        self._publish(self.everything._replace(notice=self.recovery.remark))
        async with asyncio.TaskGroup() as both:
            both.create_task(self._work())
            both.create_task(self._recover())

    async def close(self) -> None:
        """Closes the journal. All that was accepted is in it."""
        await self._writer.close()

    async def _work(self) -> None:
        while True:
            taken = await self._take()
            try:
                if any(map(_asks_for_match, taken)):
                    await self._refresh_names()
                async with self._scoring:
                    await self._do(taken)
            except BaseException:  # not foreseen, or cancelled: who waits is told; the table starts again from the disk
                said = say("refused.table_stopped", "the table stopped at this input: check the score, and try again")
                _answer(taken, [CommandError(said, "unavailable")] * len(taken))
                raise
            self.backlog.done(len(taken))
            await asyncio.sleep(0)  # the other tables have their turn also when nothing was to be written

    async def _do(self, taken: list[Work]) -> None:
        """Scores these inputs, and more that have come by now, commits and shows what follows, and answers."""
        scored = list[Effects]()
        checkpoint = self.scorer.checkpoint()
        scored += [self._score(work) for work in taken] or [self.scorer.tick(now_ns())]
        while taken and len(taken) < _BATCH and self.backlog and not self.backlog.next_asks_for_match():
            taken.append(await self.backlog.take())  # one by one: what is behind a failure stays in the queue
            scored.append(self._score(taken[-1]))
        effects = merge(scored)
        trouble = await self._commit(effects)
        try:
            if trouble is not None:
                effects = self._roll_back(checkpoint, effects, trouble if taken else None)
            elif (watch := self.scorer.watch) is not None:
                watch.note_committed()
            self._show(effects)
        finally:
            refused = None if trouble is None else CommandError(trouble, "unavailable")
            _answer(taken, [refused or each.reply for each in scored])

    async def _refresh_names(self) -> None:
        """Sees to it that a new match knows what players are called. It begins also when the disk does not answer."""
        if self._refresh is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_NAMES_S):
                    if self._reading is not None:  # a second thread would wait for the same disk
                        await asyncio.wait([self._reading])
                    self._reading = asyncio.get_running_loop().run_in_executor(None, self._refresh)
                    await asyncio.shield(self._reading)

    async def _recover(self) -> None:
        """Publishes all again whenever there is new trouble with the journal, or it is over."""
        async for notice in self.recovery.retry():
            if self.trouble is None:
                self.committed = self._read_committed()
            self._publish(self.everything._replace(notice=notice))
            await self.backlog.put(Work(None, now_ns()))  # so that `_work` looks at the new deadline

    async def _take(self) -> list[Work]:
        """The next input, as a list; none when the scorer's deadline comes first."""
        due = self.scorer.deadline()
        if due is None:
            return [await self.backlog.take()]
        try:
            async with asyncio.timeout_at(due / 1e9):
                return [await self.backlog.take()]
        except TimeoutError:
            return []

    def _score(self, work: Work) -> Effects:
        match work.item:
            case None:
                return self.scorer.tick(work.time_ns)
            case TableAway(table, away):
                return self.scorer.note_away(table, away)
            case BoardEvent() | LinkUp() | LinkDown() as item:
                effects = self.scorer.feed(item, work.time_ns)
                self._log_board(item)
                return effects
            case command:
                return self.scorer.obey(command, work.sender, work.time_ns, work.at)

    def _log_board(self, item: BoardItem) -> None:
        here = {"table": self.name, "board": self.config.board}
        match item:
            case LinkUp():
                level = logging.WARNING if item.is_flooding else logging.INFO
                log.log(level, "%s: board: %s", self.name, item.text, extra=here)
            case LinkDown():
                log.warning("%s: board: %s", self.name, item.reason, extra=here)
            case Garbage() if self.scorer.status.counts.garbage == 1:  # a wrong baud rate makes thousands of them
                log.warning(
                    "%s: the board sends data that profile %s does not know (%s): check %s; "
                    "further data of this kind is only counted",
                    self.name,
                    self.codebook.profile.id,
                    item.raw.hex(" "),
                    name_doubts(self.config.board),
                    extra=here,
                )

    async def _commit(self, effects: Effects) -> str | Sentence | None:
        """Writes the lines, all or none. Returns why they could not be written, None when they are on disk.

        Only their own write counts: the test of the disk after the start may fail meanwhile.
        """
        if self.trouble is not None or not effects.lines:
            return self.trouble
        try:
            await self._writer.write(effects.lines)
        except StoreError as error:
            self.recovery.note_trouble(error.said)
            return error.said
        if (result := make_result(self.scorer.match, self.guard)) is not None:
            self._writer.keep_result(self.scorer.sheet.opened.id, self.scorer.match.line - 1, result)
        return None

    def _roll_back(self, checkpoint: Checkpoint, effects: Effects, trouble: str | Sentence | None) -> Effects:
        """Undoes what could not be written; returns what is left to publish. `trouble`: why; None: a timer's line."""
        left = self.scorer.roll_back(checkpoint, effects)
        if not effects.lines or trouble is None:
            return left
        notice = say("refused.not_kept", "the last input was not saved: {why}", why=trouble)
        return replace(left, is_board_changed=True, notice=notice)

    async def rewrite_header(self, rewrite: RewriteHeader) -> None:
        """Replaces the header of the match by what `rewrite` makes of it, and publishes everything again.

        The plan of the next match is the one that follows from it. Raises CommandError when the match is not over, or
        cannot be written.
        """
        async with self._scoring:
            if self.trouble is not None:
                raise CommandError(self.trouble, "unavailable")
            if not self.match.position.over:
                raise CommandError(say("refused.goes_on", "a match is in progress: end it first"), "illegal")
            try:
                await self.recovery.rewrite_header(rewrite)
            except StoreError as error:
                self.recovery.note_trouble(error.said)
                raise CommandError(error.said, "unavailable") from None
            self.committed = self._read_committed()
            self._publish(self.everything)

    def award(self, match_id: str, line: int, earned: Iterable[Earned]) -> bool:
        """Publishes what players have earned in this match, as it was with this line of its record.

        Returns False, and publishes nothing, when it has been corrected since, or another match is at the table.
        """
        if events := make_awards(self.committed, match_id, line, earned):
            self._show(Effects(events=events))
        return bool(events)

    def _show(self, effects: Effects) -> None:
        """Publishes these effects, whose lines are on disk."""
        events = tuple(replace(event, session=self.run_id, seq=self._number()) for event in effects.events)
        state, before, sheet = None, self.committed, self.scorer.sheet
        is_new = effects.lines and (sheet.match.line, sheet.opened.id) != (before.match.line, before.match_id)
        if is_new or effects.is_state_changed:
            self.committed = self._read_committed(effects.plan or before.plan)
            state = self.committed.public
        elif effects.plan is not None:
            self.committed = before._replace(plan=effects.plan)
        withdrawal, shown = self.guard.find_withdrawal_reason(self.match.game), self._shown_withdrawal
        self._shown_withdrawal = withdrawal
        board = self.board if effects.is_board_changed or withdrawal != shown else None
        news = Update(self.name, state, events, board, effects.notice, effects.plan, effects.lend, effects.to_board)
        self._publish(news)

    def _read_committed(self, plan: messages.Plan | None = None) -> Committed:
        """Returns what the scorer has, all of which is on disk now. `plan` is its plan, if the caller has it."""
        sheet, seq = self.scorer.sheet, self._number()
        is_match_stored = self.recovery.is_match_stored

        def number(state: messages.State) -> messages.State:
            state = self.scorer.show(state)
            return replace(state, session=self.run_id, seq=seq, match=state.match if is_match_stored else None)

        return read_committed(sheet, plan or sheet.plan, number)

    def _number(self) -> int:
        self._seq += 1
        return self._seq

    def _publish(self, update: Update) -> None:
        for outlet in self.outlets:
            try:
                outlet.publish(update)
            except Exception as error:  # noqa: BLE001  an error in one of them must not cost the match
                self._log_failure(outlet, error)

    def _log_failure(self, outlet: Outlet, error: Exception) -> None:
        """Logs that an outlet has failed: once for each place in the code, for it may fail at every dart."""
        *_, (frame, line) = walk_tb(error.__traceback__)
        kind = type(outlet), type(error), frame.f_code, line
        if kind not in self._failures:
            self._failures.add(kind)
            log.error(
                "%s: an unexpected error while passing an update to %s; the match goes on, "
                "and the same error is not logged again",
                self.name,
                type(outlet).__name__,
                exc_info=error,
                extra={"table": self.name},
            )


def _asks_for_match(work: Work) -> bool:
    return isinstance(work.item, Start | ChangePlan)


def _answer(taken: Sequence[Work], replies: Sequence[messages.Answer | CommandError | None]) -> None:
    for work, reply in zip(taken, replies, strict=False):
        if work.reply is None or work.reply.done():
            continue  # not a command, or its sender has gone
        if isinstance(reply, CommandError):
            work.reply.set_exception(reply)
        elif reply is not None:
            work.reply.set_result(reply)
