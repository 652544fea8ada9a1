"""The tables are made once, by whoever comes first, and never by another program than the one that made them."""

from __future__ import annotations

import threading

import psycopg
import pytest

from daemon.collect.migrations import Migration, check_schema, migrate, read_migrations
from daemon.errors import UserError
from tests.league.postgres import ADMIN, READER, Postgres

FIRST = Migration(1, "0001_a.sql", b"create table oche.a (x int); insert into oche.a values (1)")
SECOND = Migration(2, "0002_b.sql", b"create table oche.b (x int)")


def test_each_file_is_applied_once(empty_database: str) -> None:
    with psycopg.connect(empty_database) as db:
        assert migrate(db, READER, [FIRST]) == ["0001_a.sql"]
        assert migrate(db, READER, [FIRST, SECOND]) == ["0002_b.sql"]
        assert migrate(db, READER, [FIRST, SECOND]) == []
        assert db.execute("select count(*) from oche.a").fetchone() == (1,)


def test_a_file_that_fails_leaves_everything_as_it_was(empty_database: str) -> None:
    broken = Migration(2, "0002_b.sql", b"create table oche.b (x int); select 1/0")
    with psycopg.connect(empty_database) as db:
        with pytest.raises(UserError, match=r"0002_b\.sql cannot be applied, so nothing was changed: division by zero"):
            migrate(db, READER, [FIRST, broken])
        assert db.execute("select to_regclass('oche.a'), to_regnamespace('oche')").fetchone() == (None, None)


def test_a_changed_file_and_a_newer_database_are_refused(empty_database: str) -> None:
    with psycopg.connect(empty_database) as db:
        migrate(db, READER, [FIRST, SECOND])
        with pytest.raises(UserError, match=r"0001_a\.sql is not the file that was applied"):
            migrate(db, READER, [FIRST._replace(text=b"select 1"), SECOND])
        with pytest.raises(UserError, match=r"brought up to date by a newer oche \(0002_b\.sql\)"):
            migrate(db, READER, [FIRST])


def test_several_at_a_time_wait_for_each_other(empty_database: str) -> None:
    applied: list[list[str]] = []

    def run() -> None:
        with psycopg.connect(empty_database) as db:
            applied.append(migrate(db, READER, [FIRST, SECOND]))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(applied) == [[], [], [], ["0001_a.sql", "0002_b.sql"]]


def test_the_login_that_reads_is_asked_for(empty_database: str) -> None:
    with psycopg.connect(empty_database) as db, pytest.raises(UserError, match="no login nobody_here"):
        migrate(db, "nobody_here")


async def test_a_program_asks_for_the_tables_it_needs(empty_database: str) -> None:
    async with await psycopg.AsyncConnection.connect(empty_database) as db:
        with pytest.raises(UserError, match=r"the database lacks 0001_records\.sql: run oche collect init"):
            await check_schema(db)
    with psycopg.connect(empty_database) as made:
        migrate(made, READER)
    async with await psycopg.AsyncConnection.connect(empty_database) as db:
        await check_schema(db)


def test_each_file_has_a_number_of_its_own() -> None:
    numbers = [each.number for each in read_migrations()]
    assert len({*numbers}) == len(numbers)


def test_the_login_that_reads_changes_nothing(postgres: Postgres, league_database: str) -> None:
    with psycopg.connect(postgres.url(league_database, READER)) as db:
        tables = [name for (name,) in db.execute("select tablename from pg_tables where schemaname = 'oche'")]
        for table in tables:
            db.execute(psycopg.sql.SQL("select * from oche.{}").format(psycopg.sql.Identifier(table)))
        for table in tables:
            with pytest.raises(psycopg.errors.InsufficientPrivilege), db.transaction():
                db.execute(psycopg.sql.SQL("delete from oche.{}").format(psycopg.sql.Identifier(table)))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("create table oche.mine ()")
    assert "match" in tables


def test_a_database_in_which_names_cannot_be_written_is_refused(postgres: Postgres) -> None:
    with psycopg.connect(postgres.url(ADMIN), autocommit=True) as db:
        db.execute("create database plain template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'")
    with (
        psycopg.connect(postgres.url("plain")) as db,
        pytest.raises(UserError, match=r"is SQL_ASCII, .* createdb --encoding=UTF8"),
    ):
        migrate(db, READER)
