"""The server that the tests of a league run on."""

from __future__ import annotations

import psycopg

from tests.league.conftest import find_postgres
from tests.league.postgres import ADMIN, Postgres


def test_what_was_committed_is_there_after_a_crash() -> None:
    with Postgres(find_postgres(), is_safe=True) as postgres:
        address = postgres.url(ADMIN)
        with psycopg.connect(address) as connection:
            connection.execute("CREATE TABLE kept (number int)")
        postgres.kill()
        postgres.start()
        with psycopg.connect(address) as connection:
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_each_test_has_a_database_of_its_own(postgres: Postgres, empty_database: str) -> None:
    with psycopg.connect(empty_database) as connection:
        connection.execute("CREATE TABLE mine ()")
    with psycopg.connect(postgres.url(postgres.create_database())) as connection:
        assert connection.execute("SELECT to_regclass('mine')").fetchone() == (None,)
