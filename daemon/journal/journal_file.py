"""The journal of a table: one SQLite file, written before anything is shown.

An input is committed, synchronously, before its state is published; so what a display has shown a power cut cannot
take back. Only the journal is stored, never a position: on resume the same fold that played the match plays it again.
A match that is over is kept a second time as one record, which has a checksum: a page of the
file has lines of several matches, and damage to it then costs none of them.
What is erased is written over, also in the log; a program that reads the journal meanwhile can hold that up.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from daemon.journal.errors import ROOM_BYTES, Damaged, Moved, StoreError, Unusable, explain_errors
from daemon.journal.lines import Begin, FinishedMatch, Line, Planned, Result, StoredMatch
from daemon.journal.stored import (
    SCHEMA,
    StoredJournal,
    has_plans,
    need_int,
    read_erasure,
    read_latest,
    read_match,
    read_plan,
    read_record,
    read_result,
)
from daemon.remedies import suggest_for_database

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
"""Finished matches by their numbers, each as JSON that zlib has compressed, and behind it its result, packed alike. An
older oche does not know of them, and deletes them with their matches all the same."""

_PLAN = "create table if not exists plan (match text not null, header text not null)"
"""The plan of the next match, if a player made one: one row, which counts while its match is the current one. It is
made when it is needed. An older oche does not know of it, and leaves it alone."""

_READERS_PATIENCE_S = 0.05
_PATIENCE_S = 10.0
"""An erasure beside the daemon waits so long for who writes or reads the journal."""

TABLES = f"{_TABLES}{_RECORDS}{_PLAN}; create table rehearsal (room blob);"
"""All that may be in a journal."""

_COLUMNS = [
    *((name, "match") for name in ("number", "id", "header", "begun_at")),
    *((name, "entry") for name in ("match", "line", "input", "source", "at")),
]


_FileIdentity = tuple[int, int, int]
"""The device and the inode that a name stands for, and the size in bytes; zeros where there is no such file."""


class JournalFile:
    """The journal of one table. Every method blocks until its data is on disk, and raises StoreError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = path.with_name(f"{path.name}-wal")
        self._identities: tuple[_FileIdentity, _FileIdentity] | None = None
        self.was_cut = self._log.exists() or path.with_name(f"{path.name}-journal").exists()
        """The last program that had it open did not close it: it was killed, or the power was cut."""
        self.was_shortened = False
        """The file, not only its log, became smaller while it was open: it was cut, or a person ran `vacuum`."""
        with explain_errors("open", path):
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            try:
                (mode,) = self._db.execute("pragma journal_mode = wal").fetchone()  # some network disks know none
                self._db.execute(f"pragma synchronous = {'full' if mode == 'wal' else 'extra'}")
                self._db.execute("pragma secure_delete = fast")  # the names in a former plan are written over
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def latest(self) -> StoredMatch | None:
        """The match that was begun last."""
        with explain_errors("read", self._path):
            return read_latest(self._db)

    def plan(self, match: str) -> dict[str, Any] | None:  # Any: JSON
        """The plan of the next match that was made during the match of this id; None where there is none."""
        with explain_errors("read", self._path):
            return read_plan(self._db, match)

    def find_number(self, match: str) -> int:
        """The number of the match of this id; 0 when there is none."""
        with explain_errors("read", self._path):
            (found,) = self._db.execute("select number from match where id = ?", (match,)).fetchone() or (0,)
            return need_int(found)

    def count_lines(self, match: str) -> int:
        """The last line of the match of this id; 1 when it has only begun, 0 when there is none."""
        query = "select coalesce(max(line), 1) from match left join entry on match = number where id = ? group by id"
        with explain_errors("read", self._path):
            (found,) = self._db.execute(query, (match,)).fetchone() or (0,)
            return need_int(found)

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
        now = file, log = _read_identity(self._path), _read_identity(self._log)
        file_before, log_before = self._identities or now
        if file[:2] != file_before[:2] or log[:2] != log_before[:2]:
            raise Moved(f"the journal {self._path} was deleted, renamed or replaced while oche used it")
        self._identities = now
        self.was_shortened = self.was_shortened or file[2] < file_before[2]
        return file[2] >= file_before[2] and log[2] >= log_before[2]

    def copy_to(self, path: Path) -> None:
        """Writes all that is in it to another file."""
        with explain_errors("copy", self._path), closing(sqlite3.connect(path)) as other:
            self._db.backup(other)

    def write(self, news: Iterable[Begin | Line | Planned | FinishedMatch]) -> None:
        """Commits all of them or none. After an error it is unknown what is on the disk: close it, and open another."""
        with explain_errors("write", self._path), _commit(self._db):
            for item in news:
                self._insert(item)

    def rewrite_header(self, match: str, header: dict[str, Any]) -> None:  # Any: JSON
        """Replaces the header of the match of this id, without a plan, and overwrites the former on the disk.

        While another program reads the journal, the log keeps the former, and the journal tells so: `note_erasure`.
        """
        number = self.find_number(match)
        with explain_errors("write", self._path):
            self._db.execute("pragma secure_delete = on")
            try:
                with _commit(self._db):
                    _rewrite_header(self._db, number, header)
                    _clear_plan(self._db)
                    note_erasure(self._db)
            finally:
                self._db.execute("pragma secure_delete = fast")
        with suppress(StoreError, sqlite3.Error):
            finish_erasure(self._db, self._path, patience_s=0)
        if self._identities is not None:
            file, log = self._identities
            self._identities = file, (*log[:2], 0)  # it is smaller now, and it was not another program

    def test_room(self, refused: Sequence[Begin | Line] = ()) -> None:
        """Writes more than a dart takes and removes it again: raises StoreError when the disk has no room for a dart.

        What was `refused` before goes as well: a commit that failed at its last step may have come to the disk.
        """
        with explain_errors("write", self._path):
            with _commit(self._db):
                for item in reversed(refused):  # the lines of a match before the match
                    self._remove(item)
                self._db.execute("drop table if exists rehearsal")
                self._db.execute("create table rehearsal (room blob)")
                self._db.execute("insert into rehearsal values (zeroblob(?))", (ROOM_BYTES,))
            with _commit(self._db):
                self._db.execute("drop table rehearsal")
        self.empty_log()

    def test_writing(self, news: Iterable[Begin | Line]) -> None:
        """Writes these as `write` does, and takes them back: raises StoreError when it cannot be done."""
        with explain_errors("write", self._path):
            self._db.execute("begin immediate")
            try:
                for item in news:
                    self._insert(item)
            finally:
                if self._db.in_transaction:
                    self._db.execute("rollback")

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

    def _prepare(self) -> None:
        found = self._db.execute("pragma user_version").fetchone()[0]
        columns = (
            "select c.name, t.name from sqlite_master t, pragma_table_info(t.name) c "
            "where t.type = 'table' and t.name not in ('record', 'plan', 'rehearsal') order by t.rootpage, c.cid"
        )
        if found != SCHEMA and self._db.execute(columns).fetchall() == _COLUMNS:
            raise Damaged(
                f"the journal {self._path} says that it is of version {found}, and has the tables of {SCHEMA}"
            )
        if found > SCHEMA:
            raise Unusable(f"the journal {self._path} was written by a newer oche; update this one")
        if found == 0:
            self._db.executescript(f"begin; {_TABLES} pragma user_version = {SCHEMA}; commit;")
        with suppress(sqlite3.OperationalError):  # an old journal on a full disk is played on without
            self._db.executescript(_RECORDS)

    def _insert(self, item: Begin | Line | Planned | FinishedMatch) -> None:
        match item:
            case FinishedMatch(match) if len(match.lines) > _MOST_RECORDED:
                pass
            case FinishedMatch(match, result):
                kept = read_result(self._db, self.find_number(match.id), len(match.lines))
                statement = "insert or replace into record select number, ? from match where id = ?"
                self._db.execute(statement, (_pack(match, kept or result), match.id))
            case Begin(match, header, at):
                statement = "insert into match (id, header, begun_at) values (?, ?, ?)"
                self._db.execute(statement, (match, _encode(header), at))
                _clear_plan(self._db)
            case Planned(match, header):
                _clear_plan(self._db)
                if header is not None:
                    self._db.execute(_PLAN)
                    self._db.execute("insert into plan values (?, ?)", (match, _encode(header)))
            case Line(match, number, given, source, at):
                statement = (
                    "insert into entry (match, line, input, source, at) "
                    "values ((select number from match where id = ?), ?, ?, ?, ?)"
                )
                self._db.execute(statement, (match, number, _encode(given), source, at))

    def _remove(self, item: Begin | Line) -> None:
        match item:
            case Begin(match):
                self._db.execute("delete from match where id = ?", (match,))
            case Line(match, number):
                statement = "delete from entry where match = (select number from match where id = ?) and line = ?"
                self._db.execute(statement, (match, number))


