"""Files: those that a person named, and what is kept in the state folder.

Whatever is wrong with one is said in a sentence, before anything is done with it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

from daemon.errors import UserError
from protocol.source import Source

T = TypeVar("T")

Owner = tuple[int, int]
"""The numbers of a user and of a group."""


def source(path: Path, remedy: str = "") -> Source:
    """The text of this TOML file. Raises UserError (status 2), which ends with the remedy if it cannot be read."""
    try:
        return Source(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise UserError(f"cannot read {path}: {reason(error)}{remedy}", 2) from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8", 2) from None


def kept(path: Path, make: Callable[[], str], read: Callable[[str], T], loss: str) -> T:
    """What must stay the same for ever: what `read` makes of the text in this file, for our eyes only.

    It is made when the file does not exist, and only then; `loss` is what making it anew costs. Raises UserError, also
    where `read` raises ValueError.
    """
    try:
        return read(path.read_text("ascii").strip())
    except FileNotFoundError:
        pass
    except OSError as error:
        raise UserError(f"cannot read {path}: {reason(error)}; give it to the user that oche runs as") from None
    except ValueError:
        raise UserError(f"{path} is damaged: put back a copy of it, or delete it and begin anew ({loss})") from None
    text = make()
    try:
        write(path, f"{text}\n".encode("ascii"), mode=0o600)
    except OSError as error:
        raise UserError(f"cannot write {path}: {reason(error)}; make room, or set another bridge.state_dir") from None
    return read(text)


def write(path: Path, content: bytes, *, mode: int = 0o644, like: Path | None = None) -> None:
    """Whole or not at all: a power cut leaves what was there or what is now, on the disk. Raises OSError.

    What root writes belongs to the owner of the folder `like`, where that is given: the daemon is not root.
    """
    with written(path, mode=mode, owner=None if like is None else owner_of(like)) as file:
        file.write(content)


@contextmanager
def written(path: Path, *, mode: int = 0o644, owner: Owner | None = None) -> Iterator[BinaryIO]:
    """The file, for what the block writes: all of it is there when the block ends, and nothing of it when it fails.

    Raises OSError.
    """
    draft = path.with_name(f"{path.name}.new")
    with drafted(draft, mode=mode, owner=owner) as file:
        yield file
    try:
        put(draft, path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


@contextmanager
def drafted(draft: Path, *, mode: int, owner: Owner | None = None) -> Iterator[BinaryIO]:
    """A new file for what the block writes: on the disk when the block ends, gone when it fails. Raises OSError.

    What lies there is removed first, with its mode, and where it may have led. Only root can give a file to an owner.
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
        draft.unlink(missing_ok=True)
        raise


def put(draft: Path, path: Path) -> None:
    """Gives a draft its name, for good: what had this name is gone. Raises OSError."""
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def make_folder(folder: Path, owner: Owner | None = None) -> list[Path]:
    """Makes this folder and those above it where they are missing; which they were, the outermost first.

    Where root does, they are the owner's, or else the owner's of the folder they are in. Raises OSError.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()][::-1]
    for path in missing:
        path.mkdir(exist_ok=True)
        if os.geteuid() == 0:
            made = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                os.fchown(made, *(owner if owner and path == folder else owner_of(path.parent)))
            finally:
                os.close(made)
    return missing


def owner_of(path: Path) -> Owner:
    """Whose this file or folder is. Raises OSError."""
    found = path.stat()
    return found.st_uid, found.st_gid


def remedy(error: OSError) -> str:
    """The end of a sentence: what helps, where that is plain."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return "; run this as root (sudo)"
    return "; make room on that disk" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""


def reason(error: OSError) -> str:
    """Why, in the middle of a sentence."""
    return (error.strerror or str(error)).lower()
