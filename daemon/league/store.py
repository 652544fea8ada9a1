"""The file `league.db`: what was answered to offers, and the players whom the league is still to forget.

It stands beside the journals, and each call opens it: the process that reads the journals looks into it too, and so do
the doctor and `oche players`. To lose it only means that everything is offered once more. A damaged one is replaced.
"""

from __future__ import annotations

import logging
import os
import secrets
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import msgspec
from msgspec import Struct

from daemon import files
from daemon.errors import UserError
from daemon.league.records import Key, Taken
from daemon.remedies import suggest_for_database, suggest_in_daemon
from protocol.league_messages import MOST_NAMES

log = logging.getLogger("oche.league")

FILE = "league.db"
OLD_FILE = "league.json"
"""What had, before, the checksums of the records that were taken, by match."""
_FORM = 1
"""`pragma user_version`."""
TABLES = """
create table taken (
  match text not null,
  by text not null,
  table_name text not null,
  stamp text not null,
  sha256 text not null,
  answer text not null,
  lines integer,
  reason text not null,
  primary key (match, by)
) without rowid;
create table forgetting (
  id text primary key,
  names text not null,
  at text not null
) without rowid;
create table kept (
  name text primary key,
  value text not null
) without rowid;
"""
"""All that may be in the file."""
_FETCHED = "fetched"
"""The row of `kept` that is another one once matches were fetched from the league."""
_PATIENCE_S = 10.0
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_NOTE = "insert or replace into taken values (?, ?, ?, ?, ?, ?, ?, ?)"
_ROW = "match, by, table_name, stamp, sha256, answer, lines, reason"


def _make_rows(taken: Iterable[Taken]) -> list[tuple[object, ...]]:
    return [
        (each.match, each.by, each.table, each.stamp, each.sha256, each.answer, each.lines, each.reason)
        for each in taken
    ]


class Forgetting(Struct, frozen=True):
    """A player whom the league is to forget in matches begun before `at` (ISO 8601, UTC)."""

    id: str
    names: tuple[str, ...]
    at: str


class LeagueStatus(Struct, frozen=True):
    """How it stood with the league when something last changed; moments are ISO 8601, UTC, "" where there was none.

    `waiting` are matches that it has not answered yet. `matches` and `left` are its latest answer to a forgetting.
    """

    waiting: int = 0
    answered_at: str = ""
    forgotten_at: str = ""
    matches: int = 0
    left: str = ""


class Memory(Struct, frozen=True):
    """All that is in the file. `heard` is the checksum of the players that the league has heard of."""

    taken: dict[Key, Taken] = {}
    forgettings: tuple[Forgetting, ...] = ()
    heard: str = ""
    status: LeagueStatus = LeagueStatus()


