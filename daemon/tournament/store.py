"""The file of the tournaments, `tournaments.db`: what each is made of, and a line for each thing that was done in it.

It is written as the journals of tables are: a line is on the disk before anyone is answered, only lines are kept and
never what follows from them, and nothing is ever deleted. Where the disk fails, the file is opened again for the next
line; a line that was refused and came to the disk all the same is taken out first. A damaged file is left as it is.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple, TypeVar
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from daemon.journal.errors import Damaged, Moved, Unusable, explain_errors
from daemon.journal.journal_file import finish_erasure, note_erasure
from daemon.journal.stored import open_read_only
from protocol.player_names import name_key
from protocol.tournament import Change, Enter, Input, Line, SetTables, TournamentSpec

T = TypeVar("T")

FILE = "tournaments.db"
_FORM = 1
"""`pragma user_version`."""
TABLES = """
create table tournament (
  id text primary key,
  made_s integer not null,
  spec text not null,
  ended_s integer
);
create table line (
  tournament text not null references tournament (id),
  number integer not null,
  at_s integer not null,
  by text not null,
  input text not null,
  primary key (tournament, number)
) without rowid;
"""
"""All that may be in the file."""
_PATIENCE_S = 10.0


class Kept(NamedTuple):
    """A tournament as it is on the disk. Times are Unix times; `ended_s` is None until it is over."""

    id: str
    made_s: int
    spec: TournamentSpec
    ended_s: int | None


class TournamentStore:
    """The file in this folder. Every method but `close` raises StoreError."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._db: sqlite3.Connection | None = None
        """None: it is to be opened."""
        self._identity: tuple[int, int] | None = None
        """Which file that is."""
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix="tournaments")

    async def list_kept(self) -> list[Kept]:
        """All tournaments, the latest first. It makes no file where there is none."""
        return await self._on_disk(self._list)

    async def read_lines(self, tournament: str) -> list[Line]:
        """All lines of this one, in their order."""
        return await self._on_disk(lambda: read_lines(self._open(), self._path, tournament))

    async def make(self, kept: Kept, lines: Sequence[Line] = ()) -> None:
        """Writes a new tournament, with these lines: all of it, or nothing."""
        await self._on_disk(lambda: self._write_new(kept, lines))

    async def add(self, tournament: str, line: Line, ended_s: int | None) -> None:
        """Writes the next line, and when the tournament ended (None: it goes on). After an error it is not there."""
        await self._on_disk(lambda: self._add(tournament, line, ended_s))

    async def close(self) -> None:
        """Closes the file: the next call opens it again."""
        await self._on_disk(self._close)

    async def _on_disk(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._disk, work)

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            with explain_errors("open", self._path):
                db = sqlite3.connect(self._path, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False)
                try:
                    _prepare(db, self._path)
                except BaseException:
                    db.close()
                    raise
            self._db, self._identity = db, _read_identity(self._path)
        return self._db

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _list(self) -> list[Kept]:
        if self._db is None and not self._path.exists():
            return []
        with explain_errors("read", self._path):
            rows = self._open().execute("select id, made_s, spec, ended_s from tournament order by made_s desc, id")
            return [
                Kept(name, made, msgspec.json.decode(spec, type=TournamentSpec), end) for name, made, spec, end in rows
            ]

    def _write_new(self, kept: Kept, lines: Sequence[Line]) -> None:
        with self._commit() as db:
            spec = msgspec.json.encode(kept.spec).decode()
            db.execute(
                "insert or replace into tournament values (?, ?, ?, ?)", (kept.id, kept.made_s, spec, kept.ended_s)
            )
            db.execute("delete from line where tournament = ?", (kept.id,))
            for line in lines:
                _insert(db, kept.id, line)

    def _add(self, tournament: str, line: Line, ended_s: int | None) -> None:
        with self._commit() as db:
            # What was refused before may have come to the disk.
            db.execute("delete from line where tournament = ? and number >= ?", (tournament, line.number))
            _insert(db, tournament, line)
            db.execute("update tournament set ended_s = ? where id = ?", (ended_s, tournament))

    @contextmanager
    def _commit(self) -> Iterator[sqlite3.Connection]:
        """One transaction. After an error the file is closed, to be opened again.

        Nothing is written to a file that is gone, and no new one takes its place: it would lack what was there.
        """
        db = self._open()
        if _read_identity(self._path) != self._identity:
            raise Moved(
                f"the file {self._path} was deleted or replaced while oche used it: put it back, or restart oche"
            )
        try:
            with explain_errors("write", self._path):
                db.execute("begin immediate")
                yield db
                db.execute("commit")
        except BaseException:
            self._close()
            raise


