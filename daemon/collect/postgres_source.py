"""The database of a league, asked for its history.

A page reads the rows that it shows, by an index: those of a player, of two players together, of a time, or the latest.
The list of all players is added up from `rollup`, and at the edges of a time from the parts themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec
from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from daemon.admin.history.digest import Shown
from daemon.admin.history.head_to_head import find_duel
from daemon.admin.history.league import MonthBook, find_bounds, month_of
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import PlayerSummary, Selection
from daemon.admin.history.ratings import RatingBook
from daemon.admin.history.source import FoundMatch, Wanted
from daemon.admin.players.names import NO_NAMES, PlayerNames
from daemon.admin.requests import Goal
from daemon.collect.digests import find_shown
from daemon.collect.folded import decode_body, read_stored, write_moment
from daemon.collect.kept import FIRST, LAST, RATINGS, Book, Question, add_up, ask_month
from daemon.collect.ranking import rank_players
from daemon.errors import UserError
from daemon.journal.lines import Result, StoredMatch
from engine.games import GAMES, PRESETS
from protocol.layouts import find_layout, list_layouts
from protocol.player_names import name_key

_MOST_DIGESTS = 50_000
"""For one answer: so many are read in two seconds."""
SEPARATOR = " · "
"""Between a place and a table."""
_MONTHS_LOOKED_AT = 20

_OF_PLAYERS = """
    with mine as (
        select bridge_id, table_name, match, begun_at from oche.part
        where name_id = any(%(names)s::bigint[]) and begun_at >= %(since)s and begun_at < %(before)s
            and (%(variants)s::int[] is null or variant_id = any(%(variants)s))
            and (%(table)s::text is null or table_name = %(table)s)
            and (%(bridges)s::uuid[] is null or bridge_id = any(%(bridges)s))
        union
        select bridge_id, table_name, match, begun_at from oche.part
        where name_key = any(%(keys)s::text[]) and begun_at >= %(since)s and begun_at < %(before)s
            and (%(variants)s::int[] is null or variant_id = any(%(variants)s))
            and (%(table)s::text is null or table_name = %(table)s)
            and (%(bridges)s::uuid[] is null or bridge_id = any(%(bridges)s))
        order by begun_at desc, bridge_id desc, table_name desc, match desc limit %(latest)s::bigint
    )
    select json_build_array(p.bridge_id, p.table_name, p.match, p.begun_at, p.seats)::text, p.body from mine
    join oche.played p using (bridge_id, table_name, match)
    order by p.begun_at, p.bridge_id, p.table_name, p.match limit %(first)s::bigint
"""
_OF_BOTH = """
    with mine as (
        select m.bridge_id, m.table_name, m.match from oche.meeting m
        join oche.played p using (bridge_id, table_name, match)
        where ((m.one = any(%(names)s::bigint[]) and m.other = any(%(others)s::bigint[]))
                or (m.one = any(%(others)s::bigint[]) and m.other = any(%(names)s::bigint[])))
            and m.begun_at >= %(since)s and m.begun_at < %(before)s
            and (%(variants)s::int[] is null or p.variant_id = any(%(variants)s))
            and (%(table)s::text is null or m.table_name = %(table)s)
            and (%(bridges)s::uuid[] is null or m.bridge_id = any(%(bridges)s))
        group by m.bridge_id, m.table_name, m.match, m.begun_at
        order by m.begun_at desc limit %(latest)s::bigint
    )
    select json_build_array(p.bridge_id, p.table_name, p.match, p.begun_at, p.seats)::text, p.body from mine
    join oche.played p using (bridge_id, table_name, match)
    order by p.begun_at, p.bridge_id, p.table_name, p.match limit %(first)s::bigint
"""
_LATEST = """
    select json_build_array(bridge_id, table_name, match, begun_at, seats)::text, body from oche.played
    where begun_at >= %(since)s and begun_at < %(before)s
        and (%(variants)s::int[] is null or variant_id = any(%(variants)s))
        and (%(table)s::text is null or table_name = %(table)s)
        and (%(bridges)s::uuid[] is null or bridge_id = any(%(bridges)s))
    order by begun_at desc, bridge_id desc, table_name desc, match desc limit %(latest)s::bigint
"""
_FIRST = """
    select json_build_array(bridge_id, table_name, match, begun_at, seats)::text, body from oche.played
    where begun_at >= %(since)s and begun_at < %(before)s
        and (%(variants)s::int[] is null or variant_id = any(%(variants)s))
        and (%(table)s::text is null or table_name = %(table)s)
        and (%(bridges)s::uuid[] is null or bridge_id = any(%(bridges)s))
    order by begun_at, bridge_id, table_name, match limit %(first)s::bigint
