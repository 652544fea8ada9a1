"""The state folder belongs to one process: two daemons on one journal would write two truths."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from daemon.errors import UserError

_NAME = "lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """The folder, for this process alone while the block lasts; it is made if need be. Raises UserError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / _NAME).open("w", encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(f"cannot use the folder {folder}: {reason}; set bridge.state_dir to one that is ours") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"another oche daemon uses {folder}: stop it, or set another bridge.state_dir") from None
        yield


def is_locked(folder: Path) -> bool:
    """A daemon runs on this folder. Where we may not look, one may well run: that counts as yes."""
    try:
        lock = (folder / _NAME).open(encoding="utf-8")
    except FileNotFoundError:
        return False
    except OSError:
        return True
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
