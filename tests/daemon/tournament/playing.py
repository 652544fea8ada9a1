"""A tournament at the tables of a daemon in this process: people press start and throw, and the desk does the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from daemon.admin.admin import Admin
from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import CheckedConfig
from daemon.table.table import Table
from daemon.tournament.desk import Desk
from daemon.tournament.open_tournament import OpenTournament
from protocol.match_spec import Format
from protocol.tournament import Enter, MatchView, SetTables, TableUse, TournamentSpec
from tests.commanding import give
from tests.daemon.display import find_part
from tests.daemon.process import eventually

SPEC = TournamentSpec("Friday", "knock_out", options={"start": 101}, format=Format(legs=1), seeding="hand")


@asynccontextmanager
async def run_desk(checked: CheckedConfig) -> AsyncIterator[tuple[RunningDaemon, Desk]]:
    """A daemon with these tables, and its desk."""
    async with run_daemon(checked) as running:
        yield running, await find_part(running, Admin).open_desk()


async def enter(desk: Desk, tournament: str, names: Sequence[str]) -> None:
    """Enters each of these alone, seeded in this order."""
    for seed, name in enumerate(names, 1):
        await desk.do(tournament, Enter((name,), seed=seed), "organiser")


async def begin(desk: Desk, names: Sequence[str], tables: Sequence[str], spec: TournamentSpec = SPEC) -> OpenTournament:
    """A tournament of these people at these tables, drawn."""
    made = await desk.make(spec)
    await enter(desk, made, names)
    uses = tuple(TableUse(name) for name in tables)
    await desk.do(made, SetTables(uses), "organiser")
    drawn = await desk.propose(made)
    assert drawn is not None
    await desk.do(made, drawn, "organiser")
    return await desk.find(made)


def find_match(found: OpenTournament, name: str) -> MatchView:
    return next(each for each in found.view.matches if each.id == name)


async def planned(table: Table, found: OpenTournament) -> str:
    """Waits until a match of the tournament is planned at the table; returns its ref."""
    await eventually(lambda: (table.committed.plan.ref or "").startswith(found.id))
    return table.committed.plan.ref or ""


async def throw(table: Table, *beds: str) -> None:
    for bed in beds:
        await give(table, {"next": True} if bed == "next" else {"throw": bed}, "page")


def is_next(table: Table, *names: str) -> bool:
    """Whether one of these is at the oche."""
    return table.state().turn.player in names


async def win(table: Table, winner: str, *, is_started: bool = False) -> None:
    """Starts what is planned, and has this player win a leg of 101 with T20 S1 D20."""
    if not is_started:
        await give(table, {"start": None}, "page")
    while table.state().phase != "over":
        at = table.state().turn.player
        await throw(table, *(("T20", "S1", "D20") if at == winner else ("MISS", "MISS", "MISS", "next")))
