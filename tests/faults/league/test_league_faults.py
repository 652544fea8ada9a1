"""A league while its daemons, brokers, collectors and its database die, hang, and are cut off at random.

Disks are full, clocks jump, messages come twice, late and in another order, some cannot be read, and daemons go on from
old backups. In the end the database has every record as the journals have it, and says of players what all journals
together say.
`make faults` plays for twenty minutes and prints what happened.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from tests.conftest import UNTRIED
from tests.daemon.mosquitto import Mosquitto
from tests.disk.conftest import Faults
from tests.faults.league.accidents import Accidents, Broker, CableTarget, Collector, Database, Nodes, Target
from tests.faults.league.cable import Cable
from tests.faults.league.disks import SmallDisk, mount_disk
from tests.faults.league.place import SENDING_S, Place, open_place
from tests.faults.league.place_accidents import PlaceTarget
from tests.faults.league.repeater import Repeater, make_poison
from tests.faults.league.verdict import (
    explain_answers,
    explain_cut,
    explain_records,
    join_journals,
    read_database,
    read_journals,
    read_state,
)
from tests.league.conftest import find_postgres
from tests.league.pages import configure_league, make_token, serve_league
from tests.league.postgres import WRITER, Postgres
from tests.venue.nats import Cluster, password

DATABASE_DISK_BYTES, DISK_BYTES = 400_000_000, 200_000_000
"""Of the disks that are filled now and then."""
Note = Callable[[str], None]
PLACES = ("north", "south", "east", "west", "hill", "lake")


@pytest.fixture
def league_s(request: pytest.FixtureRequest) -> float:
    """For how long there are accidents, in seconds."""
    return float(request.config.getoption("--league-s"))


@pytest.fixture
def note_untried(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Has it named at the end of the run what could not be tried."""
    return lambda what: record_property(UNTRIED, what)


@pytest.mark.long
async def test_two_daemons_and_a_collector_at_one_broker(
    tmp_path: Path, broker: Mosquitto, seed: int, league_s: float, fault_library: Path, note_untried: Note
) -> None:
    venue = Venue([("127.0.0.1", broker.port)], Broker(broker), PLACES[:2], 1, has_logins=False)
    await play(tmp_path, Random(seed), venue, min(league_s, 180), fault_library, note_untried)


@pytest.mark.long
async def test_six_daemons_and_two_collectors_at_three_nodes(
    tmp_path: Path, nats_path: Path, seed: int, league_s: float, fault_library: Path, note_untried: Note
) -> None:
    async with AsyncExitStack() as stack:
        cluster = Cluster(nats_path, tmp_path, PLACES)
        disks = dict[str, SmallDisk]()
        for node in cluster.nodes:
            (tmp_path / node.name).mkdir()
            if disk := stack.enter_context(mount_disk(tmp_path / node.name, DISK_BYTES)):
                disks[node.name] = disk
        await stack.enter_async_context(cluster)
        addresses = [(node.address, 1883) for node in cluster.nodes]
        venue = Venue(addresses, Nodes(cluster, disks), PLACES, 2, has_logins=True)
        await play(tmp_path, Random(seed), venue, league_s, fault_library, note_untried)


class Venue(NamedTuple):
    """The broker of a league at its addresses, the daemons there by their names, and how many collectors there are."""

    brokers: Sequence[tuple[str, int]]
    broker: Target
    names: Sequence[str]
    collectors: int
    has_logins: bool


