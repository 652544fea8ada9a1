"""What matches came to, kept so that each is played once: one SQLite file beside the journals.

It holds nothing that the journals do not, so it may be deleted at any time, and whatever is wrong with it costs time
and never an answer. A file that is damaged, or of another version of the program, is made anew, once; where it cannot
be opened or written (a folder that is not ours, a full disk, somebody busy with it) it is done without and left alone.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T", bound=Struct)

FILE = "statistics.cache"
"""Not named like a journal: a table may be called `statistics`."""
_PATIENCE_S = 1.0
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
"""The file is none, or holds other tables. Anything else is the fault of the disk, its rights, or of somebody busy."""
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
        self._may_write = True
        self._may_mend = True
        self._db: sqlite3.Connection | None = None
        try:
            self._open()
        except sqlite3.Error as error:
            self._mend(error)

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
            if self._write("insert or replace into match values (?, ?, ?)", rows):
                return

    def keep_only(self, ids: Collection[str]) -> None:
        """Forgets the matches that are in no journal any more."""
        if self._db is None:
            return
        try:
            known = [match_id for (match_id,) in self._db.execute("select id from match")]
        except sqlite3.Error as error:
            self._mend(error)
            return
        gone = [(match_id,) for match_id in known if match_id not in ids]
        if gone:
            self._write("delete from match where id = ?", gone)

    def close(self) -> None:
        """Ends the use of the file."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open(self) -> None:
        self._db = sqlite3.connect(self._path, timeout=_PATIENCE_S, check_same_thread=False)
        if self._db.execute("pragma user_version").fetchone()[0] == 0:
            self._db.executescript(f"begin; {_TABLES} pragma user_version = 1; commit;")
            if os.geteuid() == 0:  # the daemon is not root, and should find it
                owner = self._path.parent.stat()
                os.chown(self._path, owner.st_uid, owner.st_gid)
            with self._db:
                self._db.execute("insert into about values (?)", (self._version,))
        elif self._db.execute("select version from about").fetchone() != (self._version,):
            raise sqlite3.DatabaseError("it is of another version")

    def _write(self, statement: str, rows: list[tuple[Any, ...]]) -> bool:
        """Writes these, in one commit. False when that may be tried again: the file was made anew."""
        if self._db is None or not self._may_write:
            return True
        try:
            with self._db:
                self._db.executemany(statement, rows)
        except sqlite3.Error as error:
            if _is_damage(error):
                self._mend(error)
                return False
            self._may_write = False  # what it holds is as good as before
        return True

    def _mend(self, error: Exception) -> None:
        """Makes a damaged file anew, once; does without one where that does not help."""
        self.close()
        if not self._may_mend or not _is_damage(error):
            return
        self._may_mend = False
        try:
            self._path.unlink()
            self._path.with_name(f"{self._path.name}-journal").unlink(missing_ok=True)
            self._open()
        except (OSError, sqlite3.Error):
            self.close()


def _is_damage(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in _DAMAGE
