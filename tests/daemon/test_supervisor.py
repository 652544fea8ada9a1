"""A part that fails is started again: ever later while it fails at once, soon after it was sound. In virtual time."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from daemon.service.supervisor import keep_running
from tests.simulator.hurry import in_no_time


@in_no_time
async def test_a_part_that_was_sound_for_long_is_started_again_soon() -> None:
    lasts_s = [0.0] * 8 + [3600.0, 0.0, 50.0, 0.0]
    begun_s: list[float] = []
    loop, is_done = asyncio.get_running_loop(), asyncio.Event()

    async def part() -> None:
        begun_s.append(loop.time())
        if len(begun_s) > len(lasts_s):
            is_done.set()
            await loop.create_future()
        await asyncio.sleep(lasts_s[len(begun_s) - 1])
        raise ValueError

    kept = asyncio.create_task(keep_running("the part", part))
    await is_done.wait()
    kept.cancel()
    await asyncio.wait([kept])
    waits_s = [then - since - lasted for (since, then), lasted in zip(pairwise(begun_s), lasts_s, strict=True)]
    most_s = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 1.0, 2.0, 4.0, 8.0]
    found = [0.74 * most < wait < 1.01 * most for wait, most in zip(waits_s, most_s, strict=True)]
    assert all(found), waits_s
