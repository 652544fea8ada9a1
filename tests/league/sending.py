"""Journals sent to the database of a league, as the daemon whose they are does it, without the wire between them.

The daemon sends players whose matches do not count without their names, and says which names are one player's.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg import Connection

from daemon.admin.history.forget import write_neutral_names
from daemon.admin.history.played_matches import replay_match
from daemon.admin.players.book import PlayerBook
from daemon.admin.players.names import is_neutral_name
from daemon.journal.lines import StoredMatch, encode_record
from daemon.journal.stored import find_journals
from protocol.layouts import find_layout
from protocol.match_spec import read_header
from protocol.player_names import name_key
from tests.league.postgres import WRITER, Postgres

NORTH = UUID("11111111-1111-1111-1111-111111111111")

_ADD_BRIDGE = "insert into oche.bridge (bridge_id, base, name) values (%s, 'oche', %s) on conflict do nothing"
_ADD_MATCH = """
    insert into oche.match as known (bridge_id, table_name, match, layout, begun_at, lines, sha256, record, names)
    values (%s, %s, %s, 'standard', %s, %s, %s, %s, %s)
    on conflict (bridge_id, table_name, match) do update set lines = excluded.lines, sha256 = excluded.sha256,
        record = excluded.record, names = excluded.names, fold_state = 'new', changed_at = now()
    where known.record <> excluded.record
"""
_ADD_PERSON = """
    with made as (
        insert into oche.person (shown, shown_key)
        select %(shown)s, %(shown_key)s where not exists (
            select from oche.person_name where bridge_id = %(bridge_id)s and name_key = %(key)s
        ) returning id
    )
    insert into oche.person_name (bridge_id, name_key, name, person_id)
    select %(bridge_id)s, %(key)s, %(name)s, id from made
"""
_IS_TAKEN = "select exists (select from oche.person where shown_key = %s)"
_SPLIT = """
    with made as (
        insert into oche.person (shown, shown_key) select gen_random_uuid()::text, gen_random_uuid()::text returning id
    )
    update oche.person_name set person_id = (select id from made) where bridge_id = %s and name_key = %s
"""
_FREE = """
    delete from oche.person p where not exists (select from oche.person_name where person_id = p.id)
"""
_LIST_NAMES = "select name_key, name from oche.person_name where bridge_id = %s"
_JOIN = """
    update oche.person_name set person_id = (
        select person_id from oche.person_name where bridge_id = %(bridge_id)s and name_key = any(%(keys)s)
        order by name_key limit 1
    ) where bridge_id = %(bridge_id)s and name_key = any(%(keys)s)
"""
_SHOW = """
    update oche.person set shown = %(shown)s, shown_key = %(shown_key)s where id in (
        select person_id from oche.person_name where bridge_id = %(bridge_id)s and name_key = any(%(keys)s)
    )
"""


@contextmanager
def connect(postgres: Postgres, database: str) -> Iterator[Connection[tuple[Any, ...]]]:  # Any: rows
    """A connection of whoever writes, whose times are in UTC."""
    with psycopg.connect(postgres.url(database, WRITER), options="-c TimeZone=UTC", autocommit=True) as db:
        yield db


def list_records(folder: Path) -> list[tuple[str, StoredMatch]]:
    """The finished matches of all journals with their tables, as they are sent."""
    uncounted = PlayerBook(folder).read_names().uncounted
    names = {name for each in PlayerBook(folder).list_players() for name in map(name_key, each.names)
             if name_key(each.name) in uncounted} | uncounted  # fmt: skip
    found = []
    for journal in find_journals(folder):
        for head in journal.heads():
            stored = journal.match(head)
            is_over = False
            with suppress(ValueError):
                is_over = replay_match(stored, find_layout("standard")).position.over
            if is_over:
                header = write_neutral_names(stored.header, names)
                found.append((journal.table, stored._replace(header=header, at=head.begun_at)))
    return found


def send(db: Connection[Any], table: str, stored: StoredMatch, bridge_id: UUID = NORTH, shown: str = "{}") -> None:
    """Puts one record there, and the people in it; `shown` is what they are called, as in "{} · north"."""
    text = b"".join(encode_record(stored))
    header = read_header(stored.header)
    people = [
        name for seat, name in enumerate(header.players) if header.bot(seat) is None and not is_neutral_name(name)
    ]
    with db.transaction():
        db.execute(_ADD_BRIDGE, [bridge_id, bridge_id.hex[:4]])
        digest, record, keys = hashlib.sha256(text).digest(), zlib.compress(text), sorted(map(name_key, people))
        db.execute(_ADD_MATCH, [bridge_id, table, stored.id, stored.at, len(stored.lines) + 1, digest, record, keys])
        for name in people:
            called = shown.format(name)
            if db.execute(_IS_TAKEN, [name_key(called)]).fetchone() == (True,):
                called = f"{called} · {stored.id}"
            db.execute(
                _ADD_PERSON,
                {
                    "bridge_id": bridge_id,
                    "key": name_key(name),
                    "name": name,
                    "shown": called,
                    "shown_key": name_key(called),
                },
            )


def send_players(db: Connection[Any], folder: Path, bridge_id: UUID = NORTH) -> None:
    """Says what the book of players of this folder says."""
    with db.transaction():
        names = db.execute(_LIST_NAMES, [bridge_id]).fetchall()
        for key, _ in names:
            db.execute(_SPLIT, [bridge_id, key])
        db.execute(_FREE)
        called = {key: ([key], name) for key, name in names}
        for each in PlayerBook(folder).list_players():
            keys = sorted({*map(name_key, (each.name, *each.names))})
            db.execute(_JOIN, {"bridge_id": bridge_id, "keys": keys})
            called = {key: found for key, found in called.items() if key not in keys} | {keys[0]: (keys, each.name)}
        db.execute(_FREE)
        for keys, name in called.values():
            given = {"bridge_id": bridge_id, "keys": keys, "shown": name, "shown_key": name_key(name)}
            db.execute(_SHOW, given)
