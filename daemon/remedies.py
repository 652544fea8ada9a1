"""What helps where a file cannot be written: a disk that is full, one that is read-only, a right that lacks.

Linux makes a disk read-only for every program when it fails. A unit of systemd, or a container, shows a folder of a
good disk read-only to its own program: no restart mends that.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from typing import NamedTuple

from protocol.sentence import Sentence, say

MOUNTS = Path("/proc/self/mountinfo")
"""The file systems that this process sees."""
READ_ONLY_CODES = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR)
"""What SQLite says, among others, where the disk is read-only, or has become so."""


class Mount(NamedTuple):
    """A file system: its `kind`, its `options`, and whether the `disk` of it is read-only, for whoever writes there."""

    kind: str
    options: str
    is_disk_read_only: bool


def find_mount(path: Path, listed: str) -> Mount:
    """Returns that of the longest mount point, the last one of several; `listed` is what MOUNTS has."""
    best, found = "", Mount("", "", is_disk_read_only=True)
    for line in listed.splitlines():
        before, _, after = line.partition(" - ")
        point = before.split()[4].encode().decode("unicode_escape")
        if path.absolute().resolve().is_relative_to(point) and len(point) >= len(best):
            kind, _, options = after.split()[:3]
            best, found = point, Mount(kind, options, "ro" in options.split(","))
    return found


def is_read_only(path: Path) -> bool:
    """Whether nothing can be written there, by whatever user. A path that is not there stands for its folder."""
    try:
        return bool(os.statvfs(_find_there(path)).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def suggest_for_read_only(path: Path, listed: str | None = None) -> Sentence:
    """Returns what helps where this path is on a read-only file system."""
    try:
        listed = MOUNTS.read_text(encoding="utf-8", errors="replace") if listed is None else listed
        is_disk = find_mount(_find_there(path), listed).is_disk_read_only
    except (OSError, ValueError, IndexError):  # it cannot be told: the usual reason
        is_disk = True
    if is_disk:
        return say("file.check_disk", "sudo dmesg says why, and sudo reboot has the disk checked")
    return say(
        "file.let_write",
        "the disk is fine, but oche may not write there: with sudo systemctl edit oche write ReadWritePaths={path} "
        "below [Service], then sudo systemctl restart oche; a container needs that folder as a volume",
        path=str(path),
    )


def suggest_remedy(error: OSError) -> str | Sentence:
    """Returns the end of a sentence with what helps the person who typed the command; "" where that is not plain."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return say("file.as_root", "; run this as root (sudo)")
    return _suggest_for_disk(error)


def suggest_in_daemon(error: OSError) -> str | Sentence:
    """Returns the same for what the daemon does, which is never to be run as root."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return say("file.give_it", "; give it to the user that oche runs as")
    return _suggest_for_disk(error)


def suggest_other_folder(error: OSError) -> str:
    """Returns the same where another state folder helps as well."""
    helps = suggest_in_daemon(error)
    return f"{helps}{', or' if helps else ';'} configure another folder (bridge.state_dir)"


def _suggest_for_disk(error: OSError) -> str | Sentence:
    if error.errno == errno.EROFS:
        return say("file.because_read_only", "; {remedy}", remedy=suggest_for_read_only(_find_named(error)))
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return say("file.make_room", "; make room on that disk") if is_full else ""


def _find_named(error: OSError) -> Path:
    """The file or folder that the error is about; the root where it does not say."""
    named = error.filename
    return Path(os.fsdecode(named)) if isinstance(named, str | bytes) else Path("/")


def suggest_for_database(error: Exception, folder: Path) -> str:
    """Returns the end of a sentence with what helps where SQLite, or what it has read, has failed in this folder."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code in READ_ONLY_CODES and is_read_only(folder):
        return f"; {suggest_for_read_only(folder)}"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return "; run this as the user oche runs as"
    if code == sqlite3.SQLITE_FULL:
        return "; make room on that disk"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "; close the program that has it open"
    return "; see whether it is intact, and check the disk"


def _find_there(path: Path) -> Path:
    return next((place for place in (path, *path.absolute().parents) if place.exists()), Path("/"))
