"""The form of a backup: a tar.gz of plain files, with a list of them.

    manifest.json     {"oche_backup": 1, "version": …, "at": …, "config": "oche.toml", "files": ["config/oche.toml", …]}
    config/…          what lies in the folder of the configuration
    state/…           what lies in the state folder, no folder in it

What belongs into it: daemon/belongings.py. Nothing in it is a link, and nothing leads out of the two folders.
"""

from __future__ import annotations

import grp
import gzip
import io
import pwd
import tarfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

import msgspec
from msgspec import Struct

from daemon import files
from daemon.cli import version
from daemon.errors import UserError

MOST_BYTES = 1 << 30
"""A file that is larger is none of ours."""
_FORM = 1
_MANIFEST = "manifest.json"


class Manifest(Struct, frozen=True):
    """What a backup says of itself: when it was made, the configuration's name, and all files in it."""

    oche_backup: int
    version: str
    at: datetime
    config: str
    files: tuple[str, ...]


class Member(NamedTuple):
    """A file that belongs into a backup: its name there, where its content is, and whose owner and mode it has."""

    name: str
    content: Path
    like: Path


class Kept(Struct, frozen=True):
    """A file out of a backup: what is in it, its permissions, and the names of its user and group."""

    content: bytes
    mode: int
    user: str
    group: str


class Contents(Struct, frozen=True):
    """A backup that was read: each file by its path below the folders of the configuration and of the state."""

    manifest: Manifest
    config: dict[PurePosixPath, Kept]
    state: dict[PurePosixPath, Kept]


def pack(config: str, members: Sequence[Member], out: BinaryIO) -> None:
    """Writes a backup of these files; `config` is the name of the configuration.

    Raises OSError when it cannot be written, UserError when a file cannot be read or is too large.
    """
    now = datetime.now(UTC).replace(microsecond=0)
    manifest = Manifest(_FORM, version(), now, config, tuple(member.name for member in members))
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        about = tarfile.TarInfo(_MANIFEST)
        about.mtime = int(now.timestamp())
        _add(tar, about, msgspec.json.format(msgspec.json.encode(manifest)))
        for member in members:
            try:
                info, content = _described(member), _content(member)
            except OSError as error:
                raise unreadable(member.like, error) from None
            _add(tar, info, content)


def unpack(source: BinaryIO) -> Contents:
    """What is in a backup. Raises UserError when it is none, is damaged, or was made by a newer oche."""
    found: dict[str, dict[PurePosixPath, Kept]] = {"config": {}, "state": {}}
    manifest = None
    try:
        with gzip.GzipFile(fileobj=source) as whole, tarfile.open(fileobj=whole, mode="r:") as tar:
            for member in tar:
                content = tar.extractfile(member) if member.isfile() else None
                if content is None or member.size > MOST_BYTES:
                    why = "that is no file" if content is None else "that is too large"
                    raise UserError(f"this is no backup of oche: it has {member.name!r} in it, and {why}", 2)
                if member.name == _MANIFEST:
                    manifest = msgspec.json.decode(content.read(), type=Manifest)
                    continue
                top, path = _place(member.name)
                found[top][path] = Kept(content.read(), member.mode & 0o777, member.uname, member.gname)
            while whole.read(1 << 16):
                pass  # the sum over everything is at its end
    except (tarfile.TarError, zlib.error, msgspec.DecodeError, ValueError, EOFError, OSError) as error:
        raise UserError(f"this is no backup of oche, or it is damaged: {error}", 2) from None
    if manifest is None:
        raise UserError("this is no backup of oche: it has no manifest", 2)
    if manifest.oche_backup > _FORM:
        raise UserError(f"this backup was made by oche {manifest.version}: update this one first", 2)
    missing = {f"config/{manifest.config}", *manifest.files} - {f"{top}/{path}" for top in found for path in found[top]}
    if missing:
        raise UserError(f"this backup is not whole: {min(missing)} is missing", 2)
    return Contents(manifest, found["config"], found["state"])


def unreadable(path: Path, error: OSError) -> UserError:
    """That a file which belongs into a backup cannot be read."""
    return UserError(f"cannot read {path}: {files.reason(error)}{files.remedy(error)}")


def _described(member: Member) -> tarfile.TarInfo:
    """As a plain file, whatever it is on the disk: a link would lead nowhere on another machine. Raises OSError."""
    found = member.like.stat()
    info = tarfile.TarInfo(member.name)
    info.mode, info.mtime = found.st_mode & 0o777, int(found.st_mtime)
    info.uid, info.gid = found.st_uid, found.st_gid
    with suppress(KeyError):
        info.uname = pwd.getpwuid(found.st_uid).pw_name
    with suppress(KeyError):
        info.gname = grp.getgrgid(found.st_gid).gr_name
    return info


def _content(member: Member) -> bytes:
    """Raises OSError, and UserError for what could not be restored."""
    if member.content.stat().st_size > MOST_BYTES:
        raise UserError(
            f"{member.like} is larger than {MOST_BYTES >> 30} GiB, which no backup takes: move it elsewhere"
        )
    return member.content.read_bytes()


def _add(tar: tarfile.TarFile, info: tarfile.TarInfo, content: bytes) -> None:
    info.size = len(content)
    tar.addfile(info, io.BytesIO(content))


def _place(name: str) -> tuple[str, PurePosixPath]:
    """In which of the two folders a member belongs, and where; never outside of it. Raises UserError."""
    path = PurePosixPath(name)
    top, *below = path.parts or ("",)
    if ".." in below or not below or top not in ("config", "state") or (top == "state" and len(below) > 1):
        raise UserError(f"this is no backup of oche: it has {name!r} in it", 2)
    return top, PurePosixPath(*below)
