"""A daemon whose page shows the whole league, and a league that is slow, dead, or lies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Self

import aiohttp
import pytest
from psycopg import Connection

from daemon.admin.history import statistics
from daemon.assemble import run_daemon
from daemon.collect.kept import make_stamp
from daemon.config.reader import read_config
from daemon.league import whole_league
from daemon.release import read_version
from tests.daemon.evenings import Evening
from tests.daemon.process import PATIENCE_S, configure, eventually
from tests.league.offers import IDS, NORTH
from tests.league.pages import BELL, CROWN, configure_league, fill_league, make_token, open_client, serve_league
from tests.league.postgres import Postgres
from tests.league.sending import connect
from tests.league.test_pages import read

JSON = Any  # Any: JSON
Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]
FIGURES = {"v": 1, "players": [{"name": "Zoe"}], "unread": 0}
ASKED = "/api/stats?league=1"
PIECE = 1000
_ADD_PEOPLE = """
    insert into oche.person (shown, shown_key) select 'Person ' || n, 'person ' || n from generate_series(1, %s) n
    returning id
"""
_ADD_NAMES = """
    insert into oche.person_name (bridge_id, name_key, name, person_id)
    select %s, shown_key, shown, id from oche.person where id = any(%s)
"""
_ADD_ROLLUPS = """
    insert into oche.rollup (name_id, bridge_id, table_name, variant_id, month, parts, matches, stopped, won, darts,
        points, marks, legs, legs_won, first_at, last_at)
    select n.id, n.bridge_id, 'main', v.id, '2026-01-01', 40, 40, 0, 20, 4000, 60000, 0, 40, 20,
        '2026-01-01T20:00Z', '2026-01-31T20:00Z'
    from oche.person_name n, oche.variant v where n.person_id = any(%s) and v.variant = '501'
"""
_KEEP = """
    insert into oche.kept (question, stamp, since, until, state)
    values ('ratings', %s, '0001-01-02T00:00Z', '2000-01-01T00:00Z', %s)
"""


@asynccontextmanager
async def run_bridge(folder: Path, port: int, url: str, token: str = "") -> AsyncIterator[aiohttp.ClientSession]:
    """The page of a daemon at whose board Ann and Bo have played, and which asks a league at this address."""
    with Evening(folder / "state") as evening:
        evening.play("T20 S1 D20", options={"start": 101})
    (folder / "token").write_text(token or "bridge-token", encoding="utf-8")
    more = f'\n[league]\non = true\nurl = "{url}"\ntoken_file = "token"\n'
    file = configure(folder, port)
    file.write_text(file.read_text(encoding="utf-8") + more, encoding="utf-8")
    async with run_daemon(read_config(file)) as running, open_client(running.page or "") as web:
        yield web


class FalseLeague:
    """A web server that answers each request with what it is told to."""

    def __init__(self) -> None:
        self.heads: list[str] = []
        """Of the requests so far."""
        self.url = ""
        self._answer: Answer | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/county/"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    def say(self, body: bytes, status: str = "200 OK", kind: str = "application/json", more: str = "") -> None:
        """Answers with this from now on."""
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"

        async def answer(writer: asyncio.StreamWriter) -> None:
            writer.write(head.encode() + body)
            await writer.drain()

        self._answer = answer

    def be_silent(self) -> None:
        """Answers nothing from now on."""
        self._answer = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
            if self._answer is None:
                await reader.read()  # until the other one gives up
            else:
                await self._answer(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@pytest.fixture(autouse=True)
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, no figure of one's own is asked for again."""
    monkeypatch.setattr(statistics, "_PATIENCE_S", PATIENCE_S)


@pytest.fixture
async def league() -> AsyncIterator[FalseLeague]:
    async with FalseLeague() as league:
        yield league


async def ask(web: aiohttp.ClientSession, path: str = ASKED) -> tuple[str, JSON]:
    """What the daemon says of the answer, and who is in it."""
    async with web.get(path) as answer:
        assert answer.content_type == "application/json"
        assert answer.status == 200
        found = await answer.json()
        return answer.headers[whole_league.HEADER], [each["name"] for each in found["players"]]


