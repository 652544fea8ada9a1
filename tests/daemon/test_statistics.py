"""The statistics on the web: what is answered, what is kept back, and that no dart waits for it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.admin import process
from daemon.admin.history import statistics
from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from daemon.table.scoresheet import SeatSender
from tests.commanding import give
from tests.daemon.evenings import Evening, copy_matches
from tests.daemon.process import configure, eventually
from tests.daemon.test_worker import find_children, find_workers

JSON = dict[str, Any]  # Any: JSON


@pytest.fixture
async def running(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    with Evening(tmp_path / "state") as evening:
        evening.play("T20 S1 D20", options={"start": 101})
        evening.throw(1, day=1, players=["Ann", "Bot"], bots=[None, 40], options={"start": 101})
        evening.throw(2, day=2, game="burma_road", players=["Ann", "a/b?<&"])
        for day, darts in enumerate(("SB MISS MISS", "DB SB SB")):
            evening.play(darts, day=day, game="eagles_eye", players=["Gil"], options={"rounds": 1})
    async with run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running:
        yield running


async def get(web: aiohttp.ClientSession, path: str, **query: str) -> tuple[int, str]:
    """Returns status and text; while the matches are being read, it asks again."""
    while True:
        async with web.get(path, params=query) as answer:
            if answer.status != 202:
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                return answer.status, await answer.text()


async def ask(web: aiohttp.ClientSession, path: str, **query: str) -> JSON:
    """Returns what is answered, once the matches have been read."""
    status, text = await get(web, path, **query)
    assert status == 200, text
    found: JSON = json.loads(text)
    return found


async def test_the_figures_are_there_beside_tables_of_other_layouts(tmp_path: Path, unused_tcp_port: int) -> None:
    with Evening(tmp_path / "state") as evening:
        evening.play("T20 S1 D20", options={"start": 101})
    table = '[[table]]\nboard = "serial:/dev/no-{0}"\nname = "{0}"\nprofile = "plain-{1}"\ngame = "{2}"\n'
    others = table.format("yatzy", "yatzy", "yatzy_dart") + table.format("ground", "ground-round", "ground_round")
    setup = read_config(configure(tmp_path, unused_tcp_port, more=others))
    async with run_daemon(setup) as running, aiohttp.ClientSession(running.page) as web:
        assert [each["name"] for each in (await ask(web, "/api/stats"))["players"]] == ["Ann", "Bo"]


@pytest.mark.slow
async def test_the_figures_of_all_players(web: aiohttp.ClientSession) -> None:
    found = await ask(web, "/api/stats")
    assert (found["v"], found["unread"]) == (1, 0)
    assert [(each["name"], each["matches"]) for each in found["players"]] == [
        ("Ann", 3),
        ("Gil", 2),
        ("a/b?<&", 1),
        ("Bo", 1),
    ]
    found = await ask(web, "/api/stats", bots="1", game="x01")
    assert [(each["name"], each["is_bot"]) for each in found["players"]] == [
        ("Ann", False),
        ("Bot", True),
        ("Bo", False),
    ]
    assert (await ask(web, "/api/stats", since="0001-01-01"))["players"][0]["matches"] == 3
    found = await ask(web, "/api/stats", since="2026-10-04", table="main")
    assert found["players"][0]["matches"] == 2


async def test_a_player(web: aiohttp.ClientSession) -> None:
    found = await ask(web, "/api/stats/player", name="ANN")
    assert [(game["title"], game["matches"], game["face"]) for game in found["games"]] == [
        ("101", 2, "standard"),
        ("Burma Road", 1, "standard"),
    ]
    assert found["games"][0]["figures"]["best_leg"] == 3
    assert (await ask(web, "/api/stats/player", name="a/b?<&"))["name"] == "a/b?<&"
    (game,) = (await ask(web, "/api/stats/player", name="Gil"))["games"]
    assert (game["variant"], game["better"]) == ("eagles_eye (rounds 1)", "high")
    assert [(result["value"], result["is_best"]) for result in game["results"]] == [(25, False), (100, True)]


async def test_a_result_beside_the_best(web: aiohttp.ClientSession) -> None:
    (game,) = (await ask(web, "/api/stats/player", name="Gil"))["games"]
    first, second = game["results"]
    for mine in (first, second):
        found = await ask(web, f"/api/match/{mine['match']}/best")
        assert (found["result"], found["best"]) == (mine, second)
    ann = (await ask(web, "/api/matches", player="Ann"))["matches"][0]
    assert await ask(web, f"/api/match/{ann['match']}/best") == {"v": 1, "result": None, "best": None}


@pytest.mark.slow
async def test_what_is_not_there(web: aiohttp.ClientSession) -> None:
    for query, why in (
        ("?name=Anne", "'Anne' has not finished a match; did you mean 'Ann'?"),
        ("?name=Bot", "'Bot' is a bot: add bots=1"),
        ("?name=Ann&game=cricket", "'Ann' has not finished a match of 'cricket'; finished: 101, burma_road"),
        ("?name=Ann&since=2099-01-01", "'Ann' has not finished a match since 2099-01-01; finished: 101, burma_road"),
        ("?name=Ann&table=bar", "'Ann' has not finished a match at the table 'bar'; finished: 101, burma_road"),
        ("", "name the player, as in ?name=Ann"),
    ):
        assert await get(web, f"/api/stats/player{query}") == (404, why), query
    status, said = await get(web, "/api/stats?since=tomorrow")
    assert (status, said) == (400, "since must be a day such as 2026-11-30")


@pytest.mark.slow
async def test_a_match_with_hands_is_told_of_when_it_is_over(
    web: aiohttp.ClientSession, running: RunningDaemon
) -> None:
    table = running.tables["main"]
    await give(table, {"start": {"game": "dards", "players": ["Dee", "Eve", "Flo"]}}, "page")
    match = table.state().match or ""
    (card, *_) = table.match.position.prompts[0].options or ()
    await give(table, {"choose": card}, SeatSender(0))
    await give(table, {"throw": "DB"}, "page")
    status, text = await get(web, "/api/stats", bots="1")
    assert status == 200
    assert "Dee" not in text
    assert match not in text
    await give(table, {"stop": True}, "page")

    async def is_told() -> bool:
        status, _ = await get(web, "/api/stats/player", name="dee")
        return status == 200

    await eventually(is_told)  # who was told to ask again gets what had been read by then, for some seconds
    found = await ask(web, "/api/stats/player", name="dee")
    assert (found["matches"], found["stopped"], found["won"]) == (1, 1, 0)
    names = [each["name"] for each in (await ask(web, "/api/stats"))["players"]]
    assert "Dee" in names
    assert "Eve" not in names, "she has thrown nothing"


@pytest.mark.long
async def test_a_client_that_asks_meanwhile_shares_the_reading(
    web: aiohttp.ClientSession, running: RunningDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page gives up in a while and asks again: were every question a reading, it would never be answered."""
    copy_matches(tmp_path / "state" / "main.sqlite3", 4000)
    monkeypatch.setattr(statistics, "_PATIENCE_S", 0.04)
    told: list[int] = []
    while True:
        async with web.get("/api/stats") as one, web.get("/api/stats/player?name=Ann") as other:
            found = [await one.json(), await other.json()]
            status = one.status
        if status == 200:
            break
        assert status == 202
        assert found[0]["reading"]["of"] in (0, 4005)
        told.append(found[0]["reading"]["done"])
    assert told == sorted(told), "no reading is made in vain"
    assert max(told) > 0
    assert found[0]["players"][0]["matches"] == 2403, "three of five copies are of Ann"


