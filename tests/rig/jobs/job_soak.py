"""Six hours of Bluetooth play, the link lost every half hour, in a minute or two: the kernel's clock jumps.

A session stands where the daemon would, so that hits are counted and not games. Every second loss comes just when the
driver is connecting again: that is when an opener fails halfway and BlueZ may keep a link that is not used.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter

from drivers.session import Session
from protocol.codebook import shipped
from protocol.events import Hit
from protocol.standard import standard
from simulator.habits import PLAIN
from simulator.kernel.ble_board import BleBoard
from simulator.kernel.radio import Air
from tests.rig.jobs.conftest import BluetoothService

HOURS = 6
LOSSES = 2 * HOURS
DARTS_BETWEEN = 90
REST_S = 1800 / DARTS_BETWEEN
HALFWAY_S = 0.3
"""After so long a connection stands, and BlueZ asks what the board can do."""
HEALED_S = 120
"""A board that is not found after so long is lost for good, as far as a player is concerned."""


async def test_six_hours_of_play(bluetooth: BluetoothService, air: Air) -> None:
    codebook = shipped("granboard")
    heard: Counter[str] = Counter()
    outages_s: list[float] = []

    async def listen(session: Session) -> None:
        async for item in session:
            if isinstance(item, Hit):
                heard[item.segment.id] += 1

    began = time.monotonic()
    thrown: Counter[str] = Counter()
    segments = [s for s in standard() if codebook.reported(s) == s]
    async with BleBoard(codebook, air, habits=PLAIN) as board, Session("bar", "ble:auto", codebook) as session:
        listening = asyncio.create_task(listen(session))
        for loss in range(LOSSES + 1):
            out_since = time.monotonic()
            async with asyncio.timeout(HEALED_S):
                await board.wait_until_open()
            outages_s.append(time.monotonic() - out_since)
            for dart in range(DARTS_BETWEEN):
                segment = segments[(loss * DARTS_BETWEEN + dart) % len(segments)]
                assert board.hit(segment)
                thrown[segment.id] += 1
                await asyncio.sleep(REST_S)
            board.drop()
            if loss % 2:
                await board.connected()
                await asyncio.sleep(HALFWAY_S)
                board.drop()
        listening.cancel()
        await asyncio.wait([listening])
    back_s = ", ".join(f"{outage_s:.1f}" for outage_s in outages_s[1:])
    print(f"{HOURS} h; seconds to the board's return: {back_s}")  # noqa: T201  pytest shows it
    assert heard == thrown
    assert time.monotonic() - began >= HOURS * 3600
