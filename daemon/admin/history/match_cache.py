"""The file in which is kept what matches came to, so that each is replayed once."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from daemon import files
from daemon.admin.history.played_matches import PlayedMatch
from protocol.player_names import name_key

FILE = "statistics.cache"
"""No name of a journal: a table may be called `statistics`."""
_SUPERSEDED = 100
"""So many lines more than matches, and the file is rewritten."""


class CachedMatch(Struct, frozen=True, array_like=True):
    """What a match came to when its journal, the program and the rules had this stamp."""

    id: str
    stamp: str
    body: PlayedMatch


class MatchCache:
    """A cache of matches, so that each is replayed once: a file of JSON lines beside the journals, read at once.

    Each line is a match; of two lines on one match the later counts. The file may be deleted at any time: a line or a
    file that cannot be read costs a replay, never an answer, and where it cannot be written it is done without. Used by
    one thread, while others append. An erasure makes another file: nothing that was read before it is written to that.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._kept: dict[str, CachedMatch] = {}
        self._lines = 0
        with suppress(OSError):
            if not path.exists():
                files.replace_file(path, b"", like=path.parent)
            self._file = path.open("rb")
            lines = self._file.read().split(b"\n")
            self._lines = len(lines)
            self._kept = {each.id: each for each in _decode(lines)}

    def get(self, match_id: str, stamp: str) -> PlayedMatch | None:
        """The cached match of this id and stamp; None when there is none."""
        kept = self._kept.get(match_id)
        return kept.body if kept is not None and kept.stamp == stamp else None

    def put(self, news: Iterable[CachedMatch]) -> None:
        """Caches these."""
        added = {each.id: each for each in news}
        self._kept |= added
        self._lines += len(added)
        with suppress(OSError), self._path.open("ab") as file:
            if _is_same(self._file, os.fstat(file.fileno())):
                file.write(encode_matches(added.values()))

    def keep_only(self, ids: Collection[str]) -> None:
        """Deletes all matches but those of these ids, as the last that is done with it."""
        kept = [each for match_id, each in self._kept.items() if match_id in ids]
        if len(kept) == len(self._kept) and self._lines <= len(kept) + _SUPERSEDED:
            return
        with suppress(OSError), _lock(self._path) as file:
            if file is not None and _is_same(self._file, os.fstat(file.fileno())):
                files.replace_file(self._path, encode_matches(kept), like=self._path.parent)

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()


def erase_matches(path: Path, is_erased: Callable[[CachedMatch], bool]) -> None:
    """Deletes these matches from a cache for good. Raises UserError; it may be done again."""
    with (
        files.explain_errors(f"cannot erase what is in {path}", "; check the disk, and try again"),
        _lock(path) as file,
    ):
        if file is None:
            return
        left: list[CachedMatch] = []
        with suppress(OSError):  # what cannot be read is deleted
            left = [each for each in _decode(file.read().split(b"\n")) if not is_erased(each)]
        try:
            files.replace_file(path, encode_matches(left), like=path.parent)
        except OSError:  # a full disk: without the file it only takes longer
            path.unlink(missing_ok=True)
            path.with_name(f"{path.name}.new").unlink(missing_ok=True)


def erase_players(path: Path, keys: Collection[str]) -> None:
    """Deletes the matches in which a player's name is or contains one of these keys, as a ghost's does.

    Raises as `erase_matches` does.
    """
    erase_matches(path, lambda each: any(key in name_key(player) for player in each.body.players for key in keys))


@contextmanager
def _lock(path: Path) -> Iterator[BinaryIO | None]:
    """Yields the file, which no other process replaces meanwhile; None: there is none. Raises OSError."""
    while path.exists():
        with path.open("rb") as file:
            with suppress(OSError):  # not every file system has locks
                fcntl.flock(file, fcntl.LOCK_EX)
            if path.exists() and _is_same(file, path.stat()):
                yield file
                return
    yield None


def _is_same(file: BinaryIO | None, found: os.stat_result) -> bool:
    return file is not None and os.path.samestat(os.fstat(file.fileno()), found)


def _decode(lines: Iterable[bytes]) -> Iterator[CachedMatch]:
    """Yields the matches of the lines that can be read."""
    decode = msgspec.json.Decoder(CachedMatch).decode
    for line in lines:
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            yield decode(line)


def encode_matches(matches: Iterable[CachedMatch]) -> bytes:
    """The matches, each after a line end, so that the line after an incomplete one is complete."""
    return b"".join(b"\n" + msgspec.json.encode(each) for each in matches)
