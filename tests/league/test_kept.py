"""What is kept of ratings and months: it comes to what the journals come to, and is of no more than is in them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from psycopg import Connection, Cursor

from daemon.admin import requests
from daemon.collect import kept
from daemon.collect.folding import fold_all, fold_some, mark_all
from daemon.collect.folding_process import fold_now
from daemon.collect.kept import LAST, keep_books, make_stamp
from daemon.collect.postgres_source import PostgresSource
from daemon.errors import UserError
from daemon.release import read_version
from tests.daemon.evenings import DAY, Evening
from tests.league.offers import SOUTH, forget
from tests.league.pages import configure_league
from tests.league.postgres import WRITER, Postgres
from tests.league.sending import connect, list_records, say, send, send_players
from tests.league.test_sources import PlainSeason, ask, count_everyone, give, open_journals, open_league

STAMP = make_stamp("1", "UTC")
QUESTIONS: Sequence[requests.FiguresRequest] = (
    requests.ReadRatings(),
    requests.ReadRatings("101"),
    *(requests.ReadLeague(month) for month in ("2026-10", "2026-11")),
)


@pytest.fixture
def db(postgres: Postgres, league_database: str) -> Iterator[Connection[Any]]:
    with connect(postgres, league_database) as db:
        yield db


def open_kept(db: Connection[Any], stamp: str = STAMP, most: int = 50_000) -> PostgresSource:
    return PostgresSource(lambda: give(db), show_places=False, kept=stamp, most_digests=most)


def play(folder: Path, matches: int) -> None:
    with Evening(folder) as evening:
        for day in range(matches):
            evening.play("T20 S1 D20", day=day / 2, players=[f"P{day % 3}", f"P{day % 3 + 1}"], options={"start": 101})


def send_all(db: Connection[Any], folder: Path) -> None:
    send(db, *list_records(folder))
    fold_all(db, "1")


def count_kept(db: Connection[Any]) -> int:
    (found,) = db.execute("select count(*) from oche.kept").fetchone() or (0,)
    return int(found)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(12) if seed != 3)])
def test_whatever_comes_late_or_changes_what_is_kept_is_what_the_journals_say(
    tmp_path: Path, db: Connection[Any], monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(kept, "_MOST", 3)  # at once
    season, random, made = PlainSeason(tmp_path, seed), Random(seed), 0
    now = list_records(tmp_path)
    for _ in range(5):
        season.play(7)
        now = list_records(tmp_path)
        for some in random.sample(now, len(now) // 2):
            send(db, some)
            fold_some(db, "1", most=2)
            if random.random() < 0.3:
                made += keep_books(db, STAMP, LAST, least=2)
        season.change_names()
        count_everyone(tmp_path)
        send_players(db, tmp_path)
    send(db, *random.sample(now, len(now)))
    fold_all(db, "1")
    for _ in range(2):
        send_players(db, tmp_path)
        league, journals = open_kept(db), open_journals(tmp_path)
        for question in QUESTIONS:
            assert ask(league, question) == ask(journals, question), question
        made += keep_books(db, STAMP, LAST, least=2)
    assert made > 5
    assert count_kept(db), "or nothing of it was tested"


def test_what_is_kept_takes_the_place_of_the_matches_until_one_of_them_changes(
    tmp_path: Path, db: Connection[Any]
) -> None:
    play(tmp_path, 9)
    send_all(db, tmp_path)
    assert keep_books(db, STAMP, LAST, least=2) == 2, "the ratings, and a month"
    assert keep_books(db, STAMP, LAST, least=2) == 0
    source = open_kept(db, most=0)
    answers = [ask(source, question) for question in QUESTIONS]
    assert answers == [ask(open_journals(tmp_path), question) for question in QUESTIONS]
    with pytest.raises(UserError, match="still counting"):
        open_kept(db, make_stamp("1", "Asia/Tokyo"), most=0).rate_players()
    mark_all(db)
    fold_some(db, "1", most=1)
    with pytest.raises(UserError, match="still counting"):
        source.rate_players()
    fold_all(db, "1")
    keep_books(db, STAMP, LAST, least=2)
    assert [ask(source, question) for question in QUESTIONS] == answers


def test_a_match_that_comes_late_is_counted(tmp_path: Path, db: Connection[Any]) -> None:
    play(tmp_path, 9)
    records = list_records(tmp_path)
    for late in (records[3], records[0]):
        send(db, *(each for each in records if each not in (records[0], late)))
        fold_all(db, "1")
        keep_books(db, STAMP, LAST, least=2)
        send(db, late)
        fold_all(db, "1")
        assert ask(open_kept(db), QUESTIONS[0]) == ask(open_league(db), QUESTIONS[0])
    assert ask(open_kept(db), QUESTIONS[0]) == ask(open_journals(tmp_path), QUESTIONS[0])


class Interrupted(Connection[Any]):
    """Has a match vanish by another connection before one of the statements that delete."""

    other: Connection[Any]
    left: int

    def execute(self, query: Any, *given: Any, **more: Any) -> Cursor[Any]:
        self.left -= "delete from" in query
        if "delete from" in query and self.left == 0:
            self.other.execute("delete from oche.played where begun_at = (select min(begun_at) from oche.played)")
        return super().execute(query, *given, **more)


@pytest.mark.parametrize("statement", [1, 2, 3])
def test_no_change_is_lost_while_a_book_is_made(
    tmp_path: Path, db: Connection[Any], postgres: Postgres, league_database: str, statement: int
) -> None:
    play(tmp_path, 8)
    records = list_records(tmp_path)
    send(db, *records[:5])
    fold_all(db, "1")
    assert keep_books(db, STAMP, LAST, least=2)
    send(db, *records[5:])
    fold_all(db, "1")
    with Interrupted.connect(postgres.url(league_database, WRITER), options="-c TimeZone=UTC") as interrupted:
        interrupted.other, interrupted.left = db, statement
        keep_books(interrupted, STAMP, LAST, least=2)
    for question in QUESTIONS:
        assert ask(open_kept(db), question) == ask(open_league(db), question)
    (game,) = ask(open_kept(db), QUESTIONS[0])["games"]
    assert game["matches"] == 7


def test_a_match_that_is_dropped_while_a_book_is_made_is_not_in_it(
    tmp_path: Path, db: Connection[Any], postgres: Postgres, league_database: str
) -> None:
    play(tmp_path, 5)
    send_all(db, tmp_path)
    with connect(postgres, league_database) as other, other.transaction():
        other.execute("delete from oche.played where begun_at = (select max(begun_at) from oche.played)")
        assert keep_books(db, STAMP, LAST, least=2), "it waits for nobody"
        (game,) = ask(open_kept(db), QUESTIONS[0])["games"]
        assert game["matches"] == 5
    (game,) = ask(open_kept(db), QUESTIONS[0])["games"]
    assert game["matches"] == 4
    assert ask(open_kept(db), QUESTIONS[0]) == ask(open_league(db), QUESTIONS[0])


def test_whoever_is_joined_while_their_match_is_folded_and_kept_is_one_person(
    tmp_path: Path, db: Connection[Any], postgres: Postgres, league_database: str
) -> None:
    play(tmp_path, 5)
    send(db, *list_records(tmp_path))
    join = """
        update oche.person_name set person_id = (select person_id from oche.person_name where name_key = 'p0')
        where name_key = 'p3'
    """
    with connect(postgres, league_database) as other, other.transaction():
        other.execute(join)
        fold_all(db, "1")
        assert keep_books(db, STAMP, LAST, least=2)
    for question in QUESTIONS:
        assert ask(open_kept(db), question) == ask(open_league(db), question)


def test_of_a_person_of_two_places_what_one_of_them_forgets_counts_no_more_at_once(
    tmp_path: Path, db: Connection[Any]
) -> None:
    play(tmp_path, 6)
    records = list_records(tmp_path)
    send(db, *records)
    send(db, *records[:2], sender=SOUTH)
    db.execute(
        "update oche.person_name set person_id = (select min(person_id) from oche.person_name where name_key = 'p1')"
        " where name_key = 'p1'"
    )
    fold_all(db, "1")
    assert keep_books(db, STAMP, LAST, least=2)
    say(db, forget("P1", at="2026-12-01T00:00:00Z"))
    for question in QUESTIONS:
        assert ask(open_kept(db), question) == ask(open_league(db), question)


def test_of_somebody_who_is_forgotten_nothing_is_kept(tmp_path: Path, db: Connection[Any]) -> None:
    play(tmp_path, 8)
    with Evening(tmp_path) as evening:
        evening.play("T20 S1 D20", day=9, players=["P1", "P2", "P3"], options={"start": 101})
    send_all(db, tmp_path)
    keep_books(db, STAMP, DAY + timedelta(8), least=2)
    say(db, forget("P1", at="2026-12-01T00:00:00Z"))
    assert "P1" not in str(ask(open_kept(db), QUESTIONS[0])), "at once"
    fold_all(db, "1")
    keep_books(db, STAMP, LAST, least=2)
    assert [ask(open_kept(db), question) for question in QUESTIONS] == [
        ask(open_league(db), question) for question in QUESTIONS
    ]
    states = [bytes(state) for (state,) in db.execute("select state from oche.kept").fetchall()]
    assert states
    assert not any(name in state for name in (b"P0", b"P1", b"P2", b"P3") for state in states)


def test_few_are_kept_and_old_ones_among_them(
    tmp_path: Path, db: Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_MOST", 1)
    play(tmp_path, 40)
    send_all(db, tmp_path)
    assert keep_books(db, STAMP, LAST, least=1) == 80
    found = db.execute("select until from oche.kept where question = 'ratings' order by 1 desc").fetchall()
    ages = [(found[0][0] - each).days for (each,) in found]
    assert len(ages) <= 7
    assert ages[0] == 0
    assert ages[-1] >= 10


@pytest.fixture
def time_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The zone of the league; what sets that of this machine is undone."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "America/New_York")
        time.tzset()
        yield "Europe/Berlin"
    time.tzset()


@pytest.fixture
def fold_in_zone(
    tmp_path: Path, postgres: Postgres, league_database: str, time_zone: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], object]:
    """Folds what is new by the days of this zone, and keeps even a single match."""
    monkeypatch.setattr(kept, "_LEAST", 1)
    config = configure_league(tmp_path, postgres, league_database, time_zone=time_zone)
    return lambda: fold_now(config, again=False)


def test_what_is_kept_is_by_the_days_of_the_league(
    tmp_path: Path,
    db: Connection[Any],
    time_zone: str,
    fold_in_zone: Callable[[], object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept, "_LATE", timedelta(-9999))
    with Evening(tmp_path) as evening:
        late = (datetime(2026, 10, 31, 23, 30, tzinfo=UTC) - DAY) / timedelta(1)
        evening.play("T20 S1 D20", day=late, options={"start": 101})
    send(db, *list_records(tmp_path))
    fold_in_zone()
    source = open_kept(db, make_stamp(read_version(), time_zone), most=0)
    (game,) = ask(source, QUESTIONS[0])["games"]
    assert game["players"][0]["last"] == "2026-11-01"
    assert len(ask(source, requests.ReadLeague("2026-11"))["players"]) == 2


def test_a_match_at_the_end_of_the_calendar_is_in_the_way_of_nothing(
    tmp_path: Path, db: Connection[Any], fold_in_zone: Callable[[], object]
) -> None:
    play(tmp_path, 3)
    *records, (table, stored) = list_records(tmp_path)
    send(db, *records, (table, stored._replace(at="9999-12-31T23:30:00+00:00")))
    fold_in_zone()
    assert count_kept(db) == 2


class Counting(Connection[Any]):
    """Counts the statements that read digests."""

    readings: int = 0

    def execute(self, query: Any, *given: Any, **more: Any) -> Cursor[Any]:
        self.readings += "seats, digest)" in query
        return super().execute(query, *given, **more)


def test_what_is_not_kept_yet_is_not_read_each_minute(
    tmp_path: Path, db: Connection[Any], postgres: Postgres, league_database: str
) -> None:
    play(tmp_path, 5)
    send_all(db, tmp_path)
    with Counting.connect(postgres.url(league_database, WRITER), options="-c TimeZone=UTC") as counting:
        assert keep_books(counting, STAMP, LAST, least=6) == 0
        assert counting.readings == 0
        assert keep_books(counting, STAMP, LAST, least=5) == 2
        assert keep_books(counting, STAMP, LAST, least=5) == 0
        assert counting.readings == 2


def test_one_at_a_time_keeps(tmp_path: Path, db: Connection[Any], postgres: Postgres, league_database: str) -> None:
    play(tmp_path, 4)
    send_all(db, tmp_path)
    with connect(postgres, league_database) as other:
        other.execute("select pg_advisory_lock(7204305)")
        assert keep_books(db, STAMP, LAST, least=2) == 0
        other.execute("select pg_advisory_unlock(7204305)")
        assert keep_books(db, STAMP, LAST, least=2) == 2
    assert keep_books(db, STAMP, LAST, least=2) == 0
