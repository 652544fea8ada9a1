"""A match in two places while daemons are killed and the line between them is cut, over a real broker and boards."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections import Counter
from contextlib import AsyncExitStack, closing, suppress
from pathlib import Path
from random import Random

import pytest

from protocol.codebook import load
from protocol.source import Source
from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.far_line import FarLine
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, Process, configure, eventually, throw
from tests.daemon.test_two_places import AGREED, MATCH

BEDS = ["T20", "T19", "O5", "D3", "I1"]
VISITS = 6
ONLINE = "oche/bridge/south/state"


class Places:
    """Both daemons as processes, each with its board."""

    def __init__(self, folder: Path, display: Display, line: FarLine, ports: dict[str, int]) -> None:
        self.display = display
        self.line = line
        self.folders = {name: folder / name for name in ports}
        self._files = {}
        self._boards: dict[str, PtyBoard] = {}
        self._running: dict[str, Process] = {}
        for name, port in ports.items():
            self.folders[name].mkdir()
            table = f'name = "{name}"\ntakeout = "button"'
            self._files[name] = configure(
                self.folders[name], port, table, bridge=f'name = "{name}"', more=AGREED, web="on = false"
            )

    async def begin(self, stack: AsyncExitStack, name: str) -> None:
        text = (self.folders[name] / "quick.toml").read_text(encoding="utf-8")
        book = load(Source(text, "quick.toml"))
        self._boards[name] = await stack.enter_async_context(PtyBoard(book, link=self.folders[name] / "board"))
        await self.start(name)
        stack.push_async_callback(self.kill, name)

    async def start(self, name: str) -> None:
        self._running[name] = await Process("run", "--config", self._files[name]).__aenter__()
        await self._running[name].runs()
        topic = f"oche/table/{name}/board/state"
        await self.display.until(lambda: self.display.now.get(topic) == "online")

    async def kill(self, name: str) -> None:
        await self._running[name].kill()
        self.display.now.pop(f"oche/table/{name}/board/state", None)
        self.display.now.pop(f"oche/bridge/{name}/state", None)

    def cut(self) -> None:
        self.display.now.pop(ONLINE, None)
        self.line.cut()

    @property
    def kept(self) -> list[int]:
        """The numbers of the darts in the file of south."""
        lines = (self.folders["south"] / "state" / "south.lent").read_text(encoding="utf-8").split()
        return [found["seq"] for found in map(json.loads, lines) if "throw" in found.get("input", {})]

    def hit(self, name: str, bed: str) -> None:
        throw(self._boards[name], bed)

    @property
    def thrown(self) -> int:
        """The darts of this visit that both can see."""
        return len(self.display.state("north")["turn"]["darts"])

    @property
    def side(self) -> int:
        return int(self.display.state("north")["turn"]["side"])


@pytest.mark.long
async def test_every_dart_counts_once_whatever_is_killed_and_cut(tmp_path: Path, broker: Mosquitto) -> None:
    random = Random(42)
    async with (
        FarLine(broker.port, 0.08).laid() as line,
        Display(broker.port) as display,
        AsyncExitStack() as stack,
    ):
        places = Places(tmp_path, display, line, {"north": broker.port, "south": line.port})
        for name in places.folders:
            await places.begin(stack, name)
        assert (await display.ask("start", {**MATCH, "options": {"start": 1501}}, "north"))["status"] == "ok"
        await display.until(lambda: display.state("north")["places"][1]["board"] == "online")
        expected = list[str]()
        for visit in range(VISITS):
            name = "south" if places.side else "north"
            for dart in range(1, 4):
                bed = random.choice(BEDS)
                expected.append(bed)
                await throw_one(places, name, bed, dart, random)
            await next_visit(places, name, visit)
        await check(places, expected)


async def throw_one(places: Places, name: str, bed: str, dart: int, random: Random) -> None:
    """A dart, and what then happens to the machines; returns when it has counted."""
    if name == "south":
        await throw_until_kept(places, bed)
    else:
        places.hit(name, bed)
        await places.display.until(lambda: places.thrown == dart)
    await disturb(places, random)
    await places.display.until(lambda: places.thrown == dart)
    await places.display.until(lambda: places.display.now.get(ONLINE) == "online")


async def throw_until_kept(places: Places, bed: str) -> None:
    """A dart of south; once more while the table says that it did not count, as it has not heard of the match yet."""
    display, before = places.display, len(places.kept)
    strays = len(display.events("stray", "south"))
    places.hit("south", bed)
    until_s = asyncio.get_running_loop().time() + PATIENCE_S
    while len(places.kept) == before:
        assert asyncio.get_running_loop().time() < until_s, "nothing came of a dart"
        if len(display.events("stray", "south")) > strays:
            await asyncio.sleep(0.5)
            strays = len(display.events("stray", "south"))
            places.hit("south", bed)
        await asyncio.sleep(0.02)


async def disturb(places: Places, random: Random) -> None:
    match random.choice(["nothing", "nothing", "south", "north", "both", "cut", "cut", "cut and south"]):
        case "south" | "north" as name:
            await places.kill(name)
            await places.start(name)
        case "both":
            await places.kill("south")
            await places.kill("north")
            await places.start("south")
            await places.start("north")
        case "cut":
            places.cut()
            await asyncio.sleep(random.choice([0.2, 2.0]))
            places.line.mend()
        case "cut and south":
            places.cut()
            await places.kill("south")
            places.line.mend()
            await places.start("south")


async def next_visit(places: Places, name: str, visit: int) -> None:
    """The darts are pulled."""
    async with asyncio.timeout(60):
        while places.side == visit % 2:
            await places.display.say(f"oche/table/{name}/cmd/next")
            with suppress(TimeoutError):
                async with asyncio.timeout(2.0):  # it may not have known yet that it is its turn
                    await places.display.until(lambda: places.side != visit % 2)
    if name == "north":
        await asyncio.sleep(1.0)  # south sees it


async def check(places: Places, expected: list[str]) -> None:
    await eventually(lambda: b'"taken"' in (places.folders["south"] / "state" / "south.lent").read_bytes())
    with closing(sqlite3.connect(f"file:{places.folders['north']}/state/north.sqlite3?mode=ro", uri=True)) as db:
        rows = db.execute(
            "select input, source from entry where match = (select max(number) from match) order by line"
        ).fetchall()
    throws = [(json.loads(text)["throw"], source) for text, source in rows if "throw" in json.loads(text)]
    assert [bed for bed, _ in throws] == expected
    numbers = Counter(int(source.split(" ")[3]) for _, source in throws if source.startswith("table "))
    assert sorted(numbers) == places.kept
    assert set(numbers.values()) == {1}
