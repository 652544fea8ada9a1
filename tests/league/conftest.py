"""What the tests of a league may ask for. Without PostgreSQL none of them is read: psycopg needs its libpq."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import skip_without

if TYPE_CHECKING:
    from daemon.collect.database import AsyncDatabase
    from tests.league.postgres import Postgres

_VERSIONS = Path("/usr/lib/postgresql")


def find_postgres() -> Path:
    """The folder with initdb and postgres of the newest version. Debian keeps them off PATH."""
    skip_without("postgresql")
    found = sorted(_VERSIONS.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not found:
        pytest.fail("This test needs PostgreSQL: install the Debian package postgresql.", pytrace=False)
    return found[-1].parent


def pytest_pycollect_makemodule() -> None:
    """Skips, or fails, the whole folder where PostgreSQL is missing."""
    find_postgres()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server for all tests of this run. One that kills it makes a `Postgres` of its own."""
    from tests.league.postgres import Postgres

    with Postgres(find_postgres()) as postgres:
        yield postgres


@pytest.fixture
def empty_database(postgres: Postgres) -> str:
    """The address of a new database with nothing in it, for the login that may do everything."""
    return postgres.url(postgres.create_database())


@pytest.fixture
def league_database(postgres: Postgres) -> str:
    """The name of a database with the tables of a league and nothing in them; `postgres.url` makes an address of it.

    A test that changes the tables takes `postgres.create_league()` instead.
    """
    return postgres.empty_league()


@pytest.fixture
async def db(postgres: Postgres, league_database: str) -> AsyncIterator[AsyncDatabase]:
    """A connection to it, as the login that writes."""
    import psycopg

    from tests.league.postgres import WRITER

    address = postgres.url(league_database, WRITER)
    async with await psycopg.AsyncConnection.connect(address, autocommit=True) as db:
        yield db
