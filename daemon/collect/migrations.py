"""The tables of a league: numbered SQL files, each applied once, in their order, in one transaction.

The database keeps which were applied with their checksums, so that a file that was changed afterwards is found.
"""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files
from typing import NamedTuple

import psycopg
from psycopg import AsyncConnection, Connection
from psycopg.rows import TupleRow

from daemon.errors import UserError

_LOCK = 7_204_301
"""The number of the advisory lock."""
_FILE = re.compile(r"(\d{4})_\w+\.sql")

_TAKE_LOCK = "select pg_advisory_xact_lock(%s)"
_FIND_TABLE = "select to_regclass('oche.migration') is not null"
_MAKE_TABLE = """
    create schema if not exists oche;
    create table if not exists oche.migration (
        number integer primary key,
        name text not null,
        sha256 text not null,
        applied_at timestamptz not null default now()
    )
"""
_LIST = "select number, name, sha256 from oche.migration order by number"
_NOTE = "insert into oche.migration (number, name, sha256) values (%s, %s, %s)"
_FIND_ROLE = "select exists (select from pg_roles where rolname = %s)"
_SET_READER = "select set_config('oche.reader', %s, true)"
_GRANT = """
    do $$
    declare reader text := current_setting('oche.reader');
    begin
        execute format('grant usage on schema oche to %I', reader);
        execute format('grant select on all tables in schema oche to %I', reader);
    end $$
"""


class Migration(NamedTuple):
    """A file: its number, its name, and its SQL."""

    number: int
    name: str
    text: bytes

    @property
    def sha256(self) -> str:
        """Its checksum, in hexadecimal."""
        return hashlib.sha256(self.text).hexdigest()


def read_migrations() -> list[Migration]:
    """Returns those of this program, by their numbers."""
    folder = files("daemon.collect").joinpath("sql")
    found = [(match, file) for file in folder.iterdir() if (match := _FILE.fullmatch(file.name))]
    return sorted(Migration(int(match[1]), file.name, file.read_bytes()) for match, file in found)


def find_missing(applied: list[tuple[int, str, str]], known: list[Migration]) -> list[Migration]:
    """Returns what is not applied yet. Raises UserError where the database does not fit to this program."""
    by_number = {each.number: each for each in known}
    for number, name, sha256 in applied:
        if number not in by_number:
            raise UserError(
                f"the database was brought up to date by a newer oche ({name}): install that version here too"
            )
        if sha256 != by_number[number].sha256:
            raise UserError(
                f"{name} is not the file that was applied to the database: install an oche that was released, unchanged"
            )
    done = {number for number, _, _ in applied}
    return [each for each in known if each.number not in done]


def migrate(db: Connection[TupleRow], reader: str, known: list[Migration] | None = None) -> list[str]:
    """Applies what is missing, and lets the login `reader` read; returns the names of the files. Raises UserError.

    Several at a time wait for each other; one that fails leaves everything as it was.
    """
    known = read_migrations() if known is None else known
    encoding = db.info.parameter_status("server_encoding")
    if encoding != "UTF8":  # as of a Debian without a language
        raise UserError(
            f"the encoding of the database is {encoding}, in which not every name can be written: "
            "make it again with createdb --encoding=UTF8 --template=template0"
        )
    with db.transaction():
        db.execute(_TAKE_LOCK, [_LOCK])
        if db.execute(_FIND_ROLE, [reader]).fetchone() != (True,):
            raise UserError(f"the database has no login {reader}: make it with createuser {reader}, then try again")
        db.execute(_MAKE_TABLE)
        missing = find_missing(db.execute(_LIST).fetchall(), known)
        for each in missing:
            try:
                db.execute(each.text)  # of a file that ships
            except psycopg.Error as error:
                raise UserError(f"{each.name} cannot be applied, so nothing was changed: {error}") from None
            db.execute(_NOTE, [each.number, each.name, each.sha256])
        db.execute(_SET_READER, [reader])
        db.execute(_GRANT)
    return [each.name for each in missing]


async def check_schema(db: AsyncConnection[TupleRow]) -> None:
    """Raises UserError where the tables are not those of this program."""
    has_table = await (await db.execute(_FIND_TABLE)).fetchone()
    applied = await (await db.execute(_LIST)).fetchall() if has_table == (True,) else []
    _check_applied(applied)


def check_tables(db: Connection[TupleRow]) -> None:
    """The same, for a thread. Raises UserError."""
    has_table = db.execute(_FIND_TABLE).fetchone()
    _check_applied(db.execute(_LIST).fetchall() if has_table == (True,) else [])


def _check_applied(applied: list[tuple[int, str, str]]) -> None:
    if missing := find_missing(applied, read_migrations()):
        raise UserError(f"the database lacks {missing[0].name}: run oche collect init")
