"""What a display has shown, a power cut cannot take back: every input is on disk before anybody is told of it."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import aiohttp
import pytest

from daemon.config import read_config
from daemon.service import running
from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.house import Process, configure, journal, throw
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.patience import PATIENCE_S, eventually

LONG = "options = {start = 1501, out = 'straight'}"


@pytest.mark.long
async def test_a_kill_takes_back_nothing_and_doubles_nothing(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    rng = Random(501)
    file = configure(tmp_path, broker.port, LONG)
    kept: list[dict[str, Any]] = []
    async with Display(broker.port) as display:
        for _ in range(3):
            async with Process("run", "--config", file) as daemon:
                await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
                assert display.line() == len(kept) + 1, "resumed where the journal ended"
                await board.opened()
                shown = display.line()
                sent: list[dict[str, Any]] = []
                throwing = asyncio.create_task(throw_on(board, rng, sent, kept))
                await display.until_line(shown + rng.randrange(8, 40))
                await asyncio.sleep(rng.random() / 50)
                await daemon.kill()
                throwing.cancel()
                await asyncio.wait([throwing])
            await display.until(lambda: display.now["oche/bridge/oche/state"] == "offline")
            lines = journal(tmp_path)
            assert lines[: len(kept)] == kept
            new = lines[len(kept) :]
            assert new == sent[: len(new)], "in order, none doubled, none left out"
            assert display.line() <= len(lines) + 1, "a dart was shown that is gone"
            kept = lines
        states = display.states()
        async with Process("run", "--config", file) as daemon:
            await display.until(lambda: display.now["oche/bridge/oche/state"] == "online")
            resumed = display.state()
            assert await daemon.stop() == 0
    assert resumed["line"] == len(kept) + 1
    assert [state["line"] for state in states] == sorted(state["line"] for state in states)
    for state in states:
        if state["line"] == resumed["line"]:
            assert without_numbers(state) == without_numbers(resumed)


async def test_a_state_is_on_disk_before_it_is_shown(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    async with Display(broker.port) as display, running(read_config(configure(tmp_path, broker.port, LONG))):
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.opened()
        throwing = asyncio.create_task(throw_on(board, Random(0), [], []))
        while (line := display.line()) < 60:
            assert len(journal(tmp_path)) + 1 >= line
            await display.until_line(line + 1)
        throwing.cancel()
        await asyncio.wait([throwing])


async def test_nobody_is_shown_a_dart_the_disk_does_not_have_yet(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    async with (
        Display(broker.port) as display,
        running(read_config(configure(tmp_path, broker.port))) as house,
        aiohttp.ClientSession(house.page) as web,
        asyncio.timeout(PATIENCE_S),
    ):
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.opened()
        with closing(sqlite3.connect(tmp_path / "state" / "main.sqlite3", isolation_level=None)) as somebody:
            somebody.execute("begin immediate")  # the disk is slow: the commit has to wait
            throw(board, "T20")
            await eventually(lambda: house.tables["main"].match.line == 2)
            async with web.get("/api/table/main/state") as answer:
                assert (await answer.json())["line"] == 1
            async with web.get("/api/table/main/events") as stream:
                assert b'"line":1,' in await until_state(stream)
            assert display.line() == 1
            assert not display.events("dart")
            somebody.execute("rollback")
        await display.until(lambda: [event["segment"] for event in display.events("dart")] == ["T20"])
        async with web.get("/api/table/main/state") as answer:
            assert (await answer.json()) == display.state()


async def test_a_thousand_hits_at_once_all_count(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    """Far more than a queue or a commit holds; the visits are closed by the board's own button."""
    file = configure(tmp_path, broker.port, "options = {start = 1501, out = 'straight', rounds = 1000}")
    async with Display(broker.port) as display, running(read_config(file)):
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.opened()
        sent = list(islice(misses(), 4000))
        for line in sent:
            board.press("next") if "next" in line else board.miss()
        state = await display.until_line(len(sent) + 1)
        assert journal(tmp_path) == sent
        assert state["round"] == len(sent) // 8 + 1


async def throw_on(board: PtyBoard, rng: Random, sent: list[dict[str, Any]], kept: list[dict[str, Any]]) -> None:
    """Darts without end after those that were kept, each one counting, noted as they will stand in the journal."""
    thrown = next((n for n, line in enumerate(reversed(kept)) if "next" in line), len(kept))
    while True:
        if thrown == 3:
            sent.append({"next": True})
            board.press("next")
            thrown = 0
        else:
            segment = rng.choice(("MISS", "O1", "I2", "O3"))
            sent.append({"throw": segment})
            board.miss() if segment == "MISS" else throw(board, segment)
            thrown += 1
        await asyncio.sleep(rng.random() / 100)


def misses() -> Any:  # Any: an iterator of JSON
    while True:
        yield from ({"throw": "MISS"}, {"throw": "MISS"}, {"throw": "MISS"}, {"next": True})


def without_numbers(state: dict[str, Any]) -> dict[str, Any]:
    """A state but for what tells messages apart."""
    return {key: value for key, value in state.items() if key not in ("session", "seq")}


async def until_state(stream: aiohttp.ClientResponse) -> bytes:
    """The first state of an event stream."""
    async for line in stream.content:
        if line == b"event: state\n":
            return await stream.content.readline()
    raise AssertionError("the stream ended")
