"""The journal of a table: one SQLite file, written before anything is shown.

An input is committed, synchronously, before its state is published; so what a display has shown a power cut cannot
take back. Only the journal is stored, never a position: on resume the same fold that played the match plays it again.
Once the next match has begun, the one before is kept a second time as one record, which has a checksum: a page of the
file has lines of several matches, and damage to it then costs none of them.
Here is the file; daemon/table/journal_writer.py writes it for a table, and mends it.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

SCHEMA = 1
"""Raised with the tables; tests/data/journals keeps a journal of each, and all of them stay readable."""
UNREADABLE = sqlite3.Error, zlib.error, msgspec.DecodeError, UnicodeDecodeError, RecursionError
"""What reading a damaged journal raises; SQLite puts damaged names, which need not be UTF-8, into its messages."""
_ROOM_BYTES = 131_072
"""More than the inputs that share a commit take, and than the log grows before it is emptied."""
_MOST_RECORDED = 2000
"""Lines of a match that is recorded: packing a longer one would hold up the darts of the next."""

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

_RECORDS = """
create table if not exists record (number integer primary key, record blob not null);
create trigger if not exists forget_record after delete on match begin
  delete from record where number = old.number;
end;
"""
"""Finished matches by their numbers, each as JSON that zlib has compressed. An older oche does not know of them, and
deletes them with their matches all the same."""

_COLUMNS = [
    *((name, "match") for name in ("number", "id", "header", "begun_at")),
    *((name, "entry") for name in ("match", "line", "input", "source", "at")),
]


class StoreError(Exception):
    """The journal could not be read or written now; the text says why and what to do."""


class Damaged(StoreError):
    """The file is no journal of oche, or a damaged one: waiting does not help."""


class Full(StoreError):
    """The disk has no room for it."""


class Moved(StoreError):
    """The file was deleted, renamed or replaced while it was open."""


class Unusable(StoreError):
    """The file is of a newer version: waiting does not help."""


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


class Record(NamedTuple):
    """A finished match that is in the journal, to be kept as one record as well."""

    match: StoredMatch


_Place = tuple[int, int, int]
"""The device and the inode that a name stands for, and the size in bytes; zeros where there is no such file."""


class JournalFile:
    """The journal of one table. Every method blocks until its data is on disk, and raises StoreError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = path.with_name(f"{path.name}-wal")
        self._places: tuple[_Place, _Place] | None = None
        self.was_cut = self._log.exists()
        """The last program that had it open did not close it: it was killed, or the power was cut."""
        self.was_shortened = False
        """The file, not only its log, became smaller while it was open: it was cut, or a person ran `vacuum`."""
        with explain_errors("open", path):
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
        with explain_errors("read", self._path):
            return _read_latest(self._db)

    def find_number(self, match: str) -> int:
        """The number of the match of this id; 0 when there is none."""
        with explain_errors("read", self._path):
            (found,) = self._db.execute("select number from match where id = ?", (match,)).fetchone() or (0,)
            return _need_int(found)

    def count_lines(self, match: str) -> int:
        """The last line of the match of this id; 1 when it has only begun, 0 when there is none."""
        query = "select coalesce(max(line), 1) from match left join entry on match = number where id = ? group by id"
        with explain_errors("read", self._path):
            (found,) = self._db.execute(query, (match,)).fetchone() or (0,)
            return _need_int(found)

    def check(self) -> None:
        """Reads every page; raises Damaged for a bad one. A second for 100 MB on a desktop, a few on a Raspberry Pi."""
        with explain_errors("read", self._path):
            (found,) = self._db.execute("pragma quick_check(1)").fetchone()
        if found != "ok":
            raise Damaged(f"the journal {self._path} is damaged: {' '.join(found.split())}")

    def look(self) -> bool:
        """Whether the file and its log are where they were, and no smaller; False: another program made one smaller.

        Raises Moved. The first call notes where they are.
        """
        now = file, log = _find_place(self._path), _find_place(self._log)
        file_before, log_before = self._places or now
        if file[:2] != file_before[:2] or log[:2] != log_before[:2]:
            raise Moved(f"the journal {self._path} was deleted, renamed or replaced while oche used it")
        self._places = now
        self.was_shortened = self.was_shortened or file[2] < file_before[2]
        return file[2] >= file_before[2] and log[2] >= log_before[2]

    def copy_to(self, path: Path) -> None:
        """Writes all that is in it to another file."""
        with explain_errors("copy", self._path), closing(sqlite3.connect(path)) as other:
            self._db.backup(other)

    def write(self, news: Iterable[Begin | Line | Record]) -> None:
        """Commits all of them or none. After an error it is unknown what is on the disk: close it, and open another."""
        with explain_errors("write", self._path), self._commit():
            for item in news:
                self._insert(item)

    def rehearse(self, refused: Sequence[Begin | Line] = ()) -> None:
        """Writes more than a dart takes and removes it again: raises StoreError when the disk has no room for a dart.

        What was `refused` before goes as well: a commit that failed at its last step may have come to the disk.
        """
        with explain_errors("write", self._path):
            with self._commit():
                for item in reversed(refused):  # the lines of a match before the match
                    self._remove(item)
                self._db.execute("drop table if exists rehearsal")
                self._db.execute("create table rehearsal (room blob)")
                self._db.execute("insert into rehearsal values (zeroblob(?))", (_ROOM_BYTES,))
            with self._commit():
                self._db.execute("drop table rehearsal")
        self.empty_log()

    def empty_log(self) -> bool:
        """Moves what is in the log to its place: it is then written over. A file that grows takes longer to sync.

        Returns whether all of it was moved: a program that reads the journal can hold it up.
        """
        with suppress(sqlite3.Error):  # nothing is lost: it stays in the log
            is_busy, in_log, moved = self._db.execute("pragma wal_checkpoint(passive)").fetchone()
            return bool(not is_busy and in_log == moved)
        return False

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
        columns = (
            "select c.name, t.name from sqlite_master t, pragma_table_info(t.name) c "
            "where t.type = 'table' and t.name not in ('record', 'rehearsal') order by t.rootpage, c.cid"
        )
        if found != SCHEMA and self._db.execute(columns).fetchall() == _COLUMNS:
            raise Damaged(f"the journal {self._path} names the version {found} and has the tables of {SCHEMA}")
        if found > SCHEMA:
            raise Unusable(f"the journal {self._path} was written by a newer oche; update this one")
        if found == 0:
            self._db.executescript(f"begin; {_TABLES} pragma user_version = {SCHEMA}; commit;")
        with suppress(sqlite3.OperationalError):  # an old journal on a full disk is played on without
            self._db.executescript(_RECORDS)

    def _insert(self, item: Begin | Line | Record) -> None:
        match item:
            case Record(match) if len(match.lines) > _MOST_RECORDED:
                pass
            case Record(match):
                record = zlib.compress(msgspec.json.encode(match))
                statement = "insert or replace into record select number, ? from match where id = ?"
                self._db.execute(statement, (record, match.id))
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


