"""The lock of the state folder: two daemons must not write one journal.

`oche doctor` keeps daemons from starting while it works. It shares the lock, and makes neither folder nor file: they
might belong to another user than the daemon's.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from daemon import files
from daemon.errors import UserError

log = logging.getLogger("oche")

FILE = "lock"


@contextmanager
def lock_folder(folder: Path, owner: files.Owner | None = None) -> Iterator[None]:
    """Reserves the folder for this process while the block lasts, and makes it if it is missing. Raises UserError.

    The daemon is not root: a folder that root makes here belongs to `owner`, if given, and the lock to the folder's
    owner. On a full or read-only disk that has no lock yet, nothing is reserved.
    """
    with files.explain_errors(f"cannot use the folder {folder}", "; configure another one (bridge.state_dir)"):
        try:
            files.make_folder(folder, owner)
            lock = _open_lock(folder)
        except OSError as error:
            if not files.is_disk_refusing(error):
                raise
            log.error("cannot reserve the folder %s: %s", folder, files.explain(error))
            yield
            return
    with lock:
        if not _try_lock(lock, fcntl.LOCK_EX):
            if _try_lock(lock, fcntl.LOCK_SH):
                raise UserError(f"oche doctor is at work on {folder}: start oche again in some seconds")
            raise UserError(
                f"another oche daemon uses {folder}: stop it, or configure another folder (bridge.state_dir)"
            )
        yield


@contextmanager
def prevent_start(folder: Path) -> Iterator[bool | None]:
    """Yields whether a daemon runs on this folder; if not, none can start while the block lasts.

    None: the lock may not be read. Where no daemon has ever run there is no lock, and one could start.
    """
    try:
        lock = (folder / FILE).open(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        yield False
    except OSError:
        yield None
    else:
        with lock:
            yield not _try_lock(lock, fcntl.LOCK_SH)


def is_daemon_running(folder: Path) -> bool | None:
    """Returns whether a daemon runs on this folder; None: the lock may not be read."""
    with prevent_start(folder) as is_running:
        return is_running


def _open_lock(folder: Path) -> TextIO:
    path = folder / FILE
    while True:
        with suppress(FileNotFoundError):
            try:
                return path.open("r+", encoding="utf-8")  # a network file system needs the right to write
            except OSError as error:
                if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                    raise
                return path.open(encoding="utf-8")  # root has made it, or the disk is read-only
        with suppress(FileExistsError):  # another process was faster
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
            if os.geteuid() == 0:
                os.fchown(lock, *files.read_owner(folder))
            return os.fdopen(lock, encoding="utf-8")


def _try_lock(lock: TextIO, kind: int) -> bool:
    """Takes the lock without waiting. Returns False if another process has it."""
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
