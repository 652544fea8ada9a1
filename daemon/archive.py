"""Everything that makes this oche in one file, a tar.gz: what was configured, what was played, and the keys.

    manifest.json     {"oche_backup": 1, "version": …, "at": …, "config": "oche.toml", "files": ["config/oche.toml", …]}
    config/…          the configuration, the files beside it that it names, its games and boards
    state/…           the journals, each as it was at one moment, and the small files beside them

What can be made anew (the cache of the statistics, the lock) is left out.
"""

from __future__ import annotations

import gzip
import io
import re
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import quote

import msgspec
from msgspec import Struct

from daemon.cli import version
from daemon.errors import UserError
from daemon.lock import FILE as LOCK
from daemon.sections import Config
from daemon.stats.tally_cache import FILE as CACHE

_FORM = 1
_MANIFEST = "manifest.json"
_LEFT_OUT = re.compile(rf"{re.escape(CACHE)}.*|{LOCK}|.*\.new|.*\.sqlite3-(wal|shm|journal)")
_MOST_BYTES = 1 << 30
"""A member that is larger is none of ours."""


class Manifest(Struct, frozen=True):
    """What a backup says of itself: when it was made (ISO 8601, UTC), the configuration's name, and all files in it."""

    oche_backup: int
    version: str
    at: str
    config: str
    files: tuple[str, ...]


class Kept(Struct, frozen=True):
    """A file: what is in it, its permissions, and the names of its user and group."""

    content: bytes
    mode: int
    user: str
    group: str


class Contents(Struct, frozen=True):
    """A backup that was read: each file by its path below the folders of the configuration and of the state."""

    manifest: Manifest
    config: dict[PurePosixPath, Kept]
    state: dict[PurePosixPath, Kept]


def pack(file: Path, config: Config, out: BinaryIO) -> list[str]:
    """Writes the backup of the daemon that this file configures; the files that it names and that stay outside.

    Raises OSError, and UserError when something cannot be read.
    """
    file = file.absolute()
    named, outside = _named(file, config)
    members = {f"config/{path.relative_to(file.parent).as_posix()}": path for path in named}
    members |= {f"state/{path.name}": path for path in _kept(Path(config.bridge.state_dir))}
    made = datetime.now(UTC).isoformat(timespec="seconds")
    manifest = Manifest(_FORM, version(), made, file.name, tuple(members))
    with tarfile.open(fileobj=out, mode="w:gz") as tar, tempfile.TemporaryDirectory() as folder:
        _add(tar, _MANIFEST, file, msgspec.json.format(msgspec.json.encode(manifest)))
        for name, path in members.items():
            _add(tar, name, path, _journal(path, Path(folder)) if path.suffix == ".sqlite3" else _read(path))
    return outside


def unpack(source: BinaryIO) -> Contents:
    """What is in a backup. Raises UserError when it is none, is damaged, or was made by a newer oche."""
    files: dict[str, dict[PurePosixPath, Kept]] = {"config": {}, "state": {}}
    manifest = None
    try:
        with gzip.GzipFile(fileobj=source) as whole, tarfile.open(fileobj=whole, mode="r:") as tar:
            for member in tar:
                content = tar.extractfile(member)
                if content is None or member.size > _MOST_BYTES:
                    raise UserError(f"this is no backup of oche: it has {member.name!r} in it", 2)
                if member.name == _MANIFEST:
                    manifest = msgspec.json.decode(content.read(), type=Manifest)
                    continue
                top, path = _place(member.name)
                files[top][path] = Kept(content.read(), member.mode & 0o777, member.uname, member.gname)
            while whole.read(1 << 16):
                pass  # the sum over everything is at its end
    except (tarfile.TarError, msgspec.DecodeError, EOFError, OSError) as error:
        raise UserError(f"this is no backup of oche, or it is damaged: {error}", 2) from None
    if manifest is None:
        raise UserError("this is no backup of oche: it has no manifest", 2)
    if manifest.oche_backup > _FORM:
        raise UserError(f"this backup was made by oche {manifest.version}: update this one first", 2)
    missing = {f"config/{manifest.config}", *manifest.files} - {f"{top}/{path}" for top in files for path in files[top]}
    if missing:
        raise UserError(f"this backup is not whole: {min(missing)} is missing", 2)
    return Contents(manifest, files["config"], files["state"])


def _named(file: Path, config: Config) -> tuple[list[Path], list[str]]:
    """The files that make the configuration: those beside it, and the names of those that are elsewhere."""
    mqtt, web = config.mqtt, config.web
    names = [mqtt.password_file, mqtt.ca_file, mqtt.cert_file, mqtt.key_file, web.token_file]
    names += [name for table in config.table for name in (table.profile, table.face) if name and _is_file(name)]
    found, outside = [file], []
    for name in dict.fromkeys(filter(None, names)):
        path = file.parent / name
        if not path.resolve().is_relative_to(file.parent.resolve()):
            outside.append(str(path))
        elif path.is_file():
            found.append(path)
    for folder, pattern in (("games", "*.py"), ("boards", "*.toml")):
        found += sorted(path for path in (file.parent / folder).rglob(pattern) if path.is_file())
    return list(dict.fromkeys(found)), outside


def _is_file(name: str) -> bool:
    return name.endswith((".toml", ".json")) or "/" in name


def _kept(folder: Path) -> Iterator[Path]:
    """What of the state is worth keeping."""
    try:
        paths = sorted(folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise _unreadable(folder, error) from None
    yield from (path for path in paths if path.is_file() and not _LEFT_OUT.fullmatch(path.name))


def _journal(path: Path, folder: Path) -> bytes:
    """A journal as it is at this moment, whoever writes it; a damaged one as it lies there."""
    copy = folder / path.name
    try:
        with (
            closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as db,
            closing(sqlite3.connect(copy)) as to,
        ):
            db.backup(to)
    except sqlite3.Error:
        return _read(path)
    return copy.read_bytes()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> UserError:
    return UserError(f"cannot read {path}: {(error.strerror or str(error)).lower()}; run this as root (sudo)")


def _add(tar: tarfile.TarFile, name: str, like: Path, content: bytes) -> None:
    """Adds this content, with the owner, the permissions and the time of that file."""
    member = tar.gettarinfo(like, name)
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))


def _place(name: str) -> tuple[str, PurePosixPath]:
    """In which of the two folders a member belongs, and where; never outside of it. Raises UserError."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or len(path.parts) < 2 or path.parts[0] not in ("config", "state"):
        raise UserError(f"this is no backup of oche: it has {name!r} in it", 2)
    return path.parts[0], PurePosixPath(*path.parts[1:])
