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
from daemon.errors import UserError
from daemon.release import read_version

MOST_BYTES = 1 << 30
"""No file of oche is larger."""
_VERSION = 1
_MANIFEST = "manifest.json"


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
    manifest = Manifest(_VERSION, read_version(), now, config, tuple(member.name for member in members))
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        about = tarfile.TarInfo(_MANIFEST)
        about.mtime = int(now.timestamp())
        _add(tar, about, msgspec.json.format(msgspec.json.encode(manifest)))
        for member in members:
            with files.explain_errors(f"cannot read {member.like}", None):
                info, content = _make_info(member), _read_content(member)
            _add(tar, info, content)


def unpack(source: BinaryIO) -> Contents:
    """Reads a backup. Raises UserError when it is none, is damaged, or was made by a newer oche."""
    found: dict[str, dict[PurePosixPath, ArchivedFile]] = {"config": {}, "state": {}}
    manifest = None
    try:
        with gzip.GzipFile(fileobj=source) as unzipped, tarfile.open(fileobj=unzipped, mode="r:") as tar:
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
            while unzipped.read(1 << 16):
                pass  # the sum over everything is at its end
    except (tarfile.TarError, zlib.error, msgspec.DecodeError, ValueError, EOFError, OSError) as error:
        raise UserError(f"this is no backup of oche, or it is damaged: {error}", 2) from None
    if manifest is None:
        raise UserError("this is no backup of oche: it has no manifest", 2)
    if manifest.oche_backup > _VERSION:
        raise UserError(f"this backup was made by oche {manifest.version}: update this one first", 2)
    missing = {f"config/{manifest.config}", *manifest.files} - {f"{top}/{path}" for top in found for path in found[top]}
    if missing:
        raise UserError(f"this backup is incomplete: {min(missing)} is missing", 2)
    return Contents(manifest, found["config"], found["state"])


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
