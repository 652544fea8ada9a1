"""What helps where a file cannot be written: a disk that is full, one that is read-only, a right that lacks.

Linux makes a disk read-only for every program when it fails. A unit of systemd, or a container, shows a folder of a
good disk read-only to its own program: no restart mends that.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from protocol.sentence import Sentence, say

MOUNTS = Path("/proc/self/mountinfo")
"""The file systems that this process sees."""
READ_ONLY_CODES = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR)
"""What SQLite says, among others, where the disk is read-only, or has become so."""
_CHECK_DISK = say("file.check_disk", "sudo dmesg shows why, and sudo reboot makes the system check the disk")


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
    """Returns what helps where the daemon finds this path on a read-only file system."""
    if _is_disk_read_only(path, listed):
        return _CHECK_DISK
    return say(
        "file.let_write",
        "the disk is fine, but oche may not write there: run sudo systemctl edit oche, write "
        "ReadWritePaths={path} below [Service], then run sudo systemctl restart oche; in a "
        "container mount that folder as a volume",
        path=_quote_for_unit(_find_folder(path)),  # systemd does not start a unit for which one is missing
    )


def suggest_for_command(path: Path) -> Sentence:
    """Returns the same for the person who typed the command: no unit shows them a folder read-only."""
    if _is_disk_read_only(path):
        return _CHECK_DISK
    folder = str(_find_folder(path))
    return say(
        "file.mount_writable",
        "the file system of {path} is read-only: name another folder, or mount it for writing "
        "(findmnt -T {given} shows how it is mounted)",
        path=folder,
        given=quote(folder),
    )


def _is_disk_read_only(path: Path, listed: str | None = None) -> bool:
    try:
        listed = MOUNTS.read_text(encoding="utf-8", errors="replace") if listed is None else listed
        return find_mount(_find_there(path), listed).is_disk_read_only
    except (OSError, ValueError, IndexError):  # it cannot be told: the usual reason
        return True


def _quote_for_unit(folder: Path) -> str:
    """The folder as a unit of systemd takes it."""
    text = str(folder).replace("%", "%%")
    if not re.search(r"""[\s"'\\]""", text):
        return text
    return '"' + re.sub(r"""(["\\])""", r"\\\1", text) + '"'


def suggest_remedy(error: OSError) -> str | Sentence:
    """Returns the end of a sentence with what helps the person who typed the command; "" where that is not plain."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return say("file.as_root", "; run this as root (sudo)")
    return _suggest_for_disk(error, suggest_for_command)


def suggest_in_daemon(error: OSError) -> str | Sentence:
    """Returns the same for what the daemon does, which is never to be run as root."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return say("file.give_it", "; give it to the user that oche runs as")
    return _suggest_for_disk(error, suggest_for_read_only)


def suggest_other_folder(error: OSError) -> str:
    """Returns the same where another state folder helps as well."""
    helps = suggest_in_daemon(error)
    return f"{helps}{', or' if helps else ';'} configure another folder (bridge.state_dir)"


def _suggest_for_disk(error: OSError, suggest: Callable[[Path], Sentence]) -> str | Sentence:
    if error.errno == errno.EROFS:
        named = _find_named(error)  # else it was open already, and its disk has failed since
        return say("file.because_read_only", "; {remedy}", remedy=_CHECK_DISK if named is None else suggest(named))
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return say("file.make_room", "; free some space on that disk") if is_full else ""


def _find_named(error: OSError) -> Path | None:
    """The file or folder that the error is about; None where it does not say."""
    named = error.filename
    return Path(os.fsdecode(named)) if isinstance(named, str | bytes) else None


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
    return "; check that it is intact, and check the disk"


def _find_folder(path: Path) -> Path:
    """Returns the nearest folder that is there: a draft that could not be made is not, nor is a folder to be made."""
    places = (path.absolute(), *path.absolute().parents)
    return next(place for place in places if os.path.isdir(place))  # noqa: PTH112  is_dir raises where it may not look


def _find_there(path: Path) -> Path:
    return next((place for place in (path, *path.absolute().parents) if place.exists()), Path("/"))
