"""`oche collect` between a real broker and a real database, either of which may go at any moment, as may it itself."""

from __future__ import annotations

import asyncio
import os
import signal
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from uuid import UUID

import psycopg
import pytest

from daemon.collect.database import AsyncDatabase
from daemon.collect.intake import take
from daemon.collect.received import Sender
from daemon.mqtt import local_broker
from daemon.mqtt.local_broker import run_embedded_broker
from protocol.league_messages import LeagueForget, LeagueHeard, LeagueOffer, LeagueTaken
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, Process, run
from tests.league.conftest import find_postgres
from tests.league.offering import Offering, write_config
from tests.league.offers import IDS, NORTH, make_offer, make_text, players, record
from tests.league.postgres import Postgres


def collect(config: Path) -> Process:
    return Process("collect", "--config", config)


def read_records(address: str) -> dict[tuple[UUID, str], bytes]:
    """The records in the database."""
    with psycopg.connect(address) as db:
        rows = db.execute("select bridge_id, match, record from oche.match").fetchall()
    return {(bridge_id, match): zlib.decompress(text) for bridge_id, match, text in rows}


@pytest.fixture
async def offering(broker: Mosquitto) -> AsyncIterator[Offering]:
    async with Offering(broker.port) as offering:
        yield offering


@pytest.mark.slow
async def test_what_is_offered_is_kept_and_acknowledged(
    tmp_path: Path, broker: Mosquitto, postgres: Postgres, league_database: str, offering: Offering
) -> None:
    config = write_config(tmp_path, broker.port, postgres, league_database)
    text, longer = make_text(), make_text(darts=("T20", "T19", "DB"))
    message = players([("Anna", ("Ann",))]).message
    async with collect(config) as collector:
        await collector.said("listening")
        offered = offering.offer(NORTH, make_offer(text))
        assert await offering.answered() == {
            offered: LeagueTaken("m1", make_offer(text).sha256, by="league", table="main")
        }
        offering.offer(NORTH, make_offer(longer, packed=True))
        poison = offering.offer(NORTH, make_offer(b"{}\n", "m2"))
        heard = offering.say(NORTH, "league_players", message, message.sha256)
        answers = await offering.answered()
        refused = answers[poison]
        assert isinstance(refused, LeagueTaken)
        assert (refused.answer, refused.reason) == (
            "not_taken", "the league cannot read this record: its header names no players",
        )  # fmt: skip
        assert answers[heard] == LeagueHeard(message.sha256)
        assert await collector.stop() == 0
    assert read_records(postgres.url(league_database)) == {(IDS[NORTH], "m1"): longer}


@pytest.mark.long
async def test_topics_with_any_name_in_their_base_and_records_that_are_shared(
    tmp_path: Path, broker: Mosquitto, postgres: Postgres, league_database: str
) -> None:
    """Two collectors that divide the records; without MQTT 5 both would take all."""
    config = write_config(tmp_path, broker.port, postgres, league_database, '[collect]\nbases = ["+"]\nshare = true')
    senders = [Sender(base, "north") for base in ("bell", "crown")]
    async with collect(config) as one, collect(config) as other, Offering(broker.port) as offering:
        for each in (one, other):
            await each.said("listening")
        for number, sender in enumerate(senders, 1):
            for match in range(10):
                offering.offer(sender, make_offer(make_text(), f"m{match}", bridge_id=UUID(int=number).hex))
        await offering.answered()
    assert len(read_records(postgres.url(league_database))) == 20


