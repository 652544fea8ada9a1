"""Reading and writing files, with errors that are one sentence for people."""

from __future__ import annotations

import errno
import io
import logging
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO, TypeVar
from weakref import WeakValueDictionary

from daemon.errors import UserError
from daemon.remedies import suggest_in_daemon, suggest_other_folder, suggest_remedy
from protocol.sentence import Sentence, say
from protocol.source import Source

log = logging.getLogger("oche")

T = TypeVar("T")

DRAFT = ".new"
"""How the names of drafts end. What a kill leaves of them is removed at the start: daemon/service/drafts.py."""
MOST_WRITTEN_BYTES = 1 << 20
"""The size of a text that a person writes: a configuration, a board, a game."""
_MOST_LINE_BYTES = 4 << 20
RESERVE_BYTES = 50_000_000
"""What is left free on the disk for the darts that are thrown meanwhile, where a backup is made or put back."""
Remedy = str | Sentence | Callable[[OSError], str | Sentence]
"""The end of a sentence with what helps, or what makes it of the error."""
Owner = tuple[int, int]
"""The numbers of a user and of a group."""
_drafting: WeakValueDictionary[Path, threading.RLock] = WeakValueDictionary()
"""Held while a file has a draft: a second thread that writes the same file waits, or it would take the draft away."""
_drafting_guard = threading.Lock()


class FileChanged(Exception):
    """A file is not as it was when it was read: nothing was written."""


class HalfWritten(OSError):
    """A file that was written in place is neither as before nor as it should be, or may be so after a power cut."""


@contextmanager
def explain_errors(failure: str | Sentence, remedy: Remedy | None = "", status: int = 1) -> Iterator[None]:
    """Raises UserError for an OSError in the block: the `failure` ("cannot read FILE"), the reason, and the remedy.

    A remedy of None is what `suggest_remedy` returns.
    """
    try:
        yield
    except OSError as error:
        remedy = suggest_remedy if remedy is None else remedy
        helps = remedy(error) if callable(remedy) else remedy
        said = say("file.failed", "{what}: {why}{remedy}", what=failure, why=say_reason(error), remedy=helps)
        raise UserError(said, status) from None


def open_file(path: Path) -> BinaryIO:
    """Opens a file that a person has named, to be read.

    Raises OSError, also for what is no file: a device or a pipe may have no end, or keep its reader waiting.
    """
    _check_is_file(path.stat())  # opening a device can do something already
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _check_is_file(os.fstat(descriptor))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_is_file(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "this is a device or a pipe, not a file")


def read_bytes(path: Path) -> bytes:
    """Returns the content of a file that a person has written. Raises OSError, also for one that is larger than any."""
    with open_file(path) as file:
        content = file.read(MOST_WRITTEN_BYTES + 1)
    if len(content) > MOST_WRITTEN_BYTES:
        raise OSError(
            errno.EFBIG, f"it is larger than {MOST_WRITTEN_BYTES >> 20} MiB, which is too large for such a file"
        )
    return content


def read_lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Yields each line. Raises UserError (status 2) for one that is longer than any, as of a file that is no text."""
    for number in count(1):
        line = file.readline(_MOST_LINE_BYTES + 1)
        if not line:
            return
        if len(line) > _MOST_LINE_BYTES:
            most = f"{_MOST_LINE_BYTES >> 20} MiB"
            raise UserError(f"{name}, line {number} is longer than {most}: this is not a file of such lines", 2)
        yield line


def read_source(path: Path, remedy: str | Sentence = "") -> Source:
    """Returns the text of a TOML file. Raises UserError (status 2), with this remedy if the file cannot be read."""
    try:
        with explain_errors(say("file.cannot_read", "cannot read {name}", name=str(path)), remedy, 2):
            return Source(io.StringIO(read_bytes(path).decode(), newline=None).read(), str(path))
    except UnicodeDecodeError:
        raise UserError(say("file.no_text", "{name} is not UTF-8 text: save it as UTF-8", name=str(path)), 2) from None


def read_or_create(path: Path, make: Callable[[], str], read: Callable[[str], T], loss: str) -> T:
    """Returns what `read` makes of the text in this file; where there is no file, stores what `make` returns.

    `loss` says what a new value costs; on a full or read-only disk, and one that did not take the folder, it is lost at
    the end. Raises UserError, also where `read` raises ValueError.
    """
    try:
        with (
            explain_errors(f"cannot read {path}", suggest_in_daemon),
            suppress(FileNotFoundError),
        ):
            return read(path.read_text("ascii").strip())
    except ValueError:
        raise UserError(f"{path} is damaged: restore a copy of it, or delete it and start over ({loss})") from None
    text = make()
    try:
        replace_file(path, f"{text}\n".encode("ascii"), mode=0o600)
    except OSError as error:
        sentence = f"cannot write {path}: {explain(error)}{suggest_other_folder(error)}"
        if not is_disk_refusing(error) and path.parent.exists():
            raise UserError(sentence) from None
        log.error("%s; until then each start makes a new one (%s)", sentence, loss)
    return read(text)


def is_disk_refusing(error: OSError) -> bool:
    """Whether the disk is full or read-only, which may pass by itself."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def replace_file(path: Path, content: bytes, *, mode: int = 0o644, like: Path | None = None) -> None:
    """Replaces a file atomically: after a power cut it has the old content or the new. Raises OSError.

    A file that root writes belongs to the owner of the folder `like`, if given: the daemon is not root.
    """
    with open_replacement(path, mode=mode, owner=None if like is None else read_owner(like)) as file:
        file.write(content)


