"""The daemon is killed in the middle of its work, again and again: what it has shown it knows, and nothing twice.

`make crash` kills two thousand times and prints where the kills fell, `make crash ARGS="--seed 7"` with other choices;
`make long` kills three hundred times, and shows that daemons which keep their promise badly are seen.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.crash.machine import assembled
from tests.crash.sabotage import SABOTAGE
from tests.daemon.mosquitto import Mosquitto

KILLS_A_MACHINE = 100
"""Then another machine, with empty journals and another number of tables."""


@pytest.mark.slow
async def test_twenty_kills(tmp_path: Path, broker: Mosquitto, seed: int) -> None:
    await crash(tmp_path, broker, seed, 20)


@pytest.mark.long
async def test_many_kills(tmp_path: Path, broker: Mosquitto, seed: int, request: pytest.FixtureRequest) -> None:
    await crash(tmp_path, broker, seed, request.config.getoption("--kills"))


@pytest.mark.long
@pytest.mark.parametrize("sabotage", [name for name in SABOTAGE if name != "unlinked"])  # which is for the sweep
async def test_a_daemon_that_breaks_its_promise_is_seen(
    tmp_path: Path, broker: Mosquitto, seed: int, sabotage: str
) -> None:
    with pytest.raises((AssertionError, ExceptionGroup)) as caught:
        await crash(tmp_path, broker, seed, 400, sabotage)  # "twice" takes some hundred darts
    sys.stdout.write(f"{sabotage}: {str(caught.value)[:150]}\n")


async def crash(folder: Path, broker: Mosquitto, seed: int, kills: int, *sabotage: str) -> None:
    """So many kills, and the verdict."""
    began = asyncio.get_running_loop().time()
    rng = Random(seed)
    fell: Counter[str] = Counter()
    deaths = matches = lines = states = 0
    for number in range(-(-kills // KILLS_A_MACHINE)):
        home = folder / f"machine-{number}"
        home.mkdir()
        await broker.kill()
        await broker.start()  # with nothing in it of the machine before
        tables = 2 if kills < KILLS_A_MACHINE else (1, 3)[number % 2]
        async with assembled(home, broker, rng, tables, *sabotage) as machine:
            for _ in range(min(KILLS_A_MACHINE, kills - number * KILLS_A_MACHINE)):
                await machine.life()
            states += machine.replay()
        fell += machine.fell
        deaths += machine.broker_deaths
        matches += sum(len(ledger.matches) for ledger in machine.ledgers.values())
        lines += sum(len(match.lines) for ledger in machine.ledgers.values() for match in ledger.matches)
    seconds = asyncio.get_running_loop().time() - began
    sys.stdout.write(
        f"{kills} kills in {seconds:.0f} s: {lines} lines of {matches} matches, {states} states compared;"
        f" the broker died {deaths} times\n" + "".join(f"  {count:5} {where}\n" for where, count in fell.most_common())
    )
