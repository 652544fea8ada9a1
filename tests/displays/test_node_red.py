"""The flow for Node-RED in a real one: what its page shows, what it says to others, what it writes down."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, eventually, throw
from tests.displays.example import DISPLAYS, process, remembered


@asynccontextmanager
async def node_red(modules: Path, folder: Path, port: int, broker_port: int) -> AsyncIterator[str]:
    """Runs it in `folder`, and gives its address once the flow has started."""
    _import(folder, port, broker_port)
    address = f"http://127.0.0.1:{port}"
    program, settings = modules / "node-red" / "red.js", folder / "settings.js"
    command = ("node", str(program), "--userDir", str(folder), "--settings", str(settings))
    async with process(command, log=folder / "log", folder=folder) as found, aiohttp.ClientSession() as web:

        async def answers() -> bool:
            assert found.returncode is None, (folder / "log").read_text()
            try:
                async with web.get(f"{address}/darts") as answer:
                    return answer.status == 200
            except aiohttp.ClientConnectionError:
                return False

        await eventually(answers)
        yield address


def _import(folder: Path, port: int, broker_port: int) -> None:
    folder.mkdir(exist_ok=True)
    flow = json.loads((DISPLAYS / "node-red" / "flow.json").read_text(encoding="utf-8"))
    (broker,) = (node for node in flow if node["type"] == "mqtt-broker")
    assert (broker["broker"], broker["port"]) == ("localhost", "1883")
    broker |= {"broker": "127.0.0.1", "port": str(broker_port)}
    (folder / "flow.json").write_text(json.dumps(flow), encoding="utf-8")
    settings = {
        "uiHost": "127.0.0.1",
        "uiPort": port,
        "flowFile": "flow.json",
        "fileWorkingDirectory": str(folder),
        "mqttReconnectTime": 500,  # else it waits a quarter of a minute for a broker
        "credentialSecret": False,
        "telemetry": {"enabled": False, "updateNotification": False},
        "externalModules": {"palette": {"allowInstall": False}},
    }
    (folder / "settings.js").write_text(f"module.exports = {json.dumps(settings)}", encoding="utf-8")


pytestmark = pytest.mark.long

NAME = '=HYPERLINK("x")'
PLAYERS = f"players = ['Ann <b>', '{NAME}']\noptions = {{ start = 301 }}"


async def seen(address: str) -> str:
    """What the page says, as words."""
    async with aiohttp.ClientSession() as web, web.get(f"{address}/darts") as answer:
        assert answer.content_type == "text/html"
        body = (await answer.text()).partition("</style>")[2]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


async def press(address: str, command: str) -> int:
    """A button of the page; the status, once it has led back to the page."""
    async with aiohttp.ClientSession() as web, web.post(f"{address}/darts/{command}") as answer:
        return answer.status


def said(display: Display) -> list[str]:
    """By the caller."""
    return [message.text for message in display.messages if message.topic == "darts/caller"]


async def shows(address: str, words: str) -> None:
    async def so() -> bool:
        return await seen(address) == words

    try:
        await eventually(so)
    except TimeoutError:
        raise AssertionError(f"the page shows {await seen(address)!r}, not {words!r}") from None


async def test_the_flow_plays_along(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, node_modules: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    """From a late start through a restart of the broker to the end of the match; then the daemon dies."""
    config = configure(tmp_path, broker.port, PLAYERS)
    config.write_text(config.read_text().replace('players = ["Ann", "Bo"]\n', "", 1), encoding="utf-8")
    async with Process("run", "--config", config) as daemon:
        async with Display(broker.port) as display:
            await daemon.runs()
            await board.wait_until_open()
            throw(board, "T20", "T20")
            await display.until_line(3)
        async with node_red(node_modules, tmp_path / "red", unused_tcp_port_factory(), broker.port) as address:
            await shows(address, f"▶ Ann <b> 181 {NAME} 301 T20 T20 Next Undo")  # late: the state is enough
            await broker.kill()
            await broker.start()
            async with Display(broker.port) as display:
                await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
                await eventually(lambda: connected(tmp_path / "red") == 2)
                await play(board, display, address)
            match = display.state()["match"]
            await eventually(lambda: len(written(tmp_path / "red")) > 0)
            assert written(tmp_path / "red") == [[match, "301", "Ann <b>", f"Ann <b> 0, {NAME} 298"]]

            await daemon.kill()
            await shows(address, f"The dartboard is offline ★ Ann <b> 0 {NAME} 298 T20 T11 D14 Next Undo")


async def play(board: PtyBoard, display: Display, address: str) -> None:
    """The match from its third dart to its end, the buttons being those of the page."""
    throw(board, "T20")
    await display.until(lambda: said(display) == ["180"])
    assert await press(address, "undo") == 200
    await shows(address, f"▶ Ann <b> 181 {NAME} 301 T20 T20 Next Undo")
    assert await press(address, "start") == 404
    throw(board, "T20")
    await display.until(lambda: said(display) == ["180", "180"])
    assert await press(address, "next") == 200
    await shows(address, f"Ann <b> 121 ▶ {NAME} 301 Next Undo")
    throw(board, "I1", "I1", "I1")
    await display.until(lambda: said(display)[2:] == ["3"])
    board.press("next")
    await display.until(lambda: display.state()["hint"] != [])
    await shows(address, f"▶ Ann <b> 121 {NAME} 298 {' '.join(display.state()['hint'])} Next Undo")
    throw(board, "T20", "T11", "D14")
    await display.until(lambda: said(display)[3:] == ["121", "game shot, and the match: Ann <b>"])
    await shows(address, f"★ Ann <b> 0 {NAME} 298 T20 T11 D14 Next Undo")


def written(folder: Path) -> list[list[str]]:
    """The table of results, without its times."""
    if not (folder / "darts.csv").exists():
        return []
    with (folder / "darts.csv").open(encoding="utf-8", newline="") as file:
        return [row[1:] for row in csv.reader(file)]


def connected(folder: Path) -> int:
    """How often Node-RED has said that it found the broker."""
    return (folder / "log").read_text().count("Connected to broker")


async def test_a_repeat_is_said_once_and_new_events_are_let_be(
    tmp_path: Path, broker: Mosquitto, node_modules: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    """A name that looks like a formula is none in the table of results, whatever else it does to the commas in it."""
    red = tmp_path / "red"
    async with (
        node_red(node_modules, red, unused_tcp_port_factory(), broker.port) as address,
        Display(broker.port) as display,
    ):
        await shows(address, "The dartboard is offline Next Undo")
        turn = {"side": 0, "player": NAME, "darts": []}
        state = {"title": "501", "phase": "over", "turn": turn, "hint": [], "winners": [0]}
        await display.say("oche/bridge/oche/state", "online", retain=True)
        await shows(address, "No match yet Next Undo")
        sides = [{"name": NAME, "score": 0}, {"name": "Bo, the", "score": 2}]
        await display.say("oche/table/main/state", json.dumps(state | {"sides": sides}), retain=True)
        await shows(address, f"★ {NAME} 0 Bo, the 2 Next Undo")
        for seq, event_type in ((1, "visit"), (1, "visit"), (2, "moon_landing"), (3, "match_won"), (3, "match_won")):
            event = {"event_type": event_type, "session": "s", "seq": seq, "match": "m", "points": 7, "winners": [0]}
            await display.say("oche/table/main/event", json.dumps(event))
        await display.say("oche/table/main/event", json.dumps({"event_type": "bust", "session": "s", "seq": 4}))
        await display.until(lambda: "bust" in said(display))
        assert said(display) == ["7", f"game shot, and the match: {NAME}", "bust"]
        assert await remembered(broker.port) == {"oche"}
        await eventually(lambda: len(written(red)) > 0)
    assert written(red) == [["m", "501", f"'{NAME}", f"'{NAME} 0, Bo, the 2"]]
