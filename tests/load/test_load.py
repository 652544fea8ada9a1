"""Full pubs in one daemon: no dart is lost, and the delay is told.

`make load` plays for ten minutes at each; the same is part of `make long` for half a minute. Nothing here fails for
being slow: the figures are printed beside those of a single table in the same run, on the same machine.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from tests.daemon.mosquitto import Mosquitto
from tests.load.pub import DARTS_A_SECOND, SELDOM, Delays, opened

pytestmark = pytest.mark.long


@pytest.mark.parametrize(("tables", "rate"), [(32, DARTS_A_SECOND), (256, SELDOM)], ids=["32_fast", "256_slow"])
async def test_a_full_pub(
    tables: int, rate: float, tmp_path: Path, broker: Mosquitto, seed: int, load_s: float
) -> None:
    rng = Random(seed)
    (tmp_path / "one").mkdir()
    async with opened(tmp_path / "one", broker.port, 1, rng) as pub:
        await pub.play(max(10, load_s / 10))
        await pub.judge()
        single = pub.delays()
    await broker.kill()
    await broker.start()
    (tmp_path / "many").mkdir()
    async with opened(tmp_path / "many", broker.port, tables, rng) as pub:
        memory, start_s = [pub.memory_mb], pub.processor_s
        for _ in range(4):
            await pub.play(load_s / 4, rate=rate)
            memory.append(pub.memory_mb)
        busy_s = pub.processor_s - start_s
        await pub.judge()
        many, backlog, darts = pub.delays(), pub.backlog, pub.darts
        strays = sum(evening.strays for evening in pub.evenings.values())
    say("one table", single, single)
    say(f"{tables} tables, {rate:.2g} darts a second each", many, single)
    sys.stdout.write(
        f"{darts} darts and {strays} strays in {load_s:.0f} s, none lost; at most {backlog} inputs waiting;"
        f" processor time {1000 * busy_s / darts:.1f} ms a dart, {start_s:.1f} s for the start\n"
        f"memory in MB, from beginning to end: {', '.join(f'{each:.0f}' for each in memory)}\n"
    )


def say(what: str, delays: Delays, beside: Delays) -> None:
    sys.stdout.write(
        f"{what}: {delays.inputs} inputs, byte to display p50 {delays.p50:.1f} ms ({delays.p50 / beside.p50:.1f}x),"
        f" p99 {delays.p99:.1f} ms ({delays.p99 / beside.p99:.1f}x)\n"
    )
