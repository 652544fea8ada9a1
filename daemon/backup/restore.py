"""Puts the files of a backup back. What was there before is set aside, never overwritten.

All files are written under other names before the first of them takes its place, so that a full disk changes nothing.
"""

from __future__ import annotations

import grp
import os
import pwd
import tomllib
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import msgspec

from daemon import files
from daemon.backup.archive import ArchivedFile, Contents
from daemon.config.sections import Bridge
from daemon.errors import UserError
from daemon.service.lock import FILE as LOCK
from daemon.service.lock import lock_folder


def restore(contents: Contents, config: Path) -> Path:
    """Puts back the configuration as `config`, with the files beside it, and the state; returns the state's folder.

    Raises UserError when the configuration in the backup cannot be read, the daemon runs, or a file cannot be written.
    """
    beside = dict(contents.config)
    configuration = beside.pop(PurePosixPath(contents.manifest.config))
    folder = _state_dir(configuration.content)
    stamp = datetime.now(UTC).strftime("before-restore-%Y%m%dT%H%M%SZ")
    with lock_folder(folder, _state_owner(contents)), closing(_Drafts()) as drafts:
        try:
            aside = drafts.make_folder(folder / stamp)
            for name, kept in contents.state.items():
                drafts.write(folder / name, kept)
            for name, kept in {PurePosixPath(config.name): configuration, **beside}.items():
                path = config.parent / name
                if not path.is_file() or path.read_bytes() != kept.content:
                    drafts.write(path, kept)
        except OSError as error:
            raise _cannot_write(error, folder, "; nothing was changed") from None
        try:
            _set_aside(folder, aside, drafts)
            drafts.put(stamp)
        except OSError as error:
            left = f"; what was there before is in {aside} and, beside the configuration, in *.{stamp}"
            raise _cannot_write(error, folder, left) from None
    return folder


class _Drafts:
    """The files of a backup, written under other names, and the folders that were made for them."""

    def __init__(self) -> None:
        self._drafts: dict[Path, Path] = {}
        self._folders: list[Path] = []

    def __contains__(self, path: Path) -> bool:
        return path in self._drafts.values()

    def make_folder(self, folder: Path) -> Path:
        """Makes this folder. Raises OSError."""
        self._folders += files.make_folder(folder)
        return folder

    def write(self, path: Path, kept: ArchivedFile) -> None:
        """Writes the draft of this file, with the owner and mode that it had. Raises OSError."""
        self.make_folder(path.parent)
        draft = path.with_name(f"{path.name}.new")
        try:
            with files.draft_file(draft, mode=0o600, owner=_owner(kept) or files.read_owner(path.parent)) as file:
                os.fchmod(file.fileno(), kept.mode)
                file.write(kept.content)
        except OSError as error:
            error.filename = str(path)
            raise
        self._drafts[path] = draft

    def put(self, stamp: str) -> None:
        """Gives the drafts their names; a file that has such a name gets the stamp behind it. Raises OSError."""
        for path, draft in list(self._drafts.items()):
            if os.path.lexists(path):
                path.rename(path.with_name(f"{path.name}.{stamp}"))
            files.rename_draft(draft, path)
            del self._drafts[path]

    def close(self) -> None:
        """Removes the drafts that are left, and the folders that are empty."""
        for draft in self._drafts.values():
            with suppress(OSError):
                draft.unlink()
        for folder in reversed(self._folders):
            with suppress(OSError):
                folder.rmdir()


def _state_dir(configuration: bytes) -> Path:
    """The state folder of that configuration. Its other sections may need a board or a library that is not here yet."""
    try:
        bridge = tomllib.loads(configuration.decode()).get("bridge", {})
        return Path(msgspec.convert(bridge, Bridge).state_dir)
    except (ValueError, msgspec.ValidationError) as error:
        raise UserError(f"the configuration in this backup cannot be read: {error}", 2) from None


def _set_aside(folder: Path, aside: Path, drafts: _Drafts) -> None:
    into = os.open(aside, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)  # root must not follow the link of another user
    try:
        for path in sorted(folder.iterdir()):
            if path.name != LOCK and not path.is_dir() and path not in drafts:
                os.rename(path, path.name, dst_dir_fd=into)
    finally:
        os.close(into)


def _state_owner(contents: Contents) -> files.Owner | None:
    """The owner of a journal, or else of another file of the state; None when this machine does not know them."""
    kept = sorted(contents.state.items(), key=lambda item: item[0].suffix != ".sqlite3")
    return _owner(kept[0][1]) if kept else None


def _owner(kept: ArchivedFile) -> files.Owner | None:
    """The file's owner; None when this machine has no such user or group."""
    try:
        return pwd.getpwnam(kept.user).pw_uid, grp.getgrnam(kept.group).gr_gid
    except KeyError:
        return None


def _cannot_write(error: OSError, folder: Path, state: str) -> UserError:
    what = error.filename or folder
    return UserError(f"cannot write {what}: {files.explain(error)}{files.suggest_remedy(error)}{state}")
