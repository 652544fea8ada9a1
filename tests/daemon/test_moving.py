"""A match that moves: its table says what was played, and another table goes on with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.table.played_record import make_record
from protocol.bodies import MAX_BODY_BYTES, MAX_START_BYTES
from protocol.commands import CommandError
from tests.commanding import give
from tests.daemon.desk import Desk
from tests.daemon.display import JSON, DirectDisplay, Display, Shown, find_retained
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure
from tests.daemon.test_durability import table_in
from tests.daemon.test_ref import ASKED, REF
from tests.plain_guard import PlainGuard

TOPIC = "oche/table/{}/record"
TWO = '[[table]]\nname = "kitchen"\nboard = "none"'
LEGS = ASKED | {"format": {"legs": 2}}


async def throw(display: Shown, table: str, *beds: str) -> None:
    """Darts, with `/` for next."""
    for bed in beds:
        answer = await display.ask("next" if bed == "/" else "throw", {} if bed == "/" else {"throw": bed}, table)
        assert answer["status"] == "ok"


def record(display: Shown, table: str) -> JSON:
    """What this table says was played; {} where it says nothing."""
    found: JSON = json.loads(display.now.get(TOPIC.format(table)) or "{}")
    return found


def lines(display: Shown, table: str = "main") -> list[JSON] | None:
    return record(display, table).get("lines")


async def online(display: Shown, since: int = 0) -> None:
    """All that is retained was said, in the messages from this one on."""
    bridge = "oche/bridge/oche/state", "online"
    await display.until(lambda: bridge in [(each.topic, each.text) for each in display.messages[since:]])


@pytest.mark.slow
async def test_a_match_goes_on_at_another_table(broker: Mosquitto, tmp_path: Path) -> None:
    setup = read_config(configure(tmp_path, broker.port, more=TWO))
    async with Display(broker.port) as display:
        async with run_daemon(setup):
            await online(display)
            await display.ask("start", LEGS)
            await throw(display, "main", "T20", "S1", "D1")
            await display.until(lambda: len(lines(display) or ()) == 3)
            await throw(display, "main", "/", "S20")
            await display.until(lambda: len(lines(display) or ()) == 4)
            assert (await display.ask("amend", {"amend": 2, "throw": "T19"}))["status"] == "ok"
            await display.until(lambda: len(lines(display) or ()) == 5)
            assert record(display, "main")["ref"] == REF
            assert record(display, "main")["header"]["continues"] == display.state()["match"]
        seen = len(display.messages)
        async with run_daemon(setup):
            said = record(display, "main")
            await online(display, seen)
            assert record(display, "main") == said
            assert said["lines"] == [
                *({"throw": "T20"}, {"throw": "S1"}, {"throw": "D1"}, {"next": True}),
                {"amend": 2, "throw": "T19"},
            ]
            body = {**said["header"], "ref": f"{REF}2", "lines": said["lines"]}
            assert (await display.ask("start", body, "kitchen"))["data"] == {"line": 6, "phase": "throwing"}
            there = display.state("kitchen")
            assert [side["score"] for side in there["sides"]] == [41, 101]
            assert (there["ref"], there["turn"]["player"], there["turn"]["darts"]) == (f"{REF}2", "Di", [])
            assert "seed_given" not in there
            assert lines(display, "kitchen") == said["lines"]
            assert record(display, "kitchen")["header"]["continues"] == there["match"]
            await display.ask("stop", {})
            await display.until(lambda: not record(display, "main"))
            await display.ask("undo", {})
            await display.until(lambda: bool(record(display, "main")))
            await display.ask("start", {"game": "501", "players": ["Ann"]})
            await display.until(lambda: not record(display, "main"))
        kept = await find_retained(Display(broker.port))
        assert (TOPIC.format("main") in kept, TOPIC.format("kitchen") in kept) == (False, True)


async def test_it_is_said_again_after_a_restart(broker: Mosquitto, tmp_path: Path) -> None:
    """A broker that lost it has it again; a match that is over has none, whoever was away at its end."""
    setup = read_config(configure(tmp_path, broker.port))
    topic = TOPIC.format("main")
    async with Display(broker.port) as display:
        async with run_daemon(setup):
            await online(display)
            await display.ask("start", ASKED)
            await throw(display, "main", "T20", "S1", "S1", "/")
            await display.until(lambda: len(lines(display) or ()) == 4)
        said, since = display.now[topic], len(display.messages)
        await display.say(topic, "", retain=True)
        await display.until(lambda: not record(display, "main"))
        async with run_daemon(setup):
            await online(display, since)
            assert display.now[topic] == said
            await display.ask("stop", {})
            await display.until(lambda: not record(display, "main"))
        since = len(display.messages)
        await display.say(topic, said, retain=True)
        await display.until(lambda: bool(record(display, "main")))
        async with run_daemon(setup):
            await online(display, since)
            assert not record(display, "main")


async def test_of_a_match_that_nobody_asked_for_nothing_is_said(tmp_path: Path, unused_tcp_port: int) -> None:
    async with (
        run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running,
        DirectDisplay(running) as display,
    ):
        await display.ask("start", {"game": "101", "players": ["Ann", "Bo"]})
        await throw(display, "main", "T20", "S1", "D20")
        assert display.state()["phase"] == "over"
        await display.ask("start", {"game": "random_cricket", "players": ["Ann", "Bo"], "ref": REF})
        assert not record(display, "main"), "its numbers are drawn"
        await display.ask("start", {"game": "dards", "players": ["Ann", "Bo", "Cy"], "ref": REF})
        assert not record(display, "main")
        assert not [topic for topic in display.now if topic.endswith("/record") and display.now[topic]]


MISSES = [{"throw": "MISS"}, {"throw": "MISS"}, {"throw": "MISS"}, {"next": True}]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"lines": [{"throw": "T20"}, {"next": True}, {"throw": "S21"}]}, "line 4 is refused: .*S21"),
        ({"lines": [{"throw": "T20"}, {"jump": 1}]}, "line 3: .*'jump'"),
        ({"lines": [*MISSES, {"redo": True}]}, "line 6 is refused: there is nothing to redo"),
        ({"lines": ["T20"]}, "a list of lines"),
        ({"lines": [{"next": 1}] * 5001}, "5000 are the limit"),
        ({"lines": [*MISSES * 200, *[{"amend": 2, "throw": "S1"}] * 90]}, "too many corrections"),
        ({"lines": MISSES, "game": "random_cricket", "options": {}}, "begins anew"),
        ({"lines": MISSES, "game": "blind_killer", "options": {}}, "begins anew"),
        ({"lines": MISSES, "order": "bull"}, "no order"),
        ({"lines": MISSES, "players": None}, "players"),
    ],
)
def test_lines_that_cannot_be_played_begin_nothing(given: dict[str, Any], why: str) -> None:
    desk = Desk()
    desk.give(throw="T20")
    before = desk.scorer.match.position
    header = {key: value for key, value in (ASKED | given).items() if value is not None}
    with pytest.raises(CommandError, match=why):
        desk.give(start=header, **{key: header.pop(key) for key in ("lines", "order") if key in header})
    assert (desk.scorer.match.position, len(desk.headers)) == (before, 0)


async def test_lines_are_kept_with_their_match(tmp_path: Path) -> None:
    played = [
        *MISSES,
        {"throw": "single 20"},
        {"throw": "s5"},
        {"throw": "S1"},
        {"next": True},
        {"amend": 6, "throw": "T20"},
    ]
    async with table_in(tmp_path) as table:
        await give(table, {"throw": "T20"}, "page")
        answer = await give(table, {"start": ASKED, "lines": played}, "page")
        assert (answer.line, answer.phase) == (10, "throwing")
        said = make_record(table.committed, PlainGuard())
        state = table.state()
    async with table_in(tmp_path) as table:
        assert (table.state().sides, table.state().line) == (state.sides, 10)
        assert said == make_record(table.committed, PlainGuard())
        assert said is not None
        assert [*said.lines[4:6], said.lines[-1]] == [{"throw": "S20"}, {"throw": "S5"}, {"amend": 6, "throw": "T20"}]


def write(body: JSON) -> bytes:
    """As JSON without spaces."""
    return json.dumps(body, separators=(",", ":")).encode()


@pytest.mark.slow
async def test_what_is_too_long_is_not_said(tmp_path: Path) -> None:
    async with run_daemon(read_config(configure(tmp_path))) as running, aiohttp.ClientSession(running.page) as web:
        body = write(LEGS | {"lines": MISSES * 950})
        assert MAX_BODY_BYTES < len(body) < MAX_START_BYTES
        async with web.post("/api/table/main/start", data=body) as answer:
            assert (answer.status, (await answer.json())["line"]) == (200, 3801)
        table = running.tables["main"]
        assert make_record(table.committed, table.guard) is not None
        async with web.post("/api/table/main/start", data=write(LEGS | {"ref": "b", "lines": MISSES * 1030})) as answer:
            assert answer.status == 200
        assert make_record(table.committed, table.guard) is None
        async with web.post("/api/table/main/start", data=write(LEGS | {"team_names": ["Cy", "x" * 9000]})) as answer:
            assert (answer.status, "limit" in await answer.text()) == (400, True)
        async with web.post("/api/table/main/start", data=b" " * (MAX_START_BYTES + 1)) as answer:
            assert answer.status == 413