@contextmanager
def _commit(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("begin immediate")
    try:
        yield
        db.execute("commit")
    except BaseException:
        if db.in_transaction:
            db.execute("rollback")
        raise


def erase_matches(path: Path, numbers: Collection[int]) -> None:
    """Deletes the matches of these numbers from a journal, all or none, and overwrites their darts on the disk.

    With none it only completes what was cut off. Raises StoreError.
    """
    given = [(number,) for number in numbers]
    if not given and not StoredJournal(path).is_half_erased():
        return
    with _erase(path) as db:
        if has_plans(db):
            db.executemany("delete from plan where match = (select id from match where number = ?)", given)
        db.executemany("delete from entry where match = ?", given)
        db.executemany("delete from match where number = ?", given)


def rewrite_headers(path: Path, headers: Mapping[int, dict[str, Any]], *, without_plan: bool) -> None:  # Any: JSON
    """Replaces the headers of the matches of these numbers, all or none, and overwrites the former on the disk.

    So it deletes the plan, if asked to. With neither it only completes what was cut off. Raises StoreError.
    """
    if not headers and not without_plan and not StoredJournal(path).is_half_erased():
        return
    with _erase(path) as db:
        if without_plan:
            _clear_plan(db)
        for number, header in headers.items():
            _rewrite_header(db, number, header)


def add_lines(path: Path, match: StoredMatch, lines: Sequence[Line]) -> bool:
    """Adds these lines to the end of a match in a journal, all or none, beside the daemon. Raises StoreError.

    False: none were added, because the match is another one by now, or the latest, which the daemon has in memory.
    """
    with _open_beside(path) as db:
        db.execute("pragma secure_delete = fast")
        with _commit(db):
            (number,) = db.execute("select number from match where id = ?", (match.id,)).fetchone() or (0,)
            (latest,) = db.execute("select max(number) from match").fetchone()
            if number == 0 or number == latest or read_match(db, number) != match:
                return False
            rows = [(number, each.number, _encode(each.input), each.source, each.at) for each in lines]
            db.executemany("insert into entry (match, line, input, source, at) values (?, ?, ?, ?, ?)", rows)
            if _has_records(db):
                _record_anew(db, number, match._replace(lines=[*match.lines, *lines]))
    return True


def _record_anew(db: sqlite3.Connection, number: int, match: StoredMatch) -> None:
    """Puts a match that has got more lines in the place of its record, within a transaction."""
    if len(match.lines) > _MOST_RECORDED:
        db.execute("delete from record where number = ?", (number,))
    else:
        db.execute("insert or replace into record values (?, ?)", (number, _pack(match, None)))


@contextmanager
def _erase(path: Path) -> Iterator[sqlite3.Connection]:
    """The journal within a transaction, in which nothing is left on the disk of what is replaced."""
    with _open_beside(path) as db:
        db.execute("pragma secure_delete = on")
        db.execute("begin immediate")
        yield db
        note_erasure(db)
        db.execute("commit")
        finish_erasure(db, path, _PATIENCE_S)


@contextmanager
def _open_beside(path: Path) -> Iterator[sqlite3.Connection]:
    """The journal, to be changed beside the daemon. Raises StoreError."""
    try:
        with closing(
            sqlite3.connect(
                f"file:{quote(str(path.absolute()))}?mode=rw", uri=True, timeout=_PATIENCE_S, isolation_level=None
            )
        ) as db:
            yield db
    except sqlite3.Error as error:
        helps = suggest_for_database(error, path.parent)
        raise StoreError(f"cannot write the journal {path}: {error}{helps}") from error


def _rewrite_header(db: sqlite3.Connection, number: int, header: dict[str, Any]) -> None:  # Any: JSON
    """Replaces the header of a match, also in its record, within a transaction."""
    db.execute("update match set header = ? where number = ?", (_encode(header), number))
    if not _has_records(db) or not db.execute("select 1 from record where number = ?", (number,)).fetchone():
        return
    record = read_record(db, number)
    if record is None:  # it is damaged, and what it has cannot be told
        db.execute("delete from record where number = ?", (number,))
    else:
        packed = _pack(record._replace(header=header), read_result(db, number, len(record.lines)))
        db.execute("update record set record = ? where number = ?", (packed, number))


def _has_records(db: sqlite3.Connection) -> bool:
    """Whether the journal has the table of the records, which older journals lack."""
    return db.execute("select 1 from sqlite_master where name = 'record'").fetchone() is not None


def _clear_plan(db: sqlite3.Connection) -> None:
    """Removes the plan of the next match, within a transaction."""
    if has_plans(db):
        db.execute("delete from plan")


def _pack(match: StoredMatch, result: Result | None) -> bytes:
    """A record. The result is behind the match, where an older oche does not look."""
    packed = zlib.compress(msgspec.json.encode(match))
    return packed if result is None else packed + zlib.compress(msgspec.json.encode(result))


def note_erasure(db: sqlite3.Connection) -> None:
    """Notes within a transaction that it erases something: the log has it until `finish_erasure`.

    The note is the application id of the journal, another one each time; it is 0 when nothing erased is in the log.
    """
    db.execute(f"pragma application_id = {secrets.randbelow(2**31 - 1) + 1}")


def finish_erasure(db: sqlite3.Connection, path: Path, patience_s: float) -> None:
    """Empties the log of the journal at this path. Raises StoreError when others read it for longer than `patience_s`.

    Once more, if meanwhile another program has erased something: it may be in the log again.
    """
    end_s = time.monotonic() + patience_s
    while erasure := read_erasure(db):
        _wait_for_empty_log(db, path, end_s)
        with _commit(db):
            if read_erasure(db) == erasure:
                db.execute("pragma application_id = 0")


def _wait_for_empty_log(db: sqlite3.Connection, path: Path, end_s: float) -> None:
    """Tries it again and again, because SQLite lets nobody write while it waits for readers: no dart would be kept."""
    (timeout_ms,) = db.execute("pragma busy_timeout").fetchone()
    try:
        db.execute("pragma busy_timeout = 0")
        while not _empty_log(db):
            if time.monotonic() >= end_s:
                what = f"another program has the journal {path} open, so its log may still contain what was erased"
                raise StoreError(f"{what}: close that program, and do this again")
            time.sleep(_READERS_PATIENCE_S)
    finally:
        db.execute(f"pragma busy_timeout = {timeout_ms}")


def _empty_log(db: sqlite3.Connection) -> bool:
    """Returns whether the log is empty now; False while another program reads or writes the journal."""
    truncate = "pragma wal_checkpoint(truncate)"
    with suppress(sqlite3.OperationalError):  # of a disk that fails now and then
        return not db.execute(truncate).fetchone()[0]
    return not db.execute(truncate).fetchone()[0]


def _read_identity(path: Path) -> _FileIdentity:
    try:
        found = path.stat()
    except OSError:
        return 0, 0, 0
    return found.st_dev, found.st_ino, found.st_size


def _encode(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()