"""
_OF_IDS = """
    select json_build_array(bridge_id, table_name, match, begun_at, seats)::text, body from oche.played
    where match = any(%(matches)s) and begun_at >= %(since)s and begun_at < %(before)s
        and (%(variants)s::int[] is null or variant_id = any(%(variants)s))
        and (%(table)s::text is null or table_name = %(table)s)
        and (%(bridges)s::uuid[] is null or bridge_id = any(%(bridges)s))
    order by begun_at, bridge_id, table_name, match
"""
_OF_TWO = """
    select json_build_array(bridge_id, table_name, match, begun_at, seats)::text, body from oche.played
    where cardinality(seats) = 2 and seats[1] <> 0 and seats[2] <> 0
        and begun_at >= %(since)s and begun_at < %(before)s
        and (%(bridges)s::uuid[] is null or bridge_id = any(%(bridges)s))
    order by begun_at desc limit %(latest)s::bigint
"""
_FIND_NAMES = """
    select p.shown_key, n.id from oche.person p join oche.person_name n on n.person_id = p.id
    where p.shown_key = any(%s)
"""
_FIND_SHOWN = """
    select n.id, p.shown from oche.person_name n join oche.person p on p.id = n.person_id where n.id = any(%s)
"""
_FIND_ASKED = """
    select p.shown_key, p.shown, true from oche.person p where p.shown_key = any(%(keys)s::text[])
    union all
    select n.name_key, p.shown, false from oche.person_name n join oche.person p on p.id = n.person_id
    where n.name_key = any(%(keys)s::text[]) and (%(bridges)s::uuid[] is null or n.bridge_id = any(%(bridges)s))
"""
_FIND_OF_MATCH = """
    select n.name_key, p.shown from oche.person_name n join oche.person p on p.id = n.person_id
    where n.bridge_id = %s and n.name_key = any(%s)
"""
_COUNT_UNREAD = """
    select count(*) from oche.match where fold_state in ('waiting', 'unreadable')
        and (%(bridges)s::uuid[] is null or bridge_id = any(%(bridges)s))
"""
_FIND_VARIANTS = """
    select id from oche.variant where (%(kind)s = 'variant' and variant = %(name)s)
        or (%(kind)s = 'game' and game = %(name)s)
        or (%(kind)s = 'text' and %(name)s in (variant_key, title_key))
"""
_LIST_BRIDGES = "select bridge_id, coalesce(nullif(place, ''), name) from oche.bridge"
_FIND_MATCHES = """
    select bridge_id, table_name, layout, coalesce(begun_at, taken_at), names, sha256, md5(record)
    from oche.match where match = %(match)s and (%(bridges)s::uuid[] is null or bridge_id = any(%(bridges)s))
    order by bridge_id, table_name
"""
_READ_RECORD = "select record from oche.match where bridge_id = %s and table_name = %s and match = %s"
_IS_LATEST = """
    select not exists (
        select from oche.match where bridge_id = %s and table_name = %s and coalesce(begun_at, taken_at) > %s
    )