@pytest.mark.long
async def test_a_broker_that_speaks_only_mqtt_3_serves_several_collectors(
    tmp_path: Path,
    unused_tcp_port: int,
    postgres: Postgres,
    league_database: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They cannot divide the records there, so both take all of them."""
    monkeypatch.setattr(local_broker, "_STOP_S", PATIENCE_S)  # it ends in this process, with nothing left open
    config = write_config(tmp_path, unused_tcp_port, postgres, league_database, "[collect]\nshare = true")
    async with run_embedded_broker(unused_tcp_port), collect(config) as one, collect(config) as other:
        for each in (one, other):
            await each.said("listening")
        async with Offering(unused_tcp_port, version="3.1.1") as offering:
            for match in range(10):
                offering.offer(NORTH, make_offer(make_text(), f"m{match}"))
            await offering.answered()
    assert len(read_records(postgres.url(league_database))) == 10


async def test_daemons_are_asked_to_offer_again(
    tmp_path: Path, broker: Mosquitto, postgres: Postgres, db: AsyncDatabase, offering: Offering
) -> None:
    await take(db, [record(make_text())])
    config = write_config(tmp_path, broker.port, postgres, db.info.dbname)
    asked = NORTH, "", ""
    while asked not in offering.answers:  # it may not have subscribed yet
        assert (await run("collect", "--config", config, "again", "north")).process.returncode == 0
    assert offering.answers[asked] == LeagueTaken("", "", by="league", again=True)


async def test_without_the_library_of_postgresql_it_says_what_to_install(tmp_path: Path) -> None:
    """As psycopg fails where libpq is missing."""
    (tmp_path / "psycopg.py").write_text("raise ImportError('no pq wrapper available')", encoding="ascii")
    done = await run("collect", "status", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert "install libpq5 with apt" in done.errors
    assert done.errors.count("\n") == 1


async def disturb(
    config: Path,
    stack: AsyncExitStack,
    broker: Mosquitto,
    postgres: Postgres,
    random: Random,
    offering: Offering,
    offers: Sequence[tuple[Sender, LeagueOffer]],
    least: int,
) -> None:
    """Kills two collectors, the broker and the database at random, `least` times at least, until all is answered.

    Meanwhile it begins to offer these records, a part each time; the first ones while the database is away.
    """
    running = [await stack.enter_async_context(collect(config)) for _ in range(2)]
    for each in running:
        await each.said("listening")
    done, left, portion = 0, [*offers], -(-len(offers) // least)
    while left or not offering.is_answered:
        await asyncio.sleep(random.uniform(0.05, 0.6))
        now, left = left[:portion], left[portion:]
        chosen = {0: 0.2, 1: 0.9}.get(done, random.random())
        done += 1
        if chosen < 0.1:
            await broker.kill()
            offering.offer_all(now)
            await broker.start()
        elif chosen < 0.3:
            await asyncio.to_thread(random.choice((postgres.stop, postgres.kill)))
            offering.offer_all(now)
            await asyncio.sleep(random.uniform(0, 0.5))
            await asyncio.to_thread(postgres.start)
        else:
            offering.offer_all(now)
            await asyncio.sleep(random.uniform(0.2, 0.5))
            both = chosen > 0.6  # else the other one takes what this one has not
            for which in (0, 1) if both else (random.randrange(2),):
                running[which].signal(signal.SIGKILL)
                running[which] = await stack.enter_async_context(collect(config))
            if random.random() < 0.7:
                await running[which].said("listening")


async def run_disturbed(folder: Path, broker: Mosquitto, seed: int, matches: int, least: int) -> None:
    """Offers editions of these matches in any order, again and again, while everything dies; then looks what is there.

    Each daemon also forgets a player of its own.
    """
    random = Random(seed)
    with Postgres(find_postgres(), is_safe=True) as postgres:
        database = postgres.create_league()
        config = write_config(folder, broker.port, postgres, database)
        wanted: dict[tuple[UUID, str], bytes] = {}
        async with Offering(broker.port, random) as offering, AsyncExitStack() as stack:
            offers: list[tuple[Sender, LeagueOffer]] = []
            for number in range(matches):
                sender = random.choice([*IDS])
                darts = [random.choice(("T20", "D5", "MISS")) for _ in range(random.randrange(2, 30))]
                for length in sorted(random.sample(range(1, len(darts) + 1), k=random.randrange(1, 3))):
                    text = make_text(("Ann", "Bo", f"P{number % 7}"), darts[:length])
                    offers.append((sender, make_offer(text, f"m{number}", sender, packed=random.random() < 0.3)))
                    wanted[IDS[sender], f"m{number}"] = text.replace(b'"Bo"', b'"Forgotten player 2"')
            for sender in IDS:
                message = LeagueForget(1, IDS[sender].hex, "f1", ("Bo",), "2026-10-01T00:00:00Z")
                offering.say(sender, "league_forget", message, "f1")
            await disturb(config, stack, broker, postgres, random, offering, offers, least)
            answers = {each.answer for each in offering.answers.values() if isinstance(each, LeagueTaken)}
            assert answers <= {"kept", "known_more"}
        address = postgres.url(database)
        assert read_records(address) == wanted
        with psycopg.connect(address) as db:
            people = db.execute("select n.bridge_id, n.name_key from oche.person_name n").fetchall()
            persons = db.execute("select count(*) from oche.person").fetchone()
            unreadable = db.execute("select count(*) from oche.unreadable").fetchone()
        played = {
            key for (bridge_id, _), text in wanted.items() for key in [(bridge_id, "ann"), (bridge_id, _find_p(text))]
        }
        assert {*people} == played
        assert persons == (len(played),)
        assert unreadable == (0,)


def _find_p(text: bytes) -> str:
    return str(record(text).header["players"][2]).casefold()


@pytest.mark.long
async def test_two_collectors_and_the_database_die_and_everything_is_there_once(
    tmp_path: Path, broker: Mosquitto, seed: int
) -> None:
    await run_disturbed(tmp_path, broker, seed, 300, 4)


@pytest.mark.long
async def test_the_same_for_minutes(tmp_path: Path, broker: Mosquitto, seed: int) -> None:
    await run_disturbed(tmp_path, broker, seed, 3000, 150)