@pytest.mark.slow
async def test_the_answers_of_a_league_and_what_is_kept_of_them(
    tmp_path: Path, unused_tcp_port: int, league: FalseLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_league, "_REST_S", 0.0)
    monkeypatch.setattr(whole_league, "_TIMEOUT_S", PATIENCE_S)
    league.say(json.dumps(FIGURES).encode())
    async with run_bridge(tmp_path, unused_tcp_port, league.url) as web:
        assert await ask(web, "/api/stats") == ("own", ["Ann", "Bo"])
        assert not league.heads
        assert await ask(web, f"{ASKED}&place=The%20Bell&since=2026-01-01") == ("now", ["Zoe"])
        assert league.heads[0].startswith("GET /county/api/stats?place=The+Bell&since=2026-01-01 HTTP/1.1\r\n")
        assert "authorization: bearer bridge-token\r\n" in league.heads[0].lower()
        assert await ask(web) == ("now", ["Zoe"])
        for lie in (
            {"body": b"<html>login</html>", "kind": "text/html"},
            {"body": b"<html>login</html>"},
            {"body": b"[" * 100_000},
            {"body": b'{"v":1,"players":[' + b'{"name":"x"},' * 200_000 + b"0]}"},
            {"body": b'{"v":2}'},
            {"body": b"", "status": "302 Found", "more": "Location: http://127.0.0.1:1/\r\n"},
            {"body": b"{}", "status": "500 Internal Server Error"},
            {"body": b"{}", "status": "401 Unauthorized"},
        ):
            league.say(**lie)
            said, players = await ask(web)
            assert said.startswith("20"), lie
            assert players == ["Zoe"]
            assert await ask(web, f"{ASKED}&game=x01") == ("none", ["Ann", "Bo"])
        with monkeypatch.context() as patch:
            patch.setattr(whole_league, "_KEPT_S", 0.0)  # a day later
            assert await ask(web) == ("none", ["Ann", "Bo"])
        async with web.post("/api/players/forget", json={"name": "Bo", "sure": True}) as answer:
            assert answer.status == 200, await answer.text()
        assert await ask(web) == ("none", ["Ann"]), "a name that was forgotten may be in what was kept"
        league.say(b"there is none", "404 Not Found", "text/plain")
        async with web.get("/api/stats/player?name=Ann&league=1") as answer:
            assert (answer.status, await answer.text()) == (404, "the league knows of no such thing")
        league.say(b"too many matches", "409 Conflict", "text/plain")
        assert await read(web, "/api/stats/ratings?league=1", 404) == "the league knows of no such thing"
        league.say(b"there is none", "404 Not Found", "text/plain")
        async with web.get("/api/league/season?name=winter") as answer:
            assert (answer.status, await answer.text()) == (404, "the league knows of no such thing")
        assert await read(web, "/api/league") == {"v": 1, "name": "", "places": [], "games": [], "seasons": []}


@pytest.mark.slow
async def test_a_league_that_is_silent_holds_nothing_up(
    tmp_path: Path, unused_tcp_port: int, league: FalseLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_league, "_TIMEOUT_S", 0.2)
    monkeypatch.setattr(whole_league, "_REST_S", 3600.0)
    async with run_bridge(tmp_path, unused_tcp_port, league.url) as web:
        first = asyncio.create_task(ask(web))
        await eventually(lambda: len(league.heads) == 1)
        assert await ask(web, "/api/stats") == ("own", ["Ann", "Bo"])  # meanwhile
        assert await first == ("none", ["Ann", "Bo"])
        for _ in range(20):
            assert await ask(web) == ("none", ["Ann", "Bo"])
        assert len(league.heads) == 1  # it is left alone for a while


@pytest.mark.slow
async def test_one_question_that_takes_too_long_leaves_the_others_to_the_league(
    tmp_path: Path, unused_tcp_port: int, league: FalseLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_league, "_REST_S", 3600.0)
    league.say(json.dumps(FIGURES).encode())
    async with run_bridge(tmp_path, unused_tcp_port, league.url) as web:
        assert await ask(web) == ("now", ["Zoe"])
        league.be_silent()
        assert await ask(web, f"{ASKED}&game=x01") == ("none", ["Ann", "Bo"])
        league.say(json.dumps(FIGURES).encode())
        assert await ask(web) == ("now", ["Zoe"])


