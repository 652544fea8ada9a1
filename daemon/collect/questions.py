"""How the pages of a league ask the database: in a few threads, for a few seconds, by the login that reads.

A client that has gone away costs nothing more: what it has asked for is broken off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TypeVar

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool, PoolTimeout

from daemon.admin.answers import Refused
from daemon.collect.config import Database
from daemon.collect.database import explain, make_reader_pool
from daemon.collect.migrations import check_tables
from daemon.collect.postgres_source import Connect
from daemon.errors import UserError

T = TypeVar("T")
_AT_ONCE = 4
_MOST_WAITING = 64
_BUSY_S = 2.0
_TOO_LONG = "this takes the database too long: choose a place, a game or a shorter time"
_NOT_ASKED = "no name of the league has such a character: write it without"


class DatabaseTrouble(UserError):
    """The database answers nothing at the moment, whatever is asked."""


class Questions:
    """`ask` is called in the event loop, what is asked in a thread. To be closed."""

    def __init__(self, database: Database, statement_s: float = 5.0) -> None:
        self._pool = make_reader_pool(database, _AT_ONCE, statement_s)
        self._threads = ThreadPoolExecutor(_AT_ONCE, "questions")
        self._open = 0
        """How many are asked, or wait for a thread."""
        self._is_checked = False

    async def ask(self, question: Callable[[Connect], T]) -> T:
        """Returns the answer; `question` gets what it connects by. Raises Refused, DatabaseTrouble and as it does."""
        if self._open >= _MOST_WAITING:
            raise Refused("busy", "the league is asked too much at the moment: try again later", _BUSY_S)
        loop, asked = asyncio.get_running_loop(), _Question(self._pool)
        self._open += 1
        job = self._threads.submit(self._run, asked, question)
        job.add_done_callback(lambda _: loop.is_closed() or loop.call_soon_threadsafe(self._count_done))
        try:
            return await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            loop.run_in_executor(None, asked.cancel)
            raise

    def _count_done(self) -> None:
        self._open -= 1

    def _run(self, asked: _Question, question: Callable[[Connect], T]) -> T:
        if not self._is_checked:
            self._pool.open()  # again and again does no harm
            with asked.connect() as db:
                _check_tables(db)
            self._is_checked = True
        return question(asked.connect)

    def close(self) -> None:
        """Ends it: nothing is asked any more."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._pool.close(timeout=0)


def _check_tables(db: Connection[TupleRow]) -> None:
    try:
        check_tables(db)
    except UserError as error:
        raise DatabaseTrouble(error.said) from None


class _Question:
    """What one client asks, over as many connections as it takes, one after the other."""

    def __init__(self, pool: ConnectionPool[Connection[TupleRow]]) -> None:
        self._pool = pool
        self._lock = Lock()
        self._db: Connection[TupleRow] | None = None
        self._is_cancelled = False

    @contextmanager
    def connect(self) -> Iterator[Connection[TupleRow]]:
        """A connection while the block lasts. Raises DatabaseTrouble, and UserError for what takes too long."""
        try:
            with self._pool.connection() as db, self._using(db):
                yield db
        except PoolTimeout:
            raise DatabaseTrouble(
                "the database cannot be reached: check that PostgreSQL runs, and [database]; the pages come back by "
                "themselves"
            ) from None
        except psycopg.errors.QueryCanceled:
            raise UserError(_TOO_LONG) from None
        except psycopg.DataError:  # as of a zero byte, which PostgreSQL has in no text
            raise UserError(_NOT_ASKED) from None
        except psycopg.Error as error:
            raise DatabaseTrouble(explain(error)) from None

    @contextmanager
    def _using(self, db: Connection[TupleRow]) -> Iterator[None]:
        with self._lock:
            if self._is_cancelled:
                raise UserError("nobody waits for this any more")
            self._db = db
        try:
            yield
        finally:
            with self._lock:
                self._db = None

    def cancel(self) -> None:
        """Breaks off what is being asked, and asks nothing more."""
        with self._lock:
            self._is_cancelled = True
            if self._db is not None:
                with suppress(psycopg.Error):
                    self._db.cancel_safe(timeout=_BUSY_S)
