"""Several collectors take the same messages at the same time, each in an order of its own."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Sequence
from random import Random

from psycopg import AsyncConnection

from daemon.collect.database import AsyncDatabase
from daemon.collect.intake import take
from daemon.collect.received import Received
from daemon.collect.status import read_status
from tests.league.offers import IDS, NORTH, SOUTH, forget, make_text, players, record
from tests.league.postgres import WRITER, Postgres

COLLECTORS = 4
MATCHES = 12


async def take_in_pieces(address: str, messages: Sequence[Received], random: Random) -> None:
    """Takes these messages in any order, in transactions of several each."""
    mine = random.sample(messages, k=len(messages))
    async with await AsyncConnection.connect(address, autocommit=True) as db:
        while mine:
            size = random.randrange(1, 12)
            await take(db, mine[:size])
            del mine[:size]


async def test_every_interleaving_comes_to_the_same(
    postgres: Postgres, league_database: str, db: AsyncDatabase, seed: int
) -> None:
    messages: list[Received] = []
    for sender in (NORTH, SOUTH):
        for number in range(MATCHES):
            names = ("Ann", "Bo", f"P{number}")
            messages += [record(make_text(names, ["T20"] * length), f"m{number}", sender) for length in (1, 2, 3)]
        messages += [forget("Bo", sender=sender), players([("Anna", ("Ann",))], sender)]
    address = postgres.url(league_database, WRITER)
    random = Random(seed)
    async with asyncio.TaskGroup() as tasks:
        for _ in range(COLLECTORS):
            tasks.create_task(take_in_pieces(address, messages, random))
    rows = await (await db.execute("select bridge_id, match, record from oche.match order by 1, 2")).fetchall()
    assert {(bridge_id, match): zlib.decompress(text) for bridge_id, match, text in rows} == {
        (IDS[sender], f"m{number}"): make_text(("Ann", "Forgotten player 2", f"P{number}"), ["T20"] * 3)
        for sender in (NORTH, SOUTH)
        for number in range(MATCHES)
    }
    counts = await (await db.execute("select count(*), count(distinct person_id) from oche.person_name")).fetchone()
    assert counts == (2 * (MATCHES + 2), 2 * (MATCHES + 1))
    counted = "select count(*), count(*) filter (where shown like 'Bo%') from oche.person"
    assert await (await db.execute(counted)).fetchone() == (2 * (MATCHES + 1), 0)
    former = await (await db.execute("select record from oche.edition")).fetchall()
    assert not [text for (text,) in former if b'"Bo"' in zlib.decompress(text)]
    status = await read_status(db)
    assert (status.conflicts, status.unreadable) == ([], [])
