"""Reading the journals of all tables, beside the daemon that may be writing them.

A journal is opened read-only, and held no longer than a match takes to be read: the daemon never waits for a reader.
Without a log beside it nobody writes it, and it is read as it lies there: SQLite would else make that log for us, and
leave it behind in a folder that may not be ours.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from daemon.errors import UserError
from daemon.store import SCHEMA, Line, StoredMatch, StoreError


class Head(NamedTuple):
    """A match of a journal before its lines are read. `stamp` is another one once anything was added to it."""

    number: int
    id: str
    begun_at: str
    stamp: str


class Journal:
    """The journal of one table. Everything raises StoreError."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def table(self) -> str:
        """Whose it is."""
        return self.path.stem

    def heads(self) -> list[Head]:
        """Every match, oldest first."""
        with self._opened() as db:
            if db.execute("pragma user_version").fetchone()[0] == 0:
                return []  # made this moment
            last = "(select line || ' ' || at from entry where match = number order by line desc limit 1)"
            query = f"select number, id, begun_at, {last} from match order by number"  # noqa: S608  nothing is given
            return [Head(number, name, _moment(at), stamp or "") for number, name, at, stamp in db.execute(query)]

    def headers(self, most: int) -> list[tuple[str, dict[str, Any]]]:  # Any: JSON
        """When the latest matches began in which somebody did something, and their headers; the latest first."""
        with self._opened() as db:
            if db.execute("pragma user_version").fetchone()[0] == 0:
                return []
            played = "exists (select 1 from entry where match = number and input <> '{\"stop\":true}')"
            query = f"select begun_at, header from match where {played} order by number desc limit ?"  # noqa: S608  ours
            rows = db.execute(query, (most,)).fetchall()
            return [(_moment(at), msgspec.json.decode(header, type=dict[str, Any])) for at, header in rows]

    def match(self, head: Head) -> StoredMatch:
        """That match with its lines."""
        read = msgspec.json.decode
        with self._opened() as db:
            (header,) = db.execute("select header from match where number = ?", (head.number,)).fetchone()
            rows = db.execute("select line, input, source, at from entry where match = ? order by line", (head.number,))
            return StoredMatch(
                head.id, read(header), [Line(head.id, n, read(given), source, at) for n, given, source, at in rows]
            )

    def check(self, patience_s: float) -> bool:
        """Looks at every page; False when that takes longer, and all was well so far."""
        end_s = time.monotonic() + patience_s
        with self._opened() as db:
            db.set_progress_handler(lambda: time.monotonic() > end_s, 10_000)
            try:
                (found,) = db.execute("pragma quick_check(1)").fetchone()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                    return False
                raise
        if found != "ok":
            raise StoreError(f"the journal {self.path} is damaged: {' '.join(found.split())}")
        return True

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(self._connected()) as db:
                found = db.execute("pragma user_version").fetchone()[0]
                if found > SCHEMA:
                    raise StoreError(f"the journal {self.path} was written by a newer oche; update this one")
                yield db
        except (sqlite3.Error, msgspec.DecodeError, TypeError) as error:
            raise StoreError(
                f"cannot read the journal {self.path}: {error}; see whether it is whole and ours"
            ) from error

    def _connected(self) -> sqlite3.Connection:
        path = str(self.path.absolute())
        alone = "" if Path(f"{path}-wal").exists() else "&immutable=1"
        return sqlite3.connect(f"file:{quote(path)}?mode=ro{alone}", uri=True)


def _moment(at: str) -> str:
    """When it was, or long ago: whoever wrote what is no moment, the match is worth more."""
    try:
        known = datetime.fromisoformat(at).tzinfo is not None
    except ValueError:
        known = False
    return at if known else "1970-01-01T00:00:00.000+00:00"


def journals(folder: Path, first: Collection[str] = ()) -> list[Journal]:
    """The journals in this folder, those of the tables named `first` before others. Raises UserError."""
    try:
        found = [Journal(path) for path in folder.iterdir() if path.suffix == ".sqlite3"]
    except FileNotFoundError:
        return []
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(f"cannot read the folder {folder}: {reason}; ask as the user oche runs as") from None
    return sorted(found, key=lambda journal: (journal.table not in first, journal.table))