@contextmanager
def open_replacement(
    path: Path, *, mode: int = 0o644, owner: Owner | None = None, check: Callable[[], None] | None = None
) -> Iterator[BinaryIO]:
    """Yields a file that replaces this one when the block ends, and not when it fails.

    `check` is called last before that, and may raise. Raises OSError, and has changed nothing then: see rename_draft.
    """
    draft = path.with_name(f"{path.name}{DRAFT}")
    with _drafting_guard:
        lock = _drafting.setdefault(draft, threading.RLock())
    with lock:
        with draft_file(draft, mode=mode, owner=owner) as file:
            yield file
        try:
            if check is not None:
                check()
            rename_draft(draft, path)
        except BaseException:
            _remove_draft(draft)
            raise


@contextmanager
def open_output(path: Path) -> Iterator[BinaryIO]:
    """Yields a file as open_replacement does, in the place that a person has named for it.

    Where there is one it keeps its owner and its rights, and the link by which it was named. Raises OSError.
    """
    place = follow_link(path)
    if place.is_symlink() or not place.exists():
        with open_replacement(place) as file:
            yield file
        return
    found = place.lstat()
    with open_replacement(place, mode=0o600, owner=(found.st_uid, found.st_gid)) as file:
        os.fchmod(file.fileno(), found.st_mode & 0o777)
        yield file


def follow_link(path: Path) -> Path:
    """Returns the place of the file that a person has named, and that may be a link to it. Raises OSError.

    Root does not follow another user's link to what is not theirs. Links among the folders are left to Linux, which
    does not follow all of them either.
    """
    place = path.absolute()
    while place.is_symlink() and place.exists():
        if os.geteuid() == 0 and place.lstat().st_uid not in (0, place.stat().st_uid):
            break
        place = place.parent / place.readlink()
    return place


@contextmanager
def draft_file(draft: Path, *, mode: int, owner: Owner | None = None) -> Iterator[BinaryIO]:
    """Yields a new file, which is on the disk when the block ends and removed when it fails. Raises OSError.

    An existing file or link is removed first. Only root can give the file to an owner.
    """
    draft.unlink(missing_ok=True)
    file = os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb")
    try:
        with file:
            if owner is not None and os.geteuid() == 0:
                os.fchown(file.fileno(), *owner)
            yield file
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        _remove_draft(draft)
        raise


def _remove_draft(draft: Path) -> None:
    """Removes what is left of a failed attempt, whose error is the one to report; else the next start removes it."""
    with suppress(OSError):
        draft.unlink(missing_ok=True)


def rename_draft(draft: Path, path: Path) -> None:
    """Renames a draft durably; it replaces a file of that name. Raises OSError only where nothing was changed.

    Once the file has its name there is no way back, and nothing is raised any more: every reader finds the new file. If
    the folder then cannot be synced, the log says that a power cut may undo it.
    """
    with open_descriptor(path.parent, os.O_DIRECTORY) as folder:
        draft.replace(path)
        _sync(folder, path)


def remove_file(path: Path) -> None:
    """Removes a file durably, if it is there. Raises OSError only where it is there still, as rename_draft does."""
    with suppress(FileNotFoundError), open_descriptor(path.parent, os.O_DIRECTORY) as folder:
        path.unlink()
        _sync(folder, path)


