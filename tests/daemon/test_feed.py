"""The feed for clients of darts-caller: what its clients read is what theirs sends, and none of them costs a table."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Self

import aiohttp
import pytest
import socketio

from daemon.assemble import run_daemon
from daemon.config.outlets import Feed
from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.outlets.feed import FeedServer
from daemon.outlets.feed_messages import WELCOME, Message, Translator, describe_bed
from daemon.table.effects import Update
from daemon.table.table import Table
from protocol.layouts import find_layout
from protocol.standard import DARTBOARDS, standard
from tests.commanding import decode, give
from tests.daemon.desk import Desk
from tests.daemon.process import PATIENCE_S, configure, ended, eventually
from tests.daemon.test_durability import table_in

X01 = {"oche": 1, "game": "x01", "options": {"start": 501}, "players": ["Mia", "Bo"]}


class Hall:
    """A table without network, and what clients of its feed would hear."""

    def __init__(self, bots: Sequence[str] = (), **header: Any) -> None:  # Any: JSON
        self.desk = Desk()
        self._translator = Translator(standard(), "main", lambda: bots)
        self.hear()
        self.give(start={**X01, **header})

    def give(self, **words: Any) -> list[Message]:  # Any: JSON
        self.desk.obey(decode(words).command)
        return self.hear()

    def hear(self) -> list[Message]:
        effects = self.desk.latest
        self.desk.followed.clear()
        return self._translator.translate(Update("main", self.desk.state, effects.events))

    @classmethod
    def tell_dart(cls) -> Update:
        """Returns the update of a first dart, which leads to one message."""
        desk = Desk()
        desk.give(throw="T20")
        return Update("main", desk.state, desk.latest.events)

    def throw(self, *segments: str) -> list[Message]:
        """Returns what all of these darts together lead to."""
        return [message for each in segments for message in self.give(throw=each)]


def names(messages: Sequence[Message]) -> list[str]:
    return [message["data"]["status"] if "data" in message else message["event"] for message in messages]


def test_a_dart_is_told_as_in_the_example_of_the_protocol() -> None:
    hall = Hall()
    hall.throw("T20")
    assert hall.throw("I20") == [
        {
            "event": "dart2-thrown",
            "player": "mia",
            "playerIndex": "0",
            "playerIsBot": "False",
            "game": {
                "mode": "X01",
                "pointsLeft": "421",
                "dartNumber": "2",
                "dartValue": "20",
                "fieldName": "s20",
                "fieldNumber": 20,
                "fieldMultiplier": 1,
                "coords": {"x": 0.0, "y": 0.326},
                "type": "singleinner",
            },
            "remainingScores": {"player1": "421", "player2": "501"},
        }
    ]


def test_a_match_begins_with_who_plays_and_a_leg_with_who_throws_first() -> None:
    hall = Hall(format={"legs": 2, "sets": 1}, options={"start": 101, "out": "double"})
    (ended_, begun) = hall.give(start={**X01, "options": {"start": 101}, "format": {"legs": 2, "sets": 1}})
    assert ended_ == {"event": "match-ended", "me": "main"}
    assert begun.pop("id") == hall.desk.state.match or hall.desk.state.match is None
    assert begun == {
        "event": "match-started",
        "me": "main",
        "meHost": True,
        "players": [{"name": "mia"}, {"name": "bo"}],
        "player": "mia",
        "playerIndex": "0",
        "game": {"mode": "X01", "pointsStart": "101", "special": ""},
        "remainingScores": {"player1": "101", "player2": "101"},
    }
    hall.throw("T20", "S1", "D20")
    assert hall.give(next=True)[1:] == [
        {
            "event": "game-started",
            "player": "bo",
            "playerIndex": "1",
            "game": {"mode": "X01", "pointsStart": "101", "special": ""},
            "remainingScores": {"player1": "101", "player2": "101"},
        }
    ]


def test_a_visit_ends_with_its_total_and_the_next_player() -> None:
    hall = Hall(bots=["Bo"])
    *_, third, total, status = hall.throw("T20", "SB", "MISS")
    assert third["event"] == "dart3-thrown"
    assert {key: third["game"][key] for key in ("fieldName", "fieldNumber", "fieldMultiplier", "type")} == {
        "fieldName": "miss",
        "fieldNumber": 0,
        "fieldMultiplier": 0,
        "type": "outside",
    }
    assert total == {
        "event": "darts-thrown",
        "player": "mia",
        "playerIndex": "0",
        "playerIsBot": "False",
        "game": {"mode": "X01", "pointsLeft": "416", "dartNumber": "3", "dartValue": "85"},
        "remainingScores": {"player1": "416", "player2": "501"},
    }
    assert status == {"event": "Board Status", "data": {"status": "Takeout Started"}}
    assert hall.give(next=True) == [
        {"event": "Board Status", "data": {"status": "Takeout Finished"}},
        {
            "event": "darts-pulled",
            "player": "bo",
            "playerIndex": "1",
            "game": {
                "mode": "X01",
                "pointsLeft": "501",
                "dartsThrown": "3",
                "dartsThrownValue": "85",
                "busted": "False",
            },
            "remainingScores": {"player1": "416", "player2": "501"},
        },
    ]
    assert hall.throw("S1")[0]["playerIsBot"] == "True"


def test_a_bust_has_keys_of_its_own_and_the_player_after_it_hears_of_it() -> None:
    hall = Hall(options={"start": 101})
    hall.throw("T20")
    assert hall.throw("T20") == [
        {
            "event": "busted",
            "player": "mia",
            "playerIndex": "0",
            "playerIsBot": "False",
            "game": {
                "mode": "X01",
                "field_name": "t20",
                "field_number": 20,
                "field_multiplier": 3,
                "type": "triple",
                "busted": "True",
            },
            "remainingScores": {"player1": "101", "player2": "101"},
        },
        {"event": "Board Status", "data": {"status": "Takeout Started"}},
    ]
    pulled = hall.give(next=True)[-1]
    assert (pulled["game"]["dartsThrownValue"], pulled["game"]["busted"]) == ("0", "True")


def test_a_leg_and_a_match_are_won_by_their_last_dart() -> None:
    hall = Hall(options={"start": 101}, format={"legs": 2, "sets": 1})
    won = hall.throw("T20", "S1", "D20")[2]
    assert won == {
        "event": "game-won",
        "player": "mia",
        "playerIndex": "0",
        "game": {
            "mode": "X01",
            "dartsThrown": "3",
            "dartsThrownValue": "101",
            "fieldName": "d20",
            "fieldNumber": 20,
            "fieldMultiplier": 2,
        },
        "remainingScores": {"player1": "0", "player2": "101"},
    }
    hall.give(next=True)
    hall.throw("MISS", "MISS", "MISS")
    hall.give(next=True)
    *_, match = hall.throw("T17", "DB")
    assert match == {
        "event": "match-won",
        "player": "mia",
        "playerIndex": "0",
        "game": {
            "mode": "X01",
            "dartsThrown": "2",
            "dartsThrownValue": "101",
            "fieldName": "50",
            "fieldNumber": 25,
            "fieldMultiplier": 2,
            "coords": {"x": 0.0, "y": 0.0},
            "type": "double",
        },
        "remainingScores": {"player1": "0", "player2": "101"},
    }
    assert names(hall.give(start={**X01, "game": "cricket", "options": {}})) == ["match-ended", "match-started"]


def test_in_cricket_a_visit_is_worth_what_its_darts_have_hit() -> None:
    hall = Hall(game="cricket", options={})
    total = hall.throw("T20", "T20", "T19")[-2]
    assert total["game"]["mode"] == "Cricket"
    assert total["game"]["dartValue"] == "177"


def test_darts_that_nobody_saw_are_misses_and_a_correction_is_not_told() -> None:
    hall = Hall()
    hall.throw("T20")
    assert names(hall.give(next=True)) == [
        "dart2-thrown",
        "dart3-thrown",
        "darts-thrown",
        "Takeout Started",
        "Takeout Finished",
        "darts-pulled",
    ]
    hall.throw("T20")
    assert hall.give(undo=True) == []
    assert names(hall.throw("S1")) == ["dart1-thrown"]
    assert names(hall.give(stop=True)) == ["match-ended"]


def test_a_total_that_was_typed_in_is_told_as_a_total_alone() -> None:
    hall = Hall()
    (total, *_) = hall.give(total=100)
    assert (total["event"], total["game"]["dartValue"], total["game"]["pointsLeft"]) == ("darts-thrown", "100", "401")


@pytest.mark.parametrize("radii", DARTBOARDS.values())
def test_each_bed_lies_where_it_is_told_to_lie(radii: Any) -> None:  # Any: of three boards
    layout = standard(radii)
    for segment in layout:
        bed = describe_bed(layout, segment.id)
        found = layout.at(bed.x * layout.radius, bed.y * layout.radius)
        assert found.points == segment.points
        assert found == segment or not segment.outline
        assert (bed.number, bed.multiplier) == (segment.value, segment.multiplier)


@pytest.mark.parametrize("name", ["yatzy", "ground_round"])
def test_every_bed_of_other_boards_can_be_told(name: str) -> None:
    layout = find_layout(name)
    assert all(describe_bed(layout, segment.id).name for segment in layout)


@asynccontextmanager
async def serve(table: Table, port: int, **more: Any) -> AsyncIterator[FeedServer]:  # Any: as the section has it
    feed = FeedServer(Feed(port, **more), table, {})
    table.subscribe(feed)
    running = asyncio.create_task(feed.run())
    try:
        await eventually(lambda: is_open(port))
        yield feed
    finally:
        await ended(running)


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Client:
    """A client as those of darts-caller are: one event, and no reconnecting."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}"
        self.socket = socketio.AsyncClient(reconnection=False)
        self.heard: list[Message] = []
        self.socket.on("message", self.heard.append)

    async def __aenter__(self) -> Self:
        await self.socket.connect(self._address, transports=["websocket"])
        await self.say({"status": "WLED connected", "version": "1", "settings": {}})
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.disconnect()
        await self.socket.shutdown()

    async def say(self, said: object) -> None:
        await self.socket.emit("message", said)

    async def hears_so_many(self, count: int) -> None:
        await eventually(lambda: len(self.heard) == count)

    async def hears(self, *events: str) -> None:
        await eventually(lambda: names(self.heard) == list(events))


