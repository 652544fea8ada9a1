"""From the file of a season to its table: a match day on a daemon with a real broker, collector, database and pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, eventually, run
from tests.daemon.tournament.playing import win
from tests.league.offering import write_config
from tests.league.pages import open_client, serve_league
from tests.league.postgres import Postgres

JSON = Any  # Any: JSON
SEASON = """
id = "winter"
name = "Winter"
begins = "2026-10-01"
ends = "2027-03-31"
options = { start = 101 }
points = { win = 3, forfeit = 1 }

[[divisions]]
name = "One"

[[divisions.sides]]
name = "Ann"
table = "main"

[[divisions.sides]]
name = "Bo"
table = "main"
"""


class Row(NamedTuple):
    """A line of the table of the season."""

    side: str
    points: int
    played: int


class MatchDay:
    """A match day that a daemon has from its file, and the pages of the league."""

    def __init__(self, running: RunningDaemon, pages: aiohttp.ClientSession, file: bytes) -> None:
        assert running.page is not None
        self._page, self._pages, self._file = running.page.rstrip("/"), pages, file
        self._id = ""

    async def restore(self) -> None:
        """Goes on with it from the file."""
        self._id = (await self._post("tournament/restore", data=self._file))["id"]

    async def do(self, **given: JSON) -> None:
        """Does this as its organiser."""
        await self._post(f"tournament/{self._id}/do", json=given)

    async def enter(self, legs: tuple[int, int], **more: JSON) -> None:
        """Enters a result, of the home side first."""
        winner = 2 if legs[0] > legs[1] else 3
        await self.do(do="result", match="round-1-1", sides=[2, 3], winner=winner, legs=legs, **more)

    async def _post(self, path: str, **body: JSON) -> JSON:
        async with aiohttp.ClientSession() as web, web.post(f"{self._page}/api/{path}", **body) as answer:
            assert answer.status == 200, await answer.text()
            return await answer.json()

    async def until(self, *rows: Row, status: str = "played", day: int = 1) -> None:
        """Waits until the pages show this table, and this of the match of the day."""

        async def is_so() -> bool:
            async with self._pages.get("/api/league/season?name=winter") as answer:
                (division,) = (await answer.json())["divisions"]
            found = tuple(Row(each["side"], each["points"], each["played"]) for each in division["rows"])
            return found == rows and division["fixtures"][day - 1]["status"] == status

        await eventually(is_so)


@pytest.mark.slow
async def test_a_season_from_its_file_to_its_table(
    tmp_path: Path, broker: Mosquitto, postgres: Postgres, league_database: str
) -> None:
    web = "[web]\nport = 0\npublic = true"
    league = write_config(tmp_path, broker.port, postgres, league_database, web)
    (tmp_path / "winter.toml").write_text(SEASON, encoding="utf-8")
    season = ("collect", "--config", league, "season")
    assert (await run(*season, "add", tmp_path / "winter.toml")).output == "added: winter\n"
    for day in ("1", "2"):
        await run(*season, "day", "winter", day, "--output", tmp_path / day)
    setup = read_config(configure(tmp_path, broker.port, more="[league]\non = true"))
    async with (
        Process("collect", "--config", league) as collector,
        serve_league(league) as pages,
        open_client(pages) as client,
        run_daemon(setup) as running,
    ):
        await collector.said("listening")
        first, second = (MatchDay(running, client, (tmp_path / day).read_bytes()) for day in ("1", "2"))
        await first.restore()
        main = running.tables["main"]
        await eventually(lambda: _is_planned(running))
        await win(main, "Bo")
        await first.until(Row("Bo", 3, 1), Row("Ann", 0, 1))
        await first.enter((2, 1))
        await first.until(Row("Ann", 3, 1), Row("Bo", 0, 1))
        await first.do(do="take_back", match="round-1-1")
        await first.until(Row("Ann", 0, 0), Row("Bo", 0, 0), status="open")
        await second.restore()
        await second.enter((1, 0), walkover=True)  # at home is Bo
        await second.until(Row("Bo", 3, 0), Row("Ann", -1, 0), status="forfeit", day=2)
        await second.do(do="undo")
        await first.enter((0, 3))
        await second.until(Row("Bo", 3, 1), Row("Ann", 0, 1), status="open", day=2)


async def _is_planned(running: RunningDaemon) -> bool:
    return bool(running.tables["main"].committed.plan.ref)
