"""A double knock-out while daemons and broker are killed at random: all of it ends as if nothing had happened.

`make faults` plays with 64 entrants at one daemon and at four that have a broker, and prints what happened.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from engine.tournament.journal import TournamentJournal
from engine.tournament.view import make_view
from protocol.tournament import DrawSeats, Enter, Line, Result, TournamentSpec
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import eventually
from tests.faults.evening import Stored, stored
from tests.faults.tournament.hall import Hall, open_hall
from tests.faults.tournament.organiser import Organiser
from tests.faults.tournament.script import GAME, WRONG, choose_winner, list_lines

JSON = dict[str, Any]  # Any: JSON
TABLES = ("one", "two", "three", "four")
SPEC: JSON = {"name": "Double", "kind": "double_knock_out", "format": {"legs": 1}, **GAME}


@pytest.mark.slow
async def test_a_small_tournament_whose_daemon_dies_twice(tmp_path: Path, seed: int) -> None:
    await play(tmp_path, seed, {"hall": TABLES}, entrants=8, deaths=2)


@pytest.mark.long
async def test_a_large_tournament_whose_daemon_dies_again_and_again(tmp_path: Path, seed: int) -> None:
    await play(tmp_path, seed, {"hall": TABLES}, entrants=64, deaths=40)


@pytest.mark.long
@pytest.mark.parametrize(("entrants", "deaths"), [(16, 20), (64, 120)])
async def test_four_daemons_and_their_broker_die(
    tmp_path: Path, broker: Mosquitto, seed: int, entrants: int, deaths: int
) -> None:
    halls = {f"hall-{name}": [name] for name in TABLES}
    await play(tmp_path, seed, halls, entrants, deaths, broker)


async def play(
    folder: Path,
    seed: int,
    tables: Mapping[str, Sequence[str]],
    entrants: int,
    deaths: int,
    broker: Mosquitto | None = None,
) -> None:
    """A tournament at the tables of these halls, the first of which has the organiser; with deaths, and the verdict."""
    began, rng = time.monotonic(), Random(seed)
    async with AsyncExitStack() as stack:
        halls = [
            await stack.enter_async_context(open_hall(folder / name, names, rng, broker.port if broker else 0))
            for name, names in tables.items()
        ]
        accidents = await stack.enter_async_context(asyncio.TaskGroup())
        is_over = asyncio.Event()
        dying = accidents.create_task(die(halls, broker, rng, deaths, is_over))
        organiser = Organiser(halls[0], rng)
        await organiser.make(SPEC)
        await organiser.enter([f"P{number}" for number in range(1, entrants + 1)])
        await organiser.draw()
        await organiser.set_tables([each for names in tables.values() for each in names])
        view = await organiser.wait_for_end()
        is_over.set()
        broken = await dying
        assert broken + sum(hall.kills for hall in halls), "it was over before anything died"
        lines = await organiser.read_lines()
    folders = [(folder / name, table) for name, names in tables.items() for table in names]
    records = {each.id: each for place, table in folders for each in stored(place, table)}
    check_tournament(view, lines)
    counted = check_records(lines, records)
    daemons = ", ".join(f"{name} {hall.kills}" for name, hall in zip(tables, halls, strict=True))
    sys.stdout.write(
        f"\n{entrants} entrants, {len(view['matches'])} matches, {sum(hall.darts for hall in halls)} darts thrown, "
        f"{counted} of them counted, "
        f"{organiser.moves} matches moved; "
        f"deaths: {daemons}, broker {broken}; {time.monotonic() - began:.0f} s, "
        f"of which at most {organiser.longest_s:.0f} s with no news\n"
    )


async def die(halls: Sequence[Hall], broker: Mosquitto | None, rng: Random, deaths: int, is_over: asyncio.Event) -> int:
    """One of them is killed so often, each time after up to 25 darts, also while others are away.

    Returns how often it was the broker.
    """
    broken = 0
    async with asyncio.TaskGroup() as away:
        for _ in range(deaths):
            until = sum(hall.darts for hall in halls) + rng.randrange(1, 25)
            await eventually(lambda: is_over.is_set() or sum(hall.darts for hall in halls) >= until)  # noqa: B023
            if is_over.is_set():
                break
            await asyncio.sleep(rng.uniform(0, 0.05))
            if broker is not None and rng.random() < 0.25:
                broken += 1
                await broker.kill()
                await asyncio.sleep(rng.uniform(0, 1))
                await broker.start()
            elif up := [hall for hall in halls if hall.is_up.is_set()]:
                hall = rng.choice(up)
                await hall.kill()
                away.create_task(hall.start())
    return broken


def check_tournament(view: JSON, lines: Sequence[Line]) -> None:
    """Matches, winners and places are those of a tournament in which nothing went wrong."""
    journal = TournamentJournal(msgspec.convert(view["spec"], TournamentSpec))
    for line in lines:
        if isinstance(line.input, Enter | DrawSeats):
            journal.apply(0, "organiser", line.input)
    names = {entrant["id"]: entrant["name"] for entrant in view["entrants"]}
    while journal.tournament.phase != "over":
        ready = next(each for each in make_view("x", 0, journal, {}).matches if each.status == "ready")
        people = [names[side] for side in ready.sides]
        won = people.index(choose_winner(ready.id, people))
        journal.apply(0, "organiser", Result(ready.id, ready.sides, ready.sides[won], ((1, 0), (0, 1))[won]))
    wanted = msgspec.json.decode(msgspec.json.encode(make_view("x", 0, journal, {})))
    told = [[(each["id"], each["sides"], each["winner"]) for each in found["matches"]] for found in (view, wanted)]
    assert told[0] == told[1]
    assert view["places"] == wanted["places"]
    assert view["winner"] == wanted["winner"]


def check_records(lines: Sequence[Line], records: dict[str, Stored]) -> int:
    """Each result has its record, in which is what was thrown; others are of matches that have moved to another table.

    Returns how many darts count.
    """
    counted = 0
    results = {line.input.record: line.input for line in lines if isinstance(line.input, Result)}
    refs = [record.header["ref"] for record in records.values() if "ref" in record.header]
    assert len({*refs}) == len(refs), "a match was begun twice"
    for name, result in results.items():
        record = records[name]
        assert record.header["ref"].split("/")[1:] == [result.match, str(result.attempt)]
        kept = take_back(record.lines)
        assert kept == [*list_lines(result.match, record.header["players"])]
        counted += sum("throw" in line for line in kept)
    return counted


def take_back(lines: Sequence[JSON]) -> list[JSON]:
    """What counts of a record in which nothing but darts was taken back."""
    kept = list[JSON]()
    for line in lines:
        if "undo" in line:
            assert kept.pop() == {"throw": WRONG}
        else:
            kept.append(line)
    return kept
