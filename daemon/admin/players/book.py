"""The book of players: what they are called, and what they have said of themselves. One SQLite file, `players.db`.

It stands beside the journals and is written seldom, by the daemon and by `oche players`: each call opens it, so both
see what the other wrote. A player need not be in it: the records know those who only played. A player has one
name that is shown, and all names under which the records have that player; so renaming and merging change no record.
"""

from __future__ import annotations

import logging
import os
import re
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from daemon import files
from daemon.admin.players.goals import check_goals
from daemon.admin.players.names import PlayerNames, check_name, clean_visible
from daemon.admin.players.player_files import (
    LARGE,
    SMALL,
    PlayerRefused,
    find_kind,
    find_sound_kind,
    make_digest,
    name_picture,
)
from daemon.admin.requests import ChangePlayer, Goals
from daemon.config.sections import Doubles, check_doubles
from daemon.errors import UserError
from daemon.remedies import suggest_for_database, suggest_in_daemon
from protocol.player_names import MAX_NAME, name_key
from protocol.sentence import say

log = logging.getLogger("oche")

FILE = "players.db"
_FORM = 1
"""`pragma user_version`."""
_MOST = 500
TABLES = """
create table player (
  id integer primary key,
  name text not null,
  profile text not null,
  picture blob,
  added text not null
);
create table name (
  key text primary key,
  name text not null,
  player integer not null references player (id)
);
create table recorded_name (
  player integer primary key references player (id),
  digest text not null,
  content blob not null
);
create table face (
  player integer primary key references player (id),
  picture text not null,
  digest text not null,
  content blob not null
);
"""
"""The last two came later: an older oche takes no notice of them. `face` has the large pictures, each with the digest
of the small `picture` that it belongs to: an older oche replaces the small one alone."""
_DELETE_OLD_FACES = """
delete from face where not exists (
  select 1 from player where id = face.player and digest(player.picture) = face.picture
)
"""
_TABLE = re.compile(r"create (table (\w+) [^;]+);")

Colour = Annotated[int, Meta(ge=0, le=7)]


