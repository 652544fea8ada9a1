"""`oche restore`: everything out of a backup. What was there before is set aside, never written over.

All files are on the disk under other names before the first of them takes its place, so that a full disk changes
nothing.
"""

from __future__ import annotations

import grp
import os
import pwd
import sys
import tomllib
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click
import msgspec

from daemon import files
from daemon.config import DEFAULT_FILE
from daemon.errors import UserError
from daemon.sections import Bridge

if TYPE_CHECKING:
    from daemon.archive import Contents, Kept


@click.command()
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True)
def command(source: Path, file: Path) -> None:
    """Put back what `oche backup` wrote into FILE: the configuration, all matches and the keys; - is standard input.

    The daemon must not be running. What is there now is set aside: look for before-restore.
    """
    from daemon.lock import locked

    contents = _read(source)
    configuration = contents.config.pop(PurePosixPath(contents.manifest.config))
    folder = _state_dir(configuration.content)
    stamp = datetime.now(UTC).strftime("before-restore-%Y%m%dT%H%M%SZ")
    with locked(folder, _keeper(contents)), closing(_Drafts()) as drafts:
        try:
            aside = drafts.folder(folder / stamp)
            for name, kept in contents.state.items():
                drafts.write(folder / name, kept)
            for name, kept in {PurePosixPath(file.name): configuration, **contents.config}.items():
                if not _holds(file.parent / name, kept.content):
                    drafts.write(file.parent / name, kept)
        except OSError as error:
            raise _cannot(error, folder, "; nothing was changed") from None
        try:
            _set_aside(folder, aside, drafts)
            drafts.put(stamp)
        except OSError as error:
            left = f"; what was there before is in {aside} and, beside the configuration, in *.{stamp}"
            raise _cannot(error, folder, left) from None
    print(
        f"{len(contents.state)} files are back in {folder} and {len(contents.config) + 1} in {file.parent}, "
        f"as they were on {contents.manifest.at.astimezone():%Y-%m-%d at %H:%M}; now start oche.",
        file=sys.stderr,
    )


class _Drafts:
    """The files of a backup under other names, and the folders that were made for them."""

    def __init__(self) -> None:
        self._drafts: dict[Path, Path] = {}
        self._folders: list[Path] = []

    def __contains__(self, path: Path) -> bool:
        return path in self._drafts.values()

    def folder(self, folder: Path) -> Path:
        """Makes this folder. Raises OSError."""
        self._folders += files.make_folder(folder)
        return folder

    def write(self, path: Path, kept: Kept) -> None:
        """Writes what is to be this file, for whom it belonged to. Raises OSError."""
        self.folder(path.parent)
        draft = path.with_name(f"{path.name}.new")
        try:
            with files.drafted(draft, mode=0o600, owner=_owner(kept) or files.owner_of(path.parent)) as file:
                os.fchmod(file.fileno(), kept.mode)
                file.write(kept.content)
        except OSError as error:
            error.filename = str(path)
            raise
        self._drafts[path] = draft

    def put(self, stamp: str) -> None:
        """Gives them their names; what has one of them gets the stamp behind it. Raises OSError."""
        for path, draft in list(self._drafts.items()):
            if os.path.lexists(path):
                path.rename(path.with_name(f"{path.name}.{stamp}"))
            files.put(draft, path)
            del self._drafts[path]

    def close(self) -> None:
        """Removes what has not got its name, and the folders in which there is nothing."""
        for draft in self._drafts.values():
            with suppress(OSError):
                draft.unlink()
        for folder in reversed(self._folders):
            with suppress(OSError):
                folder.rmdir()


def _read(source: Path) -> Contents:
    from daemon.archive import unpack

    if str(source) == "-":
        return unpack(sys.stdin.buffer)
    try:
        with source.open("rb") as file:
            return unpack(file)
    except OSError as error:
        raise UserError(f"cannot read {source}: {files.reason(error)}{files.remedy(error)}", 2) from None


def _state_dir(configuration: bytes) -> Path:
    """Where that configuration has the state; the rest of it may need a board or a library that is not here yet."""
    try:
        bridge = tomllib.loads(configuration.decode()).get("bridge", {})
        return Path(msgspec.convert(bridge, Bridge).state_dir)
    except (ValueError, msgspec.ValidationError) as error:
        raise UserError(f"the configuration in this backup cannot be read: {error}", 2) from None


def _set_aside(folder: Path, aside: Path, drafts: _Drafts) -> None:
    """Moves the state that is there into the folder aside. Raises OSError."""
    from daemon.lock import FILE as LOCK

    into = os.open(aside, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)  # root follows nobody's links
    try:
        for path in sorted(folder.iterdir()):
            if path.name != LOCK and not path.is_dir() and path not in drafts:
                os.rename(path, path.name, dst_dir_fd=into)
    finally:
        os.close(into)


def _holds(path: Path, content: bytes) -> bool:
    """Whether that is what is in the file. Raises OSError."""
    return path.is_file() and path.read_bytes() == content


def _keeper(contents: Contents) -> files.Owner | None:
    """Whose the state is: the owner of a journal."""
    kept = sorted(contents.state.items(), key=lambda item: item[0].suffix != ".sqlite3")
    return _owner(kept[0][1]) if kept else None


def _owner(kept: Kept) -> files.Owner | None:
    """Whose the file was; None: this machine knows no such user or group."""
    try:
        return pwd.getpwnam(kept.user).pw_uid, grp.getgrnam(kept.group).gr_gid
    except KeyError:
        return None


def _cannot(error: OSError, folder: Path, so: str) -> UserError:
    where = error.filename or folder
    return UserError(f"cannot write {where}: {files.reason(error)}{files.remedy(error)}{so}")
