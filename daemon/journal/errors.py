"""What can go wrong with a journal, what to do about it, and the states that it leaves the journal in.

SQLite has one exception for many faults; here each is told apart by what helps: waiting, more room, or another file.
The states are those of the journal that a table has open (daemon/journal/writer.py); `follow` has their transitions.
"""

from __future__ import annotations

import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
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


class JournalState(Enum):
    """What the writer of a journal knows of it, and so what the next opening has to do."""

    CLOSED = "closed"
    """It is not open, or not read to the end: it is to be read before anything is written."""
    SOUND = "sound"
    """It was read, and is written."""
    REFUSED = "refused"
    """The disk took something no more: it is to be reopened."""
    SUSPECT = "suspect"
    """It was found to be damaged once, and since then nothing was written: the next opening reads every page."""
    MOVED = "moved"
    """It is not where it was, and only the file that is open has it all: it is to be rewritten."""
    MOVED_SUSPECT = "moved_suspect"
    """The same of one that was suspect."""
    DAMAGED_ONCE = "damaged_once"
    """Damage was met in writing. It may have been one error of the disk: the next opening reads every page."""
    DAMAGED = "damaged"
    """It was found to be damaged twice: it is to be set aside, and what can be read of it to be rewritten."""
    MENDED = "mended"
    """What can be read of it is in a finished draft, which is to take its place."""


class JournalEvent(Enum):
    """What happens to a journal."""

    REOPEN = "reopen"
    """It is reopened."""
    READ = "read"
    """It was read to the end, and can be written."""
    WRITE = "write"
    """It took what was to be written."""
    REFUSE = "refuse"
    """It did not: there is no room, or no right to, or it is not open."""
    MOVE = "move"
    """It did not, because it is not where it was."""
    DAMAGE = "damage"
    """It did not, because it is damaged; or it was read again, and is damaged."""
    DOUBT = "doubt"
    """It was read, and seems damaged: it is read once more."""
    DRAFT = "draft"
    """What can be read of it is in a finished draft."""
    REPLACE = "replace"
    """A finished draft took its place, also one that a killed daemon has left."""


_TRANSITIONS = """
               reopen   read     write         refuse   move           damage        doubt    draft   replace
closed         closed   sound    -             refused  -              damaged_once  suspect  -       closed
sound          closed   -        sound         refused  moved          damaged_once  -        -       closed
refused        closed   -        refused       refused  moved          damaged_once  -        -       closed
suspect        suspect  suspect  sound         suspect  moved_suspect  damaged       suspect  -       suspect
moved          closed   -        moved         refused  moved          damaged_once  -        -       closed
moved_suspect  suspect  -        moved         suspect  moved_suspect  damaged       -        -       suspect
damaged_once   suspect  -        damaged_once  refused  moved          damaged_once  -        -       closed
damaged        -        -        damaged_once  suspect  moved_suspect  damaged       -        mended  suspect
mended         suspect  -        -             refused  -              -             -        -       closed
"""
"""The state after each event. "-": it cannot happen in that state. A write may succeed after another one has failed:
the test of the disk at the start fails, and a dart was waiting behind it."""


def _read_transitions(table: str) -> dict[tuple[JournalState, JournalEvent], JournalState]:
    events, *rows = (line.split() for line in table.strip().splitlines())
    return {
        (JournalState(state), JournalEvent(event)): JournalState(after)
        for state, *row in rows
        for event, after in zip(events, row, strict=True)
        if after != "-"
    }


TRANSITIONS = _read_transitions(_TRANSITIONS)


def follow(state: JournalState, event: JournalEvent) -> JournalState:
    """Returns the state after this event. Raises ValueError for one that cannot happen in it."""
    if (after := TRANSITIONS.get((state, event))) is None:
        raise ValueError(f"{event.name} cannot happen to a journal that is {state.value}")
    return after


def tell_event(error: StoreError) -> JournalEvent:
    """Returns what happened to a journal that could not be written for this reason."""
    if isinstance(error, Moved):
        return JournalEvent.MOVE
    return JournalEvent.DAMAGE if isinstance(error, Damaged) else JournalEvent.REFUSE


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
