"""The journals on disk: one SQLite file a table, written before anything is shown.

An input is committed, synchronously, before its state is published; so what a display has shown a power cut cannot
take back. Only the journal is stored, never a position: on resume the same fold that played the match plays it again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

SCHEMA = 1

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
    """The journal could not be read or written; the text says why and what to do."""


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


class Store:
    """The journal of one table. Every method blocks until the disk has it; raises StoreError."""

    def __init__(self, path: Path) -> None:
        self._path = path
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
            raise self._explained("open", error) from error

    def latest(self) -> StoredMatch | None:
        """The match that was begun last."""
        read = msgspec.json.decode
        try:
            row = self._db.execute("select number, id, header from match order by number desc limit 1").fetchone()
            if row is None:
                return None
            number, match_id, header = row
            lines = self._db.execute(
                "select line, input, source, at from entry where match = ? order by line", (number,)
            ).fetchall()
            return StoredMatch(
                match_id, read(header), [Line(match_id, n, read(i), source, at) for n, i, source, at in lines]
            )
        except (sqlite3.Error, msgspec.DecodeError) as error:
            raise self._explained("read", error) from error

    def write(self, news: Sequence[Begin | Line]) -> None:
        """Commits all of them or none."""
        try:
            self._db.execute("begin immediate")
            try:
                for item in news:
                    self._insert(item)
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise
        except sqlite3.Error as error:
            raise self._explained("write", error) from error

    def close(self) -> None:
        """Ends the use of the file."""
        self._db.close()

    def _prepare(self) -> None:
        found = self._db.execute("pragma user_version").fetchone()[0]
        if found > SCHEMA:
            raise StoreError(f"the journal {self._path} was written by a newer oche; update this one")
        if found == 0:
            self._db.executescript(f"begin; {_TABLES} pragma user_version = {SCHEMA}; commit;")

    def _explained(self, what: str, error: Exception) -> StoreError:
        return StoreError(f"cannot {what} the journal {self._path}: {error}; {_remedy(error)}")

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


def _remedy(error: Exception) -> str:
    """What to do, by what SQLite calls the trouble."""
    match getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF:
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return "free some space, or check the disk"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return "make it and its folder writable for the user oche runs as"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "close the program that has it open"
    return "it is damaged: move it away, and a new one is begun"


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()