@pytest.mark.slow
async def test_a_reader_that_was_idle_or_has_died_is_started_again(
    web: aiohttp.ClientSession, running: RunningDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_IDLE_S", 0)
    assert (await ask(web, "/api/stats"))["players"][0]["matches"] == 3
    await eventually(lambda: find_workers() == [])
    copy_matches(tmp_path / "state" / "main.sqlite3", 2000)
    asking = asyncio.create_task(web.get("/api/stats"))
    await eventually(lambda: find_children() != [])
    os.kill(find_workers()[0], signal.SIGKILL)
    answer = await asking
    assert (answer.status, await answer.text()) == (503, "the history was not read to its end: try again")
    assert (await ask(web, "/api/stats"))["players"][0]["matches"] == 1203, "three of five copies are of Ann"


@pytest.mark.slow
async def test_a_stop_does_not_wait_for_it(tmp_path: Path, unused_tcp_port: int) -> None:
    with Evening(tmp_path / "state") as evening:
        evening.throw(1)
    copy_matches(tmp_path / "state" / "main.sqlite3", 2000)
    async with (
        run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running,
        aiohttp.ClientSession(running.page) as web,
    ):
        reading = asyncio.create_task(web.get("/api/stats"))
        await eventually((tmp_path / "state" / "statistics.cache").exists)
        reading.cancel()
    await asyncio.get_running_loop().shutdown_default_executor()
    assert len((tmp_path / "state" / "statistics.cache").read_bytes().splitlines()) < 2000
