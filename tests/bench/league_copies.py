"""A league with a great many matches: some are played and folded, the others are copies of what these came to.

The copies have other ids, earlier dates, and people and places of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from psycopg import Connection

from daemon.journal.lines import StoredMatch
from tests.daemon.evenings import Evening
from tests.league.sending import list_records

PEOPLE = [f"Player {n}" for n in range(40)]
GROUPS = 100
"""So many places: the copies have so many times as many people."""

_COPY_BRIDGES = """
    insert into oche.bridge (bridge_id, base, name)
    select md5(g::text)::uuid, 'oche', 'place ' || g from generate_series(1, %(groups)s - 1) g
"""
_COPY_PEOPLE = """
    insert into oche.person (shown, shown_key)
    select p.shown || ' of ' || g, p.shown_key || ' of ' || g
    from generate_series(1, %(groups)s - 1) g, oche.person p order by g, p.id
"""
_COPY_NAMES = """
    insert into oche.person_name (bridge_id, name_key, name, person_id)
    select md5(g::text)::uuid, n.name_key || ' of ' || g, n.name || ' of ' || g, p.id
    from generate_series(1, %(groups)s - 1) g, oche.person_name n
    join oche.person o on o.id = n.person_id, oche.person p
    where p.shown_key = o.shown_key || ' of ' || g order by g, n.id
"""
_COPY_MATCHES = """
    insert into oche.match (bridge_id, table_name, match, layout, begun_at, lines, sha256, record, names, fold_state)
    select case g %% %(groups)s when 0 then bridge_id else md5((g %% %(groups)s)::text)::uuid end, table_name,
        match || '-' || g, layout, begun_at - g * interval '1447 minutes', lines, sha256,
        record, names, 'folded'
    from oche.match, generate_series(%(first)s::int, %(last)s::int) g where match !~ '-'
"""
_COPY_PLAYED = """
    insert into oche.played (bridge_id, table_name, match, begun_at, variant_id, seats, body, digest)
    select case g %% %(groups)s when 0 then bridge_id else md5((g %% %(groups)s)::text)::uuid end, table_name,
        match || '-' || g, begun_at - g * interval '1447 minutes', variant_id,
        array(select case seat when 0 then 0 else seat + (g %% %(groups)s) * %(people)s end from unnest(seats) seat),
        body, digest
    from oche.played, generate_series(%(first)s::int, %(last)s::int) g where match !~ '-'
"""
_COPY_PARTS = """
    insert into oche.part
    select case g %% %(groups)s when 0 then bridge_id else md5((g %% %(groups)s)::text)::uuid end, table_name,
        match || '-' || g, seat, name_id + (g %% %(groups)s) * %(people)s, name_key,
        begun_at - g * interval '1447 minutes', variant_id, is_counted, was_stopped, has_won, darts, points, marks,
        legs, legs_won, high_finish
    from oche.part, generate_series(%(first)s::int, %(last)s::int) g where match !~ '-'
"""
_COPY_MEETINGS = """
    insert into oche.meeting
    select one + (g %% %(groups)s) * %(people)s, other + (g %% %(groups)s) * %(people)s,
        begun_at - g * interval '1447 minutes',
        case g %% %(groups)s when 0 then bridge_id else md5((g %% %(groups)s)::text)::uuid end,
        table_name, match || '-' || g
    from oche.meeting, generate_series(%(first)s::int, %(last)s::int) g where match !~ '-'
"""
_EMPTY = "truncate oche.rollup, oche.kept, oche.kept_change"
_ROLL_UP = """
    insert into oche.rollup
    select name_id, name_key, bridge_id, table_name, variant_id, date_trunc('month', begun_at, 'UTC')::date, count(*),
        count(distinct match), count(distinct match) filter (where was_stopped),
        count(distinct match) filter (where has_won), sum(darts), sum(points), sum(marks), sum(legs), sum(legs_won),
        max(high_finish), min(begun_at), max(begun_at)
    from oche.part where is_counted
    group by name_id, name_key, bridge_id, table_name, variant_id, date_trunc('month', begun_at, 'UTC')
"""
_SIZES = """
    select c.relname, pg_table_size(c.oid), pg_indexes_size(c.oid) from pg_class c
    where c.relnamespace = 'oche'::regnamespace
        and c.relname in ('match', 'played', 'part', 'meeting', 'rollup', 'kept')
    order by 1
"""


def play(folder: Path, matches: int) -> list[tuple[str, StoredMatch]]:
    """Plays so many at two tables, three an evening; returns their records."""
    with Evening(folder) as main, Evening(folder, "two") as other:
        for n in range(matches):
            two = [PEOPLE[n % 40], PEOPLE[(n * 7 + 1) % 40]]
            game: dict[str, Any] = {"game": "cricket"} if n % 5 == 0 else {"options": {"start": (301, 501)[n % 2]}}
            bots = {"bots": [None, 60], "players": [two[0], "Robot"]} if n % 9 == 0 else {"players": two}
            (main, other)[n % 2].throw(n, 20, day=n / 6, **game, **bots)
    return list_records(folder)


class Copies:
    """The league that is in this database, grown by copies."""

    def __init__(self, db: Connection[Any], played: int) -> None:
        self._db = db
        self._played = played
        self._done = 1
        row = db.execute("select max(id) from oche.person_name").fetchone()
        self._people: int = row[0] if row else 0
        for query in (_COPY_BRIDGES, _COPY_PEOPLE, _COPY_NAMES):
            db.execute(query, {"groups": GROUPS})
        db.execute("vacuum analyze")

    @property
    def matches(self) -> int:
        """How many there are."""
        return self._done * self._played

    def grow(self, count: int) -> None:
        """Copies until there are so many matches; nothing is kept of them yet."""
        copies = count // self._played
        given = {"first": self._done, "last": copies - 1, "groups": GROUPS, "people": self._people}
        self._db.execute("set session_replication_role = replica")  # what is copied is whole: nothing is checked again
        for query in (_COPY_MATCHES, _COPY_PLAYED, _COPY_PARTS, _COPY_MEETINGS):
            self._db.execute(query, given)
        self._db.execute(_EMPTY)
        self._db.execute(_ROLL_UP)
        self._db.execute("set session_replication_role = origin")
        self._db.execute("vacuum analyze")
        self._done = copies

    def list_sizes(self) -> Iterator[tuple[str, float, float]]:
        """Yields each table with its bytes a match, and those of its indexes."""
        for name, size, indexes in self._db.execute(_SIZES).fetchall():
            yield name, size / self.matches, indexes / self.matches
