"""A double knock-out while its daemon is killed at random: it ends as if nothing had happened, and so does each match.

`make faults` plays 64 entrants and prints what happened.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from engine.tournament.journal import TournamentJournal
from engine.tournament.view import make_view
from protocol.tournament import DrawSeats, Enter, Line, Result, TournamentSpec
from tests.faults.evening import Stored, stored
from tests.faults.tournament.hall import Hall, open_hall
from tests.faults.tournament.organiser import Organiser
from tests.faults.tournament.script import GAME, choose_winner, list_lines

JSON = dict[str, Any]  # Any: JSON
TABLES = ("one", "two", "three", "four")
SPEC: JSON = {"name": "Double", "kind": "double_knock_out", "format": {"legs": 1}, **GAME}


async def test_a_small_tournament_whose_daemon_dies_twice(tmp_path: Path, seed: int) -> None:
    await play(tmp_path, seed, entrants=8, kills=2, apart=60)


@pytest.mark.long
async def test_a_large_tournament_whose_daemon_dies_again_and_again(tmp_path: Path, seed: int) -> None:
    await play(tmp_path, seed, entrants=64, kills=40, apart=60)


async def play(folder: Path, seed: int, entrants: int, kills: int, apart: int) -> None:
    """A tournament, in which the daemon dies so often, after up to so many darts each time; and the verdict."""
    began, rng = time.monotonic(), Random(seed)
    async with open_hall(folder, TABLES) as hall:
        dying = asyncio.create_task(die(hall, rng, kills, apart))
        organiser = Organiser(hall)
        await organiser.make(SPEC)
        names = [f"P{number}" for number in range(1, entrants + 1)]
        await organiser.enter(names)
        await organiser.draw()
        await organiser.set_tables(TABLES)
        view = await organiser.wait_for_end()
        await dying
        lines = await organiser.read_lines()
    records = {each.id: each for table in TABLES for each in stored(folder, table)}
    check_tournament(view, lines)
    check_records(lines, records)
    sys.stdout.write(
        f"\n{entrants} entrants, {len(view['matches'])} matches, {hall.darts} darts thrown, {hall.kills} deaths of "
        f"the daemon, {time.monotonic() - began:.0f} s\n"
    )


async def die(hall: Hall, rng: Random, kills: int, apart: int) -> None:
    """The daemon is killed so often, each time after up to so many darts, and started again."""
    for _ in range(kills):
        until = hall.darts + rng.randrange(1, apart)
        while hall.darts < until:  # noqa: ASYNC110  people who throw say no word
            await asyncio.sleep(0.01)
        await asyncio.sleep(rng.uniform(0, 0.05))
        await hall.kill()
        await hall.start()


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


def check_records(lines: Sequence[Line], records: dict[str, Stored]) -> None:
    """Each result has its record, in which is what was thrown; no other record is of the tournament."""
    results = {line.input.record: line.input for line in lines if isinstance(line.input, Result)}
    assert {name for name, record in records.items() if "ref" in record.header} == {*results}
    for name, result in results.items():
        record = records[name]
        assert record.header["ref"].split("/")[1] == result.match
        assert record.lines == [*list_lines(result.match, record.header["players"])]
