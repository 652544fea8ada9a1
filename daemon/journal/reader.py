"""Reading the matches of a journal, also of a damaged one.

A finished match is in two places, and one of them is enough: its rows, and its record.
"""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from daemon.journal.errors import DIRECT, UNREADABLE, StoreError, explain_errors, read_write_form
from daemon.journal.lines import Begin, Line, Result, StoredMatch


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
    is_written_directly = read_write_form(path) == DIRECT
    is_shared = is_written_directly or path.with_name(f"{path.name}-wal").exists()
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