class LeagueStore:
    """The file in this folder. Every method waits for the disk, and raises UserError."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def read(self) -> Memory:
        """All of it; nothing where there is no file."""
        if not self.path.exists():
            return Memory()
        with self._open("read") as db:
            if db.execute("pragma user_version").fetchone()[0] == 0:  # it is just being made
                return Memory()
            rows = db.execute(f"select {_ROW} from taken").fetchall()  # noqa: S608  no input
            forgettings = db.execute("select id, names, at from forgetting order by at, id").fetchall()
            kept = dict(db.execute("select name, value from kept").fetchall())
        taken = [Taken(by, table, match, *rest) for match, by, table, *rest in rows]
        status = LeagueStatus()
        with suppress(msgspec.DecodeError):
            status = msgspec.json.decode(kept.get("status", "{}"), type=LeagueStatus)
        return Memory(
            {each.key: each for each in taken},
            tuple(
                Forgetting(name, msgspec.json.decode(names, type=tuple[str, ...]), at)
                for name, names, at in forgettings
            ),
            kept.get("heard", ""),
            status,
        )

    def note(self, taken: Iterable[Taken], status: LeagueStatus, heard: str) -> None:
        """Writes answers, how it stands, and which players the league has heard of."""
        rows = _make_rows(taken)
        kept = [("status", msgspec.json.encode(status).decode()), ("heard", heard)]
        with self._open("write") as db, db:
            db.executemany(_NOTE, rows)
            db.executemany("insert or replace into kept values (?, ?)", kept)

    def doubt(self, kept: Mapping[str, str], taken: Iterable[Taken]) -> list[tuple[str, str]]:
        """Writes answers, then which record of each of these matches the league has kept since, by its checksum.

        Returns the tables and matches of which it had answered another one: they are offered once more.
        """
        with self._open("write") as db, db:
            db.executemany(_NOTE, _make_rows(taken))
            return [
                row
                for match, sha256 in kept.items()
                for row in db.execute(
                    "update taken set stamp = '', sha256 = ?1 where match = ?2 and by = 'league' and sha256 <> ?1"
                    " returning table_name, match",
                    (sha256, match),
                ).fetchall()
            ]

    def forget_taken(self, by: str) -> None:
        """Deletes what these have answered: everything is offered to them once more."""
        if self.path.exists():
            with self._open("write") as db, db:
                db.execute("delete from taken where by = ?", (by,))

    def offer_fetched(self, matches: Collection[str]) -> None:
        """Deletes the answer that the league knows more of these matches: they are whole now, and offered once more."""
        if not matches:
            return
        known_more = "delete from taken where match = ? and by = 'league' and answer = 'known_more'"
        with self._open("write") as db, db:
            db.executemany(known_more, [(match,) for match in matches])
            db.execute("insert or replace into kept values (?, ?)", (_FETCHED, secrets.token_hex(8)))

    def read_fetched(self) -> str:
        """What is another text each time that matches were fetched; "" before that."""
        if not self.path.exists():
            return ""
        with self._open("read") as db:
            if db.execute("pragma user_version").fetchone()[0] == 0:
                return ""
            (found,) = db.execute("select value from kept where name = ?", (_FETCHED,)).fetchone() or ("",)
            return str(found)

    def add_forgetting(self, names: Collection[str]) -> None:
        """Adds a player of these names, whom the league is to forget from now on."""
        every, at = [*dict.fromkeys(names)], datetime.now(UTC).isoformat(timespec="milliseconds")
        rows = [
            (secrets.token_hex(8), msgspec.json.encode(every[first : first + MOST_NAMES]).decode(), at)
            for first in range(0, len(every), MOST_NAMES)
        ]
        with self._open("write") as db, db:
            db.executemany("insert into forgetting values (?, ?, ?)", rows)

    def remove_forgetting(self, name: str) -> None:
        """Deletes, and overwrites, the one of this id: the league has forgotten that player."""
        if self.path.exists():
            with self._open("write") as db, db:
                db.execute("delete from forgetting where id = ?", (name,))

    def take_over(self, old: Path) -> None:
        """Takes over what the file of former versions has, and removes that."""
        if not old.exists():
            return
        found: dict[str, str] = {}
        with suppress(OSError, ValueError, RecursionError):  # then everything is offered once more
            found = msgspec.json.decode(old.read_bytes(), type=dict[str, str])
        self.note(
            (Taken("asked", "", match, "", sha256, "kept") for match, sha256 in found.items()), LeagueStatus(), ""
        )
        with files.explain_errors(f"cannot remove {old}", suggest_in_daemon):
            old.unlink(missing_ok=True)

    def remove(self) -> None:
        """Removes the file: there is nothing left to offer."""
        with files.explain_errors(f"cannot remove {self.path}", suggest_in_daemon):
            self.path.unlink(missing_ok=True)

    @contextmanager
    def _open(self, what: str) -> Iterator[sqlite3.Connection]:
        with files.explain_errors(f"cannot {what} {self.path}", suggest_in_daemon):
            try:
                with closing(self._connect(is_read=what == "read")) as db:
                    yield db
            except (sqlite3.Error, msgspec.DecodeError) as error:
                helps = suggest_for_database(error, self.path.parent)
                if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in _DAMAGED:
                    log.warning("%s is damaged, so all is offered once more: %s", self.path, error)
                    self.path.unlink(missing_ok=True)
                raise UserError(f"cannot {what} {self.path}: {error}{helps}") from None

    def _connect(self, *, is_read: bool) -> sqlite3.Connection:
        mode = "ro" if is_read else "rwc"
        is_new = not self.path.exists()
        db = sqlite3.connect(f"file:{quote(str(self.path.absolute()))}?mode={mode}", timeout=_PATIENCE_S, uri=True)
        try:
            if is_new and os.geteuid() == 0:  # the daemon is not root
                os.chown(self.path, *files.read_owner(self.path.parent))
            db.execute("pragma secure_delete = on")
            (form,) = db.execute("pragma user_version").fetchone()
            if form > _FORM:
                raise UserError(f"{self.path} was written by a newer oche; update this one")
            if form < _FORM and not is_read:
                db.executescript(f"begin immediate; {TABLES} pragma user_version = {_FORM}; commit;")
        except BaseException:
            db.close()
            raise
        return db
