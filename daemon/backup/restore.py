"""Puts the files of a backup back. What was there before is set aside, never overwritten.

Where they go is said by the configuration that is there and by the command line, never by the backup alone.

All files are written under other names before the first of them takes its place, so that a full disk changes nothing.
"""

from __future__ import annotations

import grp
import hashlib
import os
import pwd
import tomllib
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import msgspec

from daemon import files
from daemon.backup.archive import ArchivedFile, Contents, read_files
from daemon.backup.collect import find_relative_path, list_named_files
from daemon.backup.names import is_plugin_or_secret, is_state
from daemon.config.sections import Bridge, Config
from daemon.config.unconfigured import find_state_folder
from daemon.errors import UserError
from daemon.service.lock import lock_folder


def find_folder(contents: Contents, config: Path, named: Path | None) -> Path:
    """Returns the folder that the state goes into: the one that is `named`, or else that of the configuration.

    Where there is no configuration that can be read, it is the one in the backup if oche uses it without a
    configuration too. Raises UserError when it would be the backup's word alone.
    """
    wanted = read_state_dir(contents.configuration)
    if named is not None:
        return named.absolute()
    present = _read_present(config)
    known = [Path(Bridge().state_dir), find_state_folder()] if present is None else [Path(present.bridge.state_dir)]
    if wanted.absolute() in [folder.absolute() for folder in known]:
        return wanted.absolute()
    theirs = f"the configuration in this backup keeps its matches in {wanted}"
    ours = f"and {config} in {known[0]}" if present is not None else "which is not the usual folder"
    raise UserError(f"{theirs}, {ours}: say where they go, as in --state-dir {wanted}", 2)


def restore(contents: Contents, source: BinaryIO, config: Path, folder: Path) -> list[str]:
    """Puts back the configuration as `config`, with the files beside it, and the state into the folder.

    `contents` are those of the `source`. Returns remarks for the user. Raises UserError when a file that is not oche's
    is in the way, the daemon runs, or a file cannot be written.
    """
    _check_strangers(contents, config)
    stamp = datetime.now(UTC).strftime("before-restore-%Y%m%dT%H%M%SZ")
    with lock_folder(folder, _find_state_owner(contents)), closing(_Drafts()) as drafts:
        try:
            aside = drafts.make_folder(folder / stamp)
            for top, name, pieces in read_files(source, contents):
                path = folder / name if top == "state" else find_place(name, contents, config)
                kept = (contents.state if top == "state" else contents.config)[name]
                if top == "state" or not has_content(path, kept):
                    drafts.write(path, kept, pieces)
        except OSError as error:
            raise _explain_write_error(error, folder, "; nothing was changed") from None
        try:
            _set_aside(folder, aside, drafts)
            drafts.put(stamp)
        except OSError as error:
            left = f"; what was there before is in {aside} and, beside the configuration, in *.{stamp}"
            raise _explain_write_error(error, folder, left) from None
    wanted = read_state_dir(contents.configuration)
    remarks = [f"{name!r} in the backup is left out, because {reason}" for name, reason in contents.left_out.items()]
    if wanted.absolute() != folder:
        remarks.append(f'{config} names another folder, {wanted}: write state_dir = "{folder}" there')
    return remarks


def find_place(name: PurePosixPath, contents: Contents, config: Path) -> Path:
    """The path of a file beside the configuration, which may have another name now."""
    return config if str(name) == contents.manifest.config else config.parent / name


def _check_strangers(contents: Contents, config: Path) -> None:
    """Raises UserError for a file in the way that is neither oche's nor named by the configuration that is there."""
    if config.name != contents.manifest.config and PurePosixPath(config.name) in contents.config:
        raise UserError(
            f"the backup has another {config.name} in it: restore it as --config {contents.manifest.config}", 2
        )
    present, beside = _read_present(config), config.absolute().parent
    named = [] if present is None else [find_relative_path(beside, path) for path in list_named_files(beside, present)]
    for name, kept in contents.config.items():
        path = find_place(name, contents, config)
        is_ours = path == config or is_plugin_or_secret(name) or Path(name) in named
        if not is_ours and os.path.lexists(path) and not has_content(path, kept):
            raise UserError(f"{path} is in the way, and no file of this oche: move it elsewhere first")


def has_content(path: Path, kept: ArchivedFile) -> bool:
    """Whether a file has this content. Raises OSError."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest() == kept.digest


def _read_present(config: Path) -> Config | None:
    """The configuration that is there; None when there is none, or it cannot be read."""
    try:
        return files.read_source(config).read(Config)
    except (UserError, ValueError):
        return None


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

    def write(self, path: Path, kept: ArchivedFile, pieces: Iterator[bytes]) -> None:
        """Writes the draft of this file, with the owner and mode that it had. Raises OSError."""
        self.make_folder(path.parent)
        draft = path.with_name(f"{path.name}.new")
        try:
            with files.draft_file(draft, mode=0o600, owner=_find_owner(kept) or files.read_owner(path.parent)) as file:
                os.fchmod(file.fileno(), kept.mode)
                file.writelines(pieces)
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


def read_state_dir(configuration: bytes) -> Path:
    """The state folder of that configuration. Its other sections may need a board or a library that is not here yet."""
    try:
        bridge = tomllib.loads(configuration.decode()).get("bridge", {})
        return Path(msgspec.convert(bridge, Bridge).state_dir)
    except (ValueError, AttributeError, RecursionError) as error:
        raise UserError(f"the configuration in this backup cannot be read: {error}", 2) from None


def _set_aside(folder: Path, aside: Path, drafts: _Drafts) -> None:
    """Moves the files of the state into the folder `aside`; others stay. Raises OSError."""
    into = os.open(aside, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)  # root must not follow the link of another user
    try:
        for path in sorted(folder.iterdir()):
            if is_state(path.name) and not path.is_dir() and path not in drafts:
                os.rename(path, path.name, dst_dir_fd=into)
    finally:
        os.close(into)


def _find_state_owner(contents: Contents) -> files.Owner | None:
    """The owner of a journal, or else of another file of the state; None when this machine does not know them."""
    kept = sorted(contents.state.items(), key=lambda item: item[0].suffix != ".sqlite3")
    return _find_owner(kept[0][1]) if kept else None


def _find_owner(kept: ArchivedFile) -> files.Owner | None:
    """The file's owner; None when this machine has no such user or group."""
    try:
        return pwd.getpwnam(kept.user).pw_uid, grp.getgrnam(kept.group).gr_gid
    except KeyError:
        return None


def _explain_write_error(error: OSError, folder: Path, state: str) -> UserError:
    what = error.filename or folder
    return UserError(f"cannot write {what}: {files.explain(error)}{files.suggest_remedy(error)}{state}")
