"""A backup: everything that makes this oche, as a tar.gz of plain files with a list of them.

    manifest.json     {"oche_backup": 1, "version": …, "at": …, "config": "oche.toml", "files": ["config/oche.toml", …]}
    config/…          the configuration, the files it names, the service's secrets, the folders of games and boards
    state/…           the journals, each as it is at one moment, and the small files beside them; no folder

Nothing in it is a link, and nothing leads out of the two folders. What can be made anew (caches, the lock) is left out.
"""

from __future__ import annotations

import grp
import gzip
import io
import os
import pwd
import re
import sqlite3
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple
from urllib.parse import quote

import msgspec
from msgspec import Struct

from daemon import files
from daemon.config import credentials
from daemon.config.sections import Config
from daemon.errors import UserError
from daemon.history.history import FILE as CACHE
from daemon.plugins.profiles import is_file_name
from daemon.release import version
from daemon.service.lock import FILE as LOCK
from daemon.web import token

MOST_BYTES = 1 << 30
"""No file of oche is larger."""
_VERSION = 1
_MANIFEST = "manifest.json"
_LEFT_OUT = re.compile(rf"{re.escape(CACHE)}.*|{LOCK}|.*\.new|.*\.sqlite3-(wal|shm|journal)")
_NO_PLUGIN = ("__pycache__", ".git")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
"""How Python decodes a byte of a name that is not UTF-8."""
_NOT_IN_USE = re.compile(r".*\.new|.*\.before-restore-\w+")
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_REMEDIES = {
    sqlite3.SQLITE_FULL: "; make room there",
    sqlite3.SQLITE_CANTOPEN: "; run this as root (sudo)",
    sqlite3.SQLITE_READONLY: "; run this as root (sudo)",
}


class Manifest(Struct, frozen=True):
    """The list in a backup: its version, when it was made, the configuration's name, and all files."""

    oche_backup: int
    version: str
    at: datetime
    config: str
    files: tuple[str, ...]


class Member(NamedTuple):
    """A file of a backup: its name there, the file with its content, and the file whose owner and mode it has."""

    name: str
    content: Path
    like: Path


class ArchivedFile(Struct, frozen=True):
    """A file out of a backup, with its permissions and the names of its user and group."""

    content: bytes
    mode: int
    user: str
    group: str


class Contents(Struct, frozen=True):
    """A backup that was read: its files by their paths below the folders of the configuration and of the state."""

    manifest: Manifest
    config: dict[PurePosixPath, ArchivedFile]
    state: dict[PurePosixPath, ArchivedFile]


def pack(config: str, members: Sequence[Member], out: BinaryIO) -> None:
    """Writes a backup of these members; `config` is the name of the configuration.

    Raises OSError when it cannot be written, UserError when a file cannot be read or is too large.
    """
    now = datetime.now(UTC).replace(microsecond=0)
    manifest = Manifest(_VERSION, version(), now, config, tuple(member.name for member in members))
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        about = tarfile.TarInfo(_MANIFEST)
        about.mtime = int(now.timestamp())
        _add(tar, about, msgspec.json.format(msgspec.json.encode(manifest)))
        for member in members:
            try:
                info, content = _make_info(member), _read_content(member)
            except OSError as error:
                raise unreadable(member.like, error) from None
            _add(tar, info, content)


def unpack(source: BinaryIO) -> Contents:
    """Reads a backup. Raises UserError when it is none, is damaged, or was made by a newer oche."""
    found: dict[str, dict[PurePosixPath, ArchivedFile]] = {"config": {}, "state": {}}
    manifest = None
    try:
        with gzip.GzipFile(fileobj=source) as whole, tarfile.open(fileobj=whole, mode="r:") as tar:
            for member in tar:
                content = tar.extractfile(member) if member.isfile() else None
                if (
                    content is None or not 0 <= member.size <= MOST_BYTES
                ):  # a negative size leads tarfile back, for ever
                    why = "that is too large" if content is not None and member.size > 0 else "that is no file"
                    raise UserError(f"this is no backup of oche: it has {member.name!r} in it, and {why}", 2)
                if member.name == _MANIFEST:
                    manifest = msgspec.json.decode(content.read(), type=Manifest)
                    continue
                top, path = _split_name(member.name)
                found[top][path] = ArchivedFile(content.read(), member.mode & 0o777, member.uname, member.gname)
            while whole.read(1 << 16):
                pass  # the sum over everything is at its end
    except (tarfile.TarError, zlib.error, msgspec.DecodeError, ValueError, EOFError, OSError) as error:
        raise UserError(f"this is no backup of oche, or it is damaged: {error}", 2) from None
    if manifest is None:
        raise UserError("this is no backup of oche: it has no manifest", 2)
    if manifest.oche_backup > _VERSION:
        raise UserError(f"this backup was made by oche {manifest.version}: update this one first", 2)
    missing = {f"config/{manifest.config}", *manifest.files} - {f"{top}/{path}" for top in found for path in found[top]}
    if missing:
        raise UserError(f"this backup is not whole: {min(missing)} is missing", 2)
    return Contents(manifest, found["config"], found["state"])


def unreadable(path: Path, error: OSError) -> UserError:
    """The error for a file of a backup that cannot be read."""
    return UserError(f"cannot read {path}: {files.explain(error)}{files.suggest_remedy(error)}")


