"""Matches at simulated cameras, over real sockets: what the journal holds is what was thrown, each dart once."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from daemon.config.schemes import make_schemes
from daemon.config.sections import TableConfig
from daemon.simulated_players import Rematch, SimulatedPlayers
from daemon.table.table import Table
from drivers.backoff import Backoff
from drivers.session import Session
from protocol.codebook import Codebook, expand, shipped
from protocol.commands import Next
from simulator.cameras.camera import Quirks
from simulator.thrower import Landing, Thrower
from simulator.web_board import WebBoard
from tests.daemon.process import ended, eventually, journal
from tests.plain_guard import PlainGuard
from tests.protocol.hearing import WEB
from tests.simulator.test_camera_laws import told
from tests.simulator.test_matches import Remembering
from tests.sweep import many, sweep

QUIRKS = Quirks(repeats=1, jitter_mm=1.0, is_text=True, is_late=True, is_torn=True, chatter=True)
SOON = Backoff(0.001, 0.01)
SOME = pytest.mark.parametrize("name", sweep(WEB, {"opendarts-cameras", "autodarts", "scolia"}.__contains__))


def quick(name: str) -> Codebook:
    """The profile of this board, which is asked as often as can be."""
    profile = shipped(name).profile
    assert profile.web is not None
    return expand(replace(profile, web=replace(profile.web, poll_ms=100, quiet_poll_ms=100)))


@asynccontextmanager
async def sitting(folder: Path, board: WebBoard, *players: str) -> AsyncIterator[Table]:
    """A table that listens to this board while the block lasts."""
    config = TableConfig(board=f"sim:{board.codebook.profile.id}", options={"start": 301}, players=players, seed="1")
    (folder / "state").mkdir(exist_ok=True)
    table = Table(config, board.codebook, folder / "state" / "main.sqlite3", "test", PlainGuard())
    await table.open()
    session = Session(
        "main", config.board, board.codebook, schemes=make_schemes(board), backoff=SOON, deliver=table.feed
    )
    async with AsyncExitStack() as stack:
        stack.push_async_callback(table.close)
        running = asyncio.create_task(table.run())
        stack.push_async_callback(ended, running)
        await stack.enter_async_context(session)
        yield table


async def play(table: Table, board: WebBoard, make_thrower: Any) -> None:
    """Plays the match to its end."""
    people = SimulatedPlayers(table, board, make_thrower, 1000)
    rematch = Rematch(table)
    for outlet in (people, rematch):
        table.subscribe(outlet)
    playing = asyncio.create_task(people.play())
    try:
        assert await rematch.result(0.01)
        await eventually(lambda: not board.has_darts)  # they are pulled before the next match
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing


def throws(folder: Path) -> list[dict[str, Any]]:
    """The lines of the journal that are darts."""
    return [line for line in journal(folder) if "throw" in line and "amend" not in line]


@pytest.mark.parametrize("is_odd", [False, True], ids=["plain", "odd"])
@SOME
async def test_a_match_holds_every_dart_that_was_thrown_and_no_other(tmp_path: Path, name: str, is_odd: bool) -> None:
    thrown: list[Landing] = []
    async with (
        WebBoard(shipped(name), quirks=QUIRKS if is_odd else Quirks(), rng=Random(1)) as board,
        sitting(tmp_path, board, "Ann", "Bo") as table,
    ):
        book = board.codebook
        await play(table, board, lambda number: Remembering(Random(number), book, thrown))
        assert table.match.position.over
        assert table.scorer.status.counts.stray == 0
    written = throws(tmp_path)
    assert [line["throw"] for line in written] == [told(name, landing.segment) for landing in thrown]
    both = zip(written, thrown, strict=True)
    assert all(math.dist(line["point"], landing[:2]) < 30 for line, landing in both if "point" in line)
    assert sum("point" in line for line in written) >= (0 if name == "opendartboard" else len(written) - 3)
    keys = [line["dart"] for line in written if "dart" in line]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("seed", range(many(1, 10)))
@SOME
async def test_cuts_and_restarts_at_any_moment_enter_no_dart_twice(tmp_path: Path, name: str, seed: int) -> None:
    chance, landed = Random(seed), Counter[str]()
    async with (
        WebBoard(quick(name), quirks=QUIRKS, rng=Random(seed)) as board,
        sitting(tmp_path, board, "Ann") as table,
    ):
        thrower = Thrower(30.0, chance, board.codebook.layout)
        await board.wait_until_open()
        for _ in range(60):
            match chance.choice(["dart"] * 8 + ["pull", "pull", "cut", "unplug", "next"]):
                case "dart":
                    landing = thrower.throw("20")
                    if board.throw(landing):
                        landed[told(name, landing.segment)] += 1
                case "pull":
                    board.pull_darts()
                case "cut":
                    board.drop()
                case "unplug":
                    await board.unplug(chance.choice([0, 1]))
                    board.plug()
                    board.camera.start()
                case "next":
                    with suppress(Exception):
                        await table.command(Next(), "page")
            await asyncio.sleep(chance.choice([0, 0, 0.001, 0.02]))
            if chance.random() < 0.5:
                await board.wait_until_open()
        await board.wait_until_open()
        board.pull_darts()
        await eventually(lambda: not len(table.backlog))
        assert Counter(line["throw"] for line in throws(tmp_path) if "dart" in line) <= landed
        keys = [line["dart"] for line in throws(tmp_path) if "dart" in line]
        assert len(set(keys)) == len(keys)
