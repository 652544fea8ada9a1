"""Writing the journal of a table, in a thread of its own, so that a slow disk holds up no other table.

A disk that has failed once is tested before it is used again: after a full disk, or an error in writing, the journal is
closed, reopened, read, and tested with more than a dart takes. A journal that is damaged is set aside under a
name that nothing overwrites, and a new one begun with all that can be read of it. What was shown of the current match
is known from two more places: the memory, and its copy beside the journal (daemon/journal/current.py).
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple

from msgspec import Struct

from daemon import files
from daemon.journal import mending
from daemon.journal.current import CurrentMatch, MatchCopy, find_end, find_lost
from daemon.journal.errors import Damaged, JournalEvent, JournalState, Moved, StoreError, follow, tell_event
from daemon.journal.journal_file import JournalFile
from daemon.journal.lines import Begin, FinishedMatch, Line, Planned, Result, RewriteHeader, StoredMatch
from daemon.journal.stored import peek
from daemon.remedies import suggest_in_daemon, suggest_other_folder

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

log = logging.getLogger("oche.table")

_MOVED = JournalState.MOVED, JournalState.MOVED_SUSPECT
_COMMITS_IN_LOG = 32
"""After so many commits the log is emptied."""
_READERS_PATIENCE_S = 0.05
_PATIENCE_S = 60.0
"""A journal that is damaged again so soon is not set aside again: the disk is broken, and would fill up with them."""


class _Mended(Struct, frozen=True):
    """The journal that was set aside last: when, and what could not be read of it, as the end of a sentence."""

    at_s: float = -math.inf
    lost: str = ""


class JournalWriter:
    """Writes the journal at this path, of the table of this name. Everything raises StoreError."""

    def __init__(self, table: str, path: Path) -> None:
        self.remark: str | None = None
        """What became of a damaged journal."""
        self._table = table
        self._path = path.resolve()
        self._file: JournalFile | None = None
        """None: it is not open, or was not read to the end, and nothing may be written to it."""
        self._current = CurrentMatch()
        self._copy = MatchCopy(self._path)
        self._state = JournalState.CLOSED
        self._fault: StoreError | None = None
        """Why the journal could not be written last: what moved or damaged it, in those states."""
        self._mended = _Mended()
        self._is_checked = False
        """Whether every page was looked at, where that was needed."""
        self._is_room_tested = False
        """Whether the last opening has done so."""
        self._unforeseen = ""
        self._commits = 0
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"journal {table}")

    @property
    def plan(self) -> dict[str, Any] | None:  # Any: JSON
        """The plan that was made during the current match, as it was committed; None: there is none."""
        return self._current.plan

    async def open(self, *, test_room: bool = True) -> StoredMatch | None:
        """Opens or reopens the journal, to be read and written; the match begun last.

        `test_room`: as the method does; so it is also where the last daemon was killed.
        """
        return await self._on_disk(self._explain_unforeseen, partial(self._open, test_room=test_room))

    async def test_room(self) -> None:
        """Writes more than a dart takes and removes it again, unless `open` has done so.

        After an error the journal is to be reopened.
        """
        await self._on_disk(self._test_room)

    async def peek(self) -> StoredMatch | None:
        """The match begun last, where the journal cannot be opened; None: it cannot be read."""
        with suppress(StoreError):
            return await self._on_disk(self._explain_unforeseen, self._peek)
        return None

    async def write(self, news: Sequence[Begin | Line | Planned]) -> None:
        """Commits all of them or none, with the time. After an error the journal is to be reopened."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        timed = [item if isinstance(item, Planned) else item._replace(at=item.at or now) for item in news]
        await self._on_disk(self._write, timed)
        self._commits += 1
        if self._file is not None and self._commits % _COMMITS_IN_LOG == 0:
            self._disk.submit(self._file.empty_log)  # nothing waits for it

    def keep_result(self, match: str, lines: int, result: Result) -> None:
        """Keeps what the current match has come to with so many lines; nothing waits for it."""
        self._disk.submit(self._keep_result, match, lines, result)

    async def rewrite_header(self, rewrite: RewriteHeader) -> StoredMatch:
        """Replaces the header of the current match, also in its copy; returns the match."""
        return await self._on_disk(self._rewrite_header, rewrite)

    async def close(self) -> None:
        """Closes the journal. All that was written is in it."""
        await self._on_disk(self._close_file)
        self._disk.shutdown()

    async def _on_disk(self, work: Callable[[*Ts], T], *args: *Ts) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._disk, work, *args)

    def _explain_unforeseen(self, read: Callable[[], T]) -> T:
        """Calls this. Raises StoreError for any other error too: no content of a journal may end the daemon."""
        try:
            return read()
        except StoreError:
            raise
        except Exception as error:
            sentence = f"cannot read the journal {self._path} ({type(error).__name__}: {error}); report this error"
            if sentence != self._unforeseen:  # once, not with every attempt
                log.exception("%s: unexpected error while reading the journal", self._table)
            self._unforeseen = sentence
            raise StoreError(sentence) from error

    def _write(self, news: Sequence[Begin | Line | Planned]) -> None:
        lines = [item for item in news if not isinstance(item, Planned)]
        try:
            file, begun = self._give_file(), [item for item in news if isinstance(item, Begin)]
            if begun:  # the copy is about to forget the match before, of which the log then may have nothing any more
                _empty_log(file)
            file.write(news)
            if begun:
                self._current.number = file.find_number(begun[-1].match)
            self._turn(JournalEvent.WRITE)
        except StoreError as error:
            self._current.refused += lines
            self._fail(error)
            raise
        for item in news:
            if isinstance(item, Begin) and self._current.match is not None:
                self._disk.submit(self._keep_finished, file, self._current.match)  # nothing waits for it
            self._current.enter(item)
        self._copy.append(lines)

    def _test_room(self) -> None:
        try:
            file = self._give_file()
            if not self._is_room_tested:
                file.test_room()
        except StoreError as error:
            self._fail(error)
            raise

    def _rewrite_header(self, rewrite: RewriteHeader) -> StoredMatch:
        try:
            file, match = self._give_file(), self._current.match
        except Moved as error:
            self._fail(error)
            raise
        if match is None:
            raise StoreError(f"the journal {self._path} has no match")
        rewritten = match._replace(header=rewrite(match.header))
        self._copy.close()
        try:
            self._copy.rewrite(None)  # it must not have another header than the journal, if the daemon is killed here
        except OSError as failure:
            helps = suggest_in_daemon(failure) or "; check the disk"
            raise StoreError(f"cannot write {self._copy.path}: {files.explain(failure)}{helps}") from failure
        try:
            file.rewrite_header(match.id, rewritten.header)
        except StoreError:
            self._current.refused_header = rewritten.header
            raise
        self._current.match, self._current.plan = rewritten, None
        self._copy.replace(rewritten)
        return rewritten

    def _peek(self) -> StoredMatch | None:
        (stored, plan), copied = peek(self._path), self._copy.read()
        if self._current.match is None:
            self._current.plan = plan
        copy = copied and copied.match
        if stored is None or copy is None:
            return stored or copy
        return copy if copy.id == stored.id and len(copy.lines) > len(stored.lines) else stored

    def _give_file(self) -> JournalFile:
        """The file, which is still where it was, with all that it had."""
        if self._file is not None and not self._file.look():
            before = self.remark
            self._is_checked = self._is_checked and not self._file.was_shortened
            self._open(test_room=self._file.was_shortened)  # what it had may be gone
            if self.remark != before:
                raise StoreError(f"another program made the journal {self._path} smaller: {self.remark}")
        if self._file is None:
            raise StoreError(f"the journal {self._path} is not open")
        return self._file

    def _keep_finished(self, file: JournalFile | None, match: StoredMatch, result: Result | None = None) -> None:
        if file is not None and file is self._file:
            with suppress(StoreError):  # its lines are there, and the next dart tells what is wrong
                file.write([FinishedMatch(match, result)])

    def _keep_result(self, match: str, lines: int, result: Result) -> None:
        found = self._current.match
        if found is not None and (found.id, len(found.lines)) == (match, lines):  # it was not undone meanwhile
            self._keep_finished(self._file, found, result)

    def _open(self, *, test_room: bool = True) -> StoredMatch | None:
        try:
            files.make_folder(self._path.parent)  # it was removed, or the disk has not taken it yet
        except OSError as failure:
            sentence = f"cannot make the folder {self._path.parent}: {files.explain(failure)}"
            raise StoreError(f"{sentence}{suggest_other_folder(failure)}") from failure
        if self._file is not None:
            try:
                self._file.look()
            except Moved as error:
                self._fail(error)
            if self._state in _MOVED:
                self._keep_anew(self._file)
        self._close_file()
        self._complete_mending()
        if self._state is not JournalState.DAMAGED:
            self._turn(JournalEvent.REOPEN)
            try:
                return self._look(test_room=test_room)
            except Damaged as error:
                self._fail(error)
        self._set_aside()
        self._turn(JournalEvent.REOPEN)
        return self._read(test_room=True)

    def _look(self, *, test_room: bool) -> StoredMatch | None:
        """Reads the journal; once more if it seems damaged, because it may have been one error of the disk."""
        try:
            return self._read(test_room=test_room)
        except Damaged as error:
            log.warning("%s: %s; oche opens it again", self._table, error)
        self._turn(JournalEvent.DOUBT)
        return self._read(test_room=True)

    def _read(self, *, test_room: bool) -> StoredMatch | None:
        file = JournalFile(self._path)
        try:
            match = self._take_up(file, test_room=test_room)
        except BaseException:
            file.close()
            raise
        self._file = file
        return match

    def _take_up(self, file: JournalFile, *, test_room: bool) -> StoredMatch | None:
        copied = self._copy.read() if self._current.match is None else None
        stored = file.latest()
        if self._state is JournalState.SUSPECT or (
            not self._is_checked and (file.was_cut or self._current.match is not None)
        ):
            file.check()
        self._is_checked = True
        if self._test(file, test_room=test_room):
            stored = file.latest()
        self._current.settle_header(stored)
        kept = self._current.match or (copied and copied.match)
        if kept is not None and (lost := find_lost(kept, stored, file)):
            file.write(lost)
            stored = file.latest()
            self._note(f"the journal had lost {len(lost)} inputs of the match; they are restored")
        number = file.find_number(stored.id) if stored is not None else 0
        if self._current.match is not None and number < self._current.number:
            last = self._current.number - 1
            missing = f"match number {last}" if number == last else f"matches number {number} to {last}"
            self._note(f"the journal had lost the {missing}")
        self._current.plan = self._find_plan(stored, file)
        end = 0 if copied is None else find_end(copied.id, stored, file)
        # From here on the journal is not found to be damaged.
        self._current.match, self._current.number = stored, number
        if copied is None or not copied.is_whole or copied.match != stored:
            self._copy.replace(stored)
        if copied is not None and copied.last > end:
            was = f"displays showed the match {copied.id} up to line {copied.last}"
            left = f"has it only up to line {end}" if end else "has nothing of it"
            self._note(f"{was}, but the journal {left}: check the score")
        file.look()
        self._turn(JournalEvent.READ)
        return None if self._current.is_lost else stored

    def _test(self, file: JournalFile, *, test_room: bool) -> bool:
        """Writes to the file for a test, if need be; returns whether something was refused before, and may be gone."""
        # What a killed daemon has left may not be on the disk yet.
        self._is_room_tested = test_room or bool(self._current.refused) or file.was_cut
        if self._is_room_tested:
            file.test_room(self._current.refused)
        if self._state is JournalState.SUSPECT:
            file.test_writing(self._current.refused)
        was_refused = bool(self._current.refused)
        self._current.refused.clear()
        return was_refused

    def _find_plan(self, stored: StoredMatch | None, file: JournalFile) -> dict[str, Any] | None:  # Any: JSON
        """The plan of the current match. The one that was committed last, where that is known, is written again.

        The disk may have lost it, or have one that was refused.
        """
        if stored is None:
            return None
        plan = file.plan(stored.id)
        if self._current.match is not None and self._current.match.id == stored.id and plan != self._current.plan:
            file.write([Planned(stored.id, plan := self._current.plan)])
        return plan

    def _keep_anew(self, file: JournalFile) -> None:
        """Writes all that the file has, which is open and not where it was, to its place."""
        has_draft = True
        try:
            mending.clear_draft(self._path)
            try:
                file.copy_to(mending.locate_draft(self._path))
            except Damaged:
                has_draft = False
            if has_draft:
                mending.finish_draft(self._path)  # before the file is closed: it may have no name any more
            self._close_file()
            if not has_draft:
                mending.set_aside(self._path)
        except OSError as failure:
            why = f"{files.explain(failure)}{suggest_in_daemon(failure)}"
            raise StoreError(f"{self._fault}, and cannot be rewritten ({why})") from failure
        self._complete_mending()

    def _set_aside(self) -> None:
        """Out of the way, with all that belongs to it; a new one has what can be read of it."""
        error, now_s = self._fault, time.monotonic()
        if now_s - self._mended.at_s < _PATIENCE_S:
            raise StoreError(f"{error}, as the previous one was: check the disk") from error
        copied = self._copy.read()
        salvaged = mending.salvage(self._path, self._current.match or (copied and copied.match))
        try:
            mending.finish_draft(self._path)
        except OSError as failure:
            helps = suggest_in_daemon(failure) or "; check the disk"
            raise StoreError(f"{error}, and cannot be copied: {files.explain(failure)}{helps}") from failure
        self._current.is_lost = salvaged.is_latest_lost
        lost = salvaged.sentence
        if salvaged.left is None and self._current.number > (found := salvaged.read + len(salvaged.unreadable)):
            lost += f"; {found} of {self._current.number} matches were found"
        self._mended = _Mended(now_s, lost)
        self._current.number = 0
        self._turn(JournalEvent.DRAFT)
        log.error("%s: %s", self._table, error)
        self._complete_mending()

    def _complete_mending(self) -> None:
        """Puts a finished draft in its place, also one that a killed daemon has left. Raises StoreError."""
        try:
            if mending.is_whole_there(self._path):
                if self._state in _MOVED:  # the log is not that of the file there, and the draft has it all
                    mending.remove_log(self._path)
                self._tell_mended(mending.put_in_place(self._path))
        except OSError as failure:
            sentence = f"cannot replace {self._path} with the repaired journal: {files.explain(failure)}"
            raise StoreError(f"{sentence}{suggest_in_daemon(failure) or '; check the disk'}") from failure
        with suppress(OSError):  # an unfinished one is in nobody's way
            mending.clear_draft(self._path)

    def _tell_mended(self, former: str | None) -> None:
        """Remarks what became of the journal, which now is another; `former` is what it is called, if it was there."""
        if self._state in _MOVED:
            self._note("the journal was deleted, renamed or replaced while oche used it: oche wrote it again")
            if former is not None:
                log.error("%s: a file had replaced the journal; oche moved it to %s", self._table, former)
        elif former is None:
            self._note("the journal was lost, and oche wrote it again")
        else:
            self.remark = None
            self._note(
                f"the journal was damaged: it was moved aside as {former}, and a new one started{self._mended.lost}"
            )
        self._turn(JournalEvent.REPLACE)

    def _fail(self, error: StoreError) -> None:
        self._fault = error
        self._turn(tell_event(error))

    def _turn(self, event: JournalEvent) -> None:
        self._state = follow(self._state, event)
        if event is JournalEvent.REOPEN:
            self._fault = None

    def _note(self, remark: str) -> None:
        """Remarks this, which people should look at."""
        self.remark = f"{self.remark}; {remark}" if self.remark else remark
        log.error("%s: %s", self._table, remark)

    def _close_file(self) -> None:
        self._copy.close()
        if self._file is not None:
            self._file.close()
            self._file = None


def _empty_log(file: JournalFile) -> None:
    """Empties the log; waits a little for a program that reads the journal."""
    for _ in range(3):
        if file.empty_log():
            return
        time.sleep(_READERS_PATIENCE_S)
