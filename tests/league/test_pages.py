"""`oche league` over a real database: who may ask, and what they get."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace

from daemon.admin.history.source import Wanted
from daemon.collect import bounded_source
from daemon.collect.config import Database
from daemon.collect.folding import fold_all
from daemon.collect.postgres_source import PostgresSource, Scope
from daemon.collect.questions import Questions
from daemon.collect.received import Sender
from daemon.collect.seasons import add_season, enter
from daemon.errors import UserError
from daemon.tournament.ref import Ref
from engine.league.schedule import list_fixtures
from protocol.season import EnterResult
from tests.daemon.evenings import DAY, Evening
from tests.daemon.process import eventually, run
from tests.engine.league.seasons import make_season
from tests.league.offers import NORTH, SOUTH
from tests.league.pages import BELL, CROWN, configure_league, fill_league, make_token, open_client, serve_league
from tests.league.postgres import ADMIN, Postgres
from tests.league.sending import connect, list_records, send

JSON = Any  # Any: JSON
Folders = Mapping[Sender, Path]
_COUNT_SLEEPING = """
    select count(*) from pg_stat_activity
    where query like '%pg_sleep(600)%' and state = 'active' and pid <> pg_backend_pid()
"""
_END = "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s"


@pytest.fixture
def folders(tmp_path: Path, postgres: Postgres, league_database: str) -> Folders:
    return fill_league(tmp_path, postgres, league_database)


async def read(web: Any, path: str, status: int = 200, method: str = "GET") -> JSON:
    async with web.request(method, path) as answer:
        text = await answer.text()
        assert answer.status == status, text
        return json.loads(text) if answer.content_type == "application/json" and text else text


@pytest.mark.slow
async def test_a_token_opens_the_figures_of_all_places_or_of_one(
    tmp_path: Path, postgres: Postgres, league_database: str, folders: Folders
) -> None:
    config = configure_league(tmp_path, postgres, league_database)
    token = await make_token(config, "club", is_viewer=True)
    day = (DAY + timedelta(2)).date().isoformat()
    with connect(postgres, league_database) as db:
        add_season(db, replace(make_season("Ann", "Bo"), begins=day, ends=day))
    seasons = [{"id": "autumn", "name": "Autumn", "begins": day, "ends": day}]
    async with serve_league(config) as address, open_client(address, token) as web:
        league = await read(web, "/api/league")
        assert league == {
            "v": 1,
            "name": "County",
            "places": [BELL, CROWN],
            "games": ["501", "Cricket"],
            "seasons": seasons,
        }

        async def list_players(query: str = "") -> list[str]:
            return [each["name"] for each in (await read(web, f"/api/stats?{query}"))["players"]]

        assert await list_players() == ["Ann", "Bo", "Cy", "Di"]
        assert await list_players("place=The Crown") == ["Cy", "Di"]
        of_season = await read(web, "/api/stats?season=autumn")
        assert {each["name"]: each["matches"] for each in of_season["players"]} == {"Ann": 1, "Bo": 1}
        assert await list_players("season=autumn&place=The Crown") == []
        assert "no season 'winter'" in await read(web, "/api/stats?season=winter", 400)
        assert await list_players("game=Cricket") == ["Ann", "Bo"]
        assert await list_players("place=The Crown&game=Cricket") == []
        matches = (await read(web, "/api/matches"))["matches"]
        assert [each["table"] for each in matches] == ["The Crown · main", "The Bell · main", "The Bell · main"]
        latest, second = matches[0], matches[1]
        until = await read(web, f"/api/stats?before={second['at']}".replace("+", "%2B"))
        assert {each["name"]: each["matches"] for each in until["players"]} == {"Ann": 1, "Bo": 1}
        report = await read(web, f"/api/match/{latest['match']}")
        assert (report["match"], report["table"]) == (latest["match"], "The Crown · main")
        steps = await read(web, f"/api/match/{latest['match']}/steps")
        assert len(steps["steps"]) == report["steps"]
        ann = await read(web, "/api/stats/player?name=ann&place=The Bell")
        assert (ann["name"], ann["matches"]) == ("Ann", 2)
        assert (await read(web, "/api/layout/standard"))["name"] == "standard"
        assert "no place 'Nowhere'" in await read(web, "/api/stats?place=Nowhere", 400)
        for asked in ("?place=%00", "?season=a%00", "/player?name=a%00"):
            assert "no name of the league" in await read(web, f"/api/stats{asked}", 409)
        assert "since must be a day" in await read(web, "/api/stats?since=soon", 400)
        assert "has not finished a match" in await read(web, "/api/stats/player?name=Ann&place=The Crown", 404)
        assert await read(web, "/api/stats", method="HEAD") == ""


@pytest.mark.slow
async def test_a_season_is_shown_and_narrows_what_is_looked_at(
    tmp_path: Path, postgres: Postgres, league_database: str, folders: Folders
) -> None:
    spec = replace(make_season("Ann", "Bo"), begins="2026-10-06", ends="2026-10-07")
    with connect(postgres, league_database) as db:
        add_season(db, spec)
        enter(db, spec.id, EnterResult("1-1-1", (3, 1)))
    config = configure_league(tmp_path, postgres, league_database, public=True)
    async with serve_league(config) as address, open_client(address) as web:
        league = await read(web, "/api/league")
        assert league["seasons"] == [
            {"id": "autumn", "name": "Autumn", "begins": "2026-10-06", "ends": "2026-10-07"},
        ]  # fmt: skip
        season = await read(web, "/api/league/season?name=autumn")
        assert [(row["side"], row["points"]) for row in season["divisions"][0]["rows"]] == [("Ann", 2), ("Bo", 0)]
        assert "no such season" in await read(web, "/api/league/season?name=spring", 404)
        players = (await read(web, "/api/stats?season=autumn"))["players"]
        assert [each["name"] for each in players] == ["Cy", "Di"], "nothing was played for its fixtures: its days"
        assert (await read(web, "/api/stats?season=autumn&before=2026-10-06"))["players"] == []
        assert "no season 'spring'" in await read(web, "/api/stats?season=spring", 400)
        fixture = list_fixtures(spec)[0]
        with connect(postgres, league_database) as db, Evening(tmp_path / "late") as evening:
            evening.throw(9, day=90, ref=str(Ref(fixture.tournament, fixture.match, 1)))
            await asyncio.to_thread(send, db, *list_records(tmp_path / "late"))
            fold_all(db, "1")
        players = (await read(web, "/api/stats?season=autumn"))["players"]
        assert {each["name"]: each["matches"] for each in players} == {"Ann": 1, "Bo": 1}, "its own match, on any day"
        (game,) = (await read(web, "/api/stats/ratings?season=autumn"))["games"]
        assert {each["name"] for each in game["players"]} == {"Ann", "Bo"}
        assert (await read(web, "/api/stats?season=autumn&place=The Crown"))["players"] == []
        assert (await read(web, "/api/stats?season=autumn&before=2026-10-09"))["players"] == []


def send_late_match(folder: Path, postgres: Postgres, database: str) -> None:
    """Has the league keep a match of half an hour before midnight, in UTC, at the end of a month."""
    with Evening(folder) as evening, connect(postgres, database) as db:
        evening.throw(1, 20, day=(datetime(2026, 10, 31, 23, 30, tzinfo=UTC) - DAY) / timedelta(1), game="501")
        send(db, *list_records(folder))


@pytest.mark.slow
@pytest.mark.parametrize(("time_zone", "day", "month"), [("UTC", "31", "10"), ("Europe/Berlin", "01", "11")])
async def test_days_and_months_are_those_of_the_league(
    tmp_path: Path, postgres: Postgres, league_database: str, time_zone: str, day: str, month: str
) -> None:
    config = configure_league(tmp_path, postgres, league_database, public=True, time_zone=time_zone)
    await asyncio.to_thread(send_late_match, tmp_path / "state", postgres, league_database)
    folded = await run("collect", "--config", config, "fold")
    assert folded.output == "folded: 1\n", folded.errors
    async with serve_league(config) as address, open_client(address) as web:
        (game,) = (await read(web, "/api/stats/ratings"))["games"]
        assert {point["day"] for each in game["players"] for point in each["points"]} == {f"2026-{month}-{day}"}
        for asked in ("10", "11"):
            table = await read(web, f"/api/stats/league?month=2026-{asked}")
            assert len(table["players"]) == (2 if asked == month else 0)
            assert (f"2026-{month}" in table["months"]) is True
        evenings = await read(web, f"/api/matches?since=2026-{month}-{day}")
        assert len(evenings["matches"]) == 1


@pytest.mark.slow
async def test_nothing_can_be_changed_and_nothing_else_is_there(
    tmp_path: Path, postgres: Postgres, league_database: str, folders: Folders
) -> None:
    config = configure_league(tmp_path, postgres, league_database, public=True)
    async with serve_league(config) as address, open_client(address) as web:
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            assert "nothing can be changed" in await read(web, "/api/stats", 405, method)
        for path in ("/settings", "/guide", "/api/tables", "/api/players", "/api/stats/week", "/api/table/main/state"):
            assert await read(web, path, 404) == "there is no such page"
        assert "history.js" in await read(web, "/history")
        async with web.get("/", allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (302, "history")
        async with web.get("/api/stats", headers={"Host": "evil.example"}) as answer:
            assert answer.status == 403
        async with web.get("/api/stats", headers={"Sec-Fetch-Site": "cross-site"}) as answer:
            assert answer.status == 403
        assert "own token" in await read(web, "/api/league/record?table=main&match=m", 403)


@pytest.mark.long
async def test_tokens(tmp_path: Path, postgres: Postgres, league_database: str, folders: Folders) -> None:
    config = configure_league(tmp_path, postgres, league_database)

    async def ask(*words: str) -> str:
        done = await run("league", "--config", config, "token", *words)
        return done.output + done.errors.removeprefix("oche: ")

    north, south = (await ask("add", "north")).strip(), await make_token(config, "south")
    viewer = await make_token(config, "club", is_viewer=True)
    assert (await ask("add", "north")).startswith("north has a token: oche league token remove north ends it")
    assert [line.split("  ")[:2] for line in (await ask("list")).splitlines()] == [
        ["club", "-"],
        ["north", "oche/bridge/north"],
        ["south", "oche/bridge/south"],
    ]
    ((_, stored), _), ((_, other),) = (list_records(folders[each]) for each in (NORTH, SOUTH))
    of_north, of_south = (f"/api/league/record?table=main&match={each.id}" for each in (stored, other))
    async with serve_league(config) as address:
        async with open_client(address) as web:
            assert (await read(web, "/api/stats", 401))["error"]["code"] == "unauthorized"
            assert "history.js" in await read(web, "/history")  # the form for the token
        async with open_client(address, "bridge-wrong") as web:
            for _ in range(10):
                assert "not the token" in (await read(web, "/api/league", 401))["error"]["message"]
            assert "too many wrong tokens" in (await read(web, "/api/league", 429))["error"]["message"]
        async with open_client(address, north) as web:  # too many wrong ones keep out no right one that was shown
            await read(web, "/api/stats", 429)
    async with serve_league(config) as address:
        async with open_client(address, north) as web:
            record = await read(web, of_north)
            assert len(record.splitlines()) == len(stored.lines) + 1
            assert await read(web, of_south, 404) == "this daemon has sent no such match"
        async with open_client(address, south) as web:
            assert await read(web, of_north, 404) == "this daemon has sent no such match"
            assert await read(web, of_south)
        async with open_client(address, viewer) as web:
            assert "own token" in await read(web, of_north, 403)
        async with open_client(address) as web:
            async with web.post("/api/enter", json={"token": "view-wrong"}) as answer:
                assert answer.status == 401
            async with web.post("/api/enter", json={"token": viewer}) as answer:
                assert answer.status == 200
                assert "HttpOnly" in answer.headers["Set-Cookie"]
            assert (await read(web, "/api/stats"))["players"]
        assert await ask("remove", "club") == ""
    async with serve_league(config) as address, open_client(address, viewer) as web:
        await read(web, "/api/stats", 401)


@pytest.mark.slow
async def test_a_database_that_goes_and_comes_back(tmp_path: Path, postgres: Postgres) -> None:
    database = postgres.create_league()
    config = configure_league(tmp_path, postgres, database, public=True)
    async with serve_league(config) as address, open_client(address) as web:
        assert await read(web, "/api/league")
        forbid, allow = (f"alter database {database} allow_connections {how}" for how in ("false", "true"))
        with psycopg.connect(postgres.url(ADMIN), autocommit=True) as db:
            db.execute(forbid.encode())
            db.execute(_END, [database])
            error = (await read(web, "/api/league", 503))["error"]
            assert (error["code"], "check that PostgreSQL runs" in error["message"]) == ("unavailable", True)
            db.execute(allow.encode())
        await eventually(lambda: is_there(web))


async def is_there(web: Any) -> bool:
    async with web.get("/api/league") as answer:
        return bool(answer.status == 200)


def test_nobody_waits_for_the_matches_of_a_large_league(
    postgres: Postgres, league_database: str, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect(postgres, league_database) as db:
        source = bounded_source.BoundedSource(lambda: nullcontext(db))
        assert len(source.select(Wanted())) == 3
        monkeypatch.setattr(bounded_source, "_MOST_MATCHES", 2)
        assert len(source.select(Wanted(latest=50))) == 3
        assert len(source.select(Wanted(frozenset({"ann"})))) == 2
        with pytest.raises(UserError, match="too many matches for one answer"):
            source.select(Wanted())
        for scope, said in ((Scope(), "is still counting"), (Scope(since=DAY), "too many matches for one answer")):
            with pytest.raises(UserError, match=said):
                PostgresSource(lambda: nullcontext(db), scope, most_digests=2).rate_players()


async def test_what_nobody_waits_for_and_what_takes_too_long_is_broken_off(
    postgres: Postgres, league_database: str
) -> None:
    database = Database(url=postgres.url(league_database).partition("&user")[0])

    def sleep(connect: Any) -> None:
        with connect() as db:
            db.execute("select pg_sleep(600)")

    questions = Questions(database, statement_s=600)
    try:
        with psycopg.connect(postgres.url(league_database), autocommit=True) as db:

            def is_sleeping() -> bool:
                return db.execute(_COUNT_SLEEPING).fetchone() == (1,)

            asked = asyncio.create_task(questions.ask(sleep))
            await eventually(is_sleeping)
            asked.cancel()
            await eventually(lambda: not is_sleeping())
    finally:
        questions.close()
    questions = Questions(database, statement_s=0.1)
    try:
        with pytest.raises(UserError, match="takes the database too long"):
            await questions.ask(sleep)
        with pytest.raises(UserError, match="read-only"):
            await questions.ask(change)
    finally:
        questions.close()


def change(connect: Any) -> None:
    with connect() as db:
        db.execute("delete from oche.bridge")
