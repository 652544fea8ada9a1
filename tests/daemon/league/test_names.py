"""Which names the league gets: of nobody whose matches do not count, of no bot, and of none who is forgotten."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import aiohttp
import pytest

from daemon.admin.history.forget import forget_player
from daemon.admin.players.book import PlayerBook
from daemon.admin.requests import ChangePlayer
from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import CheckedConfig
from daemon.league.store import LeagueStore
from tests.daemon.evenings import Evening
from tests.daemon.league.collector import JSON, Collector, without_order
from tests.daemon.league.playing import OPTIONS, WON, play, taken
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import eventually, run


async def post(running: RunningDaemon, path: str, body: JSON) -> JSON:
    async with aiohttp.ClientSession(running.page) as web, web.post(path, json=body) as answer:
        assert answer.status == 200, await answer.text()
        found: JSON = await answer.json()
        return found


def header_of(collector: Collector, match: str) -> JSON:
    header: JSON = json.loads(collector.kept[match].splitlines()[0])
    return header


@pytest.mark.slow
async def test_no_name_that_nobody_may_have_leaves(tmp_path: Path, setup: CheckedConfig, broker: Mosquitto) -> None:
    state = tmp_path / "state"
    ghost, like = {"player": "Zoë", "visits": [["T20", "T20", "T20"]]}, {"player": "Zoë", "deviation_mm": 20.0}
    with Evening(state) as evening:
        four, teams = ["Ann", "zoë", "Bo", "Cy"], [[0, 1], [2, 3]]
        matches = [
            evening.play(WON, options=OPTIONS, players=["Ann", "Zoë"]),
            evening.play(WON, options=OPTIONS, day=1, players=four, teams=teams, team_names=["Zoë's", "Boys"]),
            evening.play(WON, options=OPTIONS, day=2, players=["Ann", "bot:45:1:Marvin"], like=[None, like]),
            evening.play(WON, options=OPTIONS, day=3, players=["Ann", "Zoey"]),
            evening.play(WON, options=OPTIONS, day=4, players=["Ann", "Ghost"], bots=[None, 60], ghosts=[None, ghost]),
        ]
        evening.play(WON, options=OPTIONS, day=5, players=["Zoë"])  # of interest to nobody
    book = PlayerBook(state)
    book.add("Zoë")
    book.change(ChangePlayer("Zoë", counts=False))
    book.merge("Zoey", "Zoë")
    book.rename("Zoë", "Zed", ())
    book.rename("Bo", "Bob", ())
    async with Collector(broker.port) as collector, run_daemon(setup):
        await collector.until(lambda: collector.kept.keys() == {*matches} and bool(collector.players))
    assert header_of(collector, matches[0])["players"] == ["Ann", "Forgotten player 2"]
    pairs = header_of(collector, matches[1])
    assert (pairs["players"], pairs["team_names"]) == (["Ann", "Forgotten player 2", "Bo", "Cy"], ["", "Boys"])
    bots = header_of(collector, matches[2])
    assert (bots["players"], bots["bots"]) == (["Ann", "Forgotten player 2"], [None, 45])
    assert bots["like"][1]["player"] == ""
    assert header_of(collector, matches[4])["ghosts"][1]["player"] == "Forgotten player 2"
    assert [each["players"] for each in collector.players][-1] == [{"name": "Bob", "names": ["Bo"]}]
    assert not re.search('zo[eë]|zed|marvin|ghost"', "".join(collector.payloads), re.IGNORECASE)


@pytest.mark.slow
async def test_renaming_is_said_until_it_is_heard(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto, soon: None
) -> None:
    async with Collector(broker.port) as collector:
        async with run_daemon(setup) as running:
            match = await play(running)
            await collector.until(lambda: match in collector.kept)
            collector.is_deaf = True
            said = len(collector.payloads)
            await post(running, "/api/players/rename", {"name": "Ann", "to": "Anna"})
            await collector.until(lambda: len(collector.payloads) > said + 1)
            collector.is_deaf = False
            await collector.until(lambda: bool(collector.players))
            assert collector.players[0]["players"] == [{"name": "Anna", "names": ["Ann"]}]
            await eventually(lambda: LeagueStore(tmp_path / "state").read().heard == collector.players[0]["sha256"])
        count = len(collector.players)
        async with run_daemon(setup) as running:
            second = await play(running)
            await collector.until(lambda: second in collector.kept)
            assert len(collector.players) == count
            await post(running, "/api/players/rename", {"name": "Anna", "to": "Ann"})
            await collector.until(lambda: bool(collector.players[count:]))
            assert collector.players[-1]["players"] == []
            newest = collector.players[-1]
            await collector.say("heard", {"of": collector.players[0]["sha256"]})  # late, of another collector
            await collector.until(lambda: without_order(collector.players[count + 1 :]) == without_order([newest]))
            assert collector.players[-1]["order"] > newest["order"]
        assert len(collector.kept) == 2
        assert '"Anna"' not in "".join(collector.kept.values())


@pytest.mark.slow
async def test_forgetting_is_said_until_it_is_heard_and_the_name_goes(
    tmp_path: Path,
    setup: CheckedConfig,
    broker: Mosquitto,
    soon: None,
) -> None:
    state = tmp_path / "state"
    with Evening(state) as evening:
        matches = [evening.play(WON, day=n, options=OPTIONS, players=["Ann", "Zoë"]) for n in range(40)]
        evening.play(WON, day=50, options=OPTIONS, players=["Ann", "Bo"])
    async with Collector(broker.port) as collector:
        collector.decide = lambda offer: None if len(collector.kept) > 2 else {}
        async with run_daemon(setup) as running:
            await collector.until(lambda: len(collector.kept) > 2)
            collector.is_deaf = True
            told = await post(running, "/api/players/forget", {"name": "Zoë", "sure": True})
            assert (told["matches"], told["league"]) == (40, True)
            assert {name for each in LeagueStore(state).read().forgettings for name in each.names} == {"Zoë"}
            forgotten = len(collector.payloads)
            await collector.until(lambda: len(collector.payloads) > forgotten + 40)
        collector.decide = lambda _: {}
        collector.is_deaf = False
        async with run_daemon(setup):
            await collector.until(lambda: len(collector.kept) == len(matches) + 1 and bool(collector.forgotten))
            await eventually(lambda: not LeagueStore(state).read().forgettings)
            assert collector.forgotten[0]["names"] == ["Zoë"]
            await eventually(lambda: len(taken(tmp_path)) == len(matches) + 1)
            status = LeagueStore(state).read().status
            assert (status.matches, status.left) == (2, "backups have the name")
    after = [text for text in collector.payloads[forgotten:] if "Zoë" in text]
    assert {json.loads(text)["id"] for text in after} == {each["id"] for each in collector.forgotten}
    assert "Zoë".encode() not in b"".join(file.read_bytes() for file in state.iterdir() if file.is_file())


@pytest.mark.slow
async def test_another_program_forgets_beside_the_daemon(
    tmp_path: Path,
    setup: CheckedConfig,
    broker: Mosquitto,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("daemon.league.offers._PLAYERS_S", 0.1)
    with Evening(tmp_path / "state") as evening:
        evening.play(WON, options=OPTIONS, players=["Ann", "Zoë"])
        evening.play(WON, day=1, options=OPTIONS, players=["Ann", "Cy"])
        evening.play(WON, day=2, options=OPTIONS, players=["Ann", "Bo"])
    async with Collector(broker.port) as collector, run_daemon(setup):
        await collector.until(lambda: len(collector.kept) == 3)
        for name in ("Zoë", "Cy"):
            done = await run("players", "forget", name, "--yes", "--config", tmp_path / "oche.toml")
            assert "the league is told" in done.errors
        await collector.until(lambda: {name for each in collector.forgotten for name in each["names"]} == {"Zoë", "Cy"})
        await collector.until(lambda: not re.search("Zoë|Cy", "".join(collector.kept.values())))
        await eventually(lambda: not LeagueStore(tmp_path / "state").read().forgettings)


@pytest.mark.slow
async def test_what_a_match_no_longer_counts_for_is_a_new_edition(
    tmp_path: Path,
    setup: CheckedConfig,
    broker: Mosquitto,
) -> None:
    async with Collector(broker.port) as collector, run_daemon(setup) as running:
        match = await play(running)
        await collector.until(lambda: match in collector.kept)
        await post(running, "/api/players", {"name": "Bo", "counts": False})
        await collector.until(lambda: header_of(collector, match)["players"] == ["Ann", "Forgotten player 2"])


@pytest.mark.slow
async def test_a_name_is_not_sent_between_the_league_s_answer_and_the_end_of_the_forgetting(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.league.offers._PLAYERS_S", 0.1)
    state = tmp_path / "state"
    with Evening(state) as evening:
        evening.play(WON, options=OPTIONS, players=["Ann", "Zoë"])
        evening.play(WON, day=1, options=OPTIONS, players=["Ann", "Bo"])
    LeagueStore(state).add_forgetting(["Zoë"])  # as far as it comes before the journals are written
    async with Collector(broker.port) as collector, run_daemon(setup) as running:
        await collector.until(lambda: bool(collector.forgotten) and len(collector.kept) == 2)
        match = await play(running)
        await collector.until(lambda: match in collector.kept)
        await collector.say("taken", {"match": "", "sha256": "", "by": "league", "again": True})
        said = len(collector.offers)
        await collector.until(lambda: len(collector.offers) == said + 3)
        assert [each.names for each in LeagueStore(state).read().forgettings] == [("Zoë",)]
        assert not [text for text in collector.payloads if "Zoë" in text and "bridge_id" in text and '"record"' in text]
        await asyncio.to_thread(forget_player, state, {"zoë"}, tables=("main",))
        PlayerBook(state).add("Cy")
        await eventually(lambda: not LeagueStore(state).read().forgettings)
    assert "Zoë" not in "".join(collector.kept.values())
