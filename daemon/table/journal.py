"""The journal of a table: one SQLite file, written before anything is shown, in a thread of its own.

An input is committed, synchronously, before its state is published; so what a display has shown a power cut cannot
take back, and a slow disk holds up no other table. Only the journal is stored, never a position: on resume the same
fold that played the match plays it again.

A disk that has failed once is tested before it is used again: after a full disk, or an error in writing, the
journal is closed, opened anew, read, and rehearsed with more than a dart takes. A journal that is damaged is set aside
under a name that nothing overwrites, and a new one begun with the match at hand, as far as we know it.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, TypeVarTuple
from urllib.parse import quote

import msgspec

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

log = logging.getLogger("oche.table")

SCHEMA = 1
"""Raised with the tables; tests/data/journals keeps a journal of each, and all of them stay readable."""
_ROOM_BYTES = 131_072
"""More than the inputs that share a commit take, and than the log grows before it is emptied."""
_COMMITS_IN_LOG = 32
"""After so many commits the log is emptied."""
_PATIENCE_S = 60.0
"""A journal that is damaged again so soon is not set aside again: the disk is broken, and would fill up with them."""

_TABLES = """
create table match (
  number integer primary key,
  id text not null unique,
  header text not null,
  begun_at text not null
);
create table entry (
  match integer not null references match (number),
  line integer not null,
  input text not null,
  source text not null,
  at text not null,
  primary key (match, line)
) without rowid;
"""


class StoreError(Exception):
    """The journal could not be read or written now; the text says why and what to do."""


class Damaged(StoreError):
    """The file is no journal of oche, or a damaged one: waiting does not help."""


class Unusable(StoreError):
    """The file is not damaged, but cannot be used until its owner or its version is changed."""


class Begin(NamedTuple):
    """A new match: its id, its header as JSON, when (ISO 8601, UTC; "" until it is written)."""

    match: str
    header: dict[str, Any]  # Any: JSON
    at: str = ""


class Line(NamedTuple):
    """One accepted input: its match, its line in the record, the input as JSON, who made it, when (as in Begin)."""

    match: str
    number: int
    input: dict[str, Any]  # Any: JSON
    source: str
    at: str = ""


class StoredMatch(NamedTuple):
    """A match as it was written."""

    id: str
    header: dict[str, Any]  # Any: JSON
    lines: list[Line]
    at: str = ""


class JournalFile:
    """The journal of one table. Every method blocks until its data is on disk, and raises StoreError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.was_cut = path.with_name(f"{path.name}-wal").exists()
        """The last program that had it open did not close it: it was killed, or the power was cut."""
        with _explained("open", path):
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            try:
                self._db.execute("pragma journal_mode = wal")
                self._db.execute("pragma synchronous = full")
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def latest(self) -> StoredMatch | None:
        """The match that was begun last."""
        with _explained("read", self._path):
            return _latest(self._db)

    def has(self, match: str) -> bool:
        """Whether there is a match of this id."""
        with _explained("read", self._path):
            return self._db.execute("select 1 from match where id = ?", (match,)).fetchone() is not None

    def check(self) -> None:
        """Reads every page; raises Damaged for a bad one. A second for 100 MB on a desktop, a few on a Raspberry Pi."""
        with _explained("read", self._path):
            (found,) = self._db.execute("pragma quick_check(1)").fetchone()
        if found != "ok":
            raise Damaged(f"the journal {self._path} is damaged: {' '.join(found.split())}")

    def write(self, news: Sequence[Begin | Line]) -> None:
        """Commits all of them or none. After an error it is unknown what is on the disk: close it, and open another."""
        with _explained("write", self._path), self._commit():
            for item in news:
                self._insert(item)

    def rehearse(self, refused: Sequence[Begin | Line] = ()) -> None:
        """Writes more than a dart takes and removes it again: raises StoreError when the disk has no room for a dart.

        What was `refused` before goes as well: a commit that failed at its last step may have come to the disk.
        """
        with _explained("write", self._path):
            with self._commit():
                for item in reversed(refused):  # the lines of a match before the match
                    self._remove(item)
                self._db.execute("drop table if exists rehearsal")
                self._db.execute("create table rehearsal (room blob)")
                self._db.execute("insert into rehearsal values (zeroblob(?))", (_ROOM_BYTES,))
            with self._commit():
                self._db.execute("drop table rehearsal")
        self.empty_log()

    def empty_log(self) -> None:
        """Moves what is in the log to its place: it is then written over. A file that grows takes longer to sync."""
        with suppress(sqlite3.Error):  # nothing is lost: it stays in the log
            self._db.execute("pragma wal_checkpoint(passive)").fetchone()

    def close(self) -> None:
        """Closes the file."""
        self._db.close()

    @contextmanager
    def _commit(self) -> Iterator[None]:
        self._db.execute("begin immediate")
        try:
            yield
            self._db.execute("commit")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("rollback")
            raise

    def _prepare(self) -> None:
        found = self._db.execute("pragma user_version").fetchone()[0]
        if found > SCHEMA:
            raise Unusable(f"the journal {self._path} was written by a newer oche; update this one")
        if found == 0:
            self._db.executescript(f"begin; {_TABLES} pragma user_version = {SCHEMA}; commit;")

    def _insert(self, item: Begin | Line) -> None:
        match item:
            case Begin(match, header, at):
                statement = "insert into match (id, header, begun_at) values (?, ?, ?)"
                self._db.execute(statement, (match, _json(header), at))
            case Line(match, number, given, source, at):
                statement = (
                    "insert into entry (match, line, input, source, at) "
                    "values ((select number from match where id = ?), ?, ?, ?, ?)"
                )
                self._db.execute(statement, (match, number, _json(given), source, at))

    def _remove(self, item: Begin | Line) -> None:
        match item:
            case Begin(match):
                self._db.execute("delete from match where id = ?", (match,))
            case Line(match, number):
                statement = "delete from entry where match = (select number from match where id = ?) and line = ?"
                self._db.execute(statement, (match, number))