def _read_identity(path: Path) -> tuple[int, int] | None:
    """The device and the inode of the file; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    """Raises sqlite3.Error, and StoreError for a file that is not ours."""
    (mode,) = db.execute("pragma journal_mode = wal").fetchone()  # some network disks know none
    db.execute(f"pragma synchronous = {'full' if mode == 'wal' else 'extra'}")
    found = db.execute("pragma user_version").fetchone()[0]
    if found > _FORM:
        raise Unusable(f"the file {path} was written by a newer oche; update this one")
    if found == 0:
        db.executescript(f"begin; {TABLES} pragma user_version = {_FORM}; commit;")


def _insert(db: sqlite3.Connection, tournament: str, line: Line) -> None:
    given = msgspec.json.encode(line.input).decode()
    db.execute("insert into line values (?, ?, ?, ?, ?)", (tournament, line.number, line.at_s, line.by, given))


def read_lines(db: sqlite3.Connection, path: Path, tournament: str) -> list[Line]:
    """The lines of a tournament in their order. Raises Damaged where one is missing or cannot be read."""
    query = "select number, at_s, by, input from line where tournament = ? order by number"
    with explain_errors("read", path):
        rows = db.execute(query, (tournament,)).fetchall()
        lines = [
            msgspec.convert({"number": number, "at_s": at_s, "by": by, "input": msgspec.json.decode(given)}, type=Line)
            for number, at_s, by, given in rows
        ]
    for number, line in enumerate(lines, 2):
        if line.number != number:
            raise Damaged(f"the file {path} is damaged: line {number} of the tournament {tournament} is missing")
    return lines


def find_used_tables(folder: Path) -> dict[str, frozenset[str]]:
    """The names of the tables that the tournaments that go on use, without those on paper, by their ids.

    For a look from beside the daemon; what cannot be read is left out.
    """
    found = {}
    with suppress(sqlite3.Error, ValueError), closing(open_read_only(folder / FILE)) as db:
        for (tournament,) in db.execute("select id from tournament where ended_s is null order by id").fetchall():
            query = "select input from line where tournament = ? order by number desc"
            inputs = (msgspec.json.decode(text, type=Input) for (text,) in db.execute(query, (tournament,)))
            tables = next((each.tables for each in inputs if isinstance(each, SetTables)), ())
            found[tournament] = frozenset(each.name for each in tables if not each.paper)
    return found


def erase_names(path: Path, keys: Collection[str], make_name: Callable[[int], str]) -> None:
    """Overwrites the names of these keys in all tournaments. `make_name` returns neutral ones, numbered from 0.

    With no file there is nothing to do. Raises StoreError; it can be repeated.
    """
    if not path.exists():
        return
    with explain_errors("write", path):
        address = f"file:{quote(str(path.absolute()))}?mode=rw"
        with closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE_S, isolation_level=None)) as db:
            db.execute("pragma secure_delete = on")
            db.execute("begin immediate")
            for (tournament,) in db.execute("select id from tournament").fetchall():
                _erase_in_tournament(db, tournament, keys, make_name)
            note_erasure(db)
            db.execute("commit")
            finish_erasure(db, path, _PATIENCE_S)


def _erase_in_tournament(
    db: sqlite3.Connection, tournament: str, keys: Collection[str], make_name: Callable[[int], str]
) -> None:
    """Nobody is entered in a tournament twice, so each name gets a neutral one that no other has there."""
    rows = db.execute("select number, input from line where tournament = ?", (tournament,)).fetchall()
    found = {number: msgspec.json.decode(text, type=Input) for number, text in rows}
    naming = {number: each for number, each in found.items() if isinstance(each, Enter | Change) and each.people}
    taken = {name_key(name) for each in naming.values() for name in each.people or ()}
    free = (name for name in map(make_name, count()) if name_key(name) not in taken)
    neutral = {key: next(free) for key in sorted(taken.intersection(keys))}
    for number, given in naming.items():
        people = tuple(neutral.get(name_key(name), name) for name in given.people or ())
        if people != given.people:
            name = given.name and ("" if any(key in name_key(given.name) for key in keys) else given.name)
            text = msgspec.json.encode(replace(given, people=people, name=name)).decode()
            db.execute("update line set input = ? where tournament = ? and number = ?", (text, tournament, number))