def _find_place(path: Path) -> _Place:
    try:
        found = path.stat()
    except OSError:
        return 0, 0, 0
    return found.st_dev, found.st_ino, found.st_size


def peek(path: Path) -> StoredMatch | None:
    """The match begun last, where there is not even the room to open the journal as usual; None: it cannot be had."""
    try:
        with (
            explain_errors("read", path),
            closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=rw", uri=True)) as db,
        ):
            db.execute("pragma locking_mode = exclusive")  # SQLite then needs no file beside it
            return _read_latest(db)
    except StoreError:
        return None


def open_read_only(path: Path) -> sqlite3.Connection:
    """The journal at this path, to be read beside the daemon. Raises sqlite3.Error.

    One without a write-ahead log is opened as immutable: SQLite would otherwise make that log, in a folder that may not
    be ours.
    """
    mode = "" if path.with_name(f"{path.name}-wal").exists() else "&immutable=1"
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro{mode}", uri=True)


def read_match(db: sqlite3.Connection, number: int) -> StoredMatch:
    """The match of this number. Raises DecodeError or RecursionError for one that is damaged or not there."""
    recorded = read_record(db, number)
    if recorded is not None and not _goes_on(db, number, recorded):
        return recorded
    match, header, at = read_begin(db, number)
    return StoredMatch(match, header, read_lines(db, number, match), at)


