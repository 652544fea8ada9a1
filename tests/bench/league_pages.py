"""How long do the pages of a league take, with 1,000, 100,000 and 1,000,000 matches, and how are they found?

    python -m tests.bench.league_pages [--played 1000] [--counts 1000,100000,1000000]

The first ones are played and folded; the others are copies of what these came to, with other ids, earlier dates and
other players. It prints Markdown: a table of times, what a match takes on the disk, and for each question what the
database has to read (its plan, in short). A line with `Seq Scan on part` or `on played` has no index that fits.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import psycopg
from msgspec import Raw
from psycopg import Connection, Cursor

from daemon.admin import requests
from daemon.admin.history.reader import FiguresReader
from daemon.collect.folding import fold_all
from daemon.collect.postgres_source import PostgresSource, Scope
from tests.daemon.evenings import Evening
from tests.league.conftest import find_postgres
from tests.league.offers import IDS, NORTH
from tests.league.postgres import ADMIN, Postgres
from tests.league.sending import list_records, send

_PEOPLE = [f"Player {n}" for n in range(40)]
_GROUPS = 100
"""So many places: the copies have so many times as many people."""
_RUNS = 5
_PATIENCE_MS = 5000
"""What takes longer is asked once."""
_SCAN = re.compile(r"(Seq Scan|Index \w*\s?Scan|Bitmap Heap Scan).* on (\w+)")

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
    insert into oche.played (bridge_id, table_name, match, begun_at, variant_id, seats, body)
    select case g %% %(groups)s when 0 then bridge_id else md5((g %% %(groups)s)::text)::uuid end, table_name,
        match || '-' || g, begun_at - g * interval '1447 minutes', variant_id,
        array(select case seat when 0 then 0 else seat + (g %% %(groups)s) * %(people)s end from unnest(seats) seat),
        body
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
_EMPTY_ROLLUP = "truncate oche.rollup"
_ROLL_UP = """
    insert into oche.rollup
    select name_id, name_key, bridge_id, table_name, variant_id, date_trunc('month', begun_at, 'UTC')::date, count(*),
        count(distinct match), count(distinct match) filter (where was_stopped),
        count(distinct match) filter (where has_won), sum(darts), sum(points), sum(marks), sum(legs), sum(legs_won),
        max(high_finish), min(begun_at), max(begun_at)
    from oche.part where is_counted
    group by name_id, name_key, bridge_id, table_name, variant_id, date_trunc('month', begun_at, 'UTC')
"""
_MEASURE = """
    select c.relname, pg_table_size(c.oid), pg_indexes_size(c.oid) from pg_class c
    where c.relnamespace = 'oche'::regnamespace and c.relname in ('match', 'played', 'part', 'meeting', 'rollup')
    order by 1
