"""The pages of a league for tests: matches that were played, in its database, and `oche league`, which serves them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from daemon.collect.config import read_league_config
from daemon.collect.database import open_database
from daemon.collect.folding import fold_all
from daemon.collect.received import Sender
from daemon.collect.tokens import add_token
from tests.daemon.evenings import Evening
from tests.daemon.process import PATIENCE_S, Process
from tests.league.offers import IDS, NORTH, SOUTH
from tests.league.postgres import Postgres
from tests.league.sending import connect, list_records, send

BELL, CROWN = "The Bell", "The Crown"
PLAYED: Mapping[Sender, Sequence[tuple[int, str, Sequence[str]]]] = {
    NORTH: ((1, "501", ("Ann", "Bo")), (2, "cricket", ("Ann", "Bo"))),
    SOUTH: ((3, "501", ("Cy", "Di")),),
}
"""What is played at each daemon: the day, the game and the players."""
_SET_PLACE = "update oche.bridge set place = %s where bridge_id = %s"


def fill_league(folder: Path, postgres: Postgres, database: str) -> Mapping[Sender, Path]:
    """Plays two evenings at two places, and has the league keep them; returns the folders of the daemons."""
    folders = {sender: folder / sender.name for sender in PLAYED}
    with connect(postgres, database) as db:
        for sender, place in ((NORTH, BELL), (SOUTH, CROWN)):
            with Evening(folders[sender]) as evening:
                for day, game, players in PLAYED[sender]:
                    evening.throw(day, 20, day=day, game=game, players=[*players])
            send(db, *list_records(folders[sender]), sender=sender)
            db.execute(_SET_PLACE, [place, IDS[sender]])
        fold_all(db, "1")
    return folders


def configure_league(
    folder: Path, postgres: Postgres, database: str, *, public: bool = False, time_zone: str = "UTC"
) -> Path:
    """Writes the configuration of `oche league` at any free port."""
    file = folder / "league.toml"
    file.write_text(
        f"""
[database]
url = "{postgres.url(database).partition("&user")[0]}"

[web]
port = 0
public = {str(public).lower()}

[league]
name = "County"
time_zone = "{time_zone}"
""",
        encoding="utf-8",
    )
    return file


@asynccontextmanager
async def serve_league(config: Path) -> AsyncIterator[str]:
    """The address of the pages while the block lasts."""
    async with Process("league", "--config", config) as league:
        await league.said("the pages of the league")
        found = re.search(r"http://\S+/", league.output)
        assert found is not None
        yield found[0]
        assert await league.stop() == 0, league.errors
        assert "Traceback" not in league.errors


async def make_token(config: Path, name: str, *, is_viewer: bool = False) -> str:
    """A new token of that name."""
    async with open_database(read_league_config(config).database) as db:
        return await add_token(db, name, is_viewer=is_viewer)


def open_client(address: str, token: str = "") -> aiohttp.ClientSession:
    """What asks there, with this token."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    timeout, jar = aiohttp.ClientTimeout(total=PATIENCE_S), aiohttp.CookieJar(unsafe=True)  # also of an IP address
    return aiohttp.ClientSession(address, headers=headers, timeout=timeout, cookie_jar=jar)
