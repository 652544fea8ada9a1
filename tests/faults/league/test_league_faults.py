"""A league while its daemons, brokers, collectors and its database die, hang, and are cut off at random.

In the end the database has every record as the journals have it, and says of players what all journals together say.
`make faults` plays for twenty minutes and prints what happened.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import pytest

from tests.daemon.mosquitto import Mosquitto
from tests.faults.league.accidents import (
    Accidents,
    Broker,
    CableTarget,
    Collector,
    Database,
    Nodes,
    PlaceTarget,
    Target,
    mount_disk,
)
from tests.faults.league.cable import Cable
from tests.faults.league.place import Place, open_place
from tests.faults.league.verdict import (
    explain_answers,
    explain_records,
    join_journals,
    read_database,
    read_journals,
    read_state,
)
from tests.league.conftest import find_postgres
from tests.league.postgres import WRITER, Postgres
from tests.venue.nats import Cluster, password

_PATIENCE_S = 600
"""A daemon says again what was not answered every five minutes."""
PLACES = ("north", "south", "east", "west", "hill", "lake")


@pytest.fixture
def league_s(request: pytest.FixtureRequest) -> float:
    """For how long there are accidents, in seconds."""
    return float(request.config.getoption("--league-s"))


@pytest.mark.long
async def test_two_daemons_and_a_collector_at_one_broker(
    tmp_path: Path, broker: Mosquitto, seed: int, league_s: float
) -> None:
    address = [("127.0.0.1", broker.port)]
    await play(tmp_path, Random(seed), address, Broker(broker), PLACES[:2], 1, min(league_s, 120))


@pytest.mark.long
async def test_six_daemons_and_two_collectors_at_three_nodes(
    tmp_path: Path, nats_path: Path, seed: int, league_s: float
) -> None:
    async with Cluster(nats_path, tmp_path, PLACES) as cluster:
        addresses = [(node.address, 1883) for node in cluster.nodes]
        await play(tmp_path, Random(seed), addresses, Nodes(cluster), PLACES, 2, league_s, has_logins=True)


async def play(
    folder: Path,
    rng: Random,
    brokers: Sequence[tuple[str, int]],
    broker: Target,
    names: Sequence[str],
    collectors: int,
    seconds: float,
    *,
    has_logins: bool = False,
) -> None:
    """A league for so long, with accidents, and the verdict."""
    postgres = Postgres(find_postgres(), is_safe=True)
    with mount_disk(postgres.folder) as has_disk, postgres:
        database = postgres.create_league()
        targets: list[Target] = [broker, Database(postgres, has_disk=has_disk)]
        async with AsyncExitStack() as stack:
            places = list[Place]()
            for name in names:
                cables = await lay_cables(stack, name, brokers, targets)
                env = {"OCHE_MQTT_PASSWORD": password(name)} if has_logins else {}
                place = open_place(folder / name, [f"127.0.0.1:{each.port}" for each in cables], rng, 2, env)
                places.append(await stack.enter_async_context(place))
                targets.append(PlaceTarget(places[-1]))
            running = list[Collector]()
            for number in range(collectors):
                cables = await lay_cables(stack, "collector", brokers, targets)
                config = write_config(folder / f"league-{number}.toml", postgres.url(database), cables, has_logins)
                env = {"OCHE_MQTT_PASSWORD": password("collector")} if has_logins else {}
                running.append(await stack.enter_async_context(Collector(config, env)))
            targets += running
            accidents = Accidents(targets, rng, 20 / len(targets))
            await happen(places, accidents, rng, seconds)
            began = time.monotonic()
            address = postgres.url(database, WRITER)
            await settle(lambda: explain_level(places, address), running)
            level_s = time.monotonic() - began
        journals = await asyncio.to_thread(join_journals, places, folder / "all")
        why = await asyncio.to_thread(explain_answers, journals, address, places)
        assert not why, why
        assert read_state(address)[2].get("replaced"), "no match was corrected that the league had already"
        report(places, accidents, seconds, level_s, address, has_disk=has_disk)


async def lay_cables(
    stack: AsyncExitStack, name: str, brokers: Sequence[tuple[str, int]], targets: list[Target]
) -> list[Cable]:
    """A cable of one program to each of the brokers, which are cut together."""
    cables = [await stack.enter_async_context(Cable(each)) for each in brokers]
    targets.append(CableTarget(name, cables, 10))
    return cables


def write_config(file: Path, url: str, cables: Sequence[Cable], has_logins: bool) -> Path:
    """The configuration of a collector."""
    hosts = [f"127.0.0.1:{cable.port}" for cable in cables]
    login = '\nusername = "collector"' if has_logins else ""
    text = f'[database]\nurl = "{url.partition("&user")[0]}"\n[mqtt]\nhost = {hosts}{login}\n'
    file.write_text(text, encoding="utf-8")
    return file


async def happen(places: Sequence[Place], accidents: Accidents, rng: Random, seconds: float) -> None:
    """Lets people play, be renamed and forgotten, while accidents happen; returns when all is mended and over."""
    async with asyncio.TaskGroup() as tasks:
        for place in places:
            for regulars in place.regulars:
                tasks.create_task(regulars.play())
            tasks.create_task(manage(place, rng, seconds))
        hits = tasks.create_task(accidents.run())
        await asyncio.sleep(seconds)
        accidents.end()
        await hits
        for place in places:
            place.is_closed = True


async def manage(place: Place, rng: Random, seconds: float) -> None:
    """Renames players now and then, and has one forgotten."""
    forgets = rng.randrange(1, 4)
    for number in range(1, 5):
        await asyncio.sleep(seconds / 5 * rng.uniform(0.5, 1))
        if number == forgets:
            await place.forget()
        else:
            await place.rename(number)


async def explain_level(places: Sequence[Place], address: str) -> str:
    """What the league does not know yet; empty when it knows everything."""
    for place in places:
        if not await place.is_sent():
            return f"{place.folder.parent.name} has not sent everything"
    wanted, found = await asyncio.to_thread(read_journals, places), await asyncio.to_thread(read_database, address)
    states, unreadable, former = await asyncio.to_thread(read_state, address)
    assert unreadable == 0
    assert "conflict" not in former
    return explain_records(wanted, found) or ("" if states.keys() == {"folded"} else f"not all is folded: {states}")


async def settle(explain: Callable[[], Awaitable[str]], running: Sequence[Collector]) -> None:
    """Waits until nothing is to be explained any more."""
    until = time.monotonic() + _PATIENCE_S
    while why := await explain():
        if time.monotonic() > until:
            pytest.fail(f"{why}\n" + "\n".join(each.errors[-3000:] for each in running))
        await asyncio.sleep(1)


def report(
    places: Sequence[Place], accidents: Accidents, seconds: float, level_s: float, address: str, *, has_disk: bool
) -> None:
    """The figures, for the reader of the test's output."""
    regulars = [each for place in places for each in place.regulars]
    states, _, former = read_state(address)
    happened = ", ".join(f"{name} {count}" for name, count in sorted(accidents.counts.items()))
    sys.stdout.write(
        f"\n{len(places)} daemons with {len(regulars)} tables in {seconds:.0f} s: {states['folded']} matches in the "
        f"league, {sum(place.darts for place in places)} darts; {sum(each.corrections for each in regulars)} matches "
        f"were corrected after the end, {former.get('replaced', 0)} of them when the league had them already; "
        f"the league had everything {level_s:.0f} s after the last dart\n{happened}\n"
        + ("" if has_disk else "not tried: a full disk of the database, which needs root\n")
    )
