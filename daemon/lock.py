"""The state folder belongs to one process: two daemons on one journal would write two truths.

The doctor only keeps daemons from starting while it is at work. So it shares the lock, and makes neither folder nor
file: they could then belong to a user who is not the daemon's.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from daemon import files
from daemon.errors import UserError

FILE = "lock"


@contextmanager
def locked(folder: Path, owner: files.Owner | None = None) -> Iterator[None]:
    """The folder, for this process alone while the block lasts; it is made if need be. Raises UserError.

    What root makes here must not keep out the daemon, which is not root: a folder that is made belongs to the owner,
    where that is given, and a lock to whom the folder belongs.
    """
    try:
        files.make_folder(folder, owner)
        lock = _open(folder)
    except OSError as error:
        reason = files.reason(error)
        raise UserError(f"cannot use the folder {folder}: {reason}; set bridge.state_dir to one that is ours") from None
    with lock:
        if not _has(lock, fcntl.LOCK_EX):
            if _has(lock, fcntl.LOCK_SH):
                raise UserError(f"oche doctor is at work on {folder}: start oche again in some seconds")
            raise UserError(f"another oche daemon uses {folder}: stop it, or set another bridge.state_dir")
        yield


@contextmanager
def guarded(folder: Path) -> Iterator[bool | None]:
    """Does a daemon run on this folder? Where none does, none can start while the block lasts.

    None: we may not look. Where none has ever run there is nothing to hold, and one could start.
    """
    try:
        lock = (folder / FILE).open(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        yield False
    except OSError:
        yield None
    else:
        with lock:
            yield not _has(lock, fcntl.LOCK_SH)


def is_locked(folder: Path) -> bool | None:
    """Does a daemon run on this folder, just now? None: we may not look."""
    with guarded(folder) as is_running:
        return is_running


def _open(folder: Path) -> TextIO:
    """The lock, made only where there is none. Raises OSError."""
    path = folder / FILE
    while True:
        with suppress(FileNotFoundError):
            try:
                return path.open("r+", encoding="utf-8")  # as a network's file system wants it
            except PermissionError:
                return path.open(encoding="utf-8")  # root has made it
        with suppress(FileExistsError):  # somebody was faster
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
            if os.geteuid() == 0:
                os.fchown(lock, *files.owner_of(folder))
            return os.fdopen(lock, encoding="utf-8")


def _has(lock: TextIO, kind: int) -> bool:
    """Takes the lock if it can be had at once."""
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
