"""A league, measured: what a collector takes, how long the pages take as it grows, and the bytes of a match.

    python -m tests.bench.league_pages [--played 1000] [--counts 1000,100000,1000000]

The first matches are played, sent and folded; the others are copies (tests/bench/league_copies.py). Baselines: of what
is taken, the same bytes as rows of a plain table; of a page, the journals of one daemon with the same matches, and the
league with the first matches alone; of the disk, the records.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg import Connection, Cursor

from daemon.admin import requests
from daemon.admin.answers import Refused
from daemon.admin.history.history import History
from daemon.admin.history.journal_source import JournalSource
from daemon.admin.history.reader import FiguresReader
from daemon.admin.history.source import HistorySource
from daemon.collect.folded import fold_record
from daemon.collect.folding import fold_all
from daemon.collect.kept import LAST, keep_books, make_stamp
from daemon.collect.postgres_source import PostgresSource, Scope
from daemon.errors import UserError
from daemon.journal.lines import StoredMatch
from protocol.layouts import find_layout
from tests.bench.league_copies import PEOPLE, Copies, play
from tests.bench.report import Row, cost, speed, table
from tests.league.conftest import find_postgres
from tests.league.offers import IDS, NORTH
from tests.league.postgres import ADMIN, Postgres
from tests.league.sending import make_record, say

NOTES = (
    "ms: of a processor, by oche and by PostgreSQL together, the quickest of 5; a second of taking: on the clock",
    "taken: committed by one collector, in batches of 500; folded: played again by one process beside it",
    "journals: one daemon's, in memory once they are read; they have no places",
    "answered from what is kept; kept anew: all ratings and months, from the matches alone",
)
_RUNS = 5
_BATCH = 500
_PATIENCE_S = 5.0
"""What takes longer is asked once."""
_STAMP = make_stamp("bench", "UTC")
_SCAN = re.compile(r"(Seq Scan|Index \w*\s?Scan|Bitmap Heap Scan).* on (\w+)")
_PLAIN = "create table plain (record bytea)"
_ADD_PLAIN = "insert into plain values (%s)"
_COUNT_RECORDS = "select sum(length(record)), count(*) from oche.match"
_RECORDS = "select match, table_name, layout, begun_at, record from oche.match"


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


class _Question(NamedTuple):
    """What a page asks; `of_place`: of one place alone, which journals have not."""

    name: str
    request: requests.FiguresRequest
    of_place: bool = False


def list_questions(match: str) -> list[_Question]:
    """What the pages of a league ask."""
    month = requests.ReadLeague("2026-10")
    return [
        _Question("all players", requests.ListFigures()),
        _Question("all, since a day", requests.ListFigures(since="2026-10-20")),
        _Question("a player", requests.ReadFigures(name=PEOPLE[1])),
        _Question("two players", requests.ReadHeadToHead(name=PEOPLE[1], other=PEOPLE[8])),
        _Question("latest matches", requests.ListMatches()),
        _Question("latest of a player", requests.ListMatches(player=PEOPLE[1])),
        _Question("latest of a game", requests.ListMatches(game="cricket")),
        _Question("a match", requests.ReadMatch(match)),
        _Question("a month", month),
        _Question("a month, a place", month, of_place=True),
        _Question("ratings", requests.ReadRatings()),
        _Question("ratings, a place", requests.ReadRatings(), of_place=True),
    ]


Times = dict[str, float]
"""Milliseconds by question."""


def _read_ms(db: Connection[Any]) -> float:
    """What this process and the one of the server that it speaks to have taken of a processor."""
    of_server = Path(f"/proc/{db.info.backend_pid}/schedstat").read_text(encoding="ascii")
    return time.process_time() * 1000 + int(of_server.split()[0]) / 1_000_000


def _ask(db: Connection[Any], questions: Sequence[_Question], open_source: Callable[[Scope], HistorySource]) -> Times:
    """The quickest of a few askings."""
    found = {}
    for name, request, of_place in questions:
        times = list[float]()
        while len(times) < _RUNS and (not times or times[0] < 1000 * _PATIENCE_S):
            source = open_source(Scope(bridges=(IDS[NORTH],)) if of_place else Scope())
            before_ms = _read_ms(db)
            try:
                FiguresReader(source).answer(request)
            except (Refused, UserError) as error:
                raise AssertionError(f"{name}: {error}") from None
            times.append(_read_ms(db) - before_ms)
        found[name] = min(times)
    return found


@contextmanager
def _connect(address: str, factory: type[Cursor[Any]] = psycopg.Cursor) -> Iterator[Connection[Any]]:
    with psycopg.connect(address, options="-c TimeZone=UTC", cursor_factory=factory, autocommit=True) as db:
        yield db


def _take_up(db: Connection[Any], records: Sequence[tuple[str, StoredMatch]]) -> Iterator[Row]:
    """Takes the records, and folds them."""
    messages = [make_record(table_name, stored, NORTH) for table_name, stored in records]
    batches = [messages[first : first + _BATCH] for first in range(0, len(messages), _BATCH)]
    started_s = time.perf_counter()
    for batch in batches:
        say(db, *batch)
    taken_s = time.perf_counter() - started_s
    db.execute(_PLAIN)
    started_s = time.perf_counter()
    for batch in batches:
        with db.transaction(), db.cursor() as cursor:
            cursor.executemany(_ADD_PLAIN, [[each.text] for each in batch])
    plain_s = time.perf_counter() - started_s
    yield speed("records taken", len(records) / taken_s, len(records) / plain_s, "rows of a plain table")
    rows = db.execute(_RECORDS).fetchall()
    started_s = time.perf_counter()
    for row in rows:
        fold_record(*row)
    replayed_s = time.perf_counter() - started_s
    started_s = time.perf_counter()
    fold_all(db, "bench")
    folded_s = time.perf_counter() - started_s
    yield speed("records folded", len(rows) / folded_s, len(rows) / replayed_s, "only played again")


def _weigh(db: Connection[Any], copies: Copies) -> Iterator[Row]:
    size, count = db.execute(_COUNT_RECORDS).fetchone() or (0, 1)
    record = float(size) / count
    for name, rows, indexes in copies.list_sizes():
        yield cost(f"{name}, {copies.matches:,}", rows + indexes, record, "B", "a record, packed")


def _explain(address: str, questions: Sequence[_Question]) -> Iterator[str]:
    """A line for each question: what the database reads for it."""
    for name, request, of_place in questions:
        _Explaining.plans.clear()
        with _connect(address, _Explaining) as db:
            scope = Scope(bridges=(IDS[NORTH],)) if of_place else Scope()
            FiguresReader(PostgresSource(lambda: _give(db), scope, kept=_STAMP)).answer(request)
        scans = map(_SCAN.search, _Explaining.plans)
        line = f"{name}:"
        for each in sorted({f"{each[1].removesuffix(' Scan')} {each[2]}" for each in scans if each}):
            if len(line) + len(each) > 110:
                break
            line += f" {each},"
        yield line.rstrip(",")


@contextmanager
def _give(db: Connection[Any]) -> Iterator[Connection[Any]]:
    yield db


def measure(folder: Path, played: int, counts: Sequence[int]) -> Iterator[str]:
    """Yields Markdown: the rows of all measurements, and the plans with the most matches."""
    # without more processes for a statement: of those nobody knows what they took
    settings = ("shared_buffers=512MB", "max_wal_size=4GB", "max_parallel_workers_per_gather=0")
    with Postgres(find_postgres(), is_safe=True, settings=settings) as postgres:
        address = postgres.url(postgres.create_league(), ADMIN)
        with _connect(address) as db:  # a pool has open ones, too
            records = play(folder, played)
            rows = [*_take_up(db, records)]
            copies = Copies(db, played)
            questions = list_questions(records[0][1].id)
            first = Times()
            for count in counts:
                if count > copies.matches:
                    copies.grow(count)
                before_ms = _read_ms(db)
                keep_books(db, _STAMP, LAST)
                kept_ms = _read_ms(db) - before_ms
                first.setdefault("kept anew", kept_ms)
                db.execute("vacuum analyze oche.kept")
                times = _ask(db, questions, lambda scope: PostgresSource(lambda: _give(db), scope, kept=_STAMP))
                if copies.matches == played:
                    first |= times
                    rows += _compare(db, folder, questions, times, played)
                else:
                    against = f"the same at {played:,}"
                    at = f"{copies.matches:,}"
                    rows += (cost(f"{name}, {at}", ms, first[name], "ms", against) for name, ms in times.items())
                    rows.append(cost(f"kept anew, {at}", kept_ms, first["kept anew"], "ms", against))
                rows += _weigh(db, copies)
            yield table(rows, *NOTES, *_explain(address, questions))


def _compare(
    db: Connection[Any], folder: Path, questions: Sequence[_Question], times: Times, played: int
) -> Iterator[Row]:
    """The pages beside those of a daemon with these journals."""
    layouts = dict.fromkeys(("main", "two"), find_layout("standard"))
    source = JournalSource(History(folder, layouts, "bench"))
    source.read()
    of_journals = _ask(db, [each for each in questions if not each.of_place], lambda _: source)
    for name, ms in times.items():
        yield cost(
            f"{name}, {played:,}",
            ms,
            of_journals.get(name, ms),
            "ms",
            "the journals" if name in of_journals else "itself",
        )


def main() -> None:
    """Prints it."""
    parser = argparse.ArgumentParser(description="What a league takes, and what its pages cost.")
    parser.add_argument("--played", type=int, default=1000)
    parser.add_argument("--counts", default="1000,100000,1000000")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        for text in measure(Path(folder), given.played, [*map(int, given.counts.split(","))]):
            print(text, flush=True)


if __name__ == "__main__":
    main()
