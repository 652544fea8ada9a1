"""The journals on disk: one SQLite file a table, written before anything is shown.

An input is committed, synchronously, before its state is published; so what a display has shown a power cut cannot
take back. Only the journal is stored, never a position: on resume the same fold that played the match plays it again.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

SCHEMA = 1
"""Raised with the tables; tests/data/journals keeps a journal of each, and all of them stay readable."""
_ROOM_BYTES = 65_536
"""More than the inputs that share a commit take."""

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
    """What is in the file is no journal of ours, or not a whole one: waiting does not help."""


class Unusable(StoreError):
    """The file is whole, and not for us: somebody has to change something first."""


class Begin(NamedTuple):
    """A new match: its id, its header as JSON, when (ISO 8601, UTC)."""

    match: str
    header: dict[str, Any]  # Any: JSON
    at: str


class Line(NamedTuple):
    """One accepted input: its match, its line in the record, the input as JSON, who made it, when."""

    match: str
    number: int
    input: dict[str, Any]  # Any: JSON
    source: str
    at: str


class StoredMatch(NamedTuple):
    """A match as it was written."""

    id: str
    header: dict[str, Any]  # Any: JSON
    lines: list[Line]
    at: str = ""


class Store:
    """The journal of one table. Every method blocks until the disk has it; raises StoreError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.was_cut = path.with_name(f"{path.name}-wal").exists()
        """Whoever had it open last did not close it: a kill, or a power cut."""
        try:
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            try:
                self._db.execute("pragma journal_mode = wal")
                self._db.execute("pragma synchronous = full")
                self._prepare()
            except BaseException:
                self._db.close()
                raise
        except sqlite3.Error as error:
            raise _explained("open", path, error) from error

    def latest(self) -> StoredMatch | None:
        """The match that was begun last."""
        try:
            return _latest(self._db)
        except (sqlite3.Error, msgspec.DecodeError) as error:
            raise _explained("read", self._path, error) from error

    def has(self, match: str) -> bool:
        """Is there a match of this id?"""
        try:
            return self._db.execute("select 1 from match where id = ?", (match,)).fetchone() is not None
        except sqlite3.Error as error:
            raise _explained("read", self._path, error) from error

    def check(self) -> None:
        """Looks at every page; a second for 100 MB on a desktop, some on a Raspberry Pi."""
        try:
            (found,) = self._db.execute("pragma quick_check(1)").fetchone()
        except sqlite3.Error as error:
            raise _explained("read", self._path, error) from error
        if found != "ok":
            raise Damaged(f"the journal {self._path} is damaged: {' '.join(found.split())}")

    def write(self, news: Sequence[Begin | Line]) -> None:
        """Commits all of them or none. After an error nobody knows what is on the disk: close it, and open another."""
        try:
            with self._commit():
                for item in news:
                    self._insert(item)
        except sqlite3.Error as error:
            raise _explained("write", self._path, error) from error

    def rehearse(self, refused: Sequence[Begin | Line] = ()) -> None:
        """Writes more than a dart takes and removes it again, to find out without a dart whether there is room.

        What was `refused` before goes as well: a commit that failed at its last step may have come to the disk.
        """
        try:
            with self._commit():
                for item in reversed(refused):  # the lines of a match before the match
                    self._remove(item)
                self._db.execute("drop table if exists rehearsal")
                self._db.execute("create table rehearsal (room blob)")
                self._db.execute("insert into rehearsal values (zeroblob(?))", (_ROOM_BYTES,))
            with self._commit():
                self._db.execute("drop table rehearsal")
        except sqlite3.Error as error:
            raise _explained("write", self._path, error) from error

    def close(self) -> None:
        """Ends the use of the file."""
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


def glance(path: Path) -> StoredMatch | None:
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


def _explained(what: str, path: Path, error: Exception) -> StoreError:
    """The error by what can be done about it, as SQLite's code tells."""
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
