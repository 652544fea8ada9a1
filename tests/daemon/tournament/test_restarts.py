"""A tournament comes to the same, however often its desk dies between two darts and the daemon starts again."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from daemon.table.table import Table
from daemon.tournament.open_tournament import OpenTournament
from protocol.tournament import Result
from tests.commanding import give
from tests.daemon.process import eventually
from tests.daemon.tournament.playing import SPEC, begin, is_next, run_desk, throw
from tests.daemon.tournament.unplayed import configure_tables

NAMES = ("Ann", "Bo", "Cy", "Di", "Eve")
SPEC_OF_ALL = replace(SPEC, kind="double_knock_out", seed="a")


def list_played(found: OpenTournament) -> list[tuple[object, ...]]:
    """What has come of each match, whatever way it came."""
    return [(each.id, each.sides, each.winner, each.score) for each in found.view.matches]


async def play_one(table: Table, found: OpenTournament) -> bool:
    """Plays what is planned at the table or goes on there, a visit of each dart; the first in the alphabet wins.

    Returns False where there is nothing to play.
    """
    if table.state().ref is UNSET or table.state().phase == "over":
        if not (table.committed.plan.ref or "").startswith(found.id):
            return False
        await give(table, {"start": None}, "page")
    winner = min(table.state().sides, key=lambda side: side.name).name
    await throw(table, *(("T20", "S1", "D20") if is_next(table, winner) else ("S1", "MISS", "MISS", "next")))
    return True


async def play_all(folder: Path, chance: Random | None) -> OpenTournament:
    """Plays a tournament to its end; with a `chance` the desk dies and the daemon starts again now and then."""
    checked, made, found = configure_tables(folder), "", None
    while found is None or found.view.phase != "over":
        async with run_desk(checked) as (running, desk):
            tables = [*running.tables.values()]
            found = await desk.find(made) if made else await begin(desk, NAMES, ("main", "second"), SPEC_OF_ALL)
            made = found.id
            for _ in range(1000 if chance is None else chance.randrange(1, 12)):
                await eventually(partial(can_play, found, tables))
                if found.view.phase == "over":
                    break
                for table in tables:
                    await play_one(table, found)
            await desk.close()  # what follows is for the next one to find
            for table in tables:
                if chance is not None and chance.random() < 0.7:
                    await play_one(table, found)
    return found


@pytest.mark.long
async def test_a_tournament_comes_to_the_same(tmp_path: Path) -> None:
    (tmp_path / "calm").mkdir()
    calm = list_played(await play_all(tmp_path / "calm", None))
    assert len([winner for _, _, winner, score in calm if winner and score]) == 8
    for seed in range(4):
        (folder := tmp_path / f"{seed}").mkdir()
        found = await play_all(folder, Random(seed))
        assert list_played(found) == calm
        assert sum(isinstance(line.input, Result) for line in found.journal.lines) == 8


def can_play(found: OpenTournament, tables: list[Table]) -> bool:
    """Whether there is something to play at a table, or all is over."""
    is_waiting = any((each.committed.plan.ref or "").startswith(found.id) for each in tables)
    is_played = any(each.state().ref is not UNSET and each.state().phase != "over" for each in tables)
    return is_waiting or is_played or found.view.phase == "over"