async def test_a_client_hears_the_darts(tmp_path: Path, unused_tcp_port: int) -> None:
    async with table_in(tmp_path) as table, serve(table, unused_tcp_port) as feed, Client(unused_tcp_port) as client:
        await client.say("hello")
        await client.hears("welcome")
        feed.publish(Hall.tell_dart()._replace(table="another"))
        assert client.heard == [{"event": "welcome", "callersAvailable": [], "callersFavoured": [], "caller": ""}]
        await give(table, {"throw": "T20"}, "page")
        await client.hears("welcome", "dart1-thrown")
        assert client.heard[-1]["player"] == table.state().turn.player.lower() != "ann"


@pytest.mark.long
@pytest.mark.usefixtures("node_modules")
@pytest.mark.parametrize("transports", ["websocket", "polling", "polling,websocket"])
async def test_the_client_of_socket_io_itself_hears_the_darts(
    transports: str, tmp_path: Path, unused_tcp_port: int, node_path: Path
) -> None:
    script = Path(__file__).parents[1] / "node" / "feed.mjs"
    async with table_in(tmp_path) as table, serve(table, unused_tcp_port):
        command = node_path, script, f"http://127.0.0.1:{unused_tcp_port}", transports
        client = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        assert client.stdout is not None
        assert json.loads(await client.stdout.readline()) == WELCOME
        for dart in ("T20", "T20"):
            await give(table, {"throw": dart}, "page")
        said = [json.loads(await client.stdout.readline()) for _ in range(2)]
        assert names(said) == ["dart1-thrown", "dart2-thrown"]
        assert await client.wait() == 0


