"""Whether a league knows what the journals of its daemons know: every record, every figure, every standing."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import permutations
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg import Connection

from daemon.admin import requests
from daemon.admin.history.history import History
from daemon.admin.history.journal_source import JournalSource
from daemon.admin.players.book import PlayerBook
from daemon.collect.postgres_source import PostgresSource
from daemon.journal.lines import encode_record
from protocol.layouts import find_layout
from protocol.player_names import name_key
from tests.faults.league.place import Place
from tests.league.sending import list_records
from tests.league.test_sources import ask

JSON = dict[str, Any]  # Any: JSON
Records = dict[tuple[UUID, str, str], bytes]
"""By daemon, table and match."""


def read_journals(places: Sequence[Place]) -> Records:
    """The records as their daemons have them."""
    return {
        (place.bridge_id, table, stored.id): b"".join(encode_record(stored))
        for place in places
        for table, stored in list_records(place.folder)
    }


def read_database(address: str) -> Records:
    """The records that the league has."""
    with psycopg.connect(address) as db:
        rows = db.execute("select bridge_id, table_name, match, record from oche.match").fetchall()
    return {(bridge_id, table, match): zlib.decompress(text) for bridge_id, table, match, text in rows}


def explain_records(wanted: Records, found: Records) -> str:
    """What differs, in one line; empty where nothing does."""
    missing, others = wanted.keys() - found.keys(), found.keys() - wanted.keys()
    changed = [key for key in wanted.keys() & found.keys() if wanted[key] != found[key]]
    if not (missing or others or changed):
        return ""
    example = "".join(f"\n{wanted[key].decode()}\n{found[key].decode()}" for key in changed[:1])
    return f"missing {sorted(missing)}, in no journal {sorted(others)}, different {changed}{example}"


def read_state(address: str) -> tuple[dict[str, int], int, dict[str, int]]:
    """How many records there are in each state of folding; what cannot be read; and former records of each kind."""
    with psycopg.connect(address) as db:
        states: dict[str, int] = dict(db.execute("select fold_state, count(*) from oche.match group by 1").fetchall())
        unreadable = db.execute("select count(*) from oche.unreadable").fetchone()
        former: dict[str, int] = dict(db.execute("select state, count(*) from oche.edition group by 1").fetchall())
    assert unreadable is not None
    return states, unreadable[0], former


def join_journals(places: Sequence[Place], folder: Path) -> JournalSource:
    """The journals of all places as those of one daemon, with what each knows of its players."""
    folder.mkdir()
    book = PlayerBook(folder)
    for place in places:
        for journal in place.screens:
            for file in place.folder.glob(f"{journal}.sqlite3*"):
                shutil.copy(file, folder)
        for player in PlayerBook(place.folder).list_players():
            book.add(player.name)
            for name in player.names:
                if name_key(name) != name_key(player.name):
                    book.add(name)
                    book.merge(name, player.name)
    tables = [table for place in places for table in place.screens]
    return JournalSource(History(folder, dict.fromkeys(tables, find_layout("standard")), "1"))


def list_requests(people: Sequence[str], tables: Sequence[str]) -> Iterator[requests.FiguresRequest]:
    """What the pages ask."""
    for game in (None, "x01", "count_up"):
        for table in (None, tables[0]):
            yield requests.ListFigures(game, None, table)
            yield requests.ListMatches(game, None, table)
    yield requests.ReadLeague(None)
    yield requests.ReadRatings()
    for name in people:
        yield requests.ReadFigures(name=name)
        yield requests.ListMatches(player=name)
    for one, other in permutations(people[:6], 2):
        yield requests.ReadHeadToHead(name=one, other=other)


def order_ties(answer: JSON) -> JSON:
    """The answer with matches of the same millisecond in the order of their ids, since no source has one for them."""
    if isinstance(found := answer.get("matches"), list):
        return {**answer, "matches": sorted(found, key=lambda each: (each["at"], each["match"]))}
    return answer


def explain_answers(journals: JournalSource, address: str, places: Sequence[Place]) -> str:
    """What a league answers otherwise than all journals together; empty where nothing is."""

    @contextmanager
    def give() -> Iterator[Connection[Any]]:  # Any: rows
        yield db

    people = [name for place in places for name in place.players]
    tables = [table for place in places for table in place.screens]
    with psycopg.connect(address, options="-c TimeZone=UTC", autocommit=True) as db:
        league = PostgresSource(give, show_places=False)
        for request in list_requests(people, tables):
            said, wanted = order_ties(ask(league, request)), order_ties(ask(journals, request))
            if said != wanted:
                return f"{request}\nthe league: {said}\nthe journals: {wanted}"
    return ""
