"""What can go wrong with a journal, and what to do about it.

SQLite has one exception for many faults; here each is told apart by what helps: waiting, more room, or another file.
"""

from __future__ import annotations

import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from daemon.remedies import READ_ONLY_CODES, is_read_only, suggest_for_read_only
from protocol.sentence import Sentence, say

UNREADABLE = sqlite3.Error, zlib.error, msgspec.DecodeError, UnicodeDecodeError, RecursionError
"""What reading a damaged journal raises; SQLite puts damaged names, which need not be UTF-8, into its messages."""
ROOM_BYTES = 131_072
"""More than the inputs that share a commit take, and than the log grows before it is emptied."""


_HEADER_BYTES = 100
_WRITE_FORM = 18
"""Where the header says how the file is written."""
DIRECT, _WRITE_AHEAD = 1, 2
"""How it is written: directly, with a rollback journal beside it, or into a log first."""


class StoreError(Exception):
    """The journal could not be read or written now; `said` says why and what to do."""

    def __init__(self, said: str | Sentence) -> None:
        super().__init__(str(said))
        self.said = said


class Damaged(StoreError):
    """The file is no journal of oche, or a damaged one: waiting does not help."""


class Full(StoreError):
    """The disk has no room for it."""


class Moved(StoreError):
    """The file was deleted, renamed or replaced while it was open."""


class Unusable(StoreError):
    """The file is of a newer version: waiting does not help."""


Action = Literal["open", "read", "copy", "write"]
_ACTIONS: dict[Action, Sentence] = {
    "open": say("journal.open", "open"),
    "read": say("journal.read", "read"),
    "copy": say("journal.copy", "copy"),
    "write": say("journal.write", "write"),
}
_DAMAGED = say("journal.damaged", "it is damaged")
_MAKE_ROOM = say("journal.make_room", "free some space, or check the disk")
_MAKE_WRITABLE = say("journal.make_writable", "make it and its folder writable for the user oche runs as")
_MOVE_FOLDER = say("journal.move_folder", "it is a folder: move it away")
_READ_ONLY = "journal.read_only", "the file system is read-only: {remedy}"
_CLOSE = say("journal.close", "close the program that has it open")


@contextmanager
def explain_errors(what: Action, path: Path) -> Iterator[None]:
    """Raises StoreError for an error of SQLite in the block, by what can be done about it."""
    try:
        yield
    except UNREADABLE as error:
        raise _explain_error(what, path, error) from error


def _explain_error(what: Action, path: Path, error: Exception) -> StoreError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    kind, remedy = _choose_remedy(code, path)
    said = say(
        "journal.failed",
        "cannot {what} the journal {name}: {details}; {remedy}",
        what=_ACTIONS[what],
        name=str(path),
        details=str(error),
        remedy=remedy,
    )
    return kind(said)


def _choose_remedy(code: int, path: Path) -> tuple[type[StoreError], Sentence]:
    if code in READ_ONLY_CODES and is_read_only(path.parent):
        return StoreError, say(*_READ_ONLY, remedy=suggest_for_read_only(path.parent))
    if code == sqlite3.SQLITE_CANTOPEN and path.is_dir():
        return StoreError, _MOVE_FOLDER
    match code:
        case (
            sqlite3.SQLITE_CORRUPT
            | sqlite3.SQLITE_NOTADB
            | sqlite3.SQLITE_FORMAT
            | sqlite3.SQLITE_ERROR
            | sqlite3.SQLITE_CONSTRAINT
            | sqlite3.SQLITE_MISMATCH
        ):
            return Damaged, _DAMAGED
        case sqlite3.SQLITE_READONLY if read_write_form(path) > _WRITE_AHEAD:
            return Damaged, _DAMAGED  # only a newer SQLite may write it
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM if not _is_full(path.parent):
            return StoreError, _MAKE_WRITABLE
        case sqlite3.SQLITE_FULL:
            return Full, _MAKE_ROOM
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreError, _CLOSE
    return StoreError, _MAKE_ROOM


def read_write_form(path: Path) -> int:
    """How the header says that the file is written; 0: unknown."""
    try:
        with path.open("rb") as file:
            return (file.read(_HEADER_BYTES)[_WRITE_FORM:] or b"\0")[0]
    except OSError:
        return 0


def _is_full(folder: Path) -> bool:
    """SQLite then says as well that it cannot open a file."""
    try:
        return shutil.disk_usage(folder).free < ROOM_BYTES
    except OSError:
        return False
