"""The lock of the state folder: two daemons must not write one journal.

The folder itself is locked, which needs no room on a disk, and a file in it, which is all that oche 0.1.0 locks.

`oche doctor` keeps daemons from starting while it works. It shares the lock, and makes neither folder nor file: they
might belong to another user than the daemon's.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from daemon import files
from daemon.errors import UserError
from daemon.remedies import suggest_in_daemon, suggest_other_folder

log = logging.getLogger("oche")

FILE = "lock"


@contextmanager
def lock_folder(folder: Path, owner: files.Owner | None = None) -> Iterator[None]:
    """Reserves the folder for this process while the block lasts, and makes it if it is missing. Raises UserError.

    The daemon is not root: a folder that root makes here belongs to `owner`, if given, and the lock to the folder's
    owner. Where a full or read-only disk keeps the folder from being made, nothing is reserved.
    """
    with ExitStack() as opened:
        with files.explain_errors(f"cannot use the folder {folder}", suggest_other_folder):
            try:
                files.make_folder(folder, owner)
                with suppress(PermissionError):  # one that may not be read: the file is enough
                    _reserve(folder, _open(folder, os.O_DIRECTORY, opened))
                _reserve(folder, _open_file(folder, opened))
            except OSError as error:
                if not files.is_disk_refusing(error):
                    raise
                if not folder.exists():
                    log.error(
                        "cannot reserve the folder %s: %s%s", folder, files.explain(error), suggest_in_daemon(error)
                    )
        yield


@contextmanager
def prevent_start(folder: Path) -> Iterator[bool | None]:
    """Yields whether a daemon runs on this folder; if not, none can start while the block lasts.

    None: the lock may not be read. Where there is no folder yet, one could start.
    """
    locks: dict[Path, int] = {}
    is_hidden = False
    with ExitStack() as opened:
        for path, flags in ((folder, os.O_DIRECTORY), (folder / FILE, 0)):
            try:
                locks[path] = _open(path, flags, opened)
            except (FileNotFoundError, NotADirectoryError):
                pass
            except OSError:
                is_hidden = True
        if not all(_try_lock(lock, fcntl.LOCK_SH) for lock in locks.values()):
            yield True
        else:
            yield None if is_hidden and folder / FILE not in locks else False


def is_daemon_running(folder: Path) -> bool | None:
    """Returns whether a daemon runs on this folder; None: the lock may not be read."""
    with prevent_start(folder) as is_running:
        return is_running


def _reserve(folder: Path, lock: int) -> None:
    """Takes the lock. Raises UserError if another process has it."""
    if _try_lock(lock, fcntl.LOCK_EX):
        return
    if _try_lock(lock, fcntl.LOCK_SH):
        raise UserError(f"oche doctor is using {folder}: start oche again in a few seconds")
    raise UserError(f"another oche daemon uses {folder}: stop it, or configure another folder (bridge.state_dir)")


def _open_file(folder: Path, opened: ExitStack) -> int:
    path = folder / FILE
    while True:
        with suppress(FileNotFoundError):
            try:
                return _open(path, os.O_RDWR, opened)  # a network file system needs the right to write
            except OSError as error:
                if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                    raise
                return _open(path, os.O_RDONLY, opened)  # root has made it, or the disk is read-only
        with suppress(FileExistsError):  # another process was faster
            lock = _open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, opened)
            if os.geteuid() == 0:
                os.fchown(lock, *files.read_owner(folder))
            return lock


def _open(path: Path, flags: int, opened: ExitStack) -> int:
    lock = os.open(path, flags, 0o644)
    opened.callback(os.close, lock)
    return lock


def _try_lock(lock: int, kind: int) -> bool:
    """Takes the lock without waiting. Returns False if another process has it."""
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno != errno.EBADF or not stat.S_ISDIR(os.fstat(lock).st_mode):
            raise  # else a network file system, which locks only what may be written: the file is enough
    return True
