"""What ratings and the tables of months were at some moments, kept so that the pages of a large league start there.

Each is made from the one before it and the matches since. One that a match is later found to be missing from, or that
has a match which has changed since, counts no more from that moment on, and is made again from an earlier one. There
are only ids of persons in it, and no names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Generic, NamedTuple, TypeVar
from uuid import UUID

import msgspec
from psycopg import Connection
from psycopg.rows import TupleRow

from daemon.admin.history.digest import DigestedMatch
from daemon.admin.history.league import MonthBook, find_bounds, month_of
from daemon.admin.history.ratings import RatingBook
from daemon.collect.digests import read_digests

_LOCK = 7_204_305
"""The number of the advisory lock of who keeps: one at a time."""
_LEAST, _MOST = 2_000, 20_000
"""Matches for which it is worth while, and that are read at once."""
_LATE = timedelta(hours=1)
"""Most matches are known so long after their beginning."""

_TRY_LOCK = "select pg_try_advisory_lock(%s)"
_UNLOCK = "select pg_advisory_unlock(%s)"
_FREEZE = "set transaction isolation level repeatable read"
_FIND = """
    select until, state from oche.kept k where question = %(question)s and stamp = %(stamp)s
        and not exists (select from oche.kept_change c where c.begun_at >= k.since and c.begun_at < k.until)
        and not exists (
            select from oche.kept_change c join oche.part p on p.name_id = c.name_id
            where p.begun_at >= k.since and p.begun_at < k.until
        )
    order by until desc limit 1
"""
_DROP_WRONG = """
    delete from oche.kept k where stamp <> %(stamp)s
        or exists (select from oche.kept_change c where c.begun_at >= k.since and c.begun_at < k.until)
        or exists (
            select from oche.kept_change c join oche.part p on p.name_id = c.name_id
            where p.begun_at >= k.since and p.begun_at < k.until
        )
"""
_DROP_CHANGES = "delete from oche.kept_change"
_KEEP = """
    insert into oche.kept (question, stamp, since, until, state)
    values (%(question)s, %(stamp)s, %(since)s, %(until)s, %(state)s)
"""
_THIN = """
    delete from oche.kept k using oche.kept older
    where k.question = %(question)s and k.stamp = %(stamp)s and k.until < %(until)s
        and (older.question, older.stamp) = (k.question, k.stamp) and older.until < k.until
        and floor(log(4, greatest(1, extract(epoch from %(until)s - k.until) / 3600)))
            = floor(log(4, greatest(1, extract(epoch from %(until)s - older.until) / 3600)))
"""
"""The older, the fewer: after a late match little is to be made again, and there are never many."""
_COUNT = """
    select count(*) from (
        select from oche.played where begun_at >= %(since)s and begun_at < %(before)s and digest is not null
        limit %(least)s
    ) as found
"""
_NEXT = "select min(begun_at) from oche.played where begun_at >= %s and begun_at < %s"

Database = Connection[TupleRow]
Book = TypeVar("Book", RatingBook, MonthBook)


class Question(NamedTuple, Generic[Book]):
    """What is kept: the book of this kind of the matches in this time."""

    name: str
    kind: type[Book]
    since: datetime
    before: datetime


FIRST, LAST = (datetime.fromisoformat(f"{day}T00:00:00+00:00") for day in ("0001-01-02", "9999-12-31"))
"""Of the moments that a database has."""
RATINGS = Question("ratings", RatingBook, FIRST, LAST)


def ask_month(month: str) -> Question[MonthBook]:
    """The question for a month, as in 2026-11, of this machine's time zone."""
    since, before = find_bounds(month)
    return Question(f"month {month}", MonthBook, max(since, FIRST), min(before, LAST))


def make_stamp(version: str, zone: str) -> str:
    """Returns what the figures of this program are kept as, by the days of this time zone."""
    return f"{version} {zone}"


def add_up(
    db: Database, question: Question[Book], most: int, bridges: Sequence[UUID] | None = None, stamp: str | None = None
) -> Book | None:
    """Returns the book of the matches of these daemons, of all without; None: more than `most` have to be read for it.

    With a stamp, which goes with all daemons, it begins with what is kept.
    """
    with db.transaction():
        db.execute(_FREEZE)
        state, since = (None, question.since) if stamp is None else _find(db, question, stamp)
        given = {"since": since, "before": question.before, "bridges": None if bridges is None else list(bridges)}
        matches, _ = read_digests(db, given, most + 1)
    return None if len(matches) > most else _go_through(question, state, matches)


def _find(db: Database, question: Question[Book], stamp: str) -> tuple[bytes | None, datetime]:
    """The book that is kept, None where there is none, and from when on matches are missing from it."""
    row = db.execute(_FIND, {"question": question.name, "stamp": stamp}).fetchone()
    return (None, question.since) if row is None else (row[1], row[0])


def _go_through(question: Question[Book], state: bytes | None, matches: Sequence[DigestedMatch]) -> Book:
    """The book that was kept so, or a new one, with these matches."""
    book = question.kind() if state is None else msgspec.json.decode(state, type=question.kind)
    for match in matches:
        book.add(match)
    return book


def keep_books(db: Database, stamp: str, until: datetime | None = None, least: int | None = None) -> int:
    """Keeps the ratings and the months as far as there are many more matches than before; returns how many it kept.

    It takes those that began before `until`, an hour ago by default. Raises psycopg.Error.
    """
    until, least = until or datetime.now(UTC) - _LATE, least or _LEAST
    with db.transaction():
        if db.execute(_TRY_LOCK, [_LOCK]).fetchone() != (True,):
            return 0
    try:
        kept = 0
        while _go_on(db, RATINGS, stamp, until, least):
            kept += 1
        for month in _list_months(db):
            while _go_on(db, month, stamp, until, least):
                kept += 1
        return kept
    finally:
        with db.transaction():
            db.execute(_UNLOCK, [_LOCK])


def _go_on(db: Database, question: Question[Book], stamp: str, until: datetime, least: int) -> bool:
    """Keeps a longer book, if there are enough matches.

    What changes after the first transaction is not in the book, but is noted by whoever changes it: then the book
    counts no more. The transactions are short: one that idles is ended by the server.
    """
    given: dict[str, object] = {"question": question.name, "stamp": stamp, "since": question.since}
    with db.transaction():
        db.execute(_FREEZE)
        db.execute(_DROP_WRONG, given)
        db.execute(_DROP_CHANGES)
        state, since = _find(db, question, stamp)
        wanted = {"since": since, "before": min(question.before, until), "bridges": None}
        if db.execute(_COUNT, {**wanted, "least": least}).fetchone() != (least,):  # as of nearly all months
            return False
        matches, last = read_digests(db, wanted, max(_MOST, least))
    if len(matches) < least or last is None:
        return False
    book = _go_through(question, state, matches)
    given |= {"until": last + timedelta(microseconds=1), "state": msgspec.json.encode(book)}
    with db.transaction():
        db.execute(_KEEP, given)
        db.execute(_THIN, given)
    return True


def _list_months(db: Database) -> Iterator[Question[MonthBook]]:
    """Yields the months in which there are matches."""
    since = FIRST
    while True:
        with db.transaction():
            (first,) = db.execute(_NEXT, [since, LAST]).fetchone() or (None,)
        if first is None:
            return
        month = ask_month(month_of(first.astimezone()))
        yield month
        since = month.before
