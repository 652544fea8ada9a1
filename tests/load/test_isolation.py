"""A broken rule, floods of every kind and displays that have stopped reading: the other tables go on, and lose nothing.

The delays of the others are printed, undisturbed and disturbed in one run.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

import aiohttp
import pytest

from protocol.codebook import shipped
from tests.daemon.evenings import Evening, copy_matches
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import eventually, segment
from tests.faults.evening import OPTIONS, stored
from tests.load.pub import Pub, opened

pytestmark = pytest.mark.long
TABLES = 8
GAME = '''"""A game whose rule breaks once a file is beside it."""

from pathlib import Path

from engine.games.count_up import CountUp


class Broken(CountUp):
    """Breaks."""

    id = "broken"

    def dart(self, state, segment, turn, luck):
        if Path(__file__).with_name("now").exists():
            raise ZeroDivisionError
        return super().dart(state, segment, turn, luck)


GAMES = [Broken()]
'''


FLOODS = {
    "garbage": b"\xff\x00,;\r\n" * 1000,
    "darts": b"".join(b"%d,%d\r\n" % place for place in shipped("opendarts").cells.values()),
    "no ends": b"\xff\x00,;" * 1000,
}
TOO_FAST, TOO_MUCH = "commands that come too fast", "more than a dartboard does"
# As if it ran on another machine: the processors of this one are for the daemon first.
FLOODER = """
import os, select, socket, sys
os.nice(19)
server = socket.socket(fileno=int(sys.argv[1]))
said = left = bytes.fromhex(sys.argv[2])
is_told = False
while True:
    link, _ = server.accept()
    link.setblocking(False)
    try:
        while True:
            try:
                left = left[link.send(left):] or said
            except BlockingIOError:
                if not is_told:
                    print("full", flush=True)
                is_told = True
                select.select([], [link], [])
    except OSError:
        pass
"""
COMMANDER = """
import asyncio, os, sys
from aiomqtt import Client
os.nice(19)
async def main():
    async with Client("127.0.0.1", int(sys.argv[1])) as client:
        while True:
            await client.publish("oche/table/flooded/cmd/next")
            await client.publish("oche/table/flooded/cmd/undo")
            await asyncio.sleep(0)  # a publish that the broker takes at once waits for nothing
