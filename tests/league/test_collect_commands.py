"""What the league's admin types: what is there, and what the league decides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from psycopg import AsyncConnection

from daemon.collect.intake import take
from tests.daemon.process import Said, Saying
from tests.league.offering import write_config
from tests.league.offers import IDS, NORTH, SOUTH, make_offer, make_text, read, record
from tests.league.postgres import WRITER, Postgres

Collect = Callable[..., Said]


@pytest.fixture
def collect_in(
    tmp_path: Path, postgres: Postgres, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Collect]:
    """Runs `oche collect` for the database of this name, with these words."""
    saying = Saying(capfdbinary, monkeypatch)

    def choose(database: str) -> Collect:
        config = write_config(tmp_path, 1, postgres, database)
        return lambda *words: saying("collect", "--config", config, *words)

    return choose


@pytest.mark.slow
def test_what_is_known_is_shown_and_changed(
    postgres: Postgres, league_database: str, collect_in: Callable[[str], Collect]
) -> None:
    async def fill() -> None:
        address = postgres.url(league_database, WRITER)
        async with await AsyncConnection.connect(address, autocommit=True) as db:
            copy = SOUTH._replace(name="copy")
            offered = read("league_offer", make_offer(make_text(), "m2", bridge_id=IDS[NORTH].hex), copy)
            conflict = record(make_text(darts=("MISS", "MISS")))
            await take(db, [record(make_text()), conflict, read("league_offer", ["no"]), offered])
            await take(db, [record(make_text(("Ann", "Cy")), "m1", SOUTH)])
            await db.execute("update oche.bridge set seen_at = '2026-01-02 12:00' where name = 'south'")

    asyncio.run(fill())
    collect = collect_in(league_database)
    assert collect("place", "north", "The Bell") == (0, "", "")
    first, second, third = collect("bridges").output.splitlines()
    assert first.startswith("oche/bridge/south  -  1 matches  ")
    assert second.startswith("oche/bridge/north  The Bell  1 matches  ")
    assert third.endswith(f"A new name: oche collect accept {IDS[NORTH].hex} oche/bridge/copy")
    assert third.startswith("  oche/bridge/copy has the same id, and is not taken.")
    assert collect("people").output.splitlines() == [
        "Ann: Ann (The Bell)", "Ann · south: Ann (south)", "Bo: Bo (The Bell)", "Cy: Cy (south)",
        "one person? Ann and Ann · south",
    ]  # fmt: skip
    assert collect("join", "Ann", "Ann · south").status == 0
    assert collect("rename", "ann", "Ann Lee").output == "Ann Lee\n"
    assert "Ann Lee: Ann (The Bell), Ann (south)\n" in collect("people").output
    assert collect("split", "Ann Lee", "south").output == "a person of their own: Ann\n"
    assert collect("status").output.splitlines() == [
        "matches: 2", "  new: 2",
        "contradicts: oche/bridge/north main m1 (2 records, the newest counts)",
        "unreadable: oche/bridge/north: Expected `object`, got `array` (1)",
        "not heard since 2026-01-02: oche/bridge/south",
    ]  # fmt: skip
    assert collect("accept", "north", "oche/bridge/copy").status == 0
    assert collect("init").output == "the tables are up to date\n"
    refused = collect("join", "Ann Lee", "Dee")
    assert refused == (2, "", "oche: the league shows nobody as 'Dee'; oche collect people lists them\n")


def test_a_database_that_is_not_made_ends_the_collector(
    postgres: Postgres, collect_in: Callable[[str], Collect]
) -> None:
    collect = collect_in(postgres.create_database(owner=WRITER))
    status, _, errors = collect()
    assert status == 1
    assert errors.endswith("the database lacks 0001_records.sql: run oche collect init\n")
    assert collect("init").output.startswith("applied 0001_records.sql")
    assert collect("status").output == "matches: 0\n"


def test_a_database_that_is_away_is_said_in_one_sentence(collect_in: Callable[[str], Collect]) -> None:
    errors = collect_in("no_such")("status").errors
    assert errors.startswith("oche: the database cannot be used: ")
    assert 'database "no_such" does not exist; check that PostgreSQL runs, and [database]' in errors
    assert errors.count("\n") == 1
