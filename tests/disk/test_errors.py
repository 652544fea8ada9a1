"""Errors of the disk, a disk that stands still, and a clock that jumps: no match is lost, and other tables play on."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, journal, run, throw
from tests.disk.conftest import KITCHEN, Faults, goes_on, is_stopped

pytestmark = pytest.mark.long


@pytest.mark.parametrize("fault", ["write", "sync"])
async def test_what_could_not_be_written_has_not_happened(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, faults: Faults, fault: str
) -> None:
    file = configure(tmp_path, broker.port, more=KITCHEN)
    async with Display(broker.port) as display, Process("run", "--config", file, env=faults.env) as daemon:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.wait_until_open()
        throw(board, "T20")
        before = await display.until_line(2)
        faults.begin(fault, "main.sqlite3")
        throw(board, "T19")
        assert "disk I/O error; free some space, or check the disk" in await is_stopped(display)
        throw(board, "DB")
        await display.until(lambda: [event["segment"] for event in display.events("stray")] == ["T19", "DB"])
        assert (await display.ask("throw", {"throw": "O1"}, table="kitchen"))["status"] == "ok"
        assert display.state()["turn"] == before["turn"]
        faults.end(fault)
        await goes_on(display)
        assert display.state()["turn"] == before["turn"]
        throw(board, "O5")
        await display.until(lambda: [event["segment"] for event in display.events("dart")] == ["T20", "O5"])
        assert "Traceback" not in daemon.errors
        await daemon.kill()
    assert journal(tmp_path) == [{"throw": "T20"}, {"throw": "O5"}]


async def test_a_disk_that_stands_still_holds_up_its_own_table_only(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, faults: Faults
) -> None:
    file = configure(tmp_path, broker.port, more=KITCHEN)
    async with Display(broker.port) as display:
        async with Process("run", "--config", file, env=faults.env) as daemon:
            await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
            await board.wait_until_open()
            faults.begin("stall", "main.sqlite3")
            throw(board, "T20")
            for line in range(2, 5):
                told = await display.ask("throw", {"throw": "O1"}, table="kitchen")
                assert told["data"]["line"] == line
            assert display.line() == 1, "no display shows what is not on disk"
            faults.end("stall")
            await display.until_line(2)
            faults.begin("stall", "main.sqlite3")
            await daemon.kill()
        async with Process("run", "--config", file, env=faults.env) as daemon:
            await display.until(lambda: display.now["oche/bridge/oche/state"] == "offline")
            await display.until(lambda: display.now["oche/bridge/oche/state"] == "online")
            assert "the disk has not answered" in await is_stopped(display)
            assert (await display.ask("next", {}, table="kitchen"))["data"]["line"] == 5
            faults.end("stall")
            await goes_on(display)
            assert display.line() == 2
            assert await daemon.stop() == 0
    assert journal(tmp_path) == [{"throw": "T20"}]


YEAR_S = 31_557_600


async def test_the_clock_may_jump_in_the_middle_of_a_match(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, faults: Faults
) -> None:
    file = configure(tmp_path, broker.port, 'takeout = "timer"\ntakeout_s = 0.5')
    faults.begin("clock", str(-6 * YEAR_S))
    async with Display(broker.port) as display:
        async with Process("run", "--config", file, env=faults.env) as daemon:
            await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
            await board.wait_until_open()
            for visit, jump_s in enumerate((6 * YEAR_S, -YEAR_S, 0), 1):
                throw(board, "O1", "O2", "O3")
                faults.begin("clock", str(jump_s))
                await finished(display, visit)
            assert len(journal(tmp_path)) == 12, "each visit was closed once, by the timer"
            faults.begin("clock", str(-7 * YEAR_S))
            assert (await display.ask("start", {}))["status"] == "ok"
            throw(board, "T20")
            await display.until(lambda: [dart["segment"] for dart in display.state()["turn"]["darts"]] == ["T20"])
            newest = display.state()
            await daemon.kill()
        faults.begin("clock", "0")
        async with Process("run", "--config", file, env=faults.env) as daemon:
            await display.until(lambda: display.now["oche/bridge/oche/state"] == "offline")
            await display.until(lambda: display.now["oche/bridge/oche/state"] == "online")
            assert display.state()["match"] == newest["match"], "the match begun last, whatever the clock said"
            assert display.state()["turn"]["darts"][0]["segment"] == "T20"
            assert await daemon.stop() == 0
    listed = await run("history", "list", "--config", file)
    assert listed.process.returncode == 0
    assert (await run("stats", "--config", file)).process.returncode == 0


async def finished(display: Display, count: int) -> None:
    """Waits until so many visits were closed."""
    await display.until(lambda: len(display.events("takeout_finished")) == count)
