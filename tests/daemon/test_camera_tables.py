"""One daemon with a table at a matrix board and one at cameras: both are played at once, and neither costs the other.

The cameras are simulated ones, over real sockets.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

import aiohttp
import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.board.link import BoardLink
from daemon.config.reader import read_config
from daemon.simulated_players import Rematch, SimulatedPlayers
from protocol.codebook import Codebook, read_shipped, shipped
from protocol.commands import Next, Sensor
from simulator.board import SimulatedBoard
from simulator.cameras.autodarts import SECRET, AutodartsCamera
from simulator.cameras.camera import Quirks
from simulator.cameras.opendarts import OpendartsCamera
from simulator.habits import speed_up_codebook
from simulator.pty_board import PtyBoard
from simulator.thrower import Landing
from simulator.web_board import WebBoard
from tests.commanding import give
from tests.daemon.process import configure, ended, eventually, journal
from tests.protocol.hearing import WEB
from tests.simulator.test_camera_laws import told
from tests.simulator.test_matches import Remembering
from tests.sweep import sweep

MATRIX, CAMERAS = "main", "steel"
T20, D20, S5 = (
    Landing(*place, shipped("autodarts").layout.landed(*place)) for place in ((3, 1030), (5, 1660), (-400, 1250))
)


class Hall(NamedTuple):
    """The two boards of a daemon."""

    running: RunningDaemon
    matrix: PtyBoard
    cameras: WebBoard

    async def play(self, name: str, board: SimulatedBoard, seed: int) -> list[Landing]:
        """Plays the match at this table to its end; returns the darts that were thrown."""
        thrown: list[Landing] = []
        table, book = self.running.tables[name], board.codebook
        people = SimulatedPlayers(
            table, board, lambda number: Remembering(Random(f"{seed}/{number}"), book, thrown), 1000
        )
        rematch = Rematch(table)
        for outlet in (people, rematch):
            table.subscribe(outlet)
        playing = asyncio.create_task(people.play())
        try:
            assert await rematch.result(0.01)
        finally:
            await ended(playing)
        return thrown


@asynccontextmanager
async def opened(folder: Path, name: str = "opendarts-cameras", cameras: WebBoard | None = None) -> AsyncIterator[Hall]:
    """The daemon with its boards plugged in; `cameras` that are on already stay on."""
    async with AsyncExitStack() as stack:
        matrix = await stack.enter_async_context(
            PtyBoard(speed_up_codebook(shipped("opendarts"), 1000), folder / "board")
        )
        if cameras is None:
            cameras = await stack.enter_async_context(WebBoard(shipped(name)))
        (folder / "token").write_text(cameras.token or "none", encoding="utf-8")
        profile = folder / "cameras.toml"  # without TLS where the real one has it
        profile.write_text(read(name, cameras.codebook), encoding="utf-8")
        table = f"""
