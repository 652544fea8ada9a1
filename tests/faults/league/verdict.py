"""Whether a league knows what the journals of its daemons know: every record, every figure, every standing.

Of what was lost with a daemon before its backup was put back, the league has all that it had taken.
"""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import psycopg
from psycopg import Connection

from daemon.admin import requests
from daemon.admin.history.editions import Relation, compare
from daemon.admin.history.history import History
from daemon.admin.history.journal_source import JournalSource
from daemon.admin.players.book import PlayerBook
from daemon.collect.postgres_source import PostgresSource
from daemon.journal.journal_file import JournalFile
from daemon.journal.lines import Begin, StoredMatch
from protocol.layouts import find_layout
from protocol.player_names import name_key
from tests.faults.league.journals import write_record
from tests.faults.league.place import Place
from tests.faults.league.repeater import UNPLAYABLE
from tests.league.sending import list_records
from tests.league.test_sources import ask

JSON = dict[str, Any]  # Any: JSON
Records = dict[tuple[UUID, str, str], bytes]
"""By daemon, table and match."""


def read_journals(places: Sequence[Place]) -> Records:
    """The records as their daemons have them."""
    return {
        (place.bridge_id, table, stored.id): write_record(stored)
        for place in places
        for table, stored in list_records(place.folder)
    }


def read_database(address: str) -> Records:
    """The records that the league has, but for those that nobody can play."""
    query = "select bridge_id, table_name, match, record from oche.match where match <> %s"
    with psycopg.connect(address) as db:
        rows = db.execute(query, [UNPLAYABLE]).fetchall()
    return {(bridge_id, table, match): zlib.decompress(text) for bridge_id, table, match, text in rows}


def explain_records(wanted: Records, found: Records, places: Sequence[Place]) -> str:
    """What differs, in one line; empty where nothing does."""
    lost = {(place.bridge_id, *key): stored for place in places for key, stored in place.lost.items()}
    taken = {(place.bridge_id, *key) for place in places for key in place.acknowledged}
    missing, others = (wanted.keys() | taken) - found.keys(), found.keys() - wanted.keys()
    unknown = {key for key in others if key not in lost or not _is_beginning(found[key], lost[key])}
    changed = [key for key in wanted.keys() & found.keys() if wanted[key] != found[key]]
    if not (missing or unknown or changed):
        return ""
    example = "".join(f"\n{wanted[key].decode()}\n{found[key].decode()}" for key in changed[:1])
    return f"missing {sorted(missing)}, in no journal {sorted(unknown)}, different {changed}{example}"


def explain_cut(wanted: Records, conflicts: Collection[str], places: Sequence[Place]) -> str:
    """What the league had taken, and is neither in the journals again nor kept beside another record of the match."""
    for place in places:
        for (table, match), text in place.cut.items():
            inputs = text.partition(b"\n")[2]
            found = wanted.get((place.bridge_id, table, match), b"").partition(b"\n")[2]
            if match not in conflicts and not found.startswith(inputs):
                return f"the end of {match} is lost: {text.decode()}"
    return ""


def _is_beginning(text: bytes, stored: StoredMatch) -> bool:
    """Whether this record is that of the match, which may have gone on, and by players with other names."""
    same = Relation.SAME, Relation.RENAMED, Relation.LONGER, Relation.LONGER_RENAMED
    return compare(text, write_record(stored)) in same


class State(NamedTuple):
    """How many records there are in each state of folding, and former ones of each kind.

    `unreadable` are the checksums of what cannot be read, by daemon, and `conflicts` the matches of which there are
    records that contradict each other.
    """

    folded: dict[str, int]
    former: dict[str, int]
    unreadable: set[tuple[str, bytes]]
    conflicts: set[str]


def read_state(address: str) -> State:
    """What there is in the database."""
    with psycopg.connect(address) as db:
        states = db.execute("select fold_state, count(*) from oche.match where match <> %s group by 1", [UNPLAYABLE])
        former = db.execute("select state, count(*) from oche.edition group by 1")
        unreadable = db.execute("select name, sha256 from oche.unreadable")
        conflicts = db.execute("select match from oche.edition where state = 'conflict'")
        return State(
            dict(states.fetchall()),
            dict(former.fetchall()),
            {(name, digest) for name, digest in unreadable.fetchall()},
            {match for (match,) in conflicts.fetchall()},
        )


def join_journals(places: Sequence[Place], found: Records, folder: Path) -> JournalSource:
    """The journals of all places as those of one daemon, with what each knows of its players.

    With them is what a place has lost and the league has (`found`). Of the names of a player a daemon says those that
    are in its journals: others are persons of their own.
    """
    folder.mkdir()
    book = PlayerBook(folder)
    for place in places:
        for journal in place.screens:
            for file in place.folder.glob(f"{journal}.sqlite3*"):
                shutil.copy(file, folder)
        for (table, match), stored in place.lost.items():
            if (text := found.get((place.bridge_id, table, match))) is not None:
                _add_match(folder / f"{table}.sqlite3", stored, text)
        played = {name_key(name) for _, stored in list_records(place.folder) for name in stored.header["players"]}
        for player in PlayerBook(place.folder).list_players():
            book.add(player.name)
            for name in player.names:
                if name_key(name) != name_key(player.name) and name_key(name) in played:
                    book.add(name)
                    book.merge(name, player.name)
    tables = [table for place in places for table in place.screens]
    return JournalSource(History(folder, dict.fromkeys(tables, find_layout("standard")), "1"))


def _add_match(path: Path, stored: StoredMatch, text: bytes) -> None:
    """Adds a match to a journal, as far as the record has it, with the names that it has there."""
    header, *inputs = text.splitlines()
    with closing(JournalFile(path)) as journal:
        journal.write([Begin(stored.id, msgspec.json.decode(header), stored.at), *stored.lines[: len(inputs)]])


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
    """The answer with matches of the same millisecond in the order of their ids, since no source has one for them.

    It does not say how many matches cannot be played, which are at the league alone.
    """
    answer.pop("unread", None)
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
                return f"{request}: {explain_difference(said, wanted)}"
    return ""


def explain_difference(said: Any, wanted: Any, where: str = "") -> str:  # Any: JSON
    """Where two answers first differ, and what each says there."""
    if isinstance(said, dict) and isinstance(wanted, dict) and said.keys() == wanted.keys():
        pairs = [(said[key], wanted[key], f"{where}.{key}") for key in said]
    elif isinstance(said, list) and isinstance(wanted, list) and len(said) == len(wanted):
        pairs = [(*pair, f"{where}[{number}]") for number, pair in enumerate(zip(said, wanted, strict=True))]
    else:
        return f"{where}: the league: {said}, the journals: {wanted}"
    return next(explain_difference(*each) for each in pairs if each[0] != each[1])
