"""How the programs of a league reach PostgreSQL: the two logins, and one sentence for what is in the way.

A statement is always a constant of its module, and what it works on its parameters.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
from psycopg import AsyncConnection, Connection
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from daemon.collect.config import Database
from daemon.collect.migrations import check_schema
from daemon.config.credentials import find_secret, read_secret
from daemon.errors import UserError
from protocol.sentence import say

logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # what it complains of is said here, as one sentence

AsyncDatabase = AsyncConnection[TupleRow]
Pool = AsyncConnectionPool[AsyncDatabase]
_CONNECT_S = 10
_LINK = {
    "connect_timeout": _CONNECT_S,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""A server that has vanished is given up soon."""
_SESSION = "-c TimeZone=UTC -c idle_in_transaction_session_timeout=30s -c lock_timeout=60s"
"""Of a collector whose machine has vanished, others wait for the locks no longer than that."""


def find_address(database: Database, *, is_reader: bool = False) -> str:
    """Returns how libpq reaches the database as the login that writes, or the one that reads. Raises UserError."""
    try:
        given = conninfo_to_dict(database.url)
    except psycopg.ProgrammingError as error:
        raise UserError(f"database.url cannot be read: {_first_line(error)}", 2) from None
    user, file = (
        (database.reader, database.reader_password_file) if is_reader else (database.user, database.password_file)
    )
    secret = find_secret(f"database-{'reader-' if is_reader else ''}password", file)
    if secret is not None:
        given["password"] = read_secret(secret, say("secret.database", "the database's password"))
    options = f"{_SESSION} {given.get('options') or ''}".strip()
    wanted: dict[str, str | int | None] = {**_LINK, **given, "user": user, "options": options}
    return make_conninfo("", **wanted)


def connect(database: Database) -> Connection[TupleRow]:
    """Returns a connection of a command, as the login that writes. Raises UserError."""
    try:
        return psycopg.connect(find_address(database))
    except psycopg.OperationalError as error:
        raise UserError(explain(error)) from None


@asynccontextmanager
async def open_database(database: Database) -> AsyncIterator[AsyncDatabase]:
    """The connection of a command whose tables were checked, in one transaction. Raises UserError."""
    try:
        async with await AsyncConnection.connect(find_address(database)) as db:
            await check_schema(db)
            yield db
    except psycopg.Error as error:
        raise UserError(explain(error)) from None


async def find_trouble(database: Database) -> psycopg.Error | None:
    """Returns why the login that writes gets no connection; None: it does."""
    try:
        await (await AsyncConnection.connect(find_address(database))).close()
    except psycopg.Error as error:
        return error
    return None


def make_pool(database: Database, most: int, *, is_reader: bool = False) -> Pool:
    """Returns a pool of at most so many connections, each tried before it is given; it is to be opened.

    What asks for one waits for a few seconds, then `psycopg_pool.PoolTimeout` is raised. Raises UserError.
    """
    return AsyncConnectionPool(
        find_address(database, is_reader=is_reader),
        connection_class=AsyncDatabase,
        kwargs={"autocommit": True},
        min_size=0,
        max_size=most,
        open=False,
        check=AsyncConnectionPool.check_connection,
        timeout=_CONNECT_S,
        reconnect_timeout=_CONNECT_S,
    )


def make_reader_pool(database: Database, most: int, statement_s: float) -> ConnectionPool[Connection[TupleRow]]:
    """Returns such a pool for threads: of the login that reads, with statements that end in this time."""
    address = find_address(database, is_reader=True)
    limits = f"-c default_transaction_read_only=on -c statement_timeout={statement_s * 1000:.0f}"
    return ConnectionPool(
        make_conninfo(address, options=f"{conninfo_to_dict(address)['options']} {limits}"),
        connection_class=Connection[TupleRow],
        min_size=0,
        max_size=most,
        open=False,
        check=ConnectionPool.check_connection,
        timeout=_CONNECT_S / 5,
        reconnect_timeout=_CONNECT_S,
    )


def explain(error: psycopg.Error) -> str:
    """Returns what is wrong with the database, and what to do, in one sentence."""
    reason = _first_line(error)
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return f"the database allows this login too little: {reason}; run oche collect init again"
    if isinstance(error, psycopg.errors.DiskFull):
        return f"the database's disk is full: {reason}; make room, nothing is lost meanwhile"
    return f"the database cannot be used: {reason}; check that PostgreSQL runs, and [database]"


def _first_line(error: psycopg.Error) -> str:
    lines = str(error).strip().splitlines()
    found = next((line for line in lines if line.strip()), type(error).__name__)
    return found.strip().removeprefix("connection failed: ")
