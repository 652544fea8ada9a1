"""Matches at the table of a daemon with a league."""

from __future__ import annotations

from pathlib import Path

from daemon.assemble import RunningDaemon
from daemon.config.reader import CheckedConfig, read_config
from daemon.league.store import LeagueStore
from tests.commanding import give
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure

LEAGUE = '[league]\non = true\nsince = "2026-10-01"'
OPTIONS = {"start": 101}
WON = "T20 S1 D20"


def setup_league(folder: Path, broker: Mosquitto, league: str = LEAGUE) -> CheckedConfig:
    return read_config(configure(folder, broker.port, more=league))


async def play(running: RunningDaemon, *darts: str) -> str:
    """A match of 101 at the table, by default to its end; its id."""
    table = running.tables["main"]
    await give(table, {"start": {"oche": 1, "game": "x01", "players": ["Ann", "Bo"], "options": OPTIONS}}, "page")
    for dart in darts or WON.split():
        await give(table, {"throw": dart}, "page")
    return table.match_id


def taken(folder: Path) -> set[str]:
    """The matches that were answered, as the file has it."""
    return {each.match for each in LeagueStore(folder / "state").read().taken.values()}
