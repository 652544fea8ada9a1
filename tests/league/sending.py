"""Journals sent to the database of a league, as the daemon whose they are does it, without the broker between them.

The daemon sends players whose matches do not count without their names, and says which names are one player's.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg import AsyncConnection, Connection

from daemon.admin.history.forget import write_neutral_names
from daemon.admin.history.played_matches import replay_match
from daemon.admin.players.book import PlayerBook
from daemon.collect.intake import take
from daemon.collect.received import Key, Received, Record, Sender
from daemon.journal.lines import StoredMatch, encode_record
from daemon.journal.stored import find_journals
from protocol.layouts import find_layout
from protocol.player_names import name_key
from tests.league.offers import IDS, NORTH, players
from tests.league.postgres import WRITER, Postgres


@contextmanager
def connect(postgres: Postgres, database: str) -> Iterator[Connection[Any]]:  # Any: rows
    """A connection of whoever writes, whose times are in UTC."""
    with psycopg.connect(postgres.url(database, WRITER), options="-c TimeZone=UTC", autocommit=True) as db:
        yield db


def list_records(folder: Path) -> list[tuple[str, StoredMatch]]:
    """The finished matches of all journals with their tables, as they are sent."""
    book = PlayerBook(folder)
    uncounted = book.read_names().uncounted
    those = [each for each in book.list_players() if name_key(each.name) in uncounted]
    keys = {*uncounted, *(name_key(name) for each in those for name in each.names)}
    found = []
    for journal in find_journals(folder):
        for head in journal.heads():
            stored = journal.match(head)
            is_over = False
            with suppress(ValueError):
                is_over = replay_match(stored, find_layout("standard")).position.over
            if is_over:
                header = write_neutral_names(stored.header, keys)
                found.append((journal.table, stored._replace(header=header, at=head.begun_at)))
    return found


def send(db: Connection[Any], *records: tuple[str, StoredMatch], sender: Sender = NORTH) -> None:
    """Puts records there, each with its table, as a collector does."""
    say(db, *(make_record(table, stored, sender) for table, stored in records))


def make_record(table: str, stored: StoredMatch, sender: Sender) -> Record:
    """The record of a match at this table as a collector has it."""
    text = b"".join(encode_record(stored))
    return Record(
        sender,
        Key(IDS[sender], table, stored.id),
        "standard",
        datetime.fromisoformat(stored.at),
        text.count(b"\n"),
        hashlib.sha256(text).hexdigest(),
        text,
        stored.header,
    )


def send_players(db: Connection[Any], folder: Path) -> None:
    """Says what the book of players of this folder says of those who have several names."""
    listed = [(each.name, (each.name, *each.names)) for each in PlayerBook(folder).list_players()]
    say(db, players([each for each in listed if len({*map(name_key, each[1])}) > 1]))


def say(db: Connection[Any], *messages: Received) -> None:
    """Has a collector take these messages."""
    asyncio.run(_take(db.info.dsn, messages))


async def _take(address: str, messages: Sequence[Received]) -> None:
    async with await AsyncConnection.connect(address, autocommit=True) as db:
        await take(db, messages)