@contextmanager
def open_descriptor(path: Path, flags: int = 0) -> Iterator[int]:
    """Opens a file or a folder to be read, also with these flags. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def sync(path: Path, flags: int = 0) -> None:
    """Has the disk keep the content of a file, or the names in a folder; `flags` as for open_descriptor.

    Raises OSError.
    """
    with open_descriptor(path, flags) as descriptor:
        os.fsync(descriptor)


def _sync(descriptor: int, path: Path, content: bytes | None = None) -> None:
    """Has the disk keep what was done to this file, of which the `content` is given if it is written in place.

    Where that fails the log says so. What Linux could not write it takes for written: only what is written once more is
    tried again, and a second sync that succeeds does not say that the first has done its work.
    """
    try:
        os.fsync(descriptor)
    except OSError as error:
        log.error("%s was changed, but a power cut may undo that: %s; check the disk", path, explain(error))
        with suppress(OSError):
            if content is not None:
                _overwrite(descriptor, content)
            os.fsync(descriptor)


def append(path: Path, content: bytes) -> None:
    """Adds to the end of a file, which is made if it is missing. Raises OSError; a part may be there then."""
    with path.open("ab") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_in_place(path: Path, content: bytes, *, expected: bytes | None = None) -> None:
    """Writes over a file in place, which takes no right on its folder. After a power cut it may be a mixture of both.

    Raises FileChanged where it has not the `expected` content, if given. Raises OSError, and has changed nothing then,
    or HalfWritten.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "r+b", buffering=0) as file:
        _check_is_file(os.fstat(descriptor))
        before = file.read()
        if expected not in (None, before):
            raise FileChanged
        try:
            if content:
                os.posix_fallocate(descriptor, 0, len(content))
            _overwrite(descriptor, content)
        except OSError as error:
            try:
                _overwrite(descriptor, before)
                os.fsync(descriptor)
            except OSError:
                raise HalfWritten(error.errno, error.strerror) from None
            raise
        _sync(descriptor, path, content)


def _overwrite(descriptor: int, content: bytes) -> None:
    at = 0
    while content[at:]:
        at += os.pwrite(descriptor, content[at:], at)
    os.ftruncate(descriptor, len(content))


def replace_keeping_owner(place: Path, content: bytes, *, expected: bytes | None) -> None:
    """Writes a file, which keeps its owner and rights: as a whole where its folder may be written, else in place.

    Raises FileChanged where it has not the `expected` content; None: it is not there. Raises OSError, and has changed
    nothing then, or HalfWritten.
    """

    def check() -> None:
        if (place.read_bytes() if place.exists() else None) != expected:
            raise FileChanged

    check()
    if content == expected:
        return
    if expected is not None and not os.access(place.parent, os.W_OK):
        write_in_place(place, content, expected=expected)
        return
    found = (place.parent if expected is None else place).stat()
    mode = 0o644 if expected is None else found.st_mode & 0o777
    with open_replacement(place, mode=mode, owner=(found.st_uid, found.st_gid), check=check) as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)


def make_folder(folder: Path, owner: Owner | None = None, *, mode: int = 0o777) -> list[Path]:
    """Makes this folder and its parents where they are missing; returns those it has made, the outermost first.

    If root makes them, the folder belongs to this owner; parents belong to the owner of the folder that they are in.
    Raises OSError.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()][::-1]
    for path in missing:
        path.mkdir(mode, exist_ok=True)
        if os.geteuid() == 0:
            made = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                os.fchown(made, *(owner if owner and path == folder else read_owner(path.parent)))
            finally:
                os.close(made)
    return missing


def read_owner(path: Path) -> Owner:
    """Returns the owner of this file or folder. Raises OSError."""
    found = path.stat()
    return found.st_uid, found.st_gid


def explain(error: OSError) -> str:
    """Returns the reason, for the middle of a sentence."""
    return str(say_reason(error))


def say_reason(error: OSError) -> str | Sentence:
    """As explain, as a sentence where it is a usual one."""
    text = (error.strerror or str(error)).lower()
    return next((reason for reason in _REASONS if str(reason) == text), text)


_REASONS = (
    say("file.none", "no such file or directory"),
    say("file.denied", "permission denied"),
    say("file.folder", "is a directory"),
    say("file.full", "no space left on device"),
    say("file.read_only", "read-only file system"),
    say("file.no_file", "this is a device or a pipe, not a file"),
)
