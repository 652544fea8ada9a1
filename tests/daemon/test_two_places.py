"""A match in two places between two daemons, over a real broker and a long line to it."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from msgspec import UNSET

from daemon.assemble import run_daemon
from daemon.config.reader import CheckedConfig, read_config
from daemon.table.table import Table
from drivers.session import now_ns
from protocol.commands import CommandError
from protocol.events import Hit
from protocol.messages import Place
from tests.commanding import give
from tests.daemon.display import Display
from tests.daemon.far_line import FarLine
from tests.daemon.mosquitto import SHIPPED, Mosquitto
from tests.daemon.process import PATIENCE_S, configure, eventually, journal
from tests.daemon.test_webhooks import Server, serving

MATCH = {
    "game": "x01",
    "options": {"start": 301, "out": "straight"},
    "players": ["Ann", "Bo"],
    "places": ["north", "south"],
}
AGREED = '[league]\nlend_to = ["north"]'


def configure_one(folder: Path, port: int, name: str, more: str = "", mqtt: str = "") -> CheckedConfig:
    """The daemon and the table of this name. Darts are pulled when a test says so."""
    folder.mkdir(exist_ok=True)
    table = f'name = "{name}"\ntakeout = "button"'
    return read_config(configure(folder, port, table, bridge=f'name = "{name}"', more=more, mqtt=mqtt))


@asynccontextmanager
async def run_both(folder: Path, north: int, south: int, more: str = AGREED) -> AsyncIterator[tuple[Table, Table]]:
    """Their tables; the numbers are the ports by which they reach the broker."""
    async with (
        run_daemon(configure_one(folder / "n", north, "north")) as one,
        run_daemon(configure_one(folder / "s", south, "south", more)) as other,
    ):
        yield one.tables["north"], other.tables["south"]


async def hit(table: Table, *beds: str) -> None:
    """Darts of its board."""
    for bed in beds:
        await table.feed(Hit(segment=table.codebook.layout[bed], time_ns=now_ns()))


async def ask(table: Table, **words: object) -> None:
    await give(table, words, "page")


def place(table: Table) -> Place:
    """Where the other side is."""
    places = table.committed.public.places
    assert places is not UNSET
    return next(each for each in places if each.board != "here")


def scores(table: Table) -> list[int]:
    return [side.score for side in table.committed.public.sides]


def darts(table: Table) -> list[str]:
    state = table.committed.public
    return [dart.segment for dart in state.turn.darts]


async def begin(north: Table, south: Table) -> None:
    await ask(north, start=MATCH)
    await eventually(lambda: place(north).board in ("online", "offline"))
    await eventually(lambda: south.scorer.lent is not None and south.scorer.lent.state is not None)


async def play_visit(table: Table, *beds: str) -> None:
    await hit(table, *beds)
    await eventually(lambda: darts(table) == [*beds])
    await ask(table, next=True)


async def sees_turn(south: Table, side: int) -> None:
    """The far table knows whose turn it is."""
    lent = south.scorer.lent
    assert lent is not None
    await eventually(lambda: lent.state is not None and lent.state.turn.side == side)


@pytest.mark.slow
async def test_a_leg_is_played_over_a_long_line(tmp_path: Path, broker: Mosquitto) -> None:
    async with (
        FarLine(broker.port, 0.05).laid() as line,
        Display(broker.port) as display,
        run_both(tmp_path, broker.port, line.port) as (north, south),
    ):
        await begin(north, south)
        await play_visit(north, "T20", "T20", "T20")
        await sees_turn(south, 1)
        await hit(south, "T20", "T19", "T18")
        await eventually(lambda: darts(north) == ["T20", "T19", "T18"])
        with pytest.raises(CommandError, match="Bo plays at the table south"):
            await ask(north, next=True)
        await ask(south, undo=True)
        await eventually(lambda: darts(north) == ["T20", "T19"])
        await eventually(lambda: south.scorer.lent is not None and south.scorer.lent.state.turn.darts_left == 1)  # type: ignore[union-attr]
        await hit(south, "T20")
        await ask(south, next=True)
        await eventually(lambda: north.committed.public.turn.side == 0)
        assert scores(north) == [121, 301 - 177]
        await hit(north, "T20", "T20", "S1")
        await eventually(lambda: north.committed.public.phase == "over")
        await eventually(lambda: south.scorer.lent is not None and south.scorer.lent.state.phase == "over")  # type: ignore[union-attr]
        await ask(north, start=None)  # the same again, which Bo begins, without another question
        await eventually(lambda: place(north).board in ("online", "offline"))
        await eventually(lambda: south.scorer.lent is not None and south.scorer.lent.state is not None)
        await eventually(lambda: south.scorer.lent.state.match == north.match_id)  # type: ignore[union-attr]
        assert [side.name for side in north.committed.public.sides] == ["Bo", "Ann"]
        await hit(south, "T20")
        await eventually(lambda: darts(north) == ["T20"])
        said = [json.loads(each.text) for each in display.messages if each.topic == "oche/table/south/league/input"]
        assert len({each["session"] for each in said}) == 2, "one for each match"
    assert (tmp_path / "s" / "state" / "south.lent").exists()


@pytest.mark.slow
async def test_voices_there_follow_the_match(tmp_path: Path, broker: Mosquitto) -> None:
    south = configure_one(tmp_path / "s", broker.port, "south", f'{AGREED}\n[outlets]\nspoken = "ear"')
    async with (
        run_daemon(configure_one(tmp_path / "n", broker.port, "north")) as one,
        run_daemon(south) as other,
        Display(broker.port) as display,
        aiohttp.ClientSession(other.page) as web,
    ):
        north, far = one.tables["north"], other.tables["south"]

        async def stand() -> str:
            async with web.get("/api/table/south/standing") as answer:
                return str((await answer.json())["text"])

        def hears(text: str) -> bool:
            return text in display.now.get("oche/table/south/attr/spoken", "")

        await begin(north, far)
        await play_visit(north, "T20", "T20", "T20")
        await sees_turn(far, 1)
        assert "Ann: 121. Bo: 301. Bo throws: 3 darts" in await stand()
        async with web.get("/api/table/south/events?ear=brief") as stream, asyncio.timeout(PATIENCE_S):
            await hit(far, "T20")
            while b"Triple 20" not in await stream.content.readline():
                pass
        await eventually(lambda: hears("Triple 20"))
        await ask(far, lend=None)
        await eventually(lambda: far.scorer.lent is None)
        assert "Ann: 501. Bo: 501" in await stand()


@pytest.mark.long
async def test_while_the_line_is_cut_its_inputs_wait(tmp_path: Path, broker: Mosquitto) -> None:
    async with (
        FarLine(broker.port, 0.0).laid() as line,
        run_both(tmp_path, broker.port, line.port) as (north, south),
    ):
        await begin(north, south)
        await play_visit(north, "T20", "T20", "T20")
        await sees_turn(south, 1)
        phase = north.committed.public.phase
        line.cut()
        await eventually(lambda: place(north).board == "away")
        await hit(south, "T20", "T19", "T18")
        await eventually(lambda: south.scorer.lent is not None and len(south.scorer.lent.inputs.waiting) == 3)
        assert (scores(north), north.committed.public.phase) == ([121, 301], phase)
        line.mend()
        await eventually(lambda: darts(north) == ["T20", "T19", "T18"])
        await eventually(lambda: place(north).board in ("online", "offline"))


@pytest.mark.slow
async def test_restarts_of_either_daemon_lose_nothing(tmp_path: Path, broker: Mosquitto) -> None:
    configs = [configure_one(tmp_path / name[0], broker.port, name, AGREED) for name in ("north", "south")]
    async with run_daemon(configs[0]) as one:
        async with run_daemon(configs[1]) as other:
            await begin(one.tables["north"], other.tables["south"])
            await play_visit(one.tables["north"], "T20", "T20", "T20")
            await sees_turn(other.tables["south"], 1)
            await hit(other.tables["south"], "T20")
            await eventually(lambda: darts(one.tables["north"]) == ["T20"])
        await eventually(lambda: place(one.tables["north"]).board == "away")
        async with run_daemon(configs[1]) as other:
            south = other.tables["south"]
            await eventually(lambda: south.scorer.lent is not None and south.scorer.lent.state is not None)
            await eventually(lambda: place(one.tables["north"]).board in ("online", "offline"))
            await hit(south, "T19")
            await eventually(lambda: darts(one.tables["north"]) == ["T20", "T19"])
    async with run_daemon(configs[1]) as other:
        south = other.tables["south"]
        await eventually(lambda: south.scorer.lent is not None and south.scorer.lent.state is not None)
        await hit(south, "T18")
        async with run_daemon(configs[0]) as one:
            north = one.tables["north"]
            await eventually(lambda: darts(north) == ["T20", "T19", "T18"])
    lines = journal(tmp_path / "n", "north")
    assert [line["throw"] for line in lines if "throw" in line] == ["T20"] * 4 + ["T19", "T18"]


async def test_the_people_there_are_asked(tmp_path: Path, broker: Mosquitto) -> None:
    async with run_both(tmp_path, broker.port, broker.port, "") as (north, south):
        await ask(north, start=MATCH)
        assert place(north).board == "asked"
        await hit(north, "T20")
        await eventually(lambda: darts(north) == ["T20"])
        await ask(south, lend="north")
        await eventually(lambda: place(north).board in ("online", "offline"))
        await ask(south, lend=None)
        await eventually(lambda: place(north).board == "left")
        assert south.scorer.lent is None
        await ask(north, stop=True)
        assert north.committed.public.phase == "over"


@pytest.mark.long
async def test_who_has_stopped_playing_along_is_not_lent_again(tmp_path: Path, broker: Mosquitto) -> None:
    """Also where the other table cannot be told, and after a restart."""
    configs = [configure_one(tmp_path / name[0], broker.port, name, AGREED) for name in ("north", "south")]
    file = tmp_path / "s" / "state" / "south.lent"
    async with run_daemon(configs[1]) as other:
        south = other.tables["south"]
        async with run_daemon(configs[0]) as one:
            await begin(one.tables["north"], south)
        await ask(south, lend=None)
        assert south.scorer.lent is None
        await eventually(lambda: b"leave" in file.read_bytes())
    async with run_daemon(configs[1]) as other:
        south = other.tables["south"]
        await hit(south, "T20")
        await eventually(lambda: darts(south) == ["T20"])
        async with run_daemon(configs[0]) as one:
            await eventually(lambda: place(one.tables["north"]).board == "left")
            await eventually(lambda: not file.exists())
            assert south.scorer.lent is None


@pytest.mark.long
async def test_who_plays_along_again_before_the_other_table_knows_is_lent(tmp_path: Path, broker: Mosquitto) -> None:
    configs = [configure_one(tmp_path / name[0], broker.port, name, AGREED) for name in ("north", "south")]
    async with run_daemon(configs[1]) as other:
        south = other.tables["south"]
        async with run_daemon(configs[0]) as one:
            await begin(one.tables["north"], south)
        await ask(south, lend=None)
        await ask(south, lend="north")
        await eventually(lambda: south.scorer.lent is not None)
        async with run_daemon(configs[0]) as one:
            north = one.tables["north"]
            await eventually(lambda: place(north).board in ("online", "offline"))
            await play_visit(north, "T20", "T20", "T20")
            await sees_turn(south, 1)
            await hit(south, "T19")
            await eventually(lambda: darts(north) == ["T19"])


async def test_two_tables_of_one_daemon_need_no_broker(tmp_path: Path) -> None:
    more = '[[table]]\nname = "south"\nboard = "serial:/dev/oche-none"\ntakeout = "button"\n' + AGREED
    async with run_daemon(configure_one(tmp_path, 0, "north", more)) as running:
        north, south = running.tables["north"], running.tables["south"]
        await begin(north, south)
        await play_visit(north, "T20", "T20", "T20")
        await sees_turn(south, 1)
        await hit(south, "T20", "T19")
        await eventually(lambda: darts(north) == ["T20", "T19"])
        await ask(south, stop=True)
        await eventually(lambda: north.committed.public.wish is not UNSET)
        await ask(north, stop=True)
        assert north.committed.public.phase == "over"


async def test_a_web_hook_is_told_once_of_what_two_tables_of_one_daemon_show(tmp_path: Path) -> None:
    server = Server(200)

    def told(table: str) -> list[str]:
        return [str(body) for body in server.bodies if f'"table":"{table}"'.encode() in body]

    async with serving(server.answer) as url:
        more = f"""
        [[table]]
        name = "south"
        board = "serial:/dev/oche-none"
        takeout = "button"
        {AGREED}
        [[outlets.webhook]]
        name = "phone"
        url = "{url}"
        [[outlets.rule]]
        on = ["180", "bullseye"]
        then = {{ webhook = "phone" }}
        """
        async with run_daemon(configure_one(tmp_path, 0, "north", more)) as running:
            north, south = running.tables["north"], running.tables["south"]
            await begin(north, south)
            await play_visit(north, "T20", "T20", "T20")
            await sees_turn(south, 1)
            await hit(south, "DB")
            await eventually(lambda: darts(north) == ["DB"])
            await ask(south, lend=None)
            await eventually(lambda: south.scorer.lent is None)
            await ask(south, throw="DB")  # behind all that was to be told before
            await eventually(lambda: bool(told("south")))
    assert len(server.sent) == 3
    assert len(told("north")) == 2


async def test_the_page_shows_only_a_match_that_the_table_plays_along_in(tmp_path: Path) -> None:
    """Neither another one at that table, nor one that waits for the match here: darts and taps count in this one."""
    more = '[[table]]\nname = "south"\nboard = "serial:/dev/oche-none"\ntakeout = "button"\n' + AGREED
    async with (
        run_daemon(configure_one(tmp_path, 0, "north", more)) as running,
        aiohttp.ClientSession(running.page) as web,
        web.get("/api/table/south/events") as stream,
    ):

        async def hear() -> Any:  # Any: JSON
            while await stream.content.readline() != b"event: lent\n":
                pass
            return json.loads((await stream.content.readline()).removeprefix(b"data: "))

        north, south = running.tables["north"], running.tables["south"]
        await hit(north, "T20")
        await eventually(lambda: darts(north) == ["T20"])
        await ask(south, lend="north")
        assert await hear() == {"to": "north"}
        await hit(south, "T19")
        await eventually(lambda: darts(south) == ["T19"])
        await ask(north, stop=True)
        await ask(north, start=MATCH)
        await play_visit(north, "T20", "T20", "T20")
        await ask(south, stop=True)
        said = await hear()
        assert (said["to"], said["state"]["match"]) == ("north", north.match_id)


async def test_the_tables_of_others_are_offered_while_they_are_there(tmp_path: Path, broker: Mosquitto) -> None:
    async with run_daemon(configure_one(tmp_path / "n", broker.port, "north")) as one, aiohttp.ClientSession() as web:

        async def offers(*names: str) -> bool:
            async with web.get(f"{one.page}api/tables/others") as answer:
                return [each["name"] for each in await answer.json()] == [*names]

        assert await offers(), "nobody has looked before"
        async with run_daemon(configure_one(tmp_path / "s", broker.port, "south")):
            await eventually(lambda: offers("south"))
        await eventually(offers)


@pytest.mark.parametrize("board", ["none", "sim:opendarts"])
async def test_a_tap_at_the_other_table_is_a_dart_of_that_match(tmp_path: Path, board: str) -> None:
    """With the line that it has there, before that has come back."""
    more = f'[[table]]\nname = "south"\nboard = "{board}"\n{AGREED}'
    async with (
        run_daemon(configure_one(tmp_path, 0, "north", more), takes_taps=True) as running,
        aiohttp.ClientSession(running.page) as web,
    ):

        async def tap(bed: str, visit: int) -> dict[str, object]:
            async with web.post("/api/table/south/tap", json={"segment": bed, "visit": visit}) as answer:
                return await answer.json()  # type: ignore[no-any-return]

        north, south = running.tables["north"], running.tables["south"]
        await begin(north, south)
        said = await tap("T20", 1)
        assert "Ann is at the oche" in str(said)
        await play_visit(north, "T20", "T20", "T20")
        await sees_turn(south, 1)
        assert "another visit" in str(await tap("T20", 1))
        line = north.committed.public.line
        assert await tap("T20", 2) == {"segment": "T20", "line": line + 1}
        assert await tap("T19", 2) == {"segment": "T19", "line": line + 2}
        await eventually(lambda: darts(north) == ["T20", "T19"])
        await give(south, {"undo": True, "at": line + 2}, "page")
        await eventually(lambda: darts(north) == ["T20"])


async def test_a_stranger_moves_nothing(tmp_path: Path, broker: Mosquitto) -> None:
    """Whose an input is follows from its topic alone, which the broker guards."""
    async with run_both(tmp_path, broker.port, broker.port) as (north, south), Display(broker.port) as display:
        await begin(north, south)
        await play_visit(north, "T20", "T20", "T20")
        await sees_turn(south, 1)
        said = {
            "v": 1,
            "to": "north",
            "match": north.match_id,
            "session": "12345678",
            "mono_ms": 1,
            "seq": 1,
            "first": 1,
        }
        for table in ("west", "north"):
            await display.say(f"oche/table/{table}/league/input", json.dumps({**said, "input": {"throw": "T20"}}))
        await hit(south, "T5")
        await eventually(lambda: darts(north) == ["T5"])


async def test_what_a_newer_daemon_says_is_passed_over(
    tmp_path: Path, broker: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    """And what nobody can read."""
    async with run_both(tmp_path, broker.port, broker.port) as (north, south), Display(broker.port) as display:
        await begin(north, south)
        event = {"event_type": "sung", "session": "12345678", "seq": 1, "match": north.match_id, "line": 1}
        await display.say("oche/table/north/event", json.dumps(event))
        for where in ("oche/table/north/event", "oche/table/north/state", "oche/bridge/west/info"):
            await display.say(where, '{"new": ' + "[" * 100_000)
        await play_visit(north, "T20", "T20", "T20")
        await sees_turn(south, 1)
        assert "could not process" not in caplog.text


def make_acl(name: str) -> str:
    """The part of the access list that ships which is of a daemon, as its owner adapts it."""
    rules = (SHIPPED / "acl").read_text(encoding="utf-8").split("# Home Assistant")[0]
    before, mark, ours = rules.partition("# Only with matches in two places")
    text = before + mark + ours.replace("\n#topic", "\ntopic")
    return text.replace("user oche", f"user {name}").replace("/oche/", f"/{name}/").replace("/main/", f"/{name}/")


def log_in(folder: Path, name: str) -> str:
    """Lines for `[mqtt]`."""
    folder.mkdir()
    password = folder / "password"
    password.write_text("bridge", encoding="utf-8")
    password.chmod(0o600)
    return f'username = "{name}"\npassword_file = "{password}"'


async def test_the_lines_of_the_access_list_are_enough_and_needed(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int
) -> None:
    users = {"north": "bridge", "south": "bridge"}
    acl = make_acl("north") + make_acl("south")
    configs = []
    for name in users:
        login = log_in(tmp_path / name, name)
        configs.append(configure_one(tmp_path / name, unused_tcp_port, name, AGREED, mqtt=login))
    async with (
        Mosquitto(mosquitto_path, tmp_path / "m", unused_tcp_port, users=users, shipped="oche.conf", acl=acl),
        run_daemon(configs[0]) as one,
        run_daemon(configs[1]) as other,
    ):
        north, south = one.tables["north"], other.tables["south"]
        await begin(north, south)
        await play_visit(north, "T20", "T20", "T20")
        await sees_turn(south, 1)
        await hit(south, "T20")
        await eventually(lambda: darts(north) == ["T20"])
        forged = {"v": 1, "to": "north", "match": north.match_id, "session": "12345678", "mono_ms": 1}
        forged |= {"seq": 1, "first": 1, "input": {"throw": "T20"}}
        one.mqtt.outbox.put("league_input", forged, table="south")  # the broker refuses it: north is not south
        await hit(south, "T19")
        await eventually(lambda: darts(north) == ["T20", "T19"])


async def test_without_such_a_match_nothing_of_it_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = re.compile(r"daemon\.(league\.(two|lent|host|neigh)|table\.(places|lent|shared))")
    for name in [name for name in sys.modules if ours.match(name)]:
        monkeypatch.delitem(sys.modules, name)
    async with run_daemon(configure_one(tmp_path, 0, "north")) as running:
        north = running.tables["north"]
        await ask(north, start={key: value for key, value in MATCH.items() if key != "places"})
        await hit(north, "T20")
        await eventually(lambda: darts(north) == ["T20"])
        await ask(north, undo=True)
        await ask(north, stop=True)
        assert not [name for name in sys.modules if ours.match(name)]
        assert not [task for task in asyncio.all_tasks() if "two places" in task.get_name()]
        assert not [*(tmp_path / "state").glob("*.lent")]
