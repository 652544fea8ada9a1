"""A league goes on from a backup of its database, made and put back as docs/venue.md says, on another machine."""

from __future__ import annotations

import subprocess
import zlib
from contextlib import AsyncExitStack
from pathlib import Path

import psycopg
import pytest

from protocol.league_messages import LeagueForget, LeagueTaken
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, run
from tests.league.conftest import find_postgres
from tests.league.offering import Offering, write_config
from tests.league.offers import IDS, NORTH, make_offer, make_text
from tests.league.postgres import READER, WRITER, Postgres

BO = LeagueForget(1, IDS[NORTH].hex, "f1", ("Bo",), "2026-10-01T00:00:00Z")


def dump(postgres: Postgres, database: str, file: Path) -> None:
    """What `sudo -u postgres pg_dump` does."""
    address = postgres.url(database)
    subprocess.run((find_postgres() / "pg_dump", "--format=custom", f"--file={file}", address), check=True)


def restore(postgres: Postgres, file: Path) -> str:
    """What `createdb` and `pg_restore` do; returns the name of the database."""
    database = postgres.create_database(owner=WRITER)
    subprocess.run((find_postgres() / "pg_restore", f"--dbname={postgres.url(database)}", file), check=True)
    return database


def read_all(postgres: Postgres, database: str, user: str = WRITER) -> tuple[dict[str, str], set[str]]:
    """The records by their matches, and the persons."""
    with psycopg.connect(postgres.url(database, user)) as db:
        rows = db.execute("select match, record from oche.match").fetchall()
        people = db.execute("select shown from oche.person").fetchall()
    return {match: zlib.decompress(text).decode() for match, text in rows}, {name for (name,) in people}


async def offer(config: Path, broker: Mosquitto, *texts: tuple[str, bytes], forgets: bool = False) -> None:
    """Has a collector take these records, and forget Bo."""
    async with AsyncExitStack() as stack:
        collector = await stack.enter_async_context(Process("collect", "--config", config))
        offering = await stack.enter_async_context(Offering(broker.port))
        await collector.said("listening")
        for match, text in texts:
            offering.offer(NORTH, make_offer(text, match))
        answers = await offering.answered()
        assert {each.answer for each in answers.values() if isinstance(each, LeagueTaken)} <= {"kept"}
        if forgets:
            offering.say(NORTH, "league_forget", BO, BO.id)
            await offering.answered()


@pytest.mark.long
async def test_a_league_goes_on_from_its_backup(tmp_path: Path, broker: Mosquitto, postgres: Postgres) -> None:
    named, hidden = make_text(("Ann", "Bo")), make_text(("Ann", "Forgotten player 2"))
    first, file = postgres.create_league(), tmp_path / "oche.dump"
    config = write_config(tmp_path, broker.port, postgres, first)
    await offer(config, broker, ("m1", named), ("m2", named), forgets=True)
    before = read_all(postgres, first)
    dump(postgres, first, file)
    with Postgres(find_postgres()) as other:
        database = restore(other, file)
        assert read_all(other, database, READER) == before, "whoever reads may read again"
        config = write_config(tmp_path, broker.port, other, database)
        assert (await run("collect", "--config", config, "init")).output == "the tables are up to date\n"
        await offer(config, broker, ("m2", named), ("m3", named), ("m4", make_text(("Ann", "Cy"))))
        records, people = read_all(other, database)
    assert records == {**dict.fromkeys(("m1", "m2", "m3"), hidden.decode()), "m4": make_text(("Ann", "Cy")).decode()}
    assert people == {"Ann", "Cy"}


@pytest.mark.slow
async def test_a_name_that_was_forgotten_after_the_backup_goes_when_the_daemon_says_all_again(
    tmp_path: Path, broker: Mosquitto, postgres: Postgres
) -> None:
    """The daemon does not know the name any more: what it offers again is without it."""
    first, file = postgres.create_league(), tmp_path / "oche.dump"
    config = write_config(tmp_path, broker.port, postgres, first)
    await offer(config, broker, ("m1", make_text(("Ann", "Bo"))))
    dump(postgres, first, file)
    database = restore(postgres, file)
    config = write_config(tmp_path, broker.port, postgres, database)
    hidden = make_text(("Ann", "Forgotten player 2"))
    await offer(config, broker, ("m1", hidden))
    records, people = read_all(postgres, database)
    assert records == {"m1": hidden.decode()}
    assert people == {"Ann"}
