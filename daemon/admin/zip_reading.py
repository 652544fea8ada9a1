"""The files in a zip that was uploaded. It may come from anyone.

It is read in pieces, and what it says of its sizes is not believed: all that comes out is counted. What is made to do
harm is refused, with a sentence that begins with what the zip has: `the_zip` is "the zip with the art", for instance.
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
from protocol.sentence import Sentence, say

_NAME = re.compile(r"\w[\w -]{0,59}")
_ENDING = re.compile(r"(\s*\(\d{1,3}\))?\.zip$", re.IGNORECASE)
"""Of the name of a zip, with the number that a browser gives to a second download."""
_PIECE_BYTES = 1 << 16
_MOST_DIRECTORY_BYTES = 2_000_000
"""Of the list at the end of a zip, which is read at once."""
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def read_zip(
    source: BinaryIO, most: int, room: int, the_zip: Sentence
) -> Iterator[tuple[PurePosixPath, Iterator[bytes]]]:
    """Yields each file of a zip: its path, and its content in pieces. Files that computers add by themselves are not.

    All that is read has at most `most` bytes, and at most `room`, which is what the disk has. Raises UserError.
    """
    budget = _Budget(most, room, the_zip)
    with _refuse_damaged(the_zip):
        opened = ZipFile(cast("IO[bytes]", _Bounded(source)))  # it calls no more than this has
    with opened:
        for member in opened.infolist():
            if member.is_dir():
                continue
            path = _check(member, the_zip)
            if not path.name.startswith(".") and "__MACOSX" not in path.parts:
                yield path, _read(opened, member, budget, the_zip)


def name_folder(inner: str, zip_name: str, the_zip: Sentence) -> str:
    """Returns how the folder is named that a zip becomes: as the one in the zip, or without one ("") as the zip.

    Raises UserError for a name that none can have.
    """
    folder = fold_name(inner or _ENDING.sub("", zip_name.strip())).strip()
    if _NAME.fullmatch(folder) is None:
        shown = show_name(folder)
        if inner:
            said = say(
                "zip.folder_name",
                "{zip} contains the folder {name}, which needs another name: at most 60 letters, figures, blanks and "
                "hyphens",
                zip=the_zip,
                name=shown,
            )
        else:
            said = say(
                "zip.name",
                "{zip} needs another name than {name}: at most 60 letters, figures, blanks and hyphens",
                zip=the_zip,
                name=shown,
            )
        raise UserError(said, 2)
    return folder


def show_name(name: str) -> str:
    """Returns a name from a zip as a sentence can have it."""
    return escape_controls(name[:100])


@contextmanager
def _refuse_damaged(the_zip: Sentence) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError):
        raise UserError(say("zip.damaged", "{zip} is damaged, or not a zip file", zip=the_zip), 2) from None


def _check(member: ZipInfo, the_zip: Sentence) -> PurePosixPath:
    """Returns the path of a member. Raises UserError for one that is not safe, or cannot be read."""
    given, path = show_name(member.filename), PurePosixPath(member.filename)
    kind = stat.S_IFMT(member.external_attr >> 16)
    if _leads_out(member, path):
        said = say("zip.path", "{zip} is not safe: its file {name} leads out of the folder", zip=the_zip, name=given)
    elif kind not in (0, stat.S_IFREG):
        said = say("zip.link", "{zip} is not safe: its file {name} is a link or a device", zip=the_zip, name=given)
    elif member.flag_bits & _ENCRYPTED:
        said = say("zip.encrypted", "{zip} has a password: zip the folder without one", zip=the_zip)
    elif member.compress_type not in _METHODS:
        said = say(
            "zip.method", "{zip} is compressed in an unusual way: zip the folder with another program", zip=the_zip
        )
    else:
        return path
    raise UserError(said, 2)


def _leads_out(member: ZipInfo, path: PurePosixPath) -> bool:
    name = member.filename
    is_odd = "\\" in member.orig_filename or ":" in name or "\0" in name
    return is_odd or name.startswith("/") or ".." in path.parts


def _read(opened: ZipFile, member: ZipInfo, budget: _Budget, the_zip: Sentence) -> Iterator[bytes]:
    with _refuse_damaged(the_zip):
        content = opened.open(member)
    with content:
        while True:
            with _refuse_damaged(the_zip):
                piece = content.read(_PIECE_BYTES)
            if not piece:
                return
            budget.take(len(piece))
            yield piece


class _Budget:
    """How much may still be unpacked."""

    def __init__(self, most: int, room: int, the_zip: Sentence) -> None:
        self._most = most
        self._the_zip = the_zip
        self._left = min(most, room)

    def take(self, size: int) -> None:
        """Counts these bytes. Raises UserError for more than there may be."""
        self._left -= size
        if self._left < 0:
            raise UserError(
                say(
                    "zip.large",
                    "{zip} is too large: it may have at most {most} MB unpacked, and the disk must have room for it",
                    zip=self._the_zip,
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
