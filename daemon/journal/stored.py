"""The journals of all tables as they are stored: read, and matches deleted, beside the daemon that may be writing.

A journal is opened read-only for as long as some matches take to be read, so the daemon never waits.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec
from msgspec import Struct

from daemon.errors import UserError
from daemon.files import explain_errors
from daemon.journal.errors import UNREADABLE, StoreError, Unusable
from daemon.journal.file import SCHEMA, clear_plan, finish_erasure, is_half_erased, note_erasure, rewrite_header
from daemon.journal.lines import Result, StoredMatch
from daemon.journal.match_copy import MatchCopy
from daemon.journal.mending import check_settled, find_numbers
from daemon.journal.reader import decode_object, has_plans, open_read_only, read_match, read_result
from daemon.remedies import suggest_for_database

_PATIENCE_S = 10.0


class Head(NamedTuple):
    """A match of a journal before its lines are read. `stamp` changes when a line is added or the header is changed."""

    number: int
    id: str
    begun_at: str
    stamp: str
    game: str
    """As the header names it; "" when it cannot be read."""


class _HeaderNames(Struct):
    """What a header is read for before its match is."""

    game: str = ""


class StoredJournal(NamedTuple):
    """The journal of one table. Every method raises StoreError."""

    path: Path

    @property
    def table(self) -> str:
        """The name of its table."""
        return self.path.stem

    def heads(self, only: str | None = None) -> list[Head]:
        """Every match, oldest first; or the one of this id."""
        last = "(select line || ' ' || at from entry where match = number order by line desc limit 1)"
        found = f"select number, id, begun_at, cast(header as blob), {last} from match"  # noqa: S608  no input
        try:
            rows = self._select(f"{found} where coalesce(id = ?, true) order by number", only)
            return [_make_head(*row) for row in rows]
        except StoreError:
            with self._open() as db:  # one by one: damage costs the matches in it
                heads = [_find_head(db, f"{found} where number = ?", number) for number in find_numbers(db)]
            if not heads:
                raise
            return [head for head in heads if only in (None, head.id)]

    def count_matches(self) -> int:
        """The number of matches."""
        return sum(number for (number,) in self._select("select count(*) from match"))

    def headers(self, most: int) -> list[tuple[str, dict[str, Any]]]:  # Any: JSON
        """When the latest matches began that have an input other than stop, and their headers; the latest first."""
        played = "exists (select 1 from entry where match = number and input <> '{\"stop\":true}')"
        query = f"select begun_at, header from match where {played} order by number desc limit ?"  # noqa: S608  ours
        found = []
        for at, header in self._select(query, most):
            with suppress(msgspec.DecodeError, RecursionError):
                found.append((_mend_moment(at), decode_object(header)))
        return found

    def match(self, head: Head) -> StoredMatch:
        """The match with its lines."""
        return self.matches([head])[0]

    def matches(self, heads: Iterable[Head]) -> list[StoredMatch]:
        """These matches with their lines, up to one that cannot be read. Raises when that is the first."""
        found: list[StoredMatch] = []
        try:
            with self._open() as db:
                found.extend(read_match(db, head.number) for head in heads)  # those before an error stay in it
        except StoreError:
            if not found:
                raise
        return found

    def result(self, number: int, lines: int) -> Result | None:
        """What the match of this number came to, with so many lines; None: it is not known."""
        with suppress(StoreError), self._open() as db:
            return read_result(db, number, lines)
        return None

    def check(self, patience_s: float) -> bool:
        """Checks every page; returns False when that takes longer than `patience_s`, all being well so far."""
        end_s = time.monotonic() + patience_s
        with self._open() as db:
            db.set_progress_handler(lambda: time.monotonic() > end_s, 10_000)
            try:
                (found,) = db.execute("pragma quick_check(1)").fetchone()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                    return False
                raise
        if found != "ok":
            raise StoreError(f"the journal {self.path} is damaged: {' '.join(found.split())}")
        return True

    def all_headers(self) -> dict[int, tuple[str, dict[str, Any]]]:  # Any: JSON
        """The ids and headers of all matches by their numbers, the oldest first; of those that can be read."""
        found = {}
        for number, match, header in self._select("select number, id, header from match order by number"):
            with suppress(msgspec.DecodeError, RecursionError):
                found[number] = (str(match), decode_object(header))
        return found

    def plan(self) -> dict[str, Any] | None:  # Any: JSON
        """The header of the next match that a player planned, for whichever match; None where there is none."""
        with self._open() as db:
            found = db.execute("select header from plan").fetchone() if has_plans(db) else None
            return found and decode_object(found[0])

    def delete(self, numbers: Collection[int]) -> None:
        """Deletes the matches of these numbers, all or none, and overwrites their darts on the disk.

        With none it only completes what was cut off.
        """
        given = [(number,) for number in numbers]
        if not given and not self._is_half_erased():
            return
        with self._change() as db:
            if has_plans(db):
                db.executemany("delete from plan where match = (select id from match where number = ?)", given)
            db.executemany("delete from entry where match = ?", given)
            db.executemany("delete from match where number = ?", given)

    def rewrite_headers(self, headers: Mapping[int, dict[str, Any]], *, without_plan: bool) -> None:  # Any: JSON
        """Replaces the headers of the matches of these numbers, all or none, and overwrites the former on the disk.

        So it deletes the plan, if asked to. With neither it only completes what was cut off.
        """
        if not headers and not without_plan and not self._is_half_erased():
            return
        with self._change() as db:
            if without_plan:
                clear_plan(db)
            for number, header in headers.items():
                rewrite_header(db, number, header)

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """The journal within a transaction, in which nothing is left on the disk of what is replaced."""
        path = quote(str(self.path.absolute()))
        try:
            with closing(
                sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=_PATIENCE_S, isolation_level=None)
            ) as db:
                db.execute("pragma secure_delete = on")
                db.execute("begin immediate")
                yield db
                note_erasure(db)
                db.execute("commit")
                finish_erasure(db, self.path, _PATIENCE_S)
        except sqlite3.Error as error:
            helps = suggest_for_database(error, self.path.parent)
            raise StoreError(f"cannot write the journal {self.path}: {error}{helps}") from error

    def _is_half_erased(self) -> bool:
        with self._open() as db:
            return is_half_erased(db)

    def _select(self, query: str, *given: int | str | None) -> list[tuple[Any, ...]]:  # Any: as the columns are
        """The rows of this query; none from a journal that is just being made."""
        with self._open() as db:
            is_made = db.execute("pragma user_version").fetchone()[0] != 0
            return db.execute(query, given).fetchall() if is_made else []

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(open_read_only(self.path)) as db:
                found = db.execute("pragma user_version").fetchone()[0]
                if found > SCHEMA:
                    raise Unusable(f"the journal {self.path} was written by a newer oche; update this one")
                yield db
        except UNREADABLE as error:
            sentence = f"cannot read the journal {self.path}: {error}; see whether it is intact and of oche"
            raise StoreError(sentence) from error


def _find_head(db: sqlite3.Connection, query: str, number: int) -> Head:
    row = None
    with suppress(sqlite3.Error):
        row = db.execute(query, (number,)).fetchone()
    return _make_head(*(row or (number, None, None, None, None)))


def _make_head(number: int, name: object, begun_at: object, header: bytes | None, last: object) -> Head:
    game = ""
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        game = msgspec.json.decode(header or b"", type=_HeaderNames).game
    name = name if isinstance(name, str) else f"number {number}"
    return Head(number, name, _mend_moment(begun_at), f"{last} {zlib.crc32(header or b''):08x}", game)


def _mend_moment(at: object) -> str:
    """This moment; 1970 when it is not one, because the match is worth more than its date."""
    with suppress(ValueError):
        if isinstance(at, str) and datetime.fromisoformat(at).tzinfo is not None:
            return at
    return "1970-01-01T00:00:00.000+00:00"


def find_journals(folder: Path, first: Collection[str] = ()) -> list[StoredJournal]:
    """The journals in this folder by table, those of the tables in `first` before the others. Raises UserError."""
    found: list[StoredJournal] = []
    with (
        explain_errors(f"cannot read the folder {folder}", "; ask as the user oche runs as"),
        suppress(FileNotFoundError),
    ):
        found = [StoredJournal(path) for path in folder.iterdir() if path.suffix == ".sqlite3"]
    return sorted(found, key=lambda journal: (journal.table not in first, journal.table))


@contextmanager
def collect_error(found: list[str]) -> Iterator[None]:
    """Adds the error that ends the block, if one does: what is to be erased elsewhere is not to wait for this."""
    try:
        yield
    except (StoreError, UserError) as error:
        found.append(str(error))


def delete_matches(folder: Path, matches: Collection[str]) -> None:
    """Deletes the matches of these ids from every journal, also from copies.

    Raises StoreError when it cannot be done to the end, after all else is done: it can be repeated.
    """
    check_settled(folder)
    failures: list[str] = []
    for journal in find_journals(folder):
        try:
            numbers = [head.number for head in journal.heads() if head.id in matches]
        except StoreError:
            continue  # the reading has told that this one cannot be read
        with collect_error(failures):
            copy = MatchCopy(journal.path)
            if (copied := copy.read()) is not None and copied.id in matches:
                # Else the match would be taken for one that the journal has lost.
                with explain_errors(f"cannot write {copy.path}", "; look at the disk, and do this again"):
                    copy.rewrite(None)
            journal.delete(numbers)
    if failures:
        raise StoreError("; ".join(failures))


def find_copies(folder: Path) -> list[Path]:
    """Files and folders in this folder that are not read, and may still have any match.

    Some were set aside, others are of a backup that is made or put back, or was when that was cut off.
    """
    patterns = ("*.damaged-*", "before-restore-*", "restore-[0-9]*T[0-9]*Z-*", ".restore-*", ".oche-backup-*")
    return sorted(path for pattern in patterns for path in folder.glob(pattern))
