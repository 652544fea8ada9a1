"""Files: those that a person named, and what is kept in the state folder.

Whatever is wrong with one is said in a sentence, before anything is done with it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from daemon.errors import UserError
from protocol.source import Source

T = TypeVar("T")


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
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)  # with its mode, and where it may have led
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        if like is not None and os.geteuid() == 0:
            owner = like.stat()
            os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def reason(error: OSError) -> str:
    """Why, in the middle of a sentence."""
    return (error.strerror or str(error)).lower()
