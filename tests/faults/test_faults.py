"""Broker and daemon die at random moments of fast matches: nothing is lost, nothing is doubled, all of it heals.

`make faults` plays a thousand darts twice and prints what happened; `make faults ARGS="--seed 7"` makes other dice.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import NamedTuple

import pytest

from simulator.pty_board import PtyBoard
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure
from tests.faults.accidents import ONLINE, Accidents, Daemon, happening
from tests.faults.evening import OPTIONS, Evening, stored
from tests.faults.verdict import events, judge_availability, judge_broker, judge_events, judge_states, retained
from tests.faults.witness import Witness


class Fate(NamedTuple):
    """How hard it gets; accidents come up to `apart_s` seconds after one another."""

    darts: int
    pause_s: float
    apart_s: float
    dark_s: float
    """The longest time without a broker."""
    kills_daemon: float = 0.0
    """This part of the accidents, 0 to 1, is the death of the daemon."""
    hangs: float = 0.0
    """And this part: the broker hangs."""


@pytest.mark.long
async def test_a_few_deaths_of_the_broker(tmp_path: Path, broker: Mosquitto, board: PtyBoard, seed: int) -> None:
    await play(tmp_path, broker, board, Random(seed), Fate(60, pause_s=0.03, apart_s=0.4, dark_s=0.2))


@pytest.mark.long
@pytest.mark.parametrize("kills_daemon", [0.0, 0.4], ids=["broker", "broker and daemon"])
async def test_a_thousand_darts(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, seed: int, kills_daemon: float
) -> None:
    fate = Fate(1000, pause_s=0.07, apart_s=3.0, dark_s=1.0, kills_daemon=kills_daemon, hangs=0.2)
    await play(tmp_path, broker, board, Random(seed), fate)


async def play(folder: Path, broker: Mosquitto, board: PtyBoard, rng: Random, fate: Fate) -> None:
    """An evening with accidents, and the verdict."""
    began = asyncio.get_running_loop().time()
    file = configure(folder, broker.port, OPTIONS)
    async with Daemon(file) as daemon, Witness(broker.port) as witness:
        await board.wait_until_open()
        assert await witness.until(lambda: witness.now().get("oche/table/main/board/state") == "online")
        assert await witness.until(lambda: witness.now().get(ONLINE) == "online")
        topics = set(await retained(broker.port))
        evening = Evening(board, witness, rng)
        accidents = Accidents(broker, witness, rng)

        async def accident() -> None:
            chance = rng.random()
            if chance < fate.kills_daemon:
                await daemon.kill()
                evening.look(stored(folder))
                accidents.daemon_kills += 1
                await daemon.start()
            elif chance < fate.kills_daemon + fate.hangs:
                await accidents.hang_broker(rng.uniform(0, 1))
            else:
                await accidents.kill_broker(fate.dark_s)

        async with happening(accident, rng, fate.apart_s):
            await evening.throw(fate.darts, fate.pause_s)

        await accidents.recovery()
        line = len(evening.played[-1].lines) + 1
        assert await witness.until(lambda: f'"line":{line},' in witness.now().get("oche/table/main/state", ""))
        kept = stored(folder)
        assert [match.lines for match in kept] == [score.lines for score in evening.played]
        judge_events(witness.said, kept, accidents.dark)
        judge_states(witness.said)
        judge_availability(witness.said, topics)
        await judge_broker(broker.port, kept, topics)
        await daemon.stop()
    report(evening, accidents, witness, asyncio.get_running_loop().time() - began)


def report(evening: Evening, accidents: Accidents, witness: Witness, seconds: float) -> None:
    """The figures, for the reader of the test's output."""
    told = events(witness.said)
    thrown = sum("throw" in line for score in evening.played for line in score.lines)
    seen = sum(event["event_type"] == "dart" for event in told)
    back = sorted(accidents.back)
    half = quantiles(back, n=2)[0] if len(back) > 1 else back[0]
    sys.stdout.write(
        f"{len(evening.played)} matches, {thrown} darts and {evening.strays} strays in {seconds:.0f} s;"
        f" the broker died {len(accidents.dark)} times and hung {len(accidents.hangs)} times,"
        f" the daemon died {accidents.daemon_kills} times\n"
        f"events told: {len(told)}, none twice; of {thrown} darts {seen} were told and {thrown - seen} missed\n"
        f"all said again after a death of the broker: median {half:.2f} s, longest {back[-1]:.2f} s;"
        f" the display connected {witness.connections} times\n"
    )