@pytest.mark.slow
async def test_a_real_league_that_dies(
    tmp_path: Path, unused_tcp_port: int, postgres: Postgres, league_database: str
) -> None:
    await asyncio.to_thread(fill_league, tmp_path, postgres, league_database)
    config = configure_league(tmp_path, postgres, league_database)
    token = await make_token(config, "north")
    async with AsyncExitStack() as league, AsyncExitStack() as bridge:
        address = await league.enter_async_context(serve_league(config))
        web = await bridge.enter_async_context(run_bridge(tmp_path, unused_tcp_port, address, token))
        assert await ask(web) == ("now", ["Ann", "Bo", "Cy", "Di"])
        assert await ask(web, f"{ASKED}&place={CROWN}") == ("now", ["Cy", "Di"])
        assert (await read(web, "/api/league"))["places"] == [BELL, CROWN]
        await read(web, "/api/league/record?table=main&match=m", 404)  # that is only for the daemon itself
        await league.aclose()
        said, players = await ask(web)
        assert (said[:2], players) == ("20", ["Ann", "Bo", "Cy", "Di"])
        assert await ask(web, f"{ASKED}&place={BELL}") == ("none", ["Ann", "Bo"])


def add_people(db: Connection[Any], count: int) -> None:
    """Has the league know so many more people, each with a rating and the way of twenty days to it."""
    ids = [each for (each,) in db.execute(_ADD_PEOPLE, [count])]
    way = [[739_000 + day, 1500.0 + day, 300.25] for day in range(20)]
    rated = {str(each): [1000.0 + at / 10, 50.0, 0.06, 739_019, 40, way] for at, each in enumerate(ids)}
    pool = [0, 9000, 400, 40, 20, None, 7000, None, 300]
    game = {"game": "x01", "variant": "501", "title": "501", "method": "glicko2", "matches": 20 * count}
    book = {"games": {"glicko2 501": {**game, "players": rated}}, "pools": {str(each): {"x01": pool} for each in ids}}
    db.execute(_ADD_NAMES, [IDS[NORTH], ids])
    db.execute(_ADD_ROLLUPS, [ids])
    db.execute(_KEEP, [make_stamp(read_version(), "UTC"), json.dumps(book).encode()])


@pytest.mark.long
async def test_the_lists_of_ten_thousand_people(
    tmp_path: Path, unused_tcp_port: int, postgres: Postgres, league_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_league, "_TIMEOUT_S", PATIENCE_S)
    await asyncio.to_thread(fill_league, tmp_path, postgres, league_database)
    with connect(postgres, league_database) as db:
        add_people(db, 10_000)
    config = configure_league(tmp_path, postgres, league_database)
    token = await make_token(config, "north")
    async with serve_league(config) as address, run_bridge(tmp_path, unused_tcp_port, address, token) as web:
        ratings = f"/api/stats/ratings?league=1&game=501&method=glicko2&most={PIECE}"
        assert await ask_all(web, ratings, lambda found: found["games"][0]["players"]) == 10_004
        assert await ask_all(web, ratings, lambda found: found["players"]) == 10_000
        assert await ask_all(web, f"{ASKED}&most={PIECE}", lambda found: found["players"]) == 10_004
        first = await read(web, "/api/stats/ratings?league=1&most=2")
        assert [(each["variant"], len(each["players"])) for each in first["games"]] == [("501", 2), ("cricket", 0)]
        assert [each["name"] for each in first["games"][0]["players"]] == ["Person 10000", "Person 9999"]
        assert len(first["players"]) == 2
        of_cricket = await read(web, "/api/stats/ratings?league=1&game=cricket&method=glicko2&most=9")
        assert [len(each["players"]) for each in of_cricket["games"]] == [2]
        assert (await read(web, "/api/stats/ratings?league=1&method=plackett_luce"))["games"] == []
        assert "a number of players" in await read(web, "/api/stats?most=many", 400)


async def ask_all(web: aiohttp.ClientSession, path: str, find: Callable[[JSON], list[JSON]]) -> int:
    """How many people the pieces of a list have, each once, which the league alone tells."""
    names: list[str] = []
    while True:
        async with web.get(f"{path}&first={len(names)}") as answer:
            assert (answer.status, answer.headers[whole_league.HEADER]) == (200, "now")
            found = find(await answer.json())
        names += [each["name"] for each in found]
        if len(found) < PIECE:
            assert len({*names}) == len(names)
            return len(names)


@pytest.mark.slow
async def test_an_address_that_is_none_and_a_daemon_without_a_league(tmp_path: Path, unused_tcp_port: int) -> None:
    async with run_bridge(tmp_path, unused_tcp_port, "") as web, web.get(ASKED) as answer:
        assert (answer.status, whole_league.HEADER in answer.headers) == (200, False)