async def test_what_a_client_sends_steers_nothing_and_is_logged_once(
    tmp_path: Path, unused_tcp_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with table_in(tmp_path) as table, serve(table, unused_tcp_port), Client(unused_tcp_port) as client:
        await give(table, {"throw": "T20"}, "page")
        before = table.state()
        wanted = ("next", "undo", "undo", "correct:0:t20", "board-stop", "call:180", {"event": "sync"}, "\x1b[2J")
        for said in wanted:
            await client.say(said)
        await client.socket.emit("throw", "T20")
        await client.say("hello")
        await eventually(lambda: "welcome" in names(client.heard))
        assert table.state() == before
    logged = [record.getMessage() for record in caplog.records if "does nothing" in record.getMessage()]
    assert sorted(line.split('"')[1] for line in logged) == sorted(
        ["next", "undo", "correct", "board-stop", "call", "sync", "\\x1b[2J", "throw"]
    )
    assert all(line.endswith("use MQTT to steer the table") for line in logged)


@pytest.mark.slow
async def test_a_client_that_does_not_read_is_cut_off_and_others_miss_nothing(
    tmp_path: Path, unused_tcp_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with table_in(tmp_path) as table, serve(table, unused_tcp_port) as feed, Client(unused_tcp_port) as client:
        with await connect_deaf(unused_tcp_port):
            dart = Hall.tell_dart()
            sent = 0
            while "is cut off" not in caplog.text:
                feed.publish(dart)
                sent += 1
                await client.hears_so_many(sent)
                assert sent < 2_000


async def connect_deaf(port: int) -> socket.socket:
    """A client that has connected, and reads no more."""
    deaf, loop = socket.socket(), asyncio.get_running_loop()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.connect(("127.0.0.1", port))
    deaf.setblocking(False)
    key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
    head = f"Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n{key}\r\n\r\n"
    await loop.sock_sendall(deaf, f"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n{head}".encode())
    heard = b""
    while b'"sid"' not in heard:
        heard += await loop.sock_recv(deaf, 4096)
    await loop.sock_sendall(deaf, b"\x81\x82\0\0\0\0" + b"40")  # a text that asks for Socket.IO
    while b"40{" not in heard:
        heard += await loop.sock_recv(deaf, 4096)
    return deaf


async def test_the_number_of_clients_and_of_connections_is_limited(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.outlets.feed._REQUEST_S", 10 * PATIENCE_S)
    async with asyncio.timeout(PATIENCE_S), AsyncExitStack() as stack:
        table = await stack.enter_async_context(table_in(tmp_path))
        await stack.enter_async_context(serve(table, unused_tcp_port))
        clients = [await stack.enter_async_context(Client(unused_tcp_port)) for _ in range(16)]
        assert await ask(unused_tcp_port) == (503, 403)
        assert await ask(unused_tcp_port, "&x=sid=1") == (503, 403)
        await clients[0].socket.disconnect()
        await stack.enter_async_context(Client(unused_tcp_port))
        idle = [await asyncio.open_connection("127.0.0.1", unused_tcp_port) for _ in range(20)]
        await asyncio.wait([asyncio.create_task(read.read(1)) for read, _ in idle], return_when="FIRST_COMPLETED")
        for _, write in idle:
            write.close()


async def test_a_connection_without_a_request_is_closed(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.outlets.feed._REQUEST_S", 0.01)
    async with table_in(tmp_path) as table, serve(table, unused_tcp_port):
        read, write = await asyncio.open_connection("127.0.0.1", unused_tcp_port)
        async with asyncio.timeout(PATIENCE_S):
            with suppress(ConnectionResetError):
                assert await read.read() == b""
        write.close()


async def ask(port: int, query: str = "", **headers: str) -> tuple[int, int]:
    """Returns the status with which a new session is answered, over HTTP and as a WebSocket."""
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}", headers=headers) as session:
        async with session.get(f"/socket.io/?EIO=4&transport=polling{query}") as reply:
            status = reply.status
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(f"/socket.io/?EIO=4&transport=websocket{query}")
        return status, refused.value.status


async def test_a_page_of_another_origin_is_refused(tmp_path: Path, unused_tcp_port: int) -> None:
    async with table_in(tmp_path) as table, serve(table, unused_tcp_port):
        assert await ask(unused_tcp_port, Origin="http://elsewhere.example") == (400, 403)


async def test_a_port_that_is_taken_is_said_and_tried_again(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.outlets.feed._RETRY_S", 0.01)
    troubles: dict[str, str] = {}
    with socket.create_server(("127.0.0.1", unused_tcp_port)):
        async with table_in(tmp_path) as table:
            running = asyncio.create_task(FeedServer(Feed(unused_tcp_port), table, troubles).run())
            await eventually(lambda: bool(troubles))
            await ended(running)
    why = f"the feed cannot be served at 127.0.0.1:{unused_tcp_port}: address already in use; "
    assert troubles == {"feed": f"{why}set another outlets.feed.port"}


def with_feed(folder: Path, port: int, more: str = "") -> Path:
    return configure(folder, more=f"[outlets.feed]\nport = {port}\n{more}")


async def test_the_daemon_serves_the_feed_that_is_configured(tmp_path: Path, unused_tcp_port: int) -> None:
    async with run_daemon(read_config(with_feed(tmp_path, unused_tcp_port))) as running:
        await eventually(lambda: is_open(unused_tcp_port))
        async with Client(unused_tcp_port) as client:
            await give(running.tables["main"], {"throw": "T20"}, "page")
            await client.hears("dart1-thrown")


async def test_without_its_libraries_the_feed_says_what_to_install_and_the_table_plays(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("daemon.outlets.make.find_spec", lambda name: None)
    async with run_daemon(read_config(with_feed(tmp_path, unused_tcp_port))) as running:
        await give(running.tables["main"], {"throw": "T20"}, "page")
    assert (
        "which are not installed: in oche's checkout, pip install '.[feed]', or remove outlets.feed.port" in caplog.text
    )


def test_a_table_that_is_not_there_is_named(tmp_path: Path, unused_tcp_port: int) -> None:
    with pytest.raises(UserError, match=r"there is no 'mian'; did you mean 'main'\?"):
        read_config(with_feed(tmp_path, unused_tcp_port, 'table = "mian"'))


async def test_without_a_feed_its_libraries_are_not_loaded(tmp_path: Path) -> None:
    file = configure(tmp_path)
    code = f"""
import asyncio, json, pathlib, sys
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
async def main():
    async with run_daemon(read_config(pathlib.Path({str(file)!r}))):
        print(json.dumps(sorted({{"bidict", "socketio", "engineio", "uvicorn", "wsproto"}} & set(sys.modules))))
asyncio.run(main())
"""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    assert json.loads(out) == []
