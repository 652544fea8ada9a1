"""A daemon as a process of its own, with a board on which one can throw."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from simulator.pty_board import PtyBoard
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure
from tests.manners.guest import Victim


@pytest.fixture
async def victim(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> AsyncIterator[Victim]:
    file = configure(tmp_path, broker.port, more='[[table]]\nname = "tap"\nboard = "sim:opendarts"')
    async with Process("run", "--config", file) as process:
        page = await process.runs()
        await board.wait_until_open()
        yield Victim(process, page, board)
