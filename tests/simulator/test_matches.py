"""A whole match on every board that ships, with all of its habits: what the journal holds is what was thrown."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from daemon.config.sections import TableConfig
from daemon.simulated_players import Rematch, SimulatedPlayers
from daemon.table.table import Table
from drivers.session import Session
from protocol.codebook import Codebook, shipped
from protocol.segment import Segment
from simulator.contacts import SOUND, Faults
from simulator.habits import find_habits
from simulator.memory_board import MemoryBoard
from simulator.thrower import Landing, Thrower
from tests.daemon.process import journal
from tests.plain_guard import PlainGuard
from tests.protocol.hearing import FRAMED
from tests.simulator.hurry import hurry
from tests.sweep import BOARDS, sweep

GAMES = {"standard": ("x01", {"start": 301}), "yatzy": ("yatzy_dart", {}), "ground_round": ("ground_round", {})}


class Remembering(Thrower):
    """A thrower of whom every dart is known."""

    def __init__(self, rng: Random, book: Codebook, thrown: list[Landing]) -> None:
        super().__init__(12.0, rng, book.layout)
        self._thrown = thrown

    def throw(self, target: Segment | str) -> Landing:
        self._thrown.append(super().throw(target))
        return self._thrown[-1]


async def match(folder: Path, book: Codebook, faults: Faults = SOUND) -> tuple[Table, list[Landing]]:
    """A match to its end, and every dart of it in order."""
    game, options = GAMES[book.layout.name]
    config = TableConfig(board=f"sim:{book.profile.id}", game=game, options=options, players=("Ann", "Bo"), seed="1")
    (folder / "state").mkdir()
    board = MemoryBoard(book, faults=faults, habits=find_habits(book.profile), rng=Random(2))
    table = Table(config, book, folder / "state" / "main.sqlite3", "test", PlainGuard())
    await table.open()
    thrown: list[Landing] = []
    people = SimulatedPlayers(table, board, lambda number: Remembering(Random(number), book, thrown), 1.0)
    rematch = Rematch(table)
    table.subscribe(people)
    table.subscribe(rematch)
    session = Session("main", board.address, book, schemes={"sim": board.scheme})

    async def listen() -> None:
        async for item in session:
            await table.feed(item)

    async with board, session:
        tasks = [asyncio.create_task(part) for part in (table.run(), listen(), people.play())]
        assert await rematch.result(1)
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
    await table.close()
    return table, thrown


def written(book: Codebook, landing: Landing) -> str:
    """What the journal says of a dart: the board's own word for it, or what was entered by hand."""
    seen = book.reported(landing.segment)
    return (seen or landing.segment).id


SAID_TWICE = {"granboard": "repeat", "unicorn": "repeat", "sdb-bt": "echo", "darts-connect": "echo"}
"""Why the second of what these boards say twice does not count."""


@pytest.mark.slow
@pytest.mark.parametrize("name", sweep(FRAMED, BOARDS.__contains__))
def test_a_match_holds_every_dart_that_was_thrown_and_no_other(tmp_path: Path, name: str) -> None:
    book = shipped(name)
    table, thrown = hurry(match(tmp_path, book))
    assert table.match.position.over
    throws = [line["throw"] for line in journal(tmp_path) if "throw" in line]
    assert throws == [written(book, landing) for landing in thrown]
    counts = table.scorer.status.counts
    assert counts.stray == 0
    if name in SAID_TWICE:
        assert (set(counts.drops), counts.garbage) == ({SAID_TWICE[name]}, 0)


@pytest.mark.parametrize(
    "name", sweep([name for name in FRAMED if shipped(name).layout.name == "standard"], BOARDS.__contains__)
)
def test_a_match_on_a_foil_that_bounces_and_wedges(tmp_path: Path, name: str) -> None:
    book = shipped(name)
    faults = Faults(bounce_ms=(1, 3), wedge_ms=2, has_ghosts=True)
    table, thrown = hurry(match(tmp_path, book, faults))
    throws = [line["throw"] for line in journal(tmp_path) if "throw" in line]
    assert throws == [written(book, landing) for landing in thrown]
    assert {"repeat", "contact"} <= set(table.scorer.status.counts.drops)


@pytest.mark.parametrize("name", ["unicorn", "opendarts"])
def test_darts_that_are_lost_are_entered_by_hand(tmp_path: Path, name: str) -> None:
    book = shipped(name)
    table, thrown = hurry(match(tmp_path, book, Faults(lost=0.5)))
    throws = [line["throw"] for line in journal(tmp_path) if "throw" in line]
    assert len(throws) == len(thrown) > table.scorer.status.counts.hits
