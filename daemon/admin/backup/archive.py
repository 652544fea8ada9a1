"""A backup: everything that makes this oche, as a tar.gz of plain files with a list of them.

    manifest.json     {"oche_backup": 1, "version": …, "at": …, "config": "oche.toml", "files": ["config/oche.toml", …]}
    config/…          the configuration, the files it names, the service's secrets, the folders of games and boards
    state/…           the journals, each as it is at one moment, and the small files beside them; no folder. All art
                      as zips, and where it was asked for each sound pack, which the next start adds

Nothing in it is a link, and its names are those of names.py beside this. What can be made again (caches, the lock) is
left out. It is read piece by piece and never held in memory, and has bounds, because it may come from anyone.
"""

from __future__ import annotations

import grp
import gzip
import hashlib
import io
import pwd
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from tarfile import TarInfo
from typing import IO, BinaryIO, NamedTuple, cast

import msgspec
from msgspec import Struct

from daemon import files
from daemon.admin.backup.names import MemberNames, NotOurs
from daemon.errors import UserError, escape_controls
from daemon.release import read_version

MOST_BYTES = 1 << 30
"""No file of oche is larger."""
MOST_BYTES_IN_ALL = 8 << 30
MOST_FILES = 10_000
_MOST_RATIO = 500
"""What is packed closer than this is made to fill a disk. Journals are packed to a tenth."""
_FREE_BYTES = 64 << 20
"""So much may be packed as close as it likes."""
_MOST_TEXT = 4 << 20
"""The size of the manifest and of the configuration, which are read as a whole."""
_PIECE_BYTES = 1 << 16
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
    """A file in a backup: size, SHA-256 of its content, permissions, and the names of its user and group."""

    size: int
    digest: bytes
    mode: int
    user: str
    group: str


class Contents(Struct, frozen=True):
    """What a backup holds: its files by their paths below the folders of the configuration and of the state."""

    manifest: Manifest
    configuration: bytes
    config: dict[PurePosixPath, ArchivedFile]
    state: dict[PurePosixPath, ArchivedFile]
    left_out: dict[str, str]
    """Why a file in it is no part of it, by its name."""


def pack(members: Sequence[Member], out: BinaryIO) -> None:
    """Writes a backup of these members, the first of which is the configuration.

    Raises OSError when it cannot be written, UserError when a file cannot be read or there is too much to be restored.
    """
    now = datetime.now(UTC).replace(microsecond=0)
    config, *_ = names = tuple(member.name for member in members)
    if len(names) >= MOST_FILES:
        raise UserError(
            f"more than {MOST_FILES} files are too many for a backup: move files that are not plug-ins elsewhere"
        )
    manifest = Manifest(_VERSION, read_version(), now, config.removeprefix("config/"), names)
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        about = TarInfo(_MANIFEST)
        about.mtime = int(now.timestamp())
        text = msgspec.json.format(msgspec.json.encode(manifest))
        about.size = in_all = len(text)
        tar.addfile(about, io.BytesIO(text))
        for member in members:
            with files.explain_errors(f"cannot read {member.like}", None):
                info = _make_info(member)
                content = member.content.open("rb")
            with content:
                in_all += info.size
                if info.size > MOST_BYTES:
                    limit = f"{MOST_BYTES >> 30} GiB, the limit of a backup"
                    raise UserError(f"{member.like} is larger than {limit}: move it elsewhere")
                if in_all > MOST_BYTES_IN_ALL:
                    limit = f"{MOST_BYTES_IN_ALL >> 30} GiB, the limit of a backup"
                    raise UserError(f"with {member.like} it is more than {limit}: move damaged journals elsewhere")
                tar.addfile(info, content)


def unpack(source: BinaryIO) -> Contents:
    """Reads and checks a whole backup. Raises UserError when it is none, is damaged, or was made by a newer oche."""
    found: dict[str, dict[PurePosixPath, ArchivedFile]] = {"config": {}, "state": {}}
    names, left_out = MemberNames(), {}
    manifest, configuration = None, b""
    for member, pieces in _read(source):
        if manifest is None:
            if member.name != _MANIFEST:
                break
            with _explain_damage():
                manifest = msgspec.json.decode(_join(pieces), type=Manifest)
            continue
        try:
            top, path = names.add(member.name)
        except NotOurs as reason:
            left_out[member.name] = str(reason)
            continue
        except ValueError as reason:
            raise _make_refusal(member, str(reason)) from None
        digest = hashlib.sha256()
        if member.name == f"config/{manifest.config}":
            configuration = _join(pieces)
            digest.update(configuration)
        for piece in pieces:
            digest.update(piece)
        found[top][path] = ArchivedFile(member.size, digest.digest(), member.mode & 0o777, member.uname, member.gname)
    if manifest is None:
        raise UserError("this is not an oche backup: it has no manifest at its beginning", 2)
    contents = Contents(manifest, configuration, found["config"], found["state"], left_out)
    _check_complete(contents)
    return contents


def _check_complete(contents: Contents) -> None:
    manifest = contents.manifest
    if manifest.oche_backup > _VERSION:
        raise UserError(f"this backup was made by oche {escape_controls(manifest.version)}: update oche here first", 2)
    there = {*(f"config/{path}" for path in contents.config), *(f"state/{path}" for path in contents.state)}
    if missing := {f"config/{manifest.config}", *(set(manifest.files) - contents.left_out.keys())} - there:
        raise UserError(f"this backup is incomplete: {escape_controls(min(missing))} is missing", 2)