async def play(
    folder: Path, rng: Random, venue: Venue, seconds: float, fault_library: Path, note_untried: Note
) -> None:
    """A league for so long, with accidents, and the verdict."""
    postgres = Postgres(find_postgres(), is_safe=True)
    with ExitStack() as disks:
        disks.callback(postgres.remove)  # its folder is there for as long as a disk is mounted on it
        disk = disks.enter_context(mount_disk(postgres.folder, DATABASE_DISK_BYTES))
        disks.enter_context(postgres)
        if disk is None:
            note_untried("full disks of a league, which need root")
        database = postgres.create_league()
        targets: list[Target] = [venue.broker, Database(postgres, disk)]
        async with AsyncExitStack() as stack:
            league = configure_league(folder, postgres, database)
            pages = await stack.enter_async_context(serve_league(league))
            places, repeaters = list[Place](), list[Repeater]()
            for name in venue.names:
                word = password(name) if venue.has_logins else None
                repeaters.append(await stack.enter_async_context(Repeater(name, venue.brokers, word)))
                cables = await lay_cables(stack, name, venue.brokers, targets)
                clock = Faults(fault_library, folder / f"faults-{name}")
                env = clock.env | ({"OCHE_MQTT_PASSWORD": word} if word else {})
                addresses = [f"127.0.0.1:{each.port}" for each in cables]
                (folder / name / "state").mkdir(parents=True)
                own = disks.enter_context(mount_disk(folder / name / "state", DISK_BYTES))
                place = await stack.enter_async_context(open_place(folder / name, addresses, rng, 2, env, own, pages))
                repeaters[-1].poison = make_poison(place.bridge_id.hex)
                places.append(place)
                targets += [PlaceTarget(place, clock), repeaters[-1]]
            running = list[Collector]()
            for number in range(venue.collectors):
                cables = await lay_cables(stack, "collector", venue.brokers, targets)
                config = write_config(folder / f"collect-{number}.toml", postgres.url(database), cables, venue)
                env = {"OCHE_MQTT_PASSWORD": password("collector")} if venue.has_logins else {}
                running.append(await stack.enter_async_context(Collector(config, env)))
            targets += running
            accidents = Accidents(targets, rng, 40 / len(targets))  # between them much is sent
            await happen(places, accidents, rng, seconds)
            began = time.monotonic()
            address = postgres.url(database, WRITER)
            await fetch(places, league)
            await settle(lambda: explain_level(places, repeaters, address), running)
            level_s = time.monotonic() - began
        journals = await asyncio.to_thread(join_journals, places, read_database(address), folder / "all")
        why = await asyncio.to_thread(explain_answers, journals, address, places)
        assert not why, why
        assert read_state(address).former.get("replaced"), "no match was corrected that the league had already"
        report(places, accidents, seconds, level_s, address)


async def lay_cables(
    stack: AsyncExitStack, name: str, brokers: Sequence[tuple[str, int]], targets: list[Target]
) -> list[Cable]:
    """A cable of one program to each of the brokers, which are cut together."""
    cables = [await stack.enter_async_context(Cable(each)) for each in brokers]
    targets.append(CableTarget(name, cables, 10))
    return cables


def write_config(file: Path, url: str, cables: Sequence[Cable], venue: Venue) -> Path:
    """The configuration of a collector."""
    hosts = [f"127.0.0.1:{cable.port}" for cable in cables]
    login = '\nusername = "collector"' if venue.has_logins else ""
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


async def fetch(places: Sequence[Place], league: Path) -> None:
    """Has each daemon fetch what the league knows more of, since a backup was put back there."""
    for place in places:
        folder = place.folder.parent
        (folder / "token").write_text(await make_token(league, folder.name), encoding="ascii")
        async with asyncio.timeout(SENDING_S):
            await place.fetch()


async def explain_level(places: Sequence[Place], repeaters: Sequence[Repeater], address: str) -> str:
    """What the league does not know yet, what it can take of it; empty when it knows everything."""
    for place in places:
        if not await place.is_sent():
            return f"{place.folder.parent.name} has not sent everything"
    wanted, found = await asyncio.to_thread(read_journals, places), await asyncio.to_thread(read_database, address)
    state = await asyncio.to_thread(read_state, address)
    poison = {(each.bridge, digest) for each in repeaters for digest in each.unreadable}
    assert state.unreadable <= poison, "a message of a daemon could not be read"
    assert state.conflicts <= set[str]().union(*(place.redone for place in places))
    if state.unreadable != poison:
        for each in repeaters:
            await each.say_poison()
        return "not all that cannot be read is kept"
    why = explain_records(wanted, found, places) or explain_cut(wanted, state.conflicts, places)
    return why or ("" if state.folded.keys() == {"folded"} else f"not all is folded: {state.folded}")


async def settle(explain: Callable[[], Awaitable[str]], running: Sequence[Collector]) -> None:
    """Waits until nothing is to be explained any more."""
    until = time.monotonic() + SENDING_S
    while why := await explain():
        if time.monotonic() > until:
            pytest.fail(f"{why}\n" + "\n".join(each.errors[-3000:] for each in running))
        await asyncio.sleep(1)


def report(places: Sequence[Place], accidents: Accidents, seconds: float, level_s: float, address: str) -> None:
    """The figures, for the reader of the test's output."""
    regulars = [each for place in places for each in place.regulars]
    state = read_state(address)
    happened = ", ".join(f"{name} {count}" for name, count in sorted(accidents.counts.items()))
    restores, lost = sum(place.restores for place in places), sum(len(place.lost) for place in places)
    sys.stdout.write(
        f"\n{len(places)} daemons with {len(regulars)} tables in {seconds:.0f} s: {state.folded['folded']} matches in "
        f"the league, {sum(place.darts for place in places)} darts; {sum(each.corrections for each in regulars)} "
        f"matches were corrected after the end, {state.former.get('replaced', 0)} of them when the league had them; "
        f"{restores} backups were put back, {lost} matches lost with that, the end of "
        f"{sum(place.fetched for place in places)} fetched, and {len(state.conflicts)} went another way; "
        f"the league had everything {level_s:.0f} s after the last dart\n{happened}\n"
    )
