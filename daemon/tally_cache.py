"""What matches came to, kept so that each is played once: one SQLite file beside the journals.

It holds nothing that the journals do not, so it may be deleted at any time, and whatever is wrong with it (damage,
another version of the program, a folder that is not ours) costs time and never an answer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T", bound=Struct)

FILE = "statistics.cache"
"""Not named like a journal: a table may be called `statistics`."""
_PATIENCE_S = 1.0
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_TABLES = """
create table about (version text not null);
create table match (id text primary key, stamp text not null, body blob not null) without rowid;
"""


class Kept(NamedTuple, Generic[T]):
    """What a match came to when its journal had this stamp."""

    id: str
    stamp: str
    body: T


class TallyCache(Generic[T]):
    """Bodies of one type by match, good for one `version` of the program. Used by one thread at a time."""

    def __init__(self, path: Path, kind: type[T], version: str) -> None:
        self._path = path
        self._version = version
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(kind).decode
        self._db: sqlite3.Connection | None = None
        self._open()

    def get(self, match_id: str, stamp: str) -> T | None:
        """The body that was kept of this match with this stamp."""
        if self._db is None:
            return None
        try:
            row = self._db.execute("select body from match where id = ? and stamp = ?", (match_id, stamp)).fetchone()
            return self._decode(row[0]) if row else None
        except (sqlite3.Error, msgspec.DecodeError, TypeError) as error:
            self._mend(error)
            return None

    def put(self, news: Iterable[Kept[T]]) -> None:
        """Keeps these, in one commit."""
        rows = [(each.id, each.stamp, self._encode(each.body)) for each in news]
        for _ in range(2):  # once more when the file had to be made anew
            if self._db is None:
                return
            try:
                with self._db:
                    self._db.executemany("insert or replace into match values (?, ?, ?)", rows)
                return
            except sqlite3.Error as error:
                self._mend(error)

    def keep_only(self, ids: Collection[str]) -> None:
        """Forgets the matches that are in no journal any more."""
        if self._db is None:
            return
        try:
            known = [match_id for (match_id,) in self._db.execute("select id from match")]
            gone = [(match_id,) for match_id in known if match_id not in ids]
            if gone:
                with self._db:
                    self._db.executemany("delete from match where id = ?", gone)
        except sqlite3.Error as error:
            self._mend(error)

    def close(self) -> None:
        """Ends the use of the file."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open(self) -> None:
        try:
            self._db = sqlite3.connect(self._path, timeout=_PATIENCE_S, check_same_thread=False)
            if self._db.execute("pragma user_version").fetchone()[0] == 0:
                self._db.executescript(f"begin; {_TABLES} pragma user_version = 1; commit;")
                with self._db:
                    self._db.execute("insert into about values (?)", (self._version,))
            elif self._db.execute("select version from about").fetchone() != (self._version,):
                raise sqlite3.DatabaseError("it is of another version")
        except sqlite3.Error as error:
            self._mend(error)

    def _mend(self, error: Exception) -> None:
        """Makes the file anew; does without one where that is not allowed, or while somebody else is busy with it."""
        self.close()
        if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in _BUSY:
            return
        try:
            self._path.unlink()
        except OSError:
            return
        with suppress(OSError):
            self._path.with_name(f"{self._path.name}-journal").unlink()
        self._open()
