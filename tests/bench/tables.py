"""What do more tables in one daemon cost each dart? From one table to 256, with a real board and players at each.

The tables are those of `make load`, which plays for longer. That no dart is lost is made sure of here, too.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.bench.processes import find_mosquitto, find_port
from tests.bench.report import Row, cost
from tests.daemon.mosquitto import Mosquitto
from tests.load.pub import DARTS_A_SECOND, SELDOM, opened

NOTES = (
    f"one table: {DARTS_A_SECOND} darts a second, from the byte until a subscriber has the state, as at the others",
    "fast: three darts a second at each table; the others throw a dart in three seconds",
    "processor: of the whole daemon, for each dart; memory: resident, before the first dart and after the last",
)
SIZES = ((32, DARTS_A_SECOND), (4, SELDOM), (16, SELDOM), (64, SELDOM), (256, SELDOM))
WHAT = (("p50", "ms"), ("p99", "ms"), ("processor", "ms"), ("memory at first", "MB"), ("memory at last", "MB"))


class Evening(NamedTuple):
    """What so many tables came to."""

    p50_ms: float
    p99_ms: float
    processor_ms: float
    """For each dart."""
    first_mb: float
    last_mb: float
    """Memory, before the first dart and after the last one."""


def measure(folder: Path, sizes: tuple[tuple[int, float], ...], seconds: float) -> list[Row]:
    """The rows: for each number of tables and its darts a second at each, beside one table."""
    one = asyncio.run(_play(folder, 1, DARTS_A_SECOND, seconds))
    rows = []
    for tables, rate in sizes:
        many = asyncio.run(_play(folder, tables, rate, seconds))
        name = f"{tables} tables{', fast' if rate == DARTS_A_SECOND else ''}"
        rows += [
            cost(f"{name}, {what}", ours, theirs, unit, "one table")
            for (what, unit), ours, theirs in zip(WHAT, many, one, strict=True)
        ]
    return rows


async def _play(folder: Path, tables: int, rate: float, seconds: float) -> Evening:
    """With a daemon and a broker of their own."""
    home = folder / "pub"
    home.mkdir()
    async with (
        Mosquitto(find_mosquitto(), home / "mosquitto", find_port()) as broker,
        opened(home, broker.port, tables, Random(501)) as pub,
    ):
        before_s, first_mb = pub.processor_s, pub.memory_mb
        await pub.play(seconds, rate=rate)
        processor_ms = (pub.processor_s - before_s) * 1000 / pub.darts
        await pub.judge()
        delays = pub.delays()
        found = Evening(delays.p50, delays.p99, processor_ms, first_mb, pub.memory_mb)
    shutil.rmtree(home)
    return found
