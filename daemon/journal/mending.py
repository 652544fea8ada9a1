"""Mending a journal: what can be read of a damaged one is rewritten, and takes the place of the former one.

SQLite gives up at the first bad page; here each match is looked for by itself, in its lines and in its record, so that
damage costs only matches both of which it has met.
The first page, without which nothing can be read, is the same in all journals but for the size and the place of the
records, which older journals have elsewhere: a new one's takes the place of a damaged one.

A rewritten journal is first written as NAME.sqlite3.new, which nobody reads. Finished, and on the disk, it is
called NAME.sqlite3.whole: a journal of that name is complete, and only its own renaming to NAME.sqlite3 takes it away.
The former file has its name until that moment, and a second one that nothing overwrites. So whoever opens a journal
goes on where this was broken off, before anything else.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple

from daemon import files
from daemon.journal.current import to_news
from daemon.journal.errors import UNREADABLE, Full, StoreError
from daemon.journal.journal_file import JournalFile
from daemon.journal.lines import Begin, FinishedMatch, Line, StoredMatch
from daemon.journal.stored import (
    find_numbers,
    open_read_only,
    read_begin,
    read_lines,
    read_match,
    read_record,
    read_result,
)
from daemon.remedies import suggest_in_daemon

_PAGE_BYTES = 4096
_SIZE = slice(28, 32)
"""Where the first page has the number of all pages."""
_WHOLE = ".whole"


class Salvaged(NamedTuple):
    """How many matches could be read, which could not, and the line after which the current match could not."""

    read: int
    unreadable: list[str]
    cut_at: int | None
    is_latest_lost: bool = False
    left: list[int] | None = None
    """The numbers of the matches, as far as they can be found, for which the disk has no room; None: it has room."""

    @property
    def sentence(self) -> str:
        """What was lost, as the end of a sentence; "" when nothing was."""
        text = ""
        if self.unreadable:
            names = ", ".join(self.unreadable[:5]) + (" and others" if len(self.unreadable) > 5 else "")
            text = f"; {len(self.unreadable)} of {self.read + len(self.unreadable)} matches could not be read: {names}"
        if self.is_latest_lost:
            text += "; the current match is one of them, and a new match starts"
        if self.cut_at is not None:
            text += f"; the match continues from line {self.cut_at}, because the next one could not be read"
        if self.left is not None:
            names = f"matches number {self.left[0]} to {self.left[-1]}" if self.left else "earlier matches"
            text += f"; the {names} stay in the file that was set aside, because the disk has no room to copy them"
        return text


def salvage(damaged: Path, kept: StoredMatch | None) -> Salvaged:
    """Writes a draft of what can be read; returns what that was. Raises StoreError, and then leaves no draft.

    `kept` is the current match where it is known better than the journal has it. Where the disk has no room for all
    matches, the new journal has the current match alone.
    """
    try:
        if _lacks_room(damaged):
            raise Full(f"no room to copy the journal {damaged}")
        return _write_draft(damaged, kept, only_latest=False)
    except Full:
        return _write_draft(damaged, kept, only_latest=True)


def _lacks_room(damaged: Path) -> bool:
    """Whether not all of it can be copied: it is written to the log, and from there to its place."""
    with suppress(OSError):
        return shutil.disk_usage(damaged.parent).free < 2 * damaged.stat().st_size
    return False


def _write_draft(damaged: Path, kept: StoredMatch | None, *, only_latest: bool) -> Salvaged:
    draft = locate_draft(damaged)
    try:
        clear_draft(damaged)
        with closing(JournalFile(draft)) as new:
            salvaged = _fill(damaged, draft, kept, new, only_latest=only_latest)
            if not new.empty_log():  # only the file is given its name, not its log
                raise Full(f"cannot copy the journal {damaged}: free some space, or check the disk")
    except OSError as error:
        with suppress(OSError):
            clear_draft(damaged)
        kind = Full if error.errno in (errno.ENOSPC, errno.EDQUOT) else StoreError
        why = f"{files.explain(error)}{suggest_in_daemon(error)}"
        raise kind(f"the journal {damaged} is damaged, and cannot be copied: {why}") from error
    except StoreError:
        with suppress(OSError):
            clear_draft(damaged)
        raise
    return salvaged


def _fill(damaged: Path, draft: Path, kept: StoredMatch | None, new: JournalFile, *, only_latest: bool) -> Salvaged:
    salvaged = Salvaged(0, [], None, left=[] if only_latest else None)
    for is_headless in (False,) if only_latest else (False, True):
        with suppress(*UNREADABLE), _open_damaged(damaged, new, draft, is_headless=is_headless) as db:
            if numbers := find_numbers(db):
                salvaged = _copy(db, numbers[-1:] if only_latest else numbers, new, kept)
                salvaged = salvaged._replace(left=numbers[:-1] if only_latest else None)
                break
    if kept is not None and not new.find_number(kept.id):
        new.write(to_news(kept))
        salvaged = salvaged._replace(read=salvaged.read + 1)
    return salvaged


def _copy(db: sqlite3.Connection, numbers: list[int], new: JournalFile, kept: StoredMatch | None) -> Salvaged:
    read: set[str] = set()
    unreadable: list[str] = []
    cut_at: list[int] = []
    found = None  # at the end the current match

    def collect() -> Iterator[Begin | Line | FinishedMatch]:
        nonlocal found
        for number in numbers:
            found, name = _read(db, number, kept)
            if found is None and number == numbers[-1]:  # the current match
                found = kept or _read_beginning(db, number)
                cut_at.extend([len(found.lines) + 1] if found is not None and kept is None else [])
            if found is None:
                unreadable.append(name)
            elif found.id not in read:
                read.add(found.id)
                yield from to_news(found)
                if number != numbers[-1]:
                    yield FinishedMatch(found, read_result(db, number, len(found.lines)))

    new.write(collect())
    return Salvaged(len(read), unreadable, cut_at[0] if cut_at else None, is_latest_lost=found is None)


def _read(db: sqlite3.Connection, number: int, kept: StoredMatch | None) -> tuple[StoredMatch | None, str]:
    """The match of this number, or None where something of it cannot be read; and its name."""
    name = f"number {number}"
    with suppress(*UNREADABLE):
        name = read_begin(db, number).match
        return kept if kept is not None and kept.id == name else read_match(db, number), name
    if (recorded := read_record(db, number)) is not None:
        return kept if kept is not None and kept.id == recorded.id else recorded, recorded.id
    return None, name


def _read_beginning(db: sqlite3.Connection, number: int) -> StoredMatch | None:
    """The match of this number up to its last line that can be read; None where its header cannot."""
    with suppress(*UNREADABLE):
        match, header, at = read_begin(db, number)
        return StoredMatch(match, header, read_lines(db, number, match, is_partial=True), at)
    return None


@contextmanager
def _open_damaged(damaged: Path, new: JournalFile, draft: Path, *, is_headless: bool) -> Iterator[sqlite3.Connection]:
    """The damaged journal; with `is_headless` a copy of it with the first page of the `new` one."""
    if not is_headless:
        with closing(open_read_only(damaged)) as db:
            yield db
        return
    copy = damaged.with_name(f"{damaged.name}.copy.new")
    parts = [copy.with_name(copy.name + ending) for ending in ("", "-wal", "-shm")]
    try:
        for ending in ("", "-wal"):
            if (part := damaged.with_name(damaged.name + ending)).exists():
                shutil.copyfile(part, copy.with_name(copy.name + ending))
        new.empty_log()
        first = bytearray(draft.read_bytes()[:_PAGE_BYTES])
        first[_SIZE] = (copy.stat().st_size // _PAGE_BYTES).to_bytes(4, "big")
        with copy.open("r+b") as file:
            file.write(first)
        with closing(open_read_only(copy)) as db:
            yield db
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


def locate_draft(journal: Path) -> Path:
    """Returns where the draft of a journal is written."""
    return journal.with_name(f"{journal.name}.new")


def clear_draft(journal: Path) -> None:
    """Deletes the unfinished draft of a journal, and what belongs to it. Raises OSError."""
    draft = locate_draft(journal)
    for ending in ("", "-wal", "-shm", "-journal"):
        draft.with_name(draft.name + ending).unlink(missing_ok=True)


def finish_draft(journal: Path) -> None:
    """Gives the draft, which is closed, the name of one that is whole. Raises OSError."""
    draft = locate_draft(journal)
    for ending in ("-wal", "-journal"):  # what is in them has not come into the file
        if draft.with_name(draft.name + ending).exists():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
    files.sync(draft)
    files.rename_draft(draft, journal.with_name(journal.name + _WHOLE))


def is_whole_there(journal: Path) -> bool:
    """Whether a finished draft waits for its place. Raises OSError when that cannot be found out."""
    try:
        journal.with_name(journal.name + _WHOLE).stat()
    except FileNotFoundError:
        return False
    return True


def put_in_place(journal: Path) -> str | None:
    """Makes the finished draft the journal, also where that was begun before; returns what the former is called now.

    None: there was none. Raises OSError: the finished draft is there then, or is the journal.
    """
    name = _name_again(journal)
    files.rename_draft(journal.with_name(journal.name + _WHOLE), journal)
    return name


def set_aside(journal: Path) -> str | None:
    """Leaves no file in the place of the journal; returns as `put_in_place`. Raises OSError."""
    name = _name_again(journal)
    journal.unlink(missing_ok=True)
    return name


def remove_log(journal: Path) -> None:
    """Deletes the log of a journal. Raises OSError."""
    for ending in ("-wal", "-shm"):
        journal.with_name(journal.name + ending).unlink(missing_ok=True)


def find_journal_drafts(folder: Path, but: Collection[str] = ()) -> list[Path]:
    """The drafts of journals in this folder, `but` not of these tables, and what belongs to them.

    Some may have been left by a kill. Names that begin with a dot are those of a backup that is put back.
    """
    patterns = ("*.sqlite3.new*", f"*.sqlite3{_WHOLE}*", "*.sqlite3.copy.new*")
    found = sorted(path for pattern in patterns for path in folder.glob(pattern))
    return [path for path in found if path.name[0] != "." and path.name.partition(".sqlite3")[0] not in but]


def settle_drafts(folder: Path, but: Collection[str] = ()) -> None:
    """Completes what was broken off, while no table is open, `but` perhaps these. Raises StoreError."""
    try:
        for path in find_journal_drafts(folder, but):
            if path.suffix == _WHOLE:
                put_in_place(path.with_suffix(""))
        for path in find_journal_drafts(folder, but):
            path.unlink(missing_ok=True)
    except OSError as error:
        name = error.filename or folder
        raise StoreError(f"cannot change {name}: {files.explain(error)}{suggest_in_daemon(error)}") from error


def check_settled(folder: Path) -> None:
    """Raises StoreError while there is a draft, which may have any match."""
    if found := find_journal_drafts(folder):
        raise StoreError(f"oche is repairing a journal ({found[0].name}): try again in a minute")


def _name_again(journal: Path) -> str | None:
    """Gives the journal and its log a second name, and takes away the first one of the log. Raises OSError.

    As in main.sqlite3.damaged-2026-11-30, and then main.sqlite3.damaged-2026-11-30.2. Without the log, which SQLite
    would take for that of the journal that comes, the first name is as good as gone.
    """
    name, is_there = _choose_name(journal), journal.exists()
    for ending in ("", "-wal"):
        part, other = journal.with_name(journal.name + ending), journal.with_name(name + ending)
        if part.exists() and not other.exists():
            try:
                os.link(part, other)
            except OSError:  # not every file system knows links: the finished draft is there meanwhile
                part.rename(other)
    files.sync(journal.parent)
    remove_log(journal)
    return name if is_there else None


def _choose_name(journal: Path) -> str:
    """The second name that the journal has, from when this was broken off, or one that nothing has."""
    first = f"{journal.name}.damaged-"
    if journal.exists():
        for path in sorted(journal.parent.iterdir()):
            if path.name.startswith(first) and path.samefile(journal):
                return path.name
    first += f"{datetime.now(UTC):%Y-%m-%d}"
    names = (first if n == 1 else f"{first}.{n}" for n in count(1))
    return next(n for n in names if not any(journal.with_name(n + end).exists() for end in ("", "-wal", "-shm")))
