"""The files in a zip that was uploaded. It may come from anyone.

It is read in pieces, and what it says of its sizes is not believed: all that comes out is counted. What is made to do
harm is refused.
"""

from __future__ import annotations

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO, BinaryIO, cast
from zipfile import ZipFile, ZipInfo

from daemon.errors import UserError, escape_controls
from daemon.sound_packs import fold_name
from protocol.sentence import say

_NAME = re.compile(r"\w[\w -]{0,59}")
_ENDING = re.compile(r"(\s*\(\d{1,3}\))?\.zip$", re.IGNORECASE)
"""Of the name of a zip, with the number that a browser gives to a second download."""
_PIECE_BYTES = 1 << 16
_MOST_DIRECTORY_BYTES = 2_000_000
"""Of the list at the end of a zip, which is read at once."""
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def read_zip(source: BinaryIO, most: int, room: int) -> Iterator[tuple[PurePosixPath, Iterator[bytes]]]:
    """Yields each file of a zip: its path, and its content in pieces. Files that computers add by themselves are not.

    All that is read has at most `most` bytes, and at most `room`, which is what the disk has. Raises UserError.
    """
    budget = _Budget(most, room)
    with _refuse_damaged():
        zipped = ZipFile(cast("IO[bytes]", _Bounded(source)))  # it calls no more than this has
    with zipped:
        for member in zipped.infolist():
            if member.is_dir():
                continue
            path = _check(member)
            if not path.name.startswith(".") and "__MACOSX" not in path.parts:
                yield path, _read(zipped, member, budget)


def name_folder(inner: str, zip_name: str) -> str:
    """Returns how the folder of a pack is named: as the one in the zip, or without one ("") as the zip.

    Raises UserError for a name that none can have.
    """
    folder = fold_name(inner or _ENDING.sub("", zip_name.strip())).strip()
    if _NAME.fullmatch(folder) is None:
        said = say(
            "sounds.name",
            "{name} cannot be the name of a pack: rename it to at most 60 letters, figures, blanks and hyphens",
            name=show_name(folder),
        )
        raise UserError(said, 2)
    return folder


def show_name(name: str) -> str:
    """Returns a name from a zip as a sentence can have it."""
    return escape_controls(name[:100])


@contextmanager
def _refuse_damaged() -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError):
        raise UserError(say("sounds.damaged", "this is not a zip file, or it is damaged"), 2) from None


def _check(member: ZipInfo) -> PurePosixPath:
    """Returns the path of a member. Raises UserError for one that no pack has."""
    name = member.filename
    path = PurePosixPath(name)
    if name.startswith("/") or "\\" in member.orig_filename or ".." in path.parts or ":" in name or "\0" in name:
        raise UserError(
            say("sounds.path", "this zip is not safe: its file {name} leads out of the folder", name=show_name(name)),
            2,
        )
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise UserError(
            say("sounds.link", "this zip is not safe: its file {name} is a link or a device", name=show_name(name)), 2
        )
    if member.flag_bits & _ENCRYPTED:
        raise UserError(say("sounds.encrypted", "this zip has a password: zip the folder without one"), 2)
    if member.compress_type not in _METHODS:
        raise UserError(
            say("sounds.method", "this zip is compressed in an unusual way: zip the folder with another program"), 2
        )
    return path


def _read(zipped: ZipFile, member: ZipInfo, budget: _Budget) -> Iterator[bytes]:
    with _refuse_damaged():
        content = zipped.open(member)
    with content:
        while True:
            with _refuse_damaged():
                piece = content.read(_PIECE_BYTES)
            if not piece:
                return
            budget.take(len(piece))
            yield piece


class _Budget:
    """How much may still be unpacked."""

    def __init__(self, most: int, room: int) -> None:
        self._most = most
        self._left = min(most, room)

    def take(self, size: int) -> None:
        """Counts these bytes. Raises UserError for more than there may be."""
        self._left -= size
        if self._left < 0:
            raise UserError(
                say(
                    "sounds.large",
                    "this zip is too large: a pack has at most {most} MB unpacked, and the disk must have room for it",
                    most=self._most // 1_000_000,
                ),
                2,
            )


class _Bounded:
    """The file of a zip, of which nothing is read that is large; `zipfile` reads the whole list at its end at once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        """Returns the next bytes. Raises BadZipFile for more than a list may have."""
        data = self._file.read(min(size, _MOST_DIRECTORY_BYTES + 1) if size >= 0 else _MOST_DIRECTORY_BYTES + 1)
        if len(data) > _MOST_DIRECTORY_BYTES:
            raise zipfile.BadZipFile("its list of files is too long")
        return data

    def seek(self, to: int, whence: int = os.SEEK_SET) -> int:
        """Goes to this place. Raises BadZipFile for one that no file has."""
        try:
            return self._file.seek(to, whence)
        except (OSError, OverflowError):
            raise zipfile.BadZipFile("it names a place that no file has") from None

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True