"""
_EVER = FIRST, LAST


class _Head(Struct, frozen=True, array_like=True):
    """What is known of a match beside its body; as JSON it is read much faster than as columns."""

    bridge_id: UUID
    table: str
    match: str
    begun_at: datetime
    seats: tuple[int, ...]


_decode_head = msgspec.json.Decoder(_Head).decode
Database = Connection[TupleRow]
Connect = Callable[[], AbstractContextManager[Database]]


class Scope(NamedTuple):
    """What of the league is looked at: the daemons, all where it is None; and the time."""

    bridges: tuple[UUID, ...] | None = None
    since: datetime | None = None
    before: datetime | None = None


class PostgresSource:
    """A HistorySource. `connect` gives a connection for a question, as ConnectionPool.connection does.

    `kept` is the stamp of what is kept of the whole league (daemon/collect/kept.py); None: everything is read.

    With `show_places` a table is called `place · table`, since two places may have a table of the same name.
    """

    def __init__(
        self,
        connect: Connect,
        scope: Scope = Scope(),  # noqa: B008
        *,
        show_places: bool = True,
        kept: str | None = None,
        most_digests: int = _MOST_DIGESTS,
    ) -> None:
        self._connect = connect
        self._scope = scope
        self._show_places = show_places
        self._kept = kept
        self._most_digests = most_digests

    def narrow(self, scope: Scope) -> PostgresSource:
        """Returns a source of that part of the league alone."""
        return PostgresSource(self._connect, scope, show_places=self._show_places)

    def read_names(self, *names: str) -> PlayerNames:
        """As HistorySource has it. A name of several players is nobody's, unless one is shown by it."""
        if not names:
            return NO_NAMES
        keys = [*map(name_key, names)]
        with self._connect() as db:
            rows = db.execute(_FIND_ASKED, {"keys": keys, **self._limits}).fetchall()
        shown = {key: name for key, name, is_shown in rows if is_shown}
        for key in {*keys} - {*shown}:
            if len(found := {name for other, name, _ in rows if other == key}) == 1:
                shown[key] = found.pop()
        return PlayerNames(shown)

    def count_unread(self) -> int:
        """As HistorySource has it: the records that wait for another version of the program, too."""
        with self._connect() as db:
            row = db.execute(_COUNT_UNREAD, self._limits).fetchone()
        return int(row[0]) if row else 0

    def select(self, wanted: Wanted) -> Sequence[PlayedMatch]:
        """As HistorySource has it."""
        with self._connect() as db:
            return self._read(db, self._find_rows(db, wanted))

    def _find_rows(self, db: Database, wanted: Wanted) -> list[TupleRow]:
        given = self._describe(db, wanted)
        cursor = db.cursor(binary=True)
        if wanted.matches is not None:
            return cursor.execute(_OF_IDS, {**given, "matches": [*wanted.matches]}, prepare=False).fetchall()
        if not wanted.players:
            if wanted.latest is not None:
                return cursor.execute(_LATEST, given, prepare=False).fetchall()[::-1]
            return cursor.execute(_FIRST, given, prepare=False).fetchall()
        names: dict[str, list[int]] = {key: [] for key in wanted.players}
        for key, name in db.execute(_FIND_NAMES, [[*wanted.players]]).fetchall():
            names[key].append(name)
        if not wanted.together:
            every = [name for each in names.values() for name in each]
            return cursor.execute(_OF_PLAYERS, {**given, "names": every, "keys": [*names]}, prepare=False).fetchall()
        one, other = names.values()
        return cursor.execute(_OF_BOTH, {**given, "names": one, "others": other}, prepare=False).fetchall()

    def rank_players(self, selection: Selection) -> list[PlayerSummary]:
        """As HistorySource has it."""
        with self._connect() as db:
            given = self._describe(db, Wanted(game=selection.game, table=selection.table, since=selection.since))
            return rank_players(db, given, with_bots=selection.with_bots)

    def rate_players(self) -> tuple[RatingBook, Shown]:
        """As HistorySource has it. Raises UserError for more matches than one answer is made of."""
        with self._connect() as db:
            book = self._add_up(db, RATINGS)
            return book, find_shown(db, book.pools)

    def add_up_month(self, month: str) -> tuple[MonthBook, Shown]:
        """As HistorySource has it. Raises UserError for more matches than one answer is made of."""
        with self._connect() as db:
            book = self._add_up(db, ask_month(month))
            return book, find_shown(db, book.players)

    def _add_up(self, db: Database, question: Question[Book]) -> Book:
        """Answers the question, as for the whole league with the help of what is kept."""
        if self._scope == Scope():
            book = add_up(db, question, self._most_digests, stamp=self._kept)
            said = "the league is still counting so many matches: try again in some minutes, or choose a place"
        else:
            since, before = max(question.since, self._bounds[0]), min(question.before, self._bounds[1])
            narrow = question._replace(since=since, before=before)
            book = add_up(db, narrow, self._most_digests, self._scope.bridges)
            said = "these are too many matches for one answer: choose a place, a season or a shorter time"
        if book is None:
            raise UserError(said)
        return book

    def list_people(self) -> Iterable[str]:
        """As HistorySource has it."""
        return [each.name for each in self.rank_players(Selection())]  # not who played against two names of one person

    def list_months(self) -> Iterator[str]:
        """As HistorySource has it."""
        before = self._bounds[1]
        while True:
            given = {**self._limits, "since": self._bounds[0], "before": before, "latest": _MONTHS_LOOKED_AT}
            with self._connect() as db:
                rows = db.cursor(binary=True).execute(_OF_TWO, given, prepare=False).fetchall()
                found = self._read(db, rows[::-1])
            duel = next((match for match in reversed(found) if find_duel(match, NO_NAMES) is not None), None)
            if duel is not None:
                yield (month := month_of(datetime.fromisoformat(duel.at).astimezone()))
                before = find_bounds(month)[0]
            elif found:
                before = datetime.fromisoformat(found[0].at)
            else:
                return

    def list_goals(self, name: str) -> Sequence[Goal]:
        """As HistorySource has it: nobody tells a league."""
        return ()

    def find_matches(self, match: str) -> Iterator[FoundMatch]:
        """As HistorySource has it."""
        with self._connect() as db:
            rows = db.execute(_FIND_MATCHES, {"match": match, **self._limits}).fetchall()
            places = self._list_places(db)
            people = [PlayerNames(dict(db.execute(_FIND_OF_MATCH, [row[0], row[4]]).fetchall())) for row in rows]
        for row, names in zip(rows, people, strict=True):
            yield self._describe_record(match, row, places, names)

    def _describe_record(self, match: str, row: TupleRow, places: Mapping[UUID, str], names: PlayerNames) -> FoundMatch:
        bridge_id, table, layout, begun_at, _, sha256, digest = row

        def read() -> tuple[StoredMatch, Result | None]:
            with self._connect() as db:
                found = db.execute(_READ_RECORD, [bridge_id, table, match]).fetchone()
            try:
                if found is None:
                    raise UserError("the league has forgotten this match meanwhile")
                return read_stored(match, begun_at, found[0]), None
            except ValueError as error:
                raise UserError(f"the record of the match {match} cannot be read: {error}") from None

        def is_latest() -> bool:
            with self._connect() as db:
                return db.execute(_IS_LATEST, [bridge_id, table, begun_at]).fetchone() == (True,)

        known = find_layout(layout) if layout in list_layouts() else None
        shown, stamp = self._show_table(places, bridge_id, table), f"{sha256.hex()} {digest}"
        return FoundMatch(match, stamp, write_moment(begun_at), shown, known, names, read, is_latest)

    @property
    def _limits(self) -> dict[str, object]:
        return {"bridges": None if self._scope.bridges is None else [*self._scope.bridges]}

    @property
    def _bounds(self) -> tuple[datetime, datetime]:
        return self._scope.since or _EVER[0], self._scope.before or _EVER[1]

    def _describe(self, db: Database, wanted: Wanted) -> dict[str, object]:
        """The parameters of a question."""
        since, before = self._bounds
        variants = None if wanted.game is None else _find_variants(db, wanted.game)
        bridges, table = self._scope.bridges, wanted.table
        if table is not None and self._show_places:
            place, _, table = table.rpartition(SEPARATOR)
            there = (bridge_id for bridge_id, each in self._list_places(db).items() if each == place)
            bridges = tuple(each for each in there if bridges is None or each in bridges)
        return {
            "since": max(since, _within(wanted.since) or since),
            "before": min(before, _within(wanted.before) or before),
            "variants": variants,
            "table": table,
            "bridges": None if bridges is None else [*bridges],
            "latest": wanted.latest,
            "first": wanted.first,
        }

    def _read(self, db: Database, rows: Sequence[TupleRow]) -> list[PlayedMatch]:
        """Returns the matches of these rows."""
        places = self._list_places(db) if self._show_places else {}
        heads = [_decode_head(text) for text, _ in rows]
        shown: dict[int, str] = dict(db.execute(_FIND_SHOWN, [[*{name for each in heads for name in each.seats}]]))
        return [
            decode_body(
                body,
                head.match,
                self._show_table(places, head.bridge_id, head.table),
                head.begun_at,
                tuple(map(shown.get, head.seats)),
            )
            for head, (_, body) in zip(heads, rows, strict=True)
        ]

    def _list_places(self, db: Database) -> dict[UUID, str]:
        return dict(db.execute(_LIST_BRIDGES).fetchall())

    def _show_table(self, places: Mapping[UUID, str], bridge_id: UUID, table: str) -> str:
        return f"{places.get(bridge_id, '')}{SEPARATOR}{table}" if self._show_places else table


def _within(moment: datetime | None) -> datetime | None:
    """The moment, or the first or last one that a database has."""
    return moment and min(max(moment, _EVER[0]), _EVER[1])


def _find_variants(db: Database, wanted: str) -> list[int]:
    """The ids of what is called so: a variant, a game, or a title, as Selection has it."""
    name = wanted.casefold()
    kind = "variant" if name in PRESETS else "game" if name in GAMES else "text"
    return [each for (each,) in db.execute(_FIND_VARIANTS, {"kind": kind, "name": name}).fetchall()]
