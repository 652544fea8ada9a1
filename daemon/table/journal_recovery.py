"""How a table recovers its match from the journal: at the start of the daemon, and after it could not be written.

Nothing is trusted that was not read back: the journal is reopened, and the match in it played again. A match that
the rules do not know any more (its game is gone, or was changed) stays in the journal, and a new one begins. One of a
game that is withdrawn stays the current one: it can be looked at, left for another, or played on after a restart.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from daemon.config.reader import write_split
from daemon.config.sections import TableConfig
from daemon.journal.errors import StoreError, Unusable
from daemon.journal.lines import Planned, RewriteHeader, StoredMatch
from daemon.journal.writer import JournalWriter
from daemon.rules import Guard
from daemon.table import matches
from daemon.table.match_result import make_result
from daemon.table.scorer import Scorer
from drivers.session import now_ns
from engine.games import ROUTINES, Routines
from engine.match import remark_older_rules
from protocol.match_spec import Unreadable
from protocol.player_names import NO_ALIASES, Aliases
from protocol.segment import Layout
from protocol.sentence import Sentence, say

log = logging.getLogger("oche.table")

_AGAIN_S = 2.0
"""The wait before a journal that cannot be used is tried again."""
_OPENING_S = 10
"""The start of the daemon does not wait longer for a disk."""
_TEST_S = 30
"""A disk that takes longer to write a test is in trouble; a sound SD card may stand still for some seconds."""


class JournalRecovery:
    """The recovery of one table."""

    def __init__(
        self,
        config: TableConfig,
        layout: Layout,
        writer: JournalWriter,
        scorer: Scorer,
        guard: Guard,
        aliases: Aliases = NO_ALIASES,
        routines: Routines = ROUTINES,
        file: Path | None = None,
    ) -> None:
        self.is_match_stored = False
        """Whether the current match is in the journal."""
        self.trouble: str | Sentence | None = "the journal has not been read yet"
        """Why nothing can be written to the journal now, in one sentence; None: it can."""
        self._config = config
        self._layout = layout
        self._aliases = aliases
        self._routines = routines
        self._file = file
        self._writer = writer
        self._scorer = scorer
        self._guard = guard
        self._remark: str | None = None
        self._in_trouble = asyncio.Event()
        self._in_trouble.set()

    @property
    def remark(self) -> str | None:
        """What happened to the journal or the match since the daemon started and should be looked at; None: nothing."""
        return "; ".join(filter(None, (self._writer.remark, self._remark))) or None

    def note_trouble(self, trouble: str | Sentence) -> None:
        """Notes that nothing can be written to the journal for now, and logs the reason."""
        log.error("%s: %s", self._config.name, trouble, extra={"table": self._config.name})
        self.trouble = trouble
        self._in_trouble.set()

    async def open(self) -> bool:
        """Opens the journal, also again when a table that failed restarts.

        Raises Unusable; an error that may pass by itself becomes `trouble`. Returns whether the scorer has what the
        disk has. After a clean end, whether that has room for a dart is found out later, by `retry`: a start does not
        wait.
        """
        try:
            async with asyncio.timeout(_OPENING_S):
                await self._open_journal(test_room=False)
            return True
        except TimeoutError:
            self.note_trouble(_say_stalled(_OPENING_S))
        except StoreError as error:
            if isinstance(error, Unusable) and not self.is_match_stored:
                raise
            self.note_trouble(error.said)
            if (stored := await self._writer.peek()) is not None and self._resume(stored):
                self._load_plan(stored)
                return True
        return False

    async def retry(self) -> AsyncIterator[str | Sentence]:
        """Tries at once and then every two seconds to go on while there is trouble.

        Yields a notice whenever the trouble changes or is over.
        """
        if self.trouble is None and (trouble := await self._find_trouble()) is not None:
            self.note_trouble(trouble)
            yield trouble
        while True:
            await self._in_trouble.wait()
            try:
                await self._open_journal(test_room=True)
            except StoreError as error:
                if str(error) != str(self.trouble):
                    self.note_trouble(error.said)
                    yield error.said
                await asyncio.sleep(_AGAIN_S)
            else:
                log.info("%s: the journal can be written again", self._config.name, extra={"table": self._config.name})
                kept = self.remark or say("journal.kept", "matches are being saved again")
                yield say("journal.throw_on", "you can throw again: {given}", given=kept)

    async def _find_trouble(self) -> str | Sentence | None:
        """Returns why the disk would not take a dart; None: it would."""
        try:
            async with asyncio.timeout(_TEST_S):
                await self._writer.test_room()
        except StoreError as error:
            return error.said
        except TimeoutError:
            return _say_stalled(_TEST_S)
        return None

    async def rewrite_header(self, rewrite: RewriteHeader) -> None:
        """Replaces the header of the current match, which goes on with it. Raises StoreError."""
        self._resume(await self._writer.rewrite_header(rewrite))

    async def _open_journal(self, *, test_room: bool) -> None:
        """Resumes the match begun last, or begins the first one of the configuration. Raises StoreError."""
        stored = await self._writer.open(test_room=test_room)
        if stored is None or not self._resume(stored):
            self._begin_first()
            await self._writer.write(self._scorer.sheet.begin().lines)
            self.is_match_stored = True
        elif news := self._load_plan(stored):
            await self._writer.write(news)
        self.trouble = None
        self._in_trouble.clear()

    def _begin_first(self) -> None:
        """Begins the match of the configuration. Raises StoreError when its rules fail: it becomes `trouble`."""
        try:
            how = secrets.token_hex, self._guard, self._aliases, self._routines
            opened = matches.begin_first(self._config, self._layout, *how)
            self._scorer.resume(opened, now_ns())
        except Unreadable as error:
            raise StoreError(f"no match can be started: {error}") from error
        remark = remark_merged(self._config, self._aliases, self._file) or opened.remark
        if remark is not None:
            self._remark = "; ".join(filter(None, (self._remark, remark)))
            log.error("%s: %s", self._config.name, remark, extra={"table": self._config.name})

    def _resume(self, stored: StoredMatch) -> bool:
        """Replays this match and goes on with it. False when it cannot be replayed."""
        known = {"table": self._config.name, "match": stored.id}
        if self._scorer.resume_withdrawn(stored.id, len(stored.lines) + 1, now_ns()):
            return True
        try:
            about = self._guard, self._config.doubles, self._aliases, self._routines
            opened = matches.resume(stored, self._layout, *about, sees_darts=self._scorer.sees_darts)
            self._scorer.resume(opened, now_ns())
        except (matches.Unplayable, Unreadable) as error:
            self._remark = f"{error}: it stays in the journal, and a new match was started"
            log.error("%s: %s", self._config.name, self._remark, extra=known)
            return False
        if (older := remark_older_rules(opened.match)) is not None and older not in (self._remark or ""):
            self._remark = older
            log.warning("%s: %s", self._config.name, older, extra=known)
        if (result := make_result(opened.match, self._guard)) is not None:  # it may not have been kept in time
            self._writer.keep_result(stored.id, len(stored.lines), result)
        self.is_match_stored = True
        return True

    def _load_plan(self, stored: StoredMatch) -> Sequence[Planned]:
        """Goes on with the plan that a player made during this match; returns what is to be written to the disk."""
        try:
            return self._scorer.sheet.load_plan(self._writer.plan)
        except matches.Unplayable as error:
            self._remark = "; ".join(filter(None, (self._remark, str(error))))
            log.warning("%s: %s", self._config.name, error, extra={"table": self._config.name, "match": stored.id})
            return (Planned(stored.id, None),)


def remark_merged(config: TableConfig, aliases: Aliases, file: Path | None) -> str | None:
    """Says that a table does not begin with its players, because two of them were merged; None: it begins with them.

    `file` is that of the configuration.
    """
    if (merged := matches.find_merged(config, aliases)) is None:
        return None
    first, second = merged
    return (
        f"the table begins with {' and '.join(TableConfig().players)}: players of the table {config.name} in the "
        f'configuration has "{first}" and "{second}", who were merged into one player: write another name there, or '
        f"separate the two with {write_split(second, file)}; then begin a match for the right players"
    )


def _say_stalled(seconds: int) -> Sentence:
    return say("journal.stalled", "the disk has not answered for {seconds} s: check the disk", seconds=seconds)
