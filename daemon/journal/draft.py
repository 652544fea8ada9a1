"""A journal that is written anew: how it takes the place of the former one, at whatever point that is broken off.

It is written as NAME.sqlite3.new, which nobody reads. Finished, and on the disk, it is called NAME.sqlite3.whole: a
journal of that name is complete, and only its own renaming to NAME.sqlite3 takes it away. The former file has its
name until that moment, and a second one that nothing overwrites. So whoever opens a journal goes on where this was
broken off, before anything else.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from daemon import files
from daemon.journal.errors import StoreError
from daemon.remedies import suggest_in_daemon

_WHOLE = ".whole"


def locate_draft(journal: Path) -> Path:
    """Returns where the draft of a journal is written."""
    return journal.with_name(f"{journal.name}.new")


def clear_draft(journal: Path) -> None:
    """Deletes the unfinished draft of a journal, and what belongs to it. Raises OSError."""
    draft = locate_draft(journal)
    for ending in ("", "-wal", "-shm", "-journal"):
        draft.with_name(draft.name + ending).unlink(missing_ok=True)


def finish_draft(journal: Path) -> None:
    """Gives the draft, which is closed, the name of one that is whole. Raises OSError."""
    draft = locate_draft(journal)
    for ending in ("-wal", "-journal"):  # what is in them has not come into the file
        if draft.with_name(draft.name + ending).exists():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
    files.sync(draft)
    files.rename_draft(draft, journal.with_name(journal.name + _WHOLE))


def is_whole_there(journal: Path) -> bool:
    """Whether a finished draft waits for its place. Raises OSError when that cannot be found out."""
    try:
        journal.with_name(journal.name + _WHOLE).stat()
    except FileNotFoundError:
        return False
    return True


def put_in_place(journal: Path) -> str | None:
    """Makes the finished draft the journal, also where that was begun before; returns what the former is called now.

    None: there was none. Raises OSError: the finished draft is there then, or is the journal.
    """
    name = _name_again(journal)
    files.rename_draft(journal.with_name(journal.name + _WHOLE), journal)
    return name


def set_aside(journal: Path) -> str | None:
    """Leaves no file in the place of the journal; returns as `put_in_place`. Raises OSError."""
    name = _name_again(journal)
    journal.unlink(missing_ok=True)
    return name


def remove_log(journal: Path) -> None:
    """Deletes the log of a journal. Raises OSError."""
    for ending in ("-wal", "-shm"):
        journal.with_name(journal.name + ending).unlink(missing_ok=True)


def find_journal_drafts(folder: Path, but: Collection[str] = ()) -> list[Path]:
    """The drafts of journals in this folder, `but` not of these tables, and what belongs to them.

    Some may have been left by a kill. Names that begin with a dot are those of a backup that is put back.
    """
    patterns = ("*.sqlite3.new*", f"*.sqlite3{_WHOLE}*", "*.sqlite3.copy.new*")
    found = sorted(path for pattern in patterns for path in folder.glob(pattern))
    return [path for path in found if path.name[0] != "." and path.name.partition(".sqlite3")[0] not in but]


def settle_drafts(folder: Path, but: Collection[str] = ()) -> None:
    """Completes what was broken off, while no table is open, `but` perhaps these. Raises StoreError."""
    try:
        for path in find_journal_drafts(folder, but):
            if path.suffix == _WHOLE:
                put_in_place(path.with_suffix(""))
        for path in find_journal_drafts(folder, but):
            path.unlink(missing_ok=True)
    except OSError as error:
        name = error.filename or folder
        raise StoreError(f"cannot change {name}: {files.explain(error)}{suggest_in_daemon(error)}") from error


def check_settled(folder: Path) -> None:
    """Raises StoreError while there is a draft, which may have any match."""
    if found := find_journal_drafts(folder):
        raise StoreError(f"a journal is just being mended ({found[0].name}): try again in a minute")


def _name_again(journal: Path) -> str | None:
    """Gives the journal and its log a second name, and takes away the first one of the log. Raises OSError.

    As in main.sqlite3.damaged-2026-11-30, and then main.sqlite3.damaged-2026-11-30.2. Without the log, which SQLite
    would take for that of the journal that comes, the first name is as good as gone.
    """
    name, is_there = _choose_name(journal), journal.exists()
    for ending in ("", "-wal"):
        part, other = journal.with_name(journal.name + ending), journal.with_name(name + ending)
        if part.exists() and not other.exists():
            try:
                os.link(part, other)
            except OSError:  # not every file system knows links: the finished draft is there meanwhile
                part.rename(other)
    files.sync(journal.parent)
    remove_log(journal)
    return name if is_there else None


def _choose_name(journal: Path) -> str:
    """The second name that the journal has, from when this was broken off, or one that nothing has."""
    first = f"{journal.name}.damaged-"
    if journal.exists():
        for path in sorted(journal.parent.iterdir()):
            if path.name.startswith(first) and path.samefile(journal):
                return path.name
    first += f"{datetime.now(UTC):%Y-%m-%d}"
    names = (first if n == 1 else f"{first}.{n}" for n in count(1))
    return next(n for n in names if not any(journal.with_name(n + end).exists() for end in ("", "-wal", "-shm")))
