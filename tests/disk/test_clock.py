"""A clock that starts in the past and jumps by years, as that of a Raspberry Pi does: no match depends on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.house import Process, configure, journal, run, throw
from tests.daemon.mosquitto import Mosquitto
from tests.disk.conftest import Faults

pytestmark = pytest.mark.long

YEAR_S = 31_557_600


async def test_the_clock_may_jump_in_the_middle_of_a_match(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, faults: Faults
) -> None:
    file = configure(tmp_path, broker.port, 'takeout = "timer"\ntakeout_s = 0.5')
    faults.begin("clock", str(-6 * YEAR_S))
    async with Display(broker.port) as display:
        async with Process("run", "--config", file, env=faults.env) as daemon:
            await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
            await board.opened()
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
