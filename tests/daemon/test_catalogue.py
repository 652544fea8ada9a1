"""What the next match is put together from, as the page asks for it."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.plugins.rule_guard import Overrun, RuleGuard
from daemon.rules import RulesFailed
from engine.game import GROUPS
from engine.games import GAMES, PRESETS, ROUTINES
from tests.daemon.evenings import Evening
from tests.daemon.process import PATIENCE_S, configure
from tests.daemon.test_broken_rules import added, wrong

JSON = Any  # Any: JSON


@pytest.fixture
def guard() -> RuleGuard:
    return RuleGuard()


@pytest.fixture
async def web(tmp_path: Path, unused_tcp_port: int, guard: RuleGuard) -> AsyncIterator[aiohttp.ClientSession]:
    with Evening(tmp_path / "state") as evening:
        evening.play("T20", day=1)
        evening.play("T20", day=3, players=["ann", "Bot 45", "<b>Cy</b>"], bots=[None, 45, None])
        evening.play("T20", day=2, players=["Di", "Ann"])
        evening.play(day=4, players=["Nobody"])
        evening.play({"stop": True}, day=5, players=["Nobody"])
    with Evening(tmp_path / "state", "kitchen") as evening:
        evening.play("T20", day=4, players=["Di"])
    (tmp_path / "state" / "garage.sqlite3").write_bytes(b"this is no journal")
    yatzy = '[[table]]\nname = "yatzy"\nboard = "sim:plain-yatzy"\nprofile = "plain-yatzy"\ngame = "yatzy_dart"'
    timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
    setup = replace(read_config(configure(tmp_path, unused_tcp_port, more=yatzy)), guard=guard)
    with added():
        async with run_daemon(setup) as running, aiohttp.ClientSession(running.page, timeout=timeout) as web:
            yield web


async def ask(web: aiohttp.ClientSession, path: str) -> JSON:
    async with web.get(path) as answer:
        assert (answer.status, answer.content_type) == (200, "application/json"), await answer.text()
        return await answer.json()


async def test_playable_games_are_listed_with_their_presets_after_them(web: aiohttp.ClientSession) -> None:
    found = await ask(web, "/api/table/main/games")
    names = [each["name"] for each in found]
    assert names[:2] == ["x01", "101"]
    assert found[0] == {
        "name": "x01",
        "game": "x01",
        "title": "501",
        "line": "Score down from 501, 301 or another start score to exactly zero.",
        "language": "en",
        "sides": [1, 16],
        "team_size": [1, 8],
        "group": "x01",
    }
    soft = found[names.index("soft_501")]
    assert (soft["game"], soft["title"], soft["line"]) == ("x01", "501", PRESETS["soft_501"].line)
    assert soft["variant"] == "straight out · fat bull · 15 rounds"
    german = await ask(web, "/api/table/main/games?lang=de")
    assert german[names.index("double_in_301")]["variant"] == "Double In"
    assert set(names) == {
        *(name for name, game in GAMES.items() if "standard" in game.layouts and name != "bull_off"),
        *(name for name, preset in PRESETS.items() if "standard" in GAMES[preset.game].layouts),
        *ROUTINES,
    }
    assert found[names.index("warm_up")] == {
        "name": "warm_up",
        "game": "warm_up",
        "title": "Warm-up",
        "line": "Around the World, Eagle's Eye, Count-Up",
        "language": "en",
        "sides": [1, 16],
        "team_size": [1, 8],
        "is_routine": True,
    }
    sheet = await ask(web, "/api/games/warm_up?lang=de")
    assert sheet["rules"].startswith("1. Around the World: ")
    assert (sheet["options"]["properties"], sheet["language"]) == ({}, "de")
    assert [each["name"] for each in await ask(web, "/api/table/yatzy/games")] == ["yatzy_dart"]


async def test_games_stand_in_their_groups_and_those_of_none_come_last(web: aiohttp.ClientSession) -> None:
    found = await ask(web, "/api/table/main/games")
    groups = [next(each).get("group") for _, each in itertools.groupby(found, lambda each: each.get("group"))]
    assert groups == [*GROUPS, None]
    assert [each["name"] for each in found if "group" not in each] == ["fragile", *ROUTINES]
    tiles = sorted((each["tile"], each["name"]) for each in found if "tile" in each)
    assert [name for _, name in tiles] == ["501", "301", "cricket", "killer", "round_the_clock", "shanghai"]
    soft = await ask(web, "/api/games/soft_501")
    assert (soft["group"], "tile" in soft) == ("x01", False)


async def test_each_game_tells_its_rules_and_its_options_make_a_form(web: aiohttp.ClientSession) -> None:
    for name in ("x01", "soft_501", "dards", "segment_training"):
        found = await ask(web, f"/api/games/{name}")
        schema = found["options"]
        Draft202012Validator.check_schema(schema)
        Draft202012Validator(schema).validate(found["chosen"])
        assert (schema["type"], set(schema["properties"])) == ("object", set(found["chosen"]))
        assert found["rules"].split("\n\n")[0] == GAMES[found["game"]].line
    soft = await ask(web, "/api/games/soft_501")
    assert (soft["chosen"]["out"], soft["chosen"]["start"]) == ("straight", 501)
    assert (soft["by_side"], soft["by_player"]) == (["starts"], ["doubles", "scatter"])
    dards = await ask(web, "/api/games/dards")
    assert dards["hands"]["options"] == {"mode": "dealt", "cards": "shuffled"}
    assert [dards["hands"]["filled"][n] for n in ("2", "3")] == [
        {"mode": "rapid", "wild": False},
        {"mode": "dealt", "wild": True},
    ]
    assert "hands" not in soft
    async with web.post("/api/table/main/start", json={"game": "soft_301", "players": ["Ann"]}) as answer:
        assert answer.status == 200
    at_hand = await ask(web, "/api/table/main/rules")
    assert (at_hand["rules"], at_hand["chosen"]) == (soft["rules"], {**soft["chosen"], "start": 301, "rounds": 10})
    async with web.get("/api/games/x02") as answer:
        assert (answer.status, await answer.text()) == (404, "there is no game 'x02'; did you mean 'x01'?")
    async with web.get("/api/table/cellar/games") as answer:
        assert answer.status == 404


async def test_a_game_is_told_in_the_language_that_is_asked_for(web: aiohttp.ClientSession) -> None:
    found = {each["name"]: each for each in await ask(web, "/api/table/main/games?lang=de")}
    assert found["legs"]["line"] == "Schlag die Aufnahme vor dir, oder verlier eins von drei Legs."
    assert (found["legs"]["language"], found["fragile"]["language"]) == ("de", "en")
    legs = await ask(web, "/api/games/legs?lang=de")
    assert legs["rules"].startswith("Wirf nicht weniger als die Aufnahme vor dir")
    assert legs["names"]["mark"]["label"] == "Zu schlagende Aufnahme"
    assert legs["names"]["mark"]["values"]["best"] == "Die beste Aufnahme"
    assert (await ask(web, "/api/table/main/rules?lang=de"))["names"]["rounds"]["values"] == {"null": "Ohne Grenze"}
    assert (await ask(web, "/api/games/legs?lang=xx"))["language"] == "en"


async def test_the_rules_of_a_match_say_how_one_wins_with_its_options(web: aiohttp.ClientSession) -> None:
    """A match that is just a preset by the line of that, which has its number; any other by that of the game."""
    on_the_way = "Score down from 501, 301 or another start score to exactly zero."
    reach = "The first side to reach exactly zero wins the leg."
    for name, options, told, wins in (
        (
            "cut_throat",
            {"rounds": 12},
            (PRESETS["cut_throat"].line, ["rounds"], "12 rounds"),
            "`Scoring`: with `Cut throat`",
        ),
        ("x01", {}, (PRESETS["501"].line, [], None), reach),
        ("x01", {"rounds": 12}, (on_the_way, ["rounds"], "12 rounds"), reach),
    ):
        start = {"game": name, "options": options, "players": ["Ann", "Bo"]}
        async with web.post("/api/table/main/start", json=start) as answer:
            assert answer.status == 200, await answer.text()
        sheet = await ask(web, "/api/table/main/rules")
        assert (sheet["line"], sheet["differing"], sheet.get("variant")) == told
        assert sheet["wins"][0].startswith(wins)


async def test_a_game_that_fails_or_is_withdrawn_is_left_out(
    web: aiohttp.ClientSession, guard: RuleGuard, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> str:
        raise RuntimeError("no title")

    monkeypatch.setitem(wrong, "title", fail)
    names = [each["name"] for each in await ask(web, "/api/table/main/games")]
    assert ("fragile" in names, "cricket" in names) == (False, True)
    async with web.get("/api/games/fragile") as answer:
        assert (answer.status, (await answer.json())["error"]["code"]) == (503, "unavailable")
    for _ in range(2):
        with pytest.raises(RulesFailed), guard.call(GAMES["cricket"]):
            raise Overrun
    offered = await ask(web, "/api/table/main/games")
    assert "cricket" not in {each["game"] for each in offered}
    assert len(offered) > 50


async def test_who_has_played_is_known_the_latest_first(web: aiohttp.ClientSession, tmp_path: Path) -> None:
    found = await ask(web, "/api/players")
    assert [each["name"] for each in found] == ["Di", "ann", "<b>Cy</b>", "Bo"]
    assert found[0]["last"] == "2026-10-07T20:00:00.000+00:00"
    await web.post("/api/table/main/start", json={"game": "x01", "players": ["Eve", "ANN"]})
    assert (await ask(web, "/api/players"))[0]["name"] == "Di", "no dart was thrown yet"
    await web.post("/api/table/main/throw", json={"throw": "T20"})
    assert [each["name"] for each in await ask(web, "/api/players")] == ["Eve", "ANN", "Di", "<b>Cy</b>", "Bo"]
    with closing(sqlite3.connect(tmp_path / "state" / "kitchen.sqlite3")) as db, db:
        for number in range(100, 170):
            header = f'{{"oche":1,"game":"x01","players":["Guest {number}"]}}'
            values = (number, str(number), header, f"2026-11-01T20:00:00.{number}+00:00")
            db.execute("insert into match (number, id, header, begun_at) values (?, ?, ?, ?)", values)
            db.execute("insert into entry select ?, line, input, source, at from entry where match = 1", (number,))
    assert len(await ask(web, "/api/players")) == 60


async def test_the_plan_is_what_the_next_start_begins(web: aiohttp.ClientSession) -> None:
    async with web.post("/api/table/main/game", json={"game": "soft_501", "players": ["Di", "bot:45"]}) as answer:
        assert answer.status == 200
    plan = await ask(web, "/api/table/main/plan")
    assert (plan["game"], plan["title"], plan["players"]) == ("soft_501", "501", ["Di", "bot:45"])
    assert (plan["options"]["out"], plan["problem"]) == ("straight", None)