[[table]]
name = "{CAMERAS}"
board = "{cameras.address}"
board_token_file = "{folder}/token"
profile = "cameras.toml"
players = ["Cy", "Di"]
options = {{ start = 301 }}
"""
        file = configure(folder, table='options = { start = 301 }\ntakeout = "button"', more=table)
        running = await stack.enter_async_context(run_daemon(read_config(file)))
        await matrix.wait_until_open()
        await cameras.wait_until_open()
        await eventually(lambda: all(each.board.online for each in running.tables.values()))
        yield Hall(running, matrix, cameras)


def read(name: str, book: Codebook) -> str:
    """The text of a shipped profile, with TLS as in this codebook."""
    text = read_shipped(name).text
    web = book.profile.web
    assert web is not None
    return text if web.tls else text.replace("tls = true", "tls = false").replace("is_cloud = true", "is_cloud = false")


def read_all(folder: Path) -> bytes:
    """All that was written."""
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def thrown_at(folder: Path, table: str) -> list[str]:
    """The darts in the journal of a table."""
    return [line["throw"] for line in journal(folder, table) if "throw" in line and "amend" not in line]


@pytest.mark.slow
@pytest.mark.parametrize("name", sweep(WEB, {"opendarts-cameras"}.__contains__))
async def test_a_matrix_board_and_cameras_are_played_at_once(tmp_path: Path, name: str) -> None:
    async with opened(tmp_path, name) as hall:
        matrix, cameras = await asyncio.gather(hall.play(MATRIX, hall.matrix, 1), hall.play(CAMERAS, hall.cameras, 2))
    assert thrown_at(tmp_path, CAMERAS) == [told(name, landing.segment) for landing in cameras]
    assert thrown_at(tmp_path, MATRIX) == [landing.segment.id for landing in matrix]


@pytest.mark.long
async def test_a_flood_of_the_cameras_costs_the_other_table_no_dart(tmp_path: Path) -> None:
    async with opened(tmp_path) as hall:
        floods = 0
        snapshot = hall.cameras.camera.greet()[0]

        async def flood() -> None:
            nonlocal floods
            while True:
                for _ in range(50):
                    hall.cameras.say({**snapshot, "event": "hello"})
                    hall.cameras.say(b"{" * 1000)
                    hall.cameras.say({"type": "THROW_DETECTED", "visit_id": "visit_1", "visit_index": 0})
                    floods += 3
                await hall.cameras.drained()
                await asyncio.sleep(0)

        flooding = asyncio.create_task(flood())
        await eventually(lambda: floods > 1000)
        matrix = await hall.play(MATRIX, hall.matrix, 1)
        assert thrown_at(tmp_path, MATRIX) == [landing.segment.id for landing in matrix]
        await ended(flooding)
        assert thrown_at(tmp_path, CAMERAS) == []
        assert hall.cameras.throw(T20)
        await eventually(lambda: thrown_at(tmp_path, CAMERAS) == ["T20"])


async def test_after_a_restart_no_dart_is_entered_again_and_those_of_meanwhile_are_asked_for(tmp_path: Path) -> None:
    async with WebBoard(shipped("opendarts-cameras")) as cameras:
        async with opened(tmp_path, cameras=cameras):
            cameras.throw(T20)
            await eventually(lambda: thrown_at(tmp_path, CAMERAS) == ["T20"])
        cameras.throw(D20)
        async with opened(tmp_path, cameras=cameras) as hall:
            table = hall.running.tables[CAMERAS]
            await eventually(lambda: bool(table.state().sensor))
            assert thrown_at(tmp_path, CAMERAS) == ["T20"]
            await table.command(Sensor("take"), "page")
            assert thrown_at(tmp_path, CAMERAS) == ["T20", "D20"]
            cameras.throw(S5)
            await eventually(lambda: len(thrown_at(tmp_path, CAMERAS)) == 3)
            assert cameras.pull_darts()
            await eventually(lambda: table.match.position.visit.number == 2)
    keys = [line["dart"] for line in journal(tmp_path, CAMERAS) if "dart" in line]
    assert len(set(keys)) == 3


async def test_a_player_corrects_a_dart_and_the_cameras_know(tmp_path: Path) -> None:
    async with opened(tmp_path) as hall:
        camera = hall.cameras.camera
        assert isinstance(camera, OpendartsCamera)
        hall.cameras.throw(T20)
        await eventually(lambda: thrown_at(tmp_path, CAMERAS) == ["T20"])
        await give(hall.running.tables[CAMERAS], {"amend": 2, "throw": "T5"}, "page")
        await eventually(lambda: [dart.segment.id for dart in camera.darts if dart.segment] == ["T5"])
        hall.cameras.camera.correct(0, hall.cameras.codebook.layout["T1"])
        hall.cameras.tell()
        hall.cameras.throw(D20)
        table = hall.running.tables[CAMERAS]
        await eventually(lambda: len(table.state().turn.darts) == 2)
        assert [dart.segment for dart in table.state().turn.darts] == ["T5", "D20"], "what a player has changed stays"


@pytest.mark.parametrize("version", ["1.0.7", "2.0.2"])
async def test_no_secret_that_a_board_lets_out_is_asked_for_or_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, version: str
) -> None:
    caplog.set_level(logging.DEBUG)
    maker = partial(AutodartsCamera, version=version)
    async with (
        WebBoard(shipped("autodarts"), quirks=Quirks(chatter=True), make_camera=maker) as cameras,
        opened(tmp_path, "autodarts", cameras) as hall,
    ):
        for _ in range(2):
            cameras.camera.beat()
        cameras.throw(T20)
        await eventually(lambda: thrown_at(tmp_path, CAMERAS) == ["T20"])
        links = [part for part in hall.running.parts if isinstance(part, BoardLink)]
        (traffic,) = [link.encode_traffic() for link in links if link.table.name == CAMERAS]
        assert b"Throw detected".hex().encode() in traffic
        assert SECRET.encode().hex().encode() not in traffic
        assert {request.path for request in cameras.requests} <= {"/api/state", "/api/version", "/api/system"}
    assert SECRET not in caplog.text
    assert SECRET.encode() not in read_all(tmp_path)


@pytest.mark.parametrize("name", ["autodarts", "opendartboard"])
async def test_cameras_of_the_daemon_are_tapped_on_the_page(tmp_path: Path, name: str) -> None:
    config = read_config(configure(tmp_path, board=f"sim:{name}", profile=""))
    async with run_daemon(config, takes_taps=True) as running, aiohttp.ClientSession(running.page) as web:
        table, cameras = running.tables[MATRIX], running.boards[MATRIX]
        await cameras.wait_until_open()
        await eventually(lambda: table.board.online)

        async def tap(landing: Landing) -> None:
            async with web.post(f"/api/table/{MATRIX}/tap", json={"x": landing.x, "y": landing.y}) as answer:
                assert (await answer.json())["segment"] == told(name, landing.segment)

        for landing in (T20, S5, D20):
            await tap(landing)
        assert table.match.position.phase == "takeout"
        await table.command(Next(), "page")
        await tap(S5)
        assert table.match.position.visit.number == 2
        assert len(table.match.position.visit.darts) == 1
        assert cameras.has_darts
    assert all("dart" in line for line in journal(tmp_path) if "throw" in line), "the board has seen them"
    assert [line.get("throw", "next") for line in journal(tmp_path)] == [
        *(told(name, landing.segment) for landing in (T20, S5, D20)),
        "next",
        told(name, S5.segment),
    ]