def read_files(source: BinaryIO, contents: Contents) -> Iterator[tuple[str, PurePosixPath, Iterator[bytes]]]:
    """Yields each file of a backup that was unpacked before: "config" or "state", its path there, and its content.

    Raises UserError when the backup has changed since.
    """
    names = MemberNames()
    for member, pieces in _read(source):
        if member.name == _MANIFEST or member.name in contents.left_out:
            continue
        try:
            top, path = names.add(member.name)
            kept = (contents.config if top == "config" else contents.state)[path]
        except (ValueError, KeyError):
            raise _make_changed_error() from None
        yield top, path, _compare(pieces, kept)


def _compare(pieces: Iterator[bytes], kept: ArchivedFile) -> Iterator[bytes]:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
        yield piece
    if digest.digest() != kept.digest:
        raise _make_changed_error()


def _make_changed_error() -> UserError:
    return UserError("the backup changed while oche read it: try again")


def _read(source: BinaryIO) -> Iterator[tuple[TarInfo, Iterator[bytes]]]:
    """Yields each member with its content, from the beginning to the sum at the end. Raises UserError."""
    source.seek(0)
    with _explain_damage(), gzip.GzipFile(fileobj=source) as unzipped:
        bounded = _Bounded(unzipped, source)
        with tarfile.open(fileobj=cast("BinaryIO", bounded), mode="r:") as tar:  # it calls no more than this has
            for count, member in enumerate(tar, 1):
                if count > MOST_FILES:
                    raise UserError(f"this is not an oche backup: it contains more than {MOST_FILES} files", 2)
                if not member.isreg() or member.issparse() or member.size < 0:  # which leads tarfile back, for ever
                    raise _make_refusal(member, "that is not a regular file")
                if member.size > MOST_BYTES:
                    raise _make_refusal(member, "that is too large")
                content = tar.extractfile(member)
                assert content is not None
                yield member, _split(content)
            while bounded.read(_PIECE_BYTES):
                pass  # the sum over everything is at its end


def _split(content: IO[bytes]) -> Iterator[bytes]:
    with _explain_damage():
        while piece := content.read(_PIECE_BYTES):
            yield piece


def _join(pieces: Iterator[bytes]) -> bytes:
    """All pieces. Raises UserError for more than a text that a person reads."""
    text = b""
    for piece in pieces:
        text += piece
        if len(text) > _MOST_TEXT:
            raise UserError("this is not an oche backup: its manifest or its configuration is too large", 2)
    return text


def _make_refusal(member: TarInfo, reason: str) -> UserError:
    name = member.name if len(member.name) <= 100 else f"{member.name[:100]}…"
    return UserError(f"this is not an oche backup: it contains {name!r}, and {reason}", 2)


@contextmanager
def _explain_damage() -> Iterator[None]:
    """Raises UserError for what the libraries raise."""
    try:
        yield
    except (tarfile.TarError, zlib.error, msgspec.DecodeError, ValueError, EOFError, OSError, RecursionError) as error:
        raise UserError(f"this is not an oche backup, or it is damaged: {error}", 2) from None


class _Bounded:
    """What is in the gzip file, for tarfile: it can only be read on, in pieces, and is no bomb."""

    def __init__(self, unzipped: gzip.GzipFile, source: BinaryIO) -> None:
        self._unzipped, self._source = unzipped, source

    def tell(self) -> int:
        return self._unzipped.tell()

    def seek(self, to: int) -> int:
        """Passes what is before `to`. Raises TarError when that is behind, or a bound is exceeded."""
        if to < self.tell():
            raise tarfile.ReadError("a size in it is wrong")
        while (left := to - self.tell()) and self.read(min(left, _PIECE_BYTES)):
            pass
        return self.tell()

    def read(self, size: int) -> bytes:
        """The next bytes. Raises TarError when a bound is exceeded."""
        if not 0 <= size <= _PIECE_BYTES:
            raise tarfile.ReadError("a name in it is too long")
        data = self._unzipped.read(size)
        in_all = self.tell()
        if in_all > MOST_BYTES_IN_ALL:
            raise tarfile.ReadError(f"it unpacks to more than {MOST_BYTES_IN_ALL >> 30} GiB")
        if in_all > _FREE_BYTES + _MOST_RATIO * self._source.tell():
            raise tarfile.ReadError(f"it unpacks to more than {_MOST_RATIO} times its size")
        return data


def _make_info(member: Member) -> TarInfo:
    """The entry of a plain file, because a link would lead nowhere on another machine. Raises OSError."""
    found = member.like.stat()
    info = TarInfo(member.name)
    info.size = member.content.stat().st_size
    info.mode, info.mtime = found.st_mode & 0o777, int(found.st_mtime)
    info.uid, info.gid = found.st_uid, found.st_gid
    with suppress(KeyError):
        info.uname = pwd.getpwuid(found.st_uid).pw_name
    with suppress(KeyError):
        info.gname = grp.getgrgid(found.st_gid).gr_name
    return info