class JournalWriter:
    """Writes the journal at this path, of the table of this name. Everything raises StoreError."""

    def __init__(self, table: str, path: Path) -> None:
        self.remark: str | None = None
        """What became of a damaged journal, in one sentence."""
        self._table = table
        self._path = path.resolve()
        self._file: JournalFile | None = None
        self._committed: StoredMatch | None = None
        """The match at hand as it was committed."""
        self._refused: list[Begin | Line] = []
        """What was to be written and was not, as far as we know."""
        self._is_checked = False
        self._commits = 0
        self._set_aside_s: float | None = None
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"journal {table}")

    async def open(self) -> StoredMatch | None:
        """Opens the journal (anew), to be read and written; the match begun last."""
        return await self._on_disk(self._open)

    async def peek(self) -> StoredMatch | None:
        """The match begun last, where the journal cannot be opened; None: it cannot be read."""
        return await self._on_disk(peek, self._path)

    async def write(self, news: Sequence[Begin | Line]) -> None:
        """Commits all of them or none, with the time. After an error the journal is to be opened anew."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        await self._on_disk(self._write, [item._replace(at=item.at or now) for item in news])
        self._commits += 1
        if self._file is not None and self._commits % _COMMITS_IN_LOG == 0:
            self._disk.submit(self._file.empty_log)  # nothing waits for it

    async def close(self) -> None:
        """Closes the journal. All that was written is in it."""
        await self._on_disk(self._close_file)
        self._disk.shutdown()

    async def _on_disk(self, work: Callable[[*Ts], T], *args: *Ts) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._disk, work, *args)

    def _write(self, news: Sequence[Begin | Line]) -> None:
        if self._file is None:
            raise StoreError(f"the journal {self._path} is not open")
        try:
            self._file.write(news)
        except StoreError:
            self._refused += news
            raise
        for item in news:
            self._remember(item)

    def _remember(self, item: Begin | Line) -> None:
        if isinstance(item, Begin):
            self._committed = StoredMatch(item.match, item.header, [], item.at)
        elif self._committed is not None and self._committed.id == item.match:
            self._committed.lines.append(item)

    def _open(self) -> StoredMatch | None:
        self._close_file()
        try:
            return self._read()
        except Damaged as error:
            self._set_aside(error)
            return self._read()

    def _read(self) -> StoredMatch | None:
        self._file = file = JournalFile(self._path)
        stored = file.latest()
        if self._committed is None and stored is not None:
            is_whole = [line.number for line in stored.lines] == [*range(2, len(stored.lines) + 2)]
            # Before the rest of the file is looked at: it may be all that can be had of it.
            self._committed = stored if is_whole else None
        if file.was_cut and not self._is_checked:
            file.check()
        self._is_checked = True
        file.rehearse(self._refused)
        self._refused.clear()
        if lost := self._find_lost(file):
            file.write(lost)
        self._committed = file.latest()
        return self._committed

    def _find_lost(self, file: JournalFile) -> list[Begin | Line]:
        """What the disk once had and has no more, although we were told it was safe there."""
        kept, stored = self._committed, file.latest()
        if kept is None:
            return []
        if stored is None or not file.has(kept.id):
            return [Begin(kept.id, kept.header, kept.at), *kept.lines]
        there = len(stored.lines)
        return [*kept.lines[there:]] if stored.id == kept.id and kept.lines[:there] == stored.lines else []

    def _set_aside(self, error: Damaged) -> None:
        """Out of the way, with all that belongs to it."""
        self._close_file()
        now_s = time.monotonic()
        if self._set_aside_s is not None and now_s - self._set_aside_s < _PATIENCE_S:
            raise StoreError(f"{error}, and so was the one before: check the disk") from error
        name = _free_name(self._path)
        try:
            for ending in ("", "-wal", "-shm"):
                part = self._path.with_name(self._path.name + ending)
                if part.exists():
                    part.rename(self._path.with_name(name + ending))
        except OSError as failure:
            reason = (failure.strerror or str(failure)).lower()
            raise StoreError(f"{error}, and it cannot be renamed ({reason}): check the disk") from failure
        self._set_aside_s = now_s
        self.remark = f"the journal was damaged: it was set aside as {name}, and a new one begun"
        log.error("%s: %s; it was set aside as %s, and a new one is begun", self._table, error, name)

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def peek(path: Path) -> StoredMatch | None:
    """The match begun last, where there is not even the room to open the journal as usual; None: it cannot be had."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=rw", uri=True)) as db:
            db.execute("pragma locking_mode = exclusive")  # SQLite then needs no file beside it
            return _latest(db)
    except (sqlite3.Error, msgspec.DecodeError):
        return None


