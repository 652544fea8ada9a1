"""The matches of a journal, read: by the table whose journal it is, and beside it, also where it is damaged.

A finished match is in two places, and one of them is enough: its rows, and its record. Beside the daemon, that may be
writing, a journal is opened read-only for as long as some matches take to be read, so the daemon never waits.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec
from msgspec import Struct

from daemon.files import explain_errors as explain_file_errors
from daemon.journal.errors import DIRECT, UNREADABLE, StoreError, Unusable, explain_errors, read_write_form
from daemon.journal.lines import Begin, Line, Result, StoredMatch

SCHEMA = 1
"""Raised with the tables; tests/data/journals keeps a journal of each, and all of them stay readable."""


class Head(NamedTuple):
    """A match of a journal before its lines are read. `stamp` changes when a line is added or the header is changed.

    `continues` is the id of the match that it goes on with; None where it begins anew.
    """

    number: int
    id: str
    begun_at: str
    stamp: str
    game: str
    """As the header names it; "" when it cannot be read."""
    continues: str | None = None


class _HeaderNames(Struct):
    """What a header is read for before its match is."""

    game: str = ""
    continues: str | None = None


class StoredJournal(Struct, frozen=True):
    """The journal of one table. Every method raises StoreError."""

    path: Path

    @property
    def table(self) -> str:
        """The name of its table."""
        return self.path.stem

    def heads(self, only: str | None = None) -> list[Head]:
        """Every match, oldest first; or the one of this id."""
        last = "(select line || ' ' || at from entry where match = number order by line desc limit 1)"
        found = f"select number, id, begun_at, cast(header as blob), {last} from match"  # noqa: S608  no input
        try:
            rows = self._select(f"{found} where coalesce(id = ?, true) order by number", only)
            return [_make_head(*row) for row in rows]
        except StoreError:
            with self._open() as db:  # one by one: damage costs the matches in it
                heads = [_find_head(db, f"{found} where number = ?", number) for number in find_numbers(db)]
            if not heads:
                raise
            return [head for head in heads if only in (None, head.id)]

    def count_matches(self) -> int:
        """The number of matches."""
        return sum(number for (number,) in self._select("select count(*) from match"))

    def headers(self, most: int) -> list[tuple[str, dict[str, Any]]]:  # Any: JSON
        """When the latest matches began that have an input other than stop, and their headers; the latest first."""
        played = "exists (select 1 from entry where match = number and input <> '{\"stop\":true}')"
        query = f"select begun_at, header from match where {played} order by number desc limit ?"  # noqa: S608  ours
        found = []
        for at, header in self._select(query, most):
            with suppress(msgspec.DecodeError, RecursionError):
                found.append((_mend_moment(at), decode_object(header)))
        return found

    def match(self, head: Head) -> StoredMatch:
        """The match with its lines."""
        return self.matches([head])[0]

    def matches(self, heads: Iterable[Head]) -> list[StoredMatch]:
        """These matches with their lines, up to one that cannot be read. Raises when that is the first."""
        found: list[StoredMatch] = []
        try:
            with self._open() as db:
                found.extend(read_match(db, head.number) for head in heads)  # those before an error stay in it
        except StoreError:
            if not found:
                raise
        return found

    def result(self, number: int, lines: int) -> Result | None:
        """What the match of this number came to, with so many lines; None: it is not known."""
        with suppress(StoreError), self._open() as db:
            return read_result(db, number, lines)
        return None

    def check(self, patience_s: float) -> bool:
        """Checks every page; returns False when that takes longer than `patience_s`, all being well so far."""
        end_s = time.monotonic() + patience_s
        with self._open() as db:
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

    def all_headers(self) -> dict[int, tuple[str, dict[str, Any]]]:  # Any: JSON
        """The ids and headers of all matches by their numbers, the oldest first; of those that can be read."""
        found = {}
        for number, match, header in self._select("select number, id, header from match order by number"):
            with suppress(msgspec.DecodeError, RecursionError):
                found[number] = (str(match), decode_object(header))
        return found

    def headers_since(self, at: str) -> list[tuple[int, str, dict[str, Any]]]:  # Any: JSON
        """The number, id and header of each match that began then (ISO 8601, UTC) or later, the oldest first."""
        found = []
        query = "select number, id, header from match where begun_at >= ? order by number"
        for number, match, header in self._select(query, at):
            with suppress(msgspec.DecodeError, RecursionError):
                found.append((number, str(match), decode_object(header)))
        return found

    def match_of_number(self, number: int) -> StoredMatch:
        """The match of this number with its lines."""
        with self._open() as db:
            return read_match(db, number)

    def plan(self) -> dict[str, Any] | None:  # Any: JSON
        """The header of the next match that a player planned, for whichever match; None where there is none."""
        with self._open() as db:
            found = db.execute("select header from plan").fetchone() if has_plans(db) else None
            return found and decode_object(found[0])

    def is_half_erased(self) -> bool:
        """Whether its log may have what was erased: that was cut off, or another program read it."""
        with self._open() as db:
            return read_erasure(db) != 0

    def _select(self, query: str, *given: int | str | None) -> list[tuple[Any, ...]]:  # Any: as the columns are
        """The rows of this query; none from a journal that is just being made."""
        with self._open() as db:
            is_made = db.execute("pragma user_version").fetchone()[0] != 0
            return db.execute(query, given).fetchall() if is_made else []

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(open_read_only(self.path)) as db:
                found = db.execute("pragma user_version").fetchone()[0]
                if found > SCHEMA:
                    raise Unusable(f"the journal {self.path} was written by a newer oche; update this one")
                yield db
        except UNREADABLE as error:
            sentence = f"cannot read the journal {self.path}: {error}; check that it is an intact journal of oche"
            raise StoreError(sentence) from error


def _find_head(db: sqlite3.Connection, query: str, number: int) -> Head:
    row = None
    with suppress(sqlite3.Error):
        row = db.execute(query, (number,)).fetchone()
    return _make_head(*(row or (number, None, None, None, None)))


def _make_head(number: int, name: object, begun_at: object, header: bytes | None, last: object) -> Head:
    names = _HeaderNames()
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        names = msgspec.json.decode(header or b"", type=_HeaderNames)
    name = name if isinstance(name, str) else f"number {number}"
    stamp = f"{last} {zlib.crc32(header or b''):08x}"
    return Head(number, name, _mend_moment(begun_at), stamp, names.game, names.continues)


def _mend_moment(at: object) -> str:
    """This moment; 1970 when it is not one, because the match is worth more than its date."""
    with suppress(ValueError):
        if isinstance(at, str) and datetime.fromisoformat(at).tzinfo is not None:
            return at
    return "1970-01-01T00:00:00.000+00:00"


def find_journals(folder: Path, first: Collection[str] = ()) -> list[StoredJournal]:
    """The journals in this folder by table, those of the tables in `first` before the others. Raises UserError."""
    found: list[StoredJournal] = []
    with (
        explain_file_errors(f"cannot read the folder {folder}", "; ask as the user oche runs as"),
        suppress(FileNotFoundError),
    ):
        found = [StoredJournal(path) for path in folder.iterdir() if path.suffix == ".sqlite3"]
    return sorted(found, key=lambda journal: (journal.table not in first, journal.table))


def find_copies(folder: Path) -> list[Path]:
    """Files and folders in this folder that are not read, and may still have any match.

    Some were set aside, others are of a backup that is made or put back, or was when that was cut off.
    """
    patterns = ("*.damaged-*", "before-restore-*", "restore-[0-9]*T[0-9]*Z-*", ".restore-*", ".oche-backup-*")
    return sorted(path for pattern in patterns for path in folder.glob(pattern))


def find_numbers(db: sqlite3.Connection) -> list[int]:
    """The numbers of all matches that can be found, in their order; each is looked for from both ends."""
    found: set[int] = set()
    for table, column in (("match", "number"), ("entry", "match"), ("record", "number")):
        for which, beyond, at in (("min", ">", float("-inf")), ("max", "<", float("inf"))):
            query = f"select {which}({column}) from {table} where {column} {beyond} ?"  # noqa: S608  no input
            with suppress(sqlite3.Error):
                number = db.execute(query, (at,)).fetchone()[0]
                while isinstance(number, int) and (number > at if which == "min" else number < at):  # else a bad page
                    found.add(number)
                    at = number  # noqa: PLW2901
                    number = db.execute(query, (at,)).fetchone()[0]
    return sorted(found)


def peek(path: Path) -> tuple[StoredMatch | None, dict[str, Any] | None]:  # Any: JSON
    """The match begun last and its plan, where there is not even the room to open the journal as usual.

    None, None: they cannot be had.
    """
    try:
        with (
            explain_errors("read", path),
            closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=rw", uri=True)) as db,
        ):
            db.execute("pragma locking_mode = exclusive")  # SQLite then needs no file beside it
            latest = read_latest(db)
            return latest, latest and read_plan(db, latest.id)
    except StoreError:
        return None, None


def open_read_only(path: Path) -> sqlite3.Connection:
    """The journal at this path, to be read beside the daemon. Raises sqlite3.Error.

    One without its write-ahead log is opened as immutable: SQLite would otherwise make that log, in a folder that may
    not be ours. One that is written without such a log is not: there it keeps readers from what is half written.
    """
    # In this order: to open and close a file past SQLite takes the locks from all that this process has open there. The
    # next program that closes it then takes itself for the last one, and removes the log from under the daemon.
    is_shared = path.with_name(f"{path.name}-wal").exists() or read_write_form(path) == DIRECT
    mode = "" if is_shared else "&immutable=1"
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


def read_result(db: sqlite3.Connection, number: int, lines: int) -> Result | None:
    """What the match of this number came to, which has so many lines behind its header; None: it is not known."""
    recorded = read_record(db, number)
    with suppress(*UNREADABLE):
        if recorded is not None and len(recorded.lines) == lines:
            packed = zlib.decompressobj()
            packed.decompress(*db.execute("select record from record where number = ?", (number,)).fetchone())
            return msgspec.json.decode(zlib.decompress(packed.unused_data), type=Result)
    return None


def _goes_on(db: sqlite3.Connection, number: int, recorded: StoredMatch) -> bool:
    """Whether the match has later lines than its record: after the one that followed was deleted, it is current."""
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


def read_latest(db: sqlite3.Connection) -> StoredMatch | None:
    """The match that was begun last; None where there is none. Raises as `read_match` does."""
    (number,) = db.execute("select max(number) from match").fetchone()
    (last,) = db.execute("select max(match) from entry").fetchone()
    found = [need_int(each) for each in (number, last) if each is not None]
    return read_match(db, max(found)) if found else None


def read_plan(db: sqlite3.Connection, match: str) -> dict[str, Any] | None:  # Any: JSON
    """The plan that was made during the match of this id; None where there is none. Raises as `read_match` does."""
    if not has_plans(db):
        return None
    found = db.execute("select header from plan where match = ?", (match,)).fetchone()
    return found and decode_object(found[0])


def has_plans(db: sqlite3.Connection) -> bool:
    """Whether the journal has the table of the plan, which is made with the first one."""
    return db.execute("select 1 from sqlite_master where type = 'table' and name = 'plan'").fetchone() is not None


def need_int(value: object) -> int:
    """The value. Raises DecodeError for one that is no integer."""
    if not isinstance(value, int):  # SQLite keeps a text in a column of integers
        raise msgspec.DecodeError("a row has no number")
    return value


def decode_object(text: object) -> dict[str, Any]:  # Any: JSON
    """The object in the text of a row. Raises DecodeError, and RecursionError."""
    if not isinstance(text, str):
        raise msgspec.DecodeError("a row has no text")
    return msgspec.json.decode(text, type=dict[str, Any])


def read_erasure(db: sqlite3.Connection) -> int:
    """The note that something was erased of which the log may still have something; 0: nothing was."""
    return need_int(db.execute("pragma application_id").fetchone()[0])
