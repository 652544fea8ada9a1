"""Commands as they come over MQTT: every one, plain and as JSON; requests and their answers; and nonsense.

Only what needs a broker has one; the others are said to the daemon beside it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from protocol.bodies import MAX_BODY_BYTES
from tests.daemon.display import JSON, DirectDisplay, Display, Shown
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure, journal


async def say(display: Shown, command: str, payload: str = "") -> JSON:
    """Sends a command that is obeyed; the state after it."""
    seq = display.state()["seq"]
    await display.say(f"oche/table/main/cmd/{command}", payload)
    await display.until(lambda: display.state()["seq"] > seq)
    return display.state()


@pytest.fixture
async def over_mqtt(tmp_path: Path, broker: Mosquitto) -> AsyncIterator[Display]:
    async with run_daemon(read_config(configure(tmp_path, broker.port))), Display(broker.port) as display:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        yield display


async def test_every_command_plain_and_as_json(tmp_path: Path, over_mqtt: Display) -> None:
    display = over_mqtt
    match = display.state()["match"]
    await display.say("oche/table/main/cmd/throw", b"T20" * 10**5 * 5)  # the broker keeps that from us
    assert (await say(display, "throw", "T20"))["sides"][0]["score"] == 441
    assert (await say(display, "throw", '{"throw": "D20"}'))["sides"][0]["score"] == 401
    assert (await say(display, "miss", "whatever"))["phase"] == "takeout"
    assert (await say(display, "undo"))["phase"] == "throwing"
    assert (await say(display, "redo", "{}"))["phase"] == "takeout"
    assert (await say(display, "amend", '{"amend": 3, "throw": "S20"}'))["sides"][0]["score"] == 421
    assert (await say(display, "next"))["turn"]["player"] == "Bo"
    assert (await say(display, "next", '{"next": true}'))["turn"]["player"] == "Ann"
    assert (await say(display, "retire", "1"))["alone"] == 0
    assert (await say(display, "concede"))["winners"] == [0]
    assert (await say(display, "undo"))["sides"][1]["out"] is True
    assert (await say(display, "stop"))["phase"] == "over"
    assert journal(tmp_path) == [
        {"throw": "T20"},
        {"throw": "D20"},
        {"throw": "MISS"},
        {"undo": True},
        {"redo": True},
        {"amend": 3, "throw": "S20"},
        {"next": True},
        {"throw": "MISS"},
        {"throw": "MISS"},
        {"throw": "MISS"},
        {"next": True},
        {"retire": 1},
        {"concede": True},
        {"undo": True},
        {"stop": True},
    ]
    assert display.state()["match"] == match

    state = await say(display, "start")
    assert (state["line"], state["phase"]) == (1, "throwing")
    assert state["match"] != match
    assert [side["name"] for side in state["sides"]] == ["Ann", "Bo"], "the same again"

    header = {"game": "x01", "players": ["Cy", "Di"], "options": {"start": 301}, "seed": "mine"}
    state = await say(display, "start", json.dumps(header))
    assert [(side["name"], side["score"]) for side in state["sides"]] == [("Cy", 301), ("Di", 301)]
    await display.say("oche/table/main/cmd/game", "burma_road")
    state = await say(display, "start")
    assert (state["game"], [side["name"] for side in state["sides"]]) == ("burma_road", ["Cy", "Di"])
    await display.until(lambda: len(display.events("match_started")) == 3)
    assert [event["game"] for event in display.events("match_started")] == ["x01", "x01", "burma_road"]
    assert len(display.events("match_stopped")) == 3, "a match that is not over is stopped before the next"


async def test_undo_takes_back_retire_and_stop(display: DirectDisplay) -> None:
    before = await say(display, "throw", "T20")
    assert (await say(display, "retire", "0"))["turn"]["player"] == "Bo"
    assert (await say(display, "stop"))["phase"] == "over"
    await say(display, "undo")
    after = await say(display, "undo")
    assert {**after, "line": 0, "seq": 0} == {**before, "line": 0, "seq": 0}
    await display.until(lambda: len(display.events("undone")) == 2)
    assert [event["line"] for event in display.events("undone")] == [4, 3]
    assert (await say(display, "redo"))["sides"][0]["out"] is True
    assert (await say(display, "redo"))["phase"] == "over"
    await display.until(lambda: len(display.events("match_stopped")) == 2)
    await display.until(lambda: display.now["oche/table/main/attr/phase"] == "over")


async def test_the_next_match_is_planned_step_by_step(display: DirectDisplay) -> None:
    def plan() -> JSON:
        found: JSON = json.loads(display.now["oche/table/main/next"])
        return found

    await display.until(lambda: "oche/table/main/next" in display.now)
    assert (plan()["game"], plan()["players"], plan()["problem"]) == ("x01", ["Ann", "Bo"], None)
    await display.say("oche/table/main/cmd/game", "301")
    await display.until(lambda: plan()["game"] == "301")
    assert plan()["options"]["start"] == 301
    steps: list[JSON] = [{"options": {"out": "double"}}, {"players": ["Cy", "bot:45", "Di"]}, {"format": {"legs": 2}}]
    for said in steps:
        assert (await display.ask("game", said))["status"] == "ok"
    assert (plan()["options"]["start"], plan()["options"]["out"]) == (301, "double")
    assert (plan()["players"], plan()["format"]) == (["Cy", "bot:45", "Di"], {"legs": 2, "sets": 1})
    pairs = {"players": ["Ann", "Bo", "Cy", "Di"], "teams": [[0, 2], [1, 3]], "team_names": ["Reds", ""]}
    for said in (pairs, {"options": {"in": "double"}}):
        assert (await display.ask("game", said))["status"] == "ok"
    assert (plan()["teams"], plan()["team_names"]) == ([[0, 2], [1, 3]], ["Reds", ""])
    assert (await display.ask("game", {"teams": None}))["status"] == "ok"
    assert (plan()["teams"], plan()["team_names"], plan()["problem"]) == (None, None, None)
    refused: list[tuple[JSON, str]] = [
        ({"options": {"aut": "double"}}, "x01 has no option 'aut'; did you mean 'out'?"),
        ({"options": 3}, "header: options must be "),
        ({"players": []}, "a match needs 1 to 64 players"),
    ]
    for said, message in refused:
        error = (await display.ask("game", said))["error"]
        assert (error["code"], error["message"][: len(message)]) == ("invalid", message)
    await display.say("oche/table/main/cmd/game", "bobs_27")
    await display.until(lambda: plan()["game"] == "bobs_27")
    assert (await display.ask("game", {"players": ["Cy", "bot:45"], "game": "freeze_301"}))["status"] == "ok"
    assert "freeze" in plan()["problem"], "it says why it cannot begin"
    assert (await display.ask("start", {}))["error"]["message"] == plan()["problem"]
    await display.say("oche/table/main/cmd/game", '{"game": "cricket", "players": ["Cy", "bot:45"]}')
    state = await say(display, "start")
    assert (state["game"], [side["name"] for side in state["sides"]]) == ("cricket", ["Cy", "Bot 45"])
    await display.until(lambda: plan()["game"] == "cricket")
    assert plan()["players"] == ["Cy", "bot:45"], "as it would be sent again"


async def test_a_question_is_answered(display: DirectDisplay) -> None:
    wanted = {"game": "dards", "options": {"cards": "manual"}, "players": ["Ann", "Bo"]}
    state = await say(display, "start", json.dumps(wanted))
    prompt = state["prompts"][0]
    answer = await display.ask("choose", {"choose": "no such answer", "prompt": prompt["id"]})
    assert answer["error"]["code"] == "illegal"
    state = await say(display, "choose", prompt["options"][0])
    assert prompt["id"] not in [each["id"] for each in state["prompts"]]


async def test_a_request_is_answered(display: DirectDisplay) -> None:
    answer = await display.ask("throw", {"throw": "T20", "at": 1})
    assert answer == {
        "status": "ok",
        "data": {"line": 2, "phase": "throwing"},
        "transaction": answer["transaction"],
    }
    assert display.line() == 2, "the state is shown before the answer"


REFUSED: tuple[tuple[str, JSON, str, str], ...] = (
    ("throw", {"throw": "T20", "at": 0}, "stale", "the match is at line 1, not at 0: check the score, and try again"),
    ("redo", {}, "illegal", "there is nothing to redo"),
    ("undo", {}, "illegal", "there is nothing to undo"),
    ("choose", {"choose": "pair"}, "illegal", "no question is open"),
    ("amend", {"amend": 9, "throw": "T20"}, "illegal", "line 9 is not a throw or an answer of this match"),
    ("concede", {}, "illegal", "a match can be conceded only to a side that is left when all others have left"),
    ("retire", {"retire": 7}, "illegal", "there is no side 7; the sides are 0 to 1"),
    ("retire", {"retire": "Bo"}, "invalid", "retire must be the number of a side, from 0"),
    ("throw", {"throw": 20}, "invalid", "throw must be a segment such as T20"),
    ("throw", {"segment": "T20"}, "invalid", "throw needs a body with the key 'throw'"),
    ("amend", {}, "invalid", 'amend needs a body such as {"amend": 7, "throw": "S20"}'),
    ("nxt", {}, "unknown", "there is no command 'nxt'; did you mean 'next'?"),
    ("game", {"game": "x1"}, "invalid", "there is no game 'x1'; did you mean 'x01'?"),
    ("start", {"game": "x1"}, "invalid", "there is no game 'x1'; did you mean 'x01'?"),
    ("start", {"game": "x1", "players": ["Ann", "ann"]}, "invalid", "there is no game 'x1'; did you mean 'x01'?"),
    (
        "start",
        {"game": "501", "teams": [[0], [1]]},
        "invalid",
        "teams need players: name the players too, or leave out teams to play with the planned players",
    ),
    (
        "start",
        {"start": {"game": "501", "bots": [None, 45], "tempos": [None, 2]}},
        "invalid",
        "bots and tempos need players: name the players too, or leave out bots and tempos to play with the",
    ),
    ("start", {"options": {}}, "invalid", "header: the key 'game' is missing"),
    ("start", {"game": "x01", "optoins": {}}, "invalid", "unknown header key 'optoins'; did you mean 'options'?"),
)


async def test_who_sends_a_long_name_is_told_that_it_was_cut(display: DirectDisplay) -> None:
    long = "x" * 45
    said = f"names have at most 40 characters and were cut to {'x' * 40}"
    for command, body in (
        ("start", {"game": "x01", "players": [long, "Bo"]}),
        ("game", {"players": ["Ann", f"bot:45:2.5:{long}"]}),
        ("game", {"teams": [[0, 1]], "team_names": [long]}),
    ):
        answer = await display.ask(command, body)
        assert answer["status"] == "ok", answer
        assert answer["data"]["notice"] == said
    for players in (["x" * 40, "Bo"], [f" {'x' * 40} ", f"bot:45:2.5:{'y' * 40}"]):
        answer = await display.ask("start", {"game": "x01", "players": players})
        assert answer["data"] == {"line": 1, "phase": "throwing"}


async def test_a_refusal_says_why(display: DirectDisplay) -> None:
    for command, body, code, message in REFUSED:
        answer = await display.ask(command, body)
        error = answer.pop("error")
        assert answer == {"status": "error", "data": {}, "transaction": answer["transaction"]}
        assert error["code"] == code
        assert error["message"].startswith(message), error
    assert display.line() == 1


async def test_nonsense_does_no_harm(tmp_path: Path, display: DirectDisplay, caplog: pytest.LogCaptureFixture) -> None:
    """Garbage, depth, size, strange names, other tables: refused one by one, and the next command is obeyed."""
    caplog.set_level(logging.INFO)
    for payload in (
        b"\xff\xfe\x00",
        b"{",
        b"[" * 8000,
        b"null",
        b"[]",
        b"1e999",
        b'{"throw": {"a": 1}}',
        b"T" * 8000,
        b"T20" * 10**4,
    ):
        await display.say("oche/table/main/cmd/throw", payload)
        await display.say("oche/table/main/request/throw", payload)
    for name in ("../..", "next.", "%n", "null", "x" * 1000):
        await display.say(f"oche/table/main/cmd/{name}", "{}")
    await display.say("oche/table/kitchen/cmd/throw", "T20")
    await say(display, "throw", "T20")
    assert journal(tmp_path) == [{"throw": "T20"}]
    answers = [json.loads(m.text) for m in display.messages if m.topic == "oche/table/main/response/throw"]
    assert {answer["error"]["code"] for answer in answers} == {"invalid", "illegal"}
    assert len(answers) == 9
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert max(len(record.getMessage()) for record in caplog.records) < 2 * MAX_BODY_BYTES


@pytest.mark.parametrize("when", ["before we came", "while we listen"])
async def test_a_retained_command_is_ignored_and_explained_once(
    tmp_path: Path, broker: Mosquitto, caplog: pytest.LogCaptureFixture, when: str
) -> None:
    async with Display(broker.port) as display:
        if when == "before we came":
            await display.say("oche/table/main/cmd/throw", "T20", retain=True)
        async with run_daemon(read_config(configure(tmp_path, broker.port))):
            await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
            if when == "while we listen":
                await display.say("oche/table/main/cmd/throw", "T20", retain=True)
                await display.say("oche/table/main/cmd/throw", "T20", retain=True)
            await say(display, "throw", "DB")
            assert journal(tmp_path) == [{"throw": "DB"}]
    told = [record.getMessage() for record in caplog.records if "ignored the retained" in record.getMessage()]
    sentence = (
        "ignored the retained command on oche/table/main/cmd/throw: it would be repeated at every reconnect; "
        "clear it by publishing an empty retained message there"
    )
    assert told == [sentence] * (when == "while we listen")


async def test_a_refused_command_is_told_on_the_page(running: RunningDaemon, display: DirectDisplay) -> None:
    async with aiohttp.ClientSession(running.page) as web, web.get("/api/table/main/events") as stream:
        await display.say("oche/table/main/cmd/throw", "T99")
        async for line in stream.content:
            if line == b"event: notice\n":
                assert b"T99" in await stream.content.readline()
                return
