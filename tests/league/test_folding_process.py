"""The process that folds says what is wrong with the database once, however often it tries again."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import Connection

from daemon.collect.folding_process import keep_folding
from tests.daemon.process import eventually
from tests.league.postgres import WRITER, Postgres


def count_sessions(db: Connection[Any], database: str) -> int:
    """How often this database was connected to."""
    db.execute("select pg_stat_clear_snapshot()")
    (found,) = db.execute("select sessions from pg_stat_database where datname = %s", [database]).fetchone() or (0,)
    return int(found)


@pytest.mark.slow
async def test_what_is_wrong_is_said_once(
    postgres: Postgres, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    database = postgres.create_database(owner=WRITER)
    file = tmp_path / "league.toml"
    file.write_text(f'[database]\nurl = "postgresql:///{database}?host={postgres.folder}"\n', encoding="utf-8")
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as db:
        task = asyncio.create_task(keep_folding(file))
        try:
            await eventually(lambda: count_sessions(db, database) >= 3)
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
    assert capfd.readouterr().err == "ERROR the database lacks 0001_records.sql: run oche collect init\n"