def read_record(db: sqlite3.Connection, number: int) -> StoredMatch | None:
    """The match of this number as its record has it; None where there is none that can be read."""
    with suppress(*UNREADABLE):
        found = db.execute("select record from record where number = ?", (number,)).fetchone()
        if found is not None and isinstance(found[0], bytes):
            return msgspec.json.decode(zlib.decompress(found[0]), type=StoredMatch)
    return None


def _goes_on(db: sqlite3.Connection, number: int, recorded: StoredMatch) -> bool:
    """Whether the match has later lines than its record: after the one that followed it was deleted, it is at hand."""
    with suppress(sqlite3.Error):
        (last,) = db.execute("select max(line) from entry where match = ?", (number,)).fetchone()
        return isinstance(last, int) and last > len(recorded.lines) + 1
    return False


def read_begin(db: sqlite3.Connection, number: int) -> Begin:
    """How this match began. Raises as `read_match` does."""
    match, header, at = db.execute("select id, header, begun_at from match where number = ?", (number,)).fetchone() or (
        None,
        None,
        None,
    )
    if not isinstance(match, str) or not isinstance(at, str):
        raise msgspec.DecodeError(f"the match {number} cannot be read")
    return Begin(match, decode_object(header), at)


def read_lines(db: sqlite3.Connection, number: int, match: str, *, is_partial: bool = False) -> list[Line]:
    """The lines of the match of this number and id. Raises as `read_match` does.

    With `is_partial` those before the first that is damaged.
    """
    found: list[Line] = []
    query = "select line, input, source, at from entry where match = ? and line > 1 order by line"
    try:
        # Closed, because SQLite closes no file while a cursor is open, and a traceback would keep it open.
        with closing(db.execute(query, (number,))) as rows:
            for line, given, source, at in rows:
                if line != len(found) + 2 or not isinstance(source, str) or not isinstance(at, str):
                    raise msgspec.DecodeError(f"line {len(found) + 2} of the match {match} cannot be read")
                found.append(Line(match, line, decode_object(given), source, at))
    except UNREADABLE:
        if not is_partial:
            raise
    return found


def _read_latest(db: sqlite3.Connection) -> StoredMatch | None:
    (number,) = db.execute("select max(number) from match").fetchone()
    (last,) = db.execute("select max(match) from entry").fetchone()
    found = [_need_int(each) for each in (number, last) if each is not None]
    return read_match(db, max(found)) if found else None


def _need_int(value: object) -> int:
    if not isinstance(value, int):  # SQLite keeps a text in a column of integers
        raise msgspec.DecodeError("a row has no number")
    return value


def decode_object(text: object) -> dict[str, Any]:  # Any: JSON
    """The object in the text of a row. Raises DecodeError, and RecursionError."""
    if not isinstance(text, str):
        raise msgspec.DecodeError("a row has no text")
    return msgspec.json.decode(text, type=dict[str, Any])


@contextmanager
def explain_errors(what: str, path: Path) -> Iterator[None]:
    """Raises StoreError for an error of SQLite in the block, by what can be done about it."""
    try:
        yield
    except UNREADABLE as error:
        raise _explain_error(what, path, error) from error


def _explain_error(what: str, path: Path, error: Exception) -> StoreError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    sentence = f"cannot {what} the journal {path}: {error}; "
    match code:
        case (
            sqlite3.SQLITE_CORRUPT
            | sqlite3.SQLITE_NOTADB
            | sqlite3.SQLITE_FORMAT
            | sqlite3.SQLITE_ERROR
            | sqlite3.SQLITE_CONSTRAINT
            | sqlite3.SQLITE_MISMATCH
        ):
            return Damaged(f"{sentence}it is damaged")
        case sqlite3.SQLITE_READONLY if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
            return Damaged(f"{sentence}it is damaged")  # its header says that only a newer SQLite may write it
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM if not _is_full(path.parent):
            return StoreError(f"{sentence}make it and its folder writable for the user oche runs as")
        case sqlite3.SQLITE_FULL:
            return Full(f"{sentence}free some space, or check the disk")
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
