"""Keeps one part of the daemon going: a part that breaks is reported by name, and started again after a while.

What a link expects to go wrong it handles itself; this is for what nobody expected, so that it costs one part and not
the match.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from random import Random

from drivers.backoff import Backoff

log = logging.getLogger("oche")

_RETRY = Backoff(1.0, 60.0)


async def keep(name: str, part: Callable[[], Coroutine[None, None, None]]) -> None:
    """Runs `part` again and again until cancelled."""
    failures = 0
    while True:
        task = asyncio.create_task(part(), name=name)
        try:
            await asyncio.wait({task})
        finally:
            task.cancel()
            await asyncio.wait({task})
        if task.cancelled():
            return
        failures += 1
        wait_s = _RETRY.delay_s(failures, Random())
        log.error("%s stopped unexpectedly; again in %.0f s", name, wait_s, exc_info=task.exception())
        await asyncio.sleep(wait_s)
