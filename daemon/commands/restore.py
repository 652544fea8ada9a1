"""`oche restore`: everything out of a backup. What was there before is set aside, never written over."""

from __future__ import annotations

import os
import shutil
import sys
import tomllib
from collections.abc import Mapping
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
    from daemon.lock import FILE as LOCK
    from daemon.lock import locked

    contents = _read(source)
    configuration = contents.config.pop(PurePosixPath(contents.manifest.config))
    folder = _state_dir(configuration.content)
    stamp = datetime.now(UTC).strftime("before-restore-%Y%m%dT%H%M%SZ")
    with locked(folder):
        try:
            aside = folder / stamp
            for path in sorted(folder.iterdir()):
                if path.is_file() and path.name != LOCK:
                    aside.mkdir(exist_ok=True)
                    path.rename(aside / path.name)
            _put(folder, contents.state, "")
            _put(file.parent, {PurePosixPath(file.name): configuration, **contents.config}, stamp)
        except OSError as error:
            where = error.filename or folder
            raise UserError(f"cannot write {where}: {files.reason(error)}; run this as root (sudo)") from None
    made = datetime.fromisoformat(contents.manifest.at).astimezone()
    print(
        f"{len(contents.state)} files are back in {folder} and {len(contents.config) + 1} in {file.parent}, "
        f"as they were on {made:%Y-%m-%d at %H:%M}; now start oche.",
        file=sys.stderr,
    )


def _read(source: Path) -> Contents:
    from daemon.archive import unpack

    if str(source) == "-":
        return unpack(sys.stdin.buffer)
    try:
        with source.open("rb") as file:
            return unpack(file)
    except OSError as error:
        raise UserError(f"cannot read {source}: {files.reason(error)}", 2) from None


def _state_dir(configuration: bytes) -> Path:
    """Where that configuration has the state; the rest of it may need a board or a library that is not here yet."""
    try:
        bridge = tomllib.loads(configuration.decode()).get("bridge", {})
        return Path(msgspec.convert(bridge, Bridge).state_dir)
    except (ValueError, msgspec.ValidationError) as error:
        raise UserError(f"the configuration in this backup cannot be read: {error}", 2) from None


def _put(folder: Path, contents: Mapping[PurePosixPath, Kept], stamp: str) -> None:
    """Writes these files; another file of that name gets the stamp behind its name. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, kept in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            if path.read_bytes() == kept.content:
                continue
            path.rename(path.with_name(f"{path.name}.{stamp}"))
        files.write(path, kept.content, mode=kept.mode)
        if os.geteuid() == 0:
            _give(path, kept)


def _give(path: Path, kept: Kept) -> None:
    """To whom it belonged, or else to whom its folder belongs: the users of another machine may be others."""
    folder = path.parent.stat()
    try:
        shutil.chown(path, kept.user, kept.group)
    except LookupError:
        shutil.chown(path, folder.st_uid, folder.st_gid)
