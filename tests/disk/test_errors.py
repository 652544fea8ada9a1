"""Errors of the disk in writing and in making sure, and a disk that stands still; on one table of two."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.house import Process, configure, journal, throw
from tests.daemon.mosquitto import Mosquitto
from tests.disk.conftest import Faults
from tests.disk.health import KITCHEN, goes_on, is_stopped

pytestmark = pytest.mark.long


@pytest.mark.parametrize("fault", ["write", "sync"])
async def test_what_could_not_be_written_has_not_happened(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, faults: Faults, fault: str
) -> None:
    file = configure(tmp_path, broker.port, more=KITCHEN)
    async with Display(broker.port) as display, Process("run", "--config", file, env=faults.env) as daemon:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.opened()
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
            await board.opened()
            faults.begin("stall", "main.sqlite3")
            throw(board, "T20")
            for line in range(2, 5):
                told = await display.ask("throw", {"throw": "O1"}, table="kitchen")
                assert told["data"]["line"] == line
            assert display.line() == 1, "nobody is shown what is not on disk"
            faults.end("stall")
            await display.until_line(2)
            faults.begin("stall", "main.sqlite3")
            await daemon.kill()
        async with Process("run", "--config", file, env=faults.env) as daemon:
            await display.until(lambda: display.now["oche/bridge/oche/state"] == "offline")
            await display.until(lambda: display.now["oche/bridge/oche/state"] == "online")
            assert "has not been read yet" in await is_stopped(display)
            assert (await display.ask("next", {}, table="kitchen"))["data"]["line"] == 5
            faults.end("stall")
            await goes_on(display)
            assert display.line() == 2
            assert await daemon.stop() == 0
    assert journal(tmp_path) == [{"throw": "T20"}]