asyncio.run(main())
"""


async def test_what_goes_wrong_at_one_table_stays_there(tmp_path: Path, broker: Mosquitto, seed: int) -> None:
    (tmp_path / "pub" / "games").mkdir(parents=True)
    (tmp_path / "pub" / "games" / "broken.py").write_text(GAME, encoding="utf-8")
    async with opened(tmp_path / "pub", broker.port, TABLES, Random(seed)) as pub:
        broken, flooding, *others = pub.boards
        await pub.play(8, *others)
        calm = pub.delays(*others)
        began = asyncio.get_running_loop().time()
        answer = await pub.witness.ask(
            "start", {"transaction": "b", "game": "broken", "players": ["Ann", "Bo"]}, broken
        )
        assert answer["status"] == "ok", answer
        pub.boards[broken].hit(segment("T20"))
        assert await pub.witness.until(lambda: '"line":2,' in pub.witness.now()[f"oche/table/{broken}/state"])
        (tmp_path / "pub" / "games" / "now").touch()
        async with deaf(broker.port, _SUBSCRIBE), deaf(urlsplit(pub.page).port or 0, _EVENTS):
            async with asyncio.TaskGroup() as tasks:
                nuisances = [tasks.create_task(flood(pub, flooding)), tasks.create_task(break_rules(pub, broken))]
                await pub.play(8, *others)
                for nuisance in nuisances:
                    nuisance.cancel()
            await pub.judge(*others)
        disturbed = pub.delays(*others, since=began)
        assert "ZeroDivisionError" in pub.errors
        assert stored(tmp_path / "pub", broken)[-1].lines, "the broken match has kept what it had"
    sys.stdout.write(
        f"the other {len(others)} tables, byte to display: p50 {calm.p50:.1f} ms, p99 {calm.p99:.1f} ms undisturbed;"
        f" p50 {disturbed.p50:.1f} ms, p99 {disturbed.p99:.1f} ms disturbed, {disturbed.inputs} inputs, none lost\n"
    )


@pytest.mark.parametrize("what", [*FLOODS, "next and undo"])
async def test_a_flood_leaves_the_other_tables_their_share(
    tmp_path: Path, broker: Mosquitto, seed: int, what: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp:127.0.0.1:{server.getsockname()[1]}"
        table = f'[[table]]\nname = "flooded"\nboard = "{address}"\nprofile = "quick.toml"\n{OPTIONS}'
        async with opened(tmp_path, broker.port, TABLES, Random(seed), table) as pub:
            await pub.play(8)
            calm, calm_mb = pub.delays(), pub.memory_mb
            began = asyncio.get_running_loop().time()
            async with asyncio.TaskGroup() as tasks:
                full = asyncio.Event()
                flooding = say_at_full_speed(server, FLOODS[what], full) if what in FLOODS else command(broker.port)
                nuisance = tasks.create_task(flooding)
                await pub.play(8)
                # Where the window of the connection closes first, the flood waits there and never exceeds its share.
                warning = TOO_MUCH if what in FLOODS else TOO_FAST
                await eventually(lambda: warning in pub.errors or full.is_set())
                nuisance.cancel()
            await pub.judge()
            disturbed, mb = pub.delays(since=began), pub.memory_mb
            kept_mb = sum(file.stat().st_size for file in (tmp_path / "state").glob("flooded.sqlite3*")) / 1e6
    sys.stdout.write(
        f"{what}: the others p50 {calm.p50:.1f} ms, p99 {calm.p99:.1f} ms, memory {calm_mb:.0f} MB undisturbed;"
        f" p50 {disturbed.p50:.1f} ms, p99 {disturbed.p99:.1f} ms, memory {mb:.0f} MB,"
        f" its journal {kept_mb:.1f} MB flooded\n"
    )


HISTORY = 20_000
"""Matches: more than are replayed while the tables play."""


async def test_no_table_waits_for_a_history_that_is_read(tmp_path: Path, broker: Mosquitto, seed: int) -> None:
    state = tmp_path / "state"
    with Evening(state, "archive") as evening:
        for match in range(50):
            evening.throw(match)
    copy_matches(state / "archive.sqlite3", HISTORY - 50)
    async with opened(tmp_path, broker.port, TABLES, Random(seed)) as pub, aiohttp.ClientSession(pub.page) as web:
        await pub.play(20)
        calm = pub.delays()
        began, done = asyncio.get_running_loop().time(), 0
        async with asyncio.TaskGroup() as tasks:
            playing = tasks.create_task(pub.play(20))
            while not playing.done():
                done = await ask_for_statistics(web)
        disturbed = pub.delays(since=began)
        await pub.judge()
    sys.stdout.write(
        f"{done} of {HISTORY} matches replayed: p50 {calm.p50:.1f} ms, p99 {calm.p99:.1f} ms undisturbed;"
        f" p50 {disturbed.p50:.1f} ms, p99 {disturbed.p99:.1f} ms\n"
    )


async def ask_for_statistics(web: aiohttp.ClientSession) -> int:
    """Returns how many matches have been read for them."""
    async with web.get("/api/stats") as answer:
        assert answer.status in (200, 202), await answer.text()
        reading = (await answer.json()).get("reading", {"done": HISTORY})
        return int(reading["done"])


async def say_at_full_speed(server: socket.socket, said: bytes, full: asyncio.Event) -> None:
    """What a board says without end; sets `full` when the connection takes no more at once."""
    await _run(sys.executable, "-c", FLOODER, str(server.fileno()), said.hex(), pass_fds=[server.fileno()], told=full)


async def _run(*command: str, pass_fds: Collection[int] = (), told: asyncio.Event | None = None) -> None:
    """Runs a program until it is cancelled; sets `told` when it prints a line."""
    process = await asyncio.create_subprocess_exec(*command, pass_fds=pass_fds, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        if await process.stdout.readline() and told is not None:
            told.set()
        await process.wait()
    finally:
        process.kill()
        await process.wait()


async def command(port: int) -> None:
    """Next and undo, as fast as the broker takes them."""
    await _run(sys.executable, "-c", COMMANDER, str(port))


async def flood(pub: Pub, table: str) -> None:
    """A board at the wrong speed: garbage, as fast as its wire takes it."""
    while True:
        pub.boards[table].write_raw(b"\xff\x00,;\n" * 46)
        await asyncio.sleep(0.02)


async def break_rules(pub: Pub, table: str) -> None:
    """Darts that the rule breaks on, again and again."""
    while True:
        pub.boards[table].hit(segment("T20"))
        await asyncio.sleep(0.1)


_CONNECT = bytes((0x10, 16, 0, 4)) + b"MQTT" + bytes((4, 2, 0, 0, 0, 4)) + b"deaf"
_SUBSCRIBE = _CONNECT + bytes((0x82, 6, 0, 1, 0, 1)) + b"#" + bytes((0,))
_EVENTS = b"GET /api/table/main/events HTTP/1.1\r\nHost: localhost\r\n\r\n"


@asynccontextmanager
async def deaf(port: int, greeting: bytes) -> AsyncIterator[None]:
    """A display that asks for everything and reads nothing of it."""
    _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
    writer.write(greeting)
    await writer.drain()
    try:
        yield
    finally:
        writer.close()
