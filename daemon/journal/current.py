"""The current match where it is known beside the journal's rows: in the memory, and in a copy beside the journal.

So damage in the journal neither loses it nor goes unnoticed. An input is appended to the copy once the journal has it,
without a synchronisation of its own: the copy survives a kill, and after a power cut it may be behind, but is never
ahead of what was committed. Each row has a checksum. SQLite drops what follows a damaged frame of its write-ahead log
without a word: then this copy still has it.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from daemon.journal.errors import Damaged
from daemon.journal.journal_file import JournalFile
from daemon.journal.lines import Begin, Line, Planned, StoredMatch


class CurrentMatch(Struct):
    """What the memory has of the match begun last."""

    match: StoredMatch | None = None
    """As it was committed; None: not known."""
    number: int = 0
    """Its number in the journal; 0: not known."""
    plan: dict[str, Any] | None = None  # Any: JSON
    """The plan that was made during it, as it was committed; None: there is none."""
    refused: list[Begin | Line] = []
    """What was to be written and was not, as far as we know."""
    refused_header: dict[str, Any] | None = None  # Any: JSON
    """The same of a header for it, which may have come to the disk."""
    is_lost: bool = False
    """Whether it could not be read: the one before it is over, and a new one has to begin."""

    def enter(self, item: Begin | Line | Planned) -> None:
        """Adds what was committed."""
        if isinstance(item, Planned):
            self.plan = item.header
        elif isinstance(item, Begin):
            self.is_lost = False
            self.match, self.plan = StoredMatch(item.match, item.header, [], item.at), None
        elif self.match is not None and self.match.id == item.match:
            self.match.lines.append(item)

    def settle_header(self, stored: StoredMatch | None) -> None:
        """Takes the refused header if it came to the disk, as this was read from it; else forgets it."""
        if self.match is not None and self.refused_header is not None:
            rewritten = self.match._replace(header=self.refused_header)
            if stored is not None and (stored.id, stored.header) == (rewritten.id, rewritten.header):
                self.match = rewritten
        self.refused_header = None


class CopiedMatch(NamedTuple):
    """What a copy tells: the match up to its last readable line, None without a header; its id and its last line."""

    id: str
    match: StoredMatch | None
    last: int
    is_whole: bool
    """Whether the copy has that match, and nothing else."""


class MatchCopy:
    """The copy of the current match of the journal at this path. What cannot be written is done without."""

    def __init__(self, journal: Path) -> None:
        self.path = locate_copy(journal)
        self._file: FileIO | None = None

    def read(self) -> CopiedMatch | None:
        """Returns what the copy tells; None when there is none, or nothing in it can be read."""
        try:
            rows = self.path.read_bytes().split(b"\n")
        except OSError:
            return None
        found = [item for row in rows if (item := _decode(row)) is not None]
        if not found:
            return None
        first, match, is_whole = found[0], None, False
        lines = [item for item in found if isinstance(item, Line) and item.match == first.match]
        if isinstance(first, Begin):
            sound = [line for place, line in enumerate(lines, 2) if line.number == place]  # but for a gap, then none
            match = StoredMatch(first.match, first.header, sound, first.at)
            is_whole = rows[-1] == b"" and len(rows) == len(sound) + 2
        return CopiedMatch(first.match, match, max((line.number for line in lines), default=1), is_whole)

    def append(self, news: Iterable[Begin | Line]) -> None:
        """Adds what was committed; a match that begins takes the place of the one before."""
        rows = b""
        is_new = False
        for item in news:
            if isinstance(item, Begin):
                rows, is_new = b"", True
            rows += _encode(item)
        with suppress(OSError):
            if self._file is None:
                self._file = self.path.open("ab", buffering=0)
            if is_new:
                self._file.truncate(0)
            self._file.write(rows)

    def close(self) -> None:
        """Closes the file, until the next `append`."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def replace(self, match: StoredMatch | None) -> None:
        """Makes the copy one of this match, if it is not."""
        with suppress(OSError):
            self.rewrite(match)

    def rewrite(self, match: StoredMatch | None) -> None:
        """The same, and on the disk when it returns. Raises OSError."""
        rows = b"" if match is None else b"".join(map(_encode, to_news(match)))
        if self.path.exists() and self.path.read_bytes() == rows:
            return
        with self.path.open("wb") as file:
            file.write(rows)
            file.flush()
            os.fsync(file.fileno())


def locate_copy(journal: Path) -> Path:
    """Returns where the copy of the current match is."""
    return journal.with_name(f"{journal.name}-copy")


def to_news(match: StoredMatch) -> list[Begin | Line]:
    """Returns what has to be written for this match."""
    return [Begin(match.id, match.header, match.at), *match.lines]


def find_lost(kept: StoredMatch, stored: StoredMatch | None, file: JournalFile) -> list[Begin | Line]:
    """What the disk once had of this match and has no more, although we were told it was safe there.

    Raises Damaged when it has something else.
    """
    if stored is None or not file.find_number(kept.id):
        return to_news(kept)
    if stored.id != kept.id:
        return []
    there = len(stored.lines)
    if stored.header != kept.header or kept.lines[:there] != stored.lines[: len(kept.lines)]:
        raise Damaged(f"the journal does not have the inputs of the match {kept.id} that oche saved")
    return [*kept.lines[there:]]


def find_end(match: str, stored: StoredMatch | None, file: JournalFile) -> int:
    """The last line that there is of this match."""
    if stored is not None and stored.id == match:
        return len(stored.lines) + 1
    return file.count_lines(match)


def _encode(item: Begin | Line) -> bytes:
    text = msgspec.json.encode(item)
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _decode(row: bytes) -> Begin | Line | None:
    """Returns what the row has; None for a damaged one."""
    checksum, _, text = row.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        return None
    values: list[Any] = msgspec.json.decode(text)  # Any: JSON
    if len(values) == len(Begin._fields):
        return msgspec.convert(values, Begin)
    return msgspec.convert(values, Line)