def _make_info(member: Member) -> tarfile.TarInfo:
    """The entry of a plain file, because a link would lead nowhere on another machine. Raises OSError."""
    found = member.like.stat()
    info = tarfile.TarInfo(member.name)
    info.mode, info.mtime = found.st_mode & 0o777, int(found.st_mtime)
    info.uid, info.gid = found.st_uid, found.st_gid
    with suppress(KeyError):
        info.uname = pwd.getpwuid(found.st_uid).pw_name
    with suppress(KeyError):
        info.gname = grp.getgrgid(found.st_gid).gr_name
    return info


def _read_content(member: Member) -> bytes:
    """The member's content. Raises OSError, and UserError when it is too large to be restored."""
    if member.content.stat().st_size > MOST_BYTES:
        limit = f"{MOST_BYTES >> 30} GiB, which no backup takes"
        raise UserError(f"{member.like} is larger than {limit}: move it elsewhere")
    return member.content.read_bytes()


def _add(tar: tarfile.TarFile, info: tarfile.TarInfo, content: bytes) -> None:
    info.size = len(content)
    tar.addfile(info, io.BytesIO(content))


def _split_name(name: str) -> tuple[str, PurePosixPath]:
    """The top folder of a member, and its path below it. Raises UserError when that leads elsewhere."""
    path = PurePosixPath(name)
    top, *below = path.parts or ("",)
    is_ours = (top == "config" and below) or (top == "state" and len(below) == 1)
    if not is_ours or "\0" in name or ".." in below:
        raise UserError(f"this is no backup of oche: it has {name!r} in it", 2)
    return top, PurePosixPath(*below)


def list_members(file: Path, content: Path, config: Config, folder: Path) -> tuple[list[Member], list[str]]:
    """The members of a backup of this daemon, and remarks on files that are left out or damaged. Raises UserError.

    `file` is the configuration, and `content` the file that has its text. The journals are copied into `folder`.
    """
    file = file.absolute()
    members, remarks = [Member(f"config/{file.name}", content, content)], []
    try:
        for path in _named_files(file.parent, config):
            place = _relative_path(file.parent, path)
            if place is None:
                remarks.append(f"{path} is not in it, because it is not below {file.parent}")
            elif path.is_file():
                members.append(Member(f"config/{place.as_posix()}", path, path))
        for name in ("games", "boards"):
            plugins = _plugin_files(file.parent / name)
            members += [Member(f"config/{path.relative_to(file.parent)}", path, path) for path in plugins]
        for path in _state_files(Path(config.bridge.state_dir).absolute()):
            copy = _copy_journal(path, folder) if path.suffix == ".sqlite3" else path
            members.append(Member(f"state/{path.name}", copy or path, path))
            if copy is None:
                remarks.append(f"{path} is damaged: it is in the backup as it lies there")
                log = path.with_name(f"{path.name}-wal")
                members += [Member(f"state/{log.name}", log, log)] if log.is_file() else []
    except OSError as error:
        raise unreadable(Path(error.filename or file.parent), error) from None
    for odd in [member for member in members if _SURROGATE.search(member.name)]:
        members.remove(odd)
        remarks.append(f"{str(odd.like).encode(errors='replace').decode()} is not in it, because its name is not UTF-8")
    return list({member.name: member for member in members}.values()), remarks


def _named_files(folder: Path, config: Config) -> Iterator[Path]:
    """Yields the files that the configuration names, and those of the service's credentials."""
    mqtt, web = config.mqtt, config.web
    names = [mqtt.password_file, mqtt.ca_file, mqtt.cert_file, mqtt.key_file, web.token_file]
    names += [table.profile for table in config.table if is_file_name(table.profile)]
    names += [table.face for table in config.table]
    yield from (folder / name for name in dict.fromkeys(filter(None, names)))
    yield from (folder / name for name in (credentials.CREDENTIAL, token.CREDENTIAL))


def _relative_path(folder: Path, path: Path) -> Path | None:
    """The path relative to the folder, by its name or else by where links lead; None when it is not below it."""
    for plain in (os.path.normpath, os.path.realpath):
        if (found := Path(plain(path))).is_relative_to(plain(folder)):
            return found.relative_to(plain(folder))
    return None


def _plugin_files(folder: Path) -> Iterator[Path]:
    """Yields all files of the plug-ins in this folder and its packages. Raises OSError."""
    if not folder.is_dir():
        return
    for top in sorted(folder.iterdir()):
        if top.is_file() and not _NOT_IN_USE.fullmatch(top.name):
            yield top
        elif top.is_dir() and top.name not in _NO_PLUGIN:
            for where, folders, names in os.walk(top, onerror=_raise):
                folders[:] = sorted(set(folders) - set(_NO_PLUGIN))
                kept = (Path(where, name) for name in sorted(names) if not _NOT_IN_USE.fullmatch(name))
                yield from (path for path in kept if path.is_file())


def _raise(error: OSError) -> None:
    raise error


def _state_files(folder: Path) -> list[Path]:
    """The files of the state that belong in a backup. Raises OSError."""
    if not folder.exists():
        return []
    return [path for path in sorted(folder.iterdir()) if path.is_file() and not _LEFT_OUT.fullmatch(path.name)]


def _copy_journal(path: Path, folder: Path) -> Path | None:
    """Copies a journal as it is at this moment, while it may be written; returns None when it is damaged.

    Raises OSError when it cannot be read, and UserError when it cannot be copied: the file alone would lack the matches
    that are still in its log.
    """
    with path.open("rb"):
        pass  # SQLite does not say why it cannot read a file
    copy = folder / path.name
    try:
        with (
            closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as db,
            closing(sqlite3.connect(copy)) as to,
        ):
            db.backup(to)
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGED:
            return None
        raise UserError(f"cannot copy {path} into {folder.parent}: {error}{_REMEDIES.get(code, '')}") from None
    return copy
