"""A match that is moved in the moment in which it ends, or whose lines are refused, is offered at its new table."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.tournament.own import OwnTables
from protocol.commands import CommandError
from protocol.messages import Record
from protocol.tournament import Call, SetTables, TableUse
from tests.commanding import give
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure, eventually
from tests.daemon.tournament.playing import begin, find_match, is_next, planned, run_desk, throw
from tests.daemon.tournament.test_other_tables import FOUR, configure_other
from tests.daemon.tournament.unplayed import configure_tables
from tests.sweep import sweep


@pytest.mark.slow
@pytest.mark.parametrize("later", sweep([0, 2, 8], (2).__eq__))
@pytest.mark.parametrize(("old", "new"), [("main", "far"), ("far", "main")])
async def test_it_ends_as_many_steps_later(tmp_path: Path, broker: Mosquitto, old: str, new: str, later: int) -> None:
    async with (
        run_desk(read_config(configure(tmp_path, broker.port))) as (running, desk),
        run_daemon(configure_other(tmp_path / "other", broker.port)) as other,
    ):
        tables = {"main": running.tables["main"], "far": other.tables["far"]}
        found = await begin(desk, FOUR[:2], (old,))
        await planned(tables[old], found)
        await desk.do(found.id, SetTables((TableUse(old), TableUse(new))), "organiser")
        await eventually(lambda: desk.look("far").match is not None)
        await give(tables[old], {"start": None}, "page")
        if not is_next(tables[old], "Ann"):
            await throw(tables[old], "MISS", "MISS", "MISS", "next")
        await throw(tables[old], "T20", "S1")
        await eventually(lambda: find_match(found, "final-1").status == "playing")
        await desk.do(found.id, Call("final-1", new), "organiser")
        for _ in range(later):
            await asyncio.sleep(0)
        await throw(tables[old], "D20")
        ref = f"{found.id}/final-1/2"
        await eventually(lambda: ref in (tables[new].committed.plan.ref, tables[new].state().ref))
        assert not found.is_over


async def test_it_begins_anew_where_its_lines_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(self: OwnTables, table: str, ref: str, record: Record) -> None:
        raise CommandError("line 7 is refused")

    monkeypatch.setattr(OwnTables, "go_on", refuse)
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, FOUR[:2], ("main", "second"))
        await planned(running.tables["main"], found)
        await give(running.tables["main"], {"start": None}, "page")
        await throw(running.tables["main"], "T20")
        await eventually(lambda: find_match(found, "final-1").status == "playing")
        await desk.do(found.id, Call("final-1", "second"), "organiser")
        assert await planned(running.tables["second"], found) == f"{found.id}/final-1/2"