class PlayerProfile(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a player has said of him- or herself."""

    nickname: Annotated[str, Meta(max_length=MAX_NAME)] = ""
    colour: Colour | None = None
    """The number of a colour of the page."""
    doubles: Annotated[Doubles, Meta(max_length=5)] = ()
    """The favourite ones, the best liked first; 25 is the bull."""
    hand: Literal["", "left", "right"] = ""
    sound: Literal["", "name", "rising", "fanfare", "bell", "drum"] = ""
    """What sounds when a match of the player begins; `name` is the caller's voice."""
    counts: bool = True
    """Whether the figures have the player's matches."""
    goals: Goals = ()
    filmed: bool = True
    """Whether clips are kept of matches with the player."""


class Player(Struct, frozen=True):
    """A player of the book. `names` are all in the records, `added` is when the player was (ISO 8601, UTC).

    `picture` tells the small picture from any other; None: there is none that is shown. `recorded_name` is the same for
    the recording of the name, `face` for the large picture.
    """

    name: str
    names: tuple[str, ...]
    profile: PlayerProfile
    picture: str | None
    added: str
    recorded_name: str | None = None
    face: str | None = None


class PlayerBook:
    """The book of players in this folder. Every method reads or writes the disk, and raises UserError."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def stamp(self) -> tuple[int, int, int] | None:
        """What is another one after a change, also of another program; None: there is no book. Nothing is read for it.

        The file is not opened: to close it would take the locks away that SQLite has on it elsewhere in this process.
        """
        with self._explain("read"):
            try:
                about = self._path.stat()
            except FileNotFoundError:
                return None
        return about.st_ino, about.st_mtime_ns, about.st_size

    def list_players(self) -> list[Player]:
        """All players of the book, by their names."""
        with self._read() as db:
            names: dict[int, list[str]] = {}
            for player, name in db.execute("select player, name from name order by key"):
                names.setdefault(player, []).append(name)
            recorded_names = dict(db.execute("select player, digest from recorded_name"))
            listed = db.execute("select player, picture, digest from face")
            faces = {(player, picture): face for player, picture, face in listed}
            rows = db.execute("select id, name, profile, picture, added from player").fetchall()
        found = []
        for key, name, profile, content, added in rows:
            picture = name_picture(content)
            face = faces.get((key, picture))
            found.append(
                Player(name, tuple(names.get(key, ())), _decode(profile), picture, added, recorded_names.get(key), face)
            )
        return sorted(found, key=lambda player: name_key(player.name))

    def read_names(self) -> PlayerNames:
        """What players are called now."""
        with self._read() as db:
            rows = db.execute(
                "select key, player.name, profile from name join player on player.id = name.player"
            ).fetchall()
        uncounted = frozenset(name_key(name) for _, name, profile in rows if not _decode(profile).counts)
        return PlayerNames({key: name for key, name, _ in rows}, uncounted)

    def list_unfilmed(self) -> frozenset[str]:
        """The keys of all names of those who are not to be filmed."""
        with self._read() as db:
            rows = db.execute("select key, profile from name join player on player.id = name.player").fetchall()
        return frozenset(key for key, profile in rows if not _decode(profile).filmed)

    def find(self, name: str) -> Player | None:
        """The player who has, or had, this name; None when the book has none."""
        key = name_key(name)
        return next((each for each in self.list_players() if key in map(name_key, (each.name, *each.names))), None)

    def read_picture(self, picture: str) -> tuple[str, bytes] | None:
        """The media type and the content of the picture that `Player.picture` or `face` names; None: no player has it.

        What was kept before there were limits, or came with a backup, is judged again.
        """
        with self._read() as db:
            for (content,) in db.execute("select picture from player where picture is not null"):
                if name_picture(content) == picture:
                    return find_kind(content, SMALL), content
            large = db.execute("select content from face where digest = ?", (picture,)).fetchone()
        if large is None or name_picture(large[0], LARGE) != picture:
            return None
        return find_kind(large[0], LARGE), large[0]

    def read_recorded_name(self, recorded_name: str) -> tuple[str, bytes] | None:
        """The media type and the content of what `Player.recorded_name` names; None: no player has it.

        What came with a backup is judged again.
        """
        with self._read() as db:
            found = db.execute("select content from recorded_name where digest = ?", (recorded_name,)).fetchone()
        if found is None:
            return None
        try:
            return find_sound_kind(found[0]), found[0]
        except PlayerRefused:
            return None

    def change(self, wanted: ChangePlayer) -> None:
        """Changes the profile as `wanted` says; adds the player if need be."""
        given = msgspec.to_builtins(wanted)  # what is UNSET is left out of it
        name = given.pop("name")
        if (said := check_doubles(given.get("doubles", ()))) is not None:
            raise PlayerRefused(said)
        if wanted.goals and (said := check_goals(wanted.goals)) is not None:
            raise PlayerRefused(said)
        if given.get("nickname"):
            given["nickname"] = clean_visible(given["nickname"])
        with self._write() as db:
            player = _find_or_add(db, name)
            (written,) = db.execute("select profile from player where id = ?", (player,)).fetchone()
            profile = msgspec.convert({**msgspec.json.decode(written), **given}, PlayerProfile)
            db.execute("update player set profile = ? where id = ?", (_encode(profile), player))

    def add(self, name: str) -> None:
        """Adds a player of this name who is not there, however many there are; not one of a neutral name."""
        with suppress(PlayerRefused), self._write() as db:
            _find_or_add(db, name, most=None, is_known=True)

    def set_picture(self, name: str, content: bytes) -> None:
        """Keeps the small picture of a player, who is added if need be; b"" removes it. The large one goes."""
        if content:
            find_kind(content, SMALL)
        with self._write() as db:
            player = _find_or_add(db, name)
            db.execute("update player set picture = ? where id = ?", (content or None, player))
            db.execute("delete from face where player = ?", (player,))

    def set_face(self, name: str, content: bytes) -> None:
        """Keeps the large form of the player's picture; b"" removes it. Raises UserError if there is no small one."""
        if content:
            find_kind(content, LARGE)
        with self._write() as db:
            player = _find(db, name)
            small = db.execute("select picture from player where id = ?", (player,)).fetchone()
            picture = name_picture(small[0]) if small else None
            if picture is None:
                raise PlayerRefused(say("players.no_small", "send the small picture first, then the large one"))
            db.execute("delete from face where player = ?", (player,))
            if content:
                db.execute("insert into face values (?, ?, ?, ?)", (player, picture, make_digest(content), content))

    def set_recorded_name(self, name: str, content: bytes) -> None:
        """Keeps the recording of a player's name, who is added if need be; b"" removes it."""
        if content:
            find_sound_kind(content)
        with self._write() as db:
            player = _find_or_add(db, name)
            db.execute("delete from recorded_name where player = ?", (player,))
            if content:
                db.execute("insert into recorded_name values (?, ?, ?)", (player, make_digest(content), content))

    def rename(self, name: str, to: str, known: Collection[str]) -> None:
        """Has the player of this name called `to`; `known` are the names that the records have."""
        to = check_name(to)
        with self._write() as db:
            player = _find_or_add(db, name, is_known=True)
            other = _find(db, to)
            if other not in (None, player) or (other is None and name_key(to) in map(name_key, known)):
                raise PlayerRefused(
                    say(
                        "players.taken",
                        "there already is a player {name}: merge the two if they are the same person",
                        name=to,
                    )
                )
            _add_name(db, to, player)
            db.execute("update player set name = ? where id = ?", (to, player))

    def merge(self, name: str, into: str) -> None:
        """Merges two players into one, called `into`, and keeps that one's profile; the other profile is deleted.

        The pictures and the recorded name of the other stay where `into` has none. If one of the two is not to be
        filmed, neither is the one that they become.
        """
        with self._write() as db:
            one, other = _find_or_add(db, name, is_known=True), _find_or_add(db, into, is_known=True)
            if one == other:
                raise PlayerRefused(
                    say("players.same", "{name} and {into} are already the same player", name=name, into=into)
                )
            profiles = [
                _decode(db.execute("select profile from player where id = ?", (each,)).fetchone()[0])
                for each in (one, other)
            ]
            if not profiles[0].filmed:
                kept = _encode(replace(profiles[1], filmed=False))
                db.execute("update player set profile = ? where id = ?", (kept, other))
            db.execute("update name set player = ? where player = ?", (other, one))
            picture = "(select picture from player where id = ?)"
            db.execute(f"update player set picture = coalesce(picture, {picture}) where id = ?", (one, other))  # noqa: S608  no input
            db.execute("update or ignore face set player = ? where player = ?", (other, one))
            db.execute("update or ignore recorded_name set player = ? where player = ?", (other, one))
            db.execute("delete from player where id = ?", (one,))

    def split(self, name: str) -> None:
        """Makes a name in the records a player of its own again, who is not filmed either where that one is not."""
        with self._write() as db:
            found = db.execute(
                "select name.name, player.name, profile from name join player on player.id = player where key = ?",
                (name_key(name),),
            ).fetchone()
            if found is None or name_key(found[1]) == name_key(name):
                raise PlayerRefused(say("players.no_other", "{name} is not another name of a player", name=name))
            db.execute("delete from name where key = ?", (name_key(name),))
            player = _find_or_add(db, found[0], is_known=True)
            profile = PlayerProfile(filmed=_decode(found[2]).filmed)
            db.execute("update player set profile = ? where id = ?", (_encode(profile), player))

    def remove(self, name: str) -> None:
        """Deletes all that the book has of the player of this name, and overwrites it on the disk."""
        with self._write() as db:
            player = _find(db, name)
            db.execute("delete from name where player = ?", (player,))
            db.execute("delete from player where id = ?", (player,))

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        with self._explain("read"), closing(self._connect()) as db:
            yield db

    def _connect(self) -> sqlite3.Connection:
        """The book to be read; an empty one where there is none yet."""
        if self._path.exists():
            # What an interrupted change has left is rolled back at the next reading, and SQLite writes for that.
            was_cut = self._path.with_name(f"{FILE}-journal").exists()
            db = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode={'rw' if was_cut else 'ro'}", uri=True)
            is_kept = False
            try:
                if is_kept := _check_form(db):
                    _add_tables(db, "temp ")
            finally:
                if not is_kept:
                    db.close()
            if is_kept:
                return db
        db = sqlite3.connect(":memory:")
        db.executescript(TABLES)
        return db

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """The book within a transaction."""
        with self._explain("write"):
            is_new = not self._path.exists()
            with closing(sqlite3.connect(self._path, isolation_level=None)) as db:
                if is_new and os.geteuid() == 0:  # the daemon is not root
                    os.chown(self._path, *files.read_owner(self._path.parent))
                db.create_function("digest", 1, name_picture, deterministic=True)
                db.execute("pragma secure_delete = on")
                db.execute("pragma synchronous = extra")  # else a power cut could take back what is kept
                db.execute("begin immediate")
                try:
                    is_made = _check_form(db)
                    _add_tables(db)
                    if not is_made:
                        db.execute(f"pragma user_version = {_FORM}")
                    yield db
                    # Also those of players whom an older oche has forgotten, or whose picture it has replaced.
                    db.execute("delete from recorded_name where player not in (select id from player)")
                    db.execute(_DELETE_OLD_FACES)
                    self._commit(db)
                except BaseException:
                    if db.in_transaction:
                        db.execute("rollback")
                    raise

    def _commit(self, db: sqlite3.Connection) -> None:
        try:
            db.execute("commit")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_IOERR_DIR_FSYNC":  # else it is done, but for the folder's sync
                raise
            log.error("%s was changed, but a power cut may undo that: %s; check the disk", self._path, error)

    @contextmanager
    def _explain(self, verb: str) -> Iterator[None]:
        with files.explain_errors(f"cannot {verb} {self._path}", suggest_in_daemon):
            try:
                yield
            except (sqlite3.Error, msgspec.DecodeError) as error:
                helps = suggest_for_database(error, self._path.parent)
                raise UserError(f"cannot {verb} {self._path}: {error}{helps}") from None


def _check_form(db: sqlite3.Connection) -> bool:
    """Whether the book has its tables. Raises UserError for a newer one."""
    (form,) = db.execute("pragma user_version").fetchone()
    if form > _FORM:
        raise UserError("the players were written by a newer oche; update this one")
    return bool(form)


def _add_tables(db: sqlite3.Connection, kind: str = "") -> None:
    """Adds the tables that are missing."""
    there = {name for (name,) in db.execute("select name from sqlite_master")}
    for table, name in _TABLE.findall(TABLES):
        if name not in there:
            db.execute(f"create {kind}{table}")


def _find(db: sqlite3.Connection, name: str) -> int | None:
    found = db.execute("select player from name where key = ?", (name_key(name),)).fetchone()
    return None if found is None else int(found[0])


def _find_or_add(db: sqlite3.Connection, name: str, most: int | None = _MOST, *, is_known: bool = False) -> int:
    found = _find(db, name)
    if found is not None:
        return found
    name = check_name(name, is_known=is_known)
    (count,) = db.execute("select count(*) from player").fetchone()
    if most is not None and count >= most:
        raise PlayerRefused(say("players.full", "there are {most} players already: forget one first", most=most))
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    statement = "insert into player (name, profile, added) values (?, ?, ?)"
    added = db.execute(statement, (name, _encode(PlayerProfile()), now)).lastrowid
    assert added is not None
    _add_name(db, name, added)
    return added


def _add_name(db: sqlite3.Connection, name: str, player: int) -> None:
    db.execute("insert or replace into name (key, name, player) values (?, ?, ?)", (name_key(name), name, player))


def _encode(profile: PlayerProfile) -> str:
    return msgspec.json.encode(profile).decode()


def _decode(profile: str) -> PlayerProfile:
    return msgspec.json.decode(profile, type=PlayerProfile)