def _latest(db: sqlite3.Connection) -> StoredMatch | None:
    row = db.execute("select number, id, header, begun_at from match order by number desc limit 1").fetchone()
    if row is None:
        return None
    number, match, header, begun_at = row
    rows = db.execute("select line, input, source, at from entry where match = ? order by line", (number,)).fetchall()
    lines = [Line(match, line, _object(given), source, at) for line, given, source, at in rows]
    return StoredMatch(match, _object(header), lines, begun_at)


def _object(text: str) -> dict[str, Any]:  # Any: JSON
    return msgspec.json.decode(text, type=dict[str, Any])


@contextmanager
def _explained(what: str, path: Path) -> Iterator[None]:
    """Raises StoreError for an error of SQLite in the block, by what can be done about it."""
    try:
        yield
    except (sqlite3.Error, msgspec.DecodeError) as error:
        raise _explain_error(what, path, error) from error


def _explain_error(what: str, path: Path, error: Exception) -> StoreError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    sentence = f"cannot {what} the journal {path}: {error}; "
    match code:
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_FORMAT | sqlite3.SQLITE_ERROR:
            return Damaged(f"{sentence}it is damaged")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM if not _is_full(path.parent):
            remedy = "make it and its folder writable for the user oche runs as"
            return Unusable(sentence + remedy)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreError(f"{sentence}close the program that has it open")
    return StoreError(f"{sentence}free some space, or check the disk")


def _is_full(folder: Path) -> bool:
    """SQLite then says as well that it cannot open a file."""
    try:
        return shutil.disk_usage(folder).free < _ROOM_BYTES
    except OSError:
        return False


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()


def _free_name(path: Path) -> str:
    """A name for the damaged journal: main.sqlite3.damaged-2026-11-30, and then main.sqlite3.damaged-2026-11-30.2."""
    name = f"{path.name}.damaged-{datetime.now(UTC):%Y-%m-%d}"
    names = (name if n == 1 else f"{name}.{n}" for n in count(1))
    return next(name for name in names if not any(path.with_name(name + end).exists() for end in ("", "-wal", "-shm")))
