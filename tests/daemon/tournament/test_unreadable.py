"""What one tournament that cannot be read does to the others: nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from daemon.tournament.store import FILE
from protocol.tournament import Enter
from tests.commanding import give
from tests.daemon.process import eventually
from tests.daemon.tournament.playing import begin, find_match, planned, run_desk, throw
from tests.daemon.tournament.unplayed import configure_tables


async def test_a_tournament_that_cannot_be_read_keeps_no_other_waiting(tmp_path: Path) -> None:
    configured = configure_tables(tmp_path)
    async with run_desk(configured) as (running, desk):
        broken = await begin(desk, ("Ann", "Bo"), ("main",))
        await planned(running.tables["main"], broken)
        await give(running.tables["main"], {"start": None}, "page")
        sound = await begin(desk, ("Cy", "Di"), ("second",))
        await planned(running.tables["second"], sound)
    with closing(sqlite3.connect(tmp_path / "state" / FILE)) as db:
        db.execute("delete from line where tournament = ? and number = 2", (broken.id,))
        db.commit()
    async with run_desk(configured) as (running, desk):
        await throw(running.tables["main"], "T20")
        await give(running.tables["second"], {"start": None}, "page")
        await throw(running.tables["second"], "T20")
        found = await desk.find(sound.id)
        await eventually(lambda: find_match(found, "final-1").status == "playing")
        assert (await desk.do(sound.id, Enter(("Eve",)), "organiser")).number > 2