"""


class _Explaining(Cursor[Any]):
    """Notes the plan of each statement."""

    plans: list[str] = []  # noqa: RUF012  of all of them

    def execute(self, query: Any, params: Any = None, **given: Any) -> _Explaining:
        if not str(query).startswith("set"):
            with psycopg.Cursor(self.connection) as other:
                other.execute("explain " + str(query), params, **given)
                self.plans += (line for (line,) in other.fetchall())
        super().execute(query, params, **given)
        return self


def _play(folder: Path, matches: int) -> None:
    with Evening(folder) as main, Evening(folder, "two") as other:
        for n in range(matches):
            two = [_PEOPLE[n % 40], _PEOPLE[(n * 7 + 1) % 40]]
            game: dict[str, Any] = {"game": "cricket"} if n % 5 == 0 else {"options": {"start": (301, 501)[n % 2]}}
            bots = {"bots": [None, 60], "players": [two[0], "Robot"]} if n % 9 == 0 else {"players": two}
            (main, other)[n % 2].throw(n, 20, day=n / 6, **game, **bots)


def _copy(db: Connection[Any], played: int, first: int, last: int, people: int) -> None:
    """Adds the copies of these numbers."""
    given = {"first": first, "last": last, "groups": _GROUPS, "people": people}
    db.execute("set session_replication_role = replica")  # what is copied is whole: nothing is checked again
    for query in (_COPY_MATCHES, _COPY_PLAYED, _COPY_PARTS, _COPY_MEETINGS):
        db.execute(query, given)
    db.execute(_EMPTY_ROLLUP)
    db.execute(_ROLL_UP)
    db.execute("set session_replication_role = origin")
    db.execute("vacuum analyze")


def _list_questions(match: str) -> Iterator[tuple[str, requests.FiguresRequest]]:
    yield "all players", requests.ListFigures()
    yield "all players since a day", requests.ListFigures(since="2026-10-20")
    yield "all players of a game and a table", requests.ListFigures(game="cricket", table="north · two")
    yield "a player", requests.ReadFigures(name=_PEOPLE[1])
    yield "two players", requests.ReadHeadToHead(name=_PEOPLE[1], other=_PEOPLE[8])
    yield "the latest matches", requests.ListMatches()
    yield "the latest matches of a player", requests.ListMatches(player=_PEOPLE[1])
    yield "the latest matches of a game", requests.ListMatches(game="cricket")
    yield "the matches before a day, at a table", requests.ListMatches(before="2026-10-20", table="north · two")
    yield "a match", requests.ReadMatch(match)
    yield "the standings of a month", requests.ReadLeague("2026-10")
    yield "the standings of a month at one place", requests.ReadLeague("2026-10")
    yield "an evening at one place", requests.ReadEvening("2026-10-20T12:00:00+00:00", "2026-10-21T12:00:00+00:00")


def _ask(db: Connection[Any], scope: Scope, request: requests.FiguresRequest) -> object:
    return FiguresReader(PostgresSource(lambda: nullcontext(db), scope)).answer(request)


def _measure(postgres: Postgres, database: str, count: int, match: str) -> Iterator[str]:
    @contextmanager
    def connect(factory: type[Cursor[Any]] = psycopg.Cursor) -> Iterator[Connection[Any]]:
        address = postgres.url(database, ADMIN)
        with psycopg.connect(address, options="-c TimeZone=UTC", cursor_factory=factory, autocommit=True) as db:
            yield db

    yield f"\n{count} matches:\n\n| question | ms, the first time | ms | kB | reads |\n|---|---|---|---|---|"
    for name, request in _list_questions(match):
        scope = Scope(bridges=(IDS[NORTH],)) if name.endswith("at one place") else Scope()
        times, answer = list[float](), b""
        for _ in range(_RUNS):
            started_s = time.perf_counter()
            found = FiguresReader(PostgresSource(connect, scope)).answer(request)
            times.append((time.perf_counter() - started_s) * 1000)
            answer = bytes(found) if isinstance(found, Raw) else b""
            if times[0] > _PATIENCE_MS:
                break
        _Explaining.plans.clear()
        with connect(_Explaining) as explained:
            _ask(explained, scope, request)
        scans = map(_SCAN.search, _Explaining.plans)
        reads = sorted({f"{each[1]} on {each[2]}" for each in scans if each})
        numbers = (times[0], statistics.median(times), len(answer) / 1000)
        yield f"| {name} | {' | '.join(f'{each:.0f}' for each in numbers)} | {', '.join(reads)} |"


def measure(played: int, counts: Sequence[int]) -> Iterator[str]:
    """Yields Markdown."""
    with Postgres(find_postgres(), settings=("shared_buffers=512MB", "max_wal_size=4GB")) as postgres:
        database = postgres.create_league()
        with (
            tempfile.TemporaryDirectory() as folder,
            psycopg.connect(postgres.url(database, ADMIN), options="-c TimeZone=UTC", autocommit=True) as db,
        ):
            _play(Path(folder), played)
            records = list_records(Path(folder))
            send(db, *records)
            started_s = time.perf_counter()
            fold_all(db, "bench")
            yield f"{played} matches are folded in {time.perf_counter() - started_s:.1f} s by one process."
            (people,) = db.execute("select max(id) from oche.person_name").fetchone() or (0,)
            for query in (_COPY_BRIDGES, _COPY_PEOPLE, _COPY_NAMES):
                db.execute(query, {"groups": _GROUPS})
            done = 1
            for count in counts:
                if (copies := count // played) > done:
                    _copy(db, played, done, copies - 1, people)
                    done = copies
                db.execute("vacuum analyze")
                yield from _measure(postgres, database, done * played, records[0][1].id)
                for name, size, indexes in db.execute(_MEASURE).fetchall():
                    each, index = size / done / played, indexes / done / played
                    yield f"* {name}: {each:.0f} bytes a match, and {index:.0f} of indexes"


def main() -> None:
    """Prints it."""
    parser = argparse.ArgumentParser(description="Times and plans of a league's pages.")
    parser.add_argument("--played", type=int, default=1000)
    parser.add_argument("--counts", default="1000,100000,1000000")
    given = parser.parse_args()
    for line in measure(given.played, [*map(int, given.counts.split(","))]):
        print(line, flush=True)


if __name__ == "__main__":
    main()
