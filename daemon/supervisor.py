"""Keeps one part of the daemon going: a part that breaks is reported by name, and started again after a while.

What a link expects to go wrong it handles itself; this is for what nobody expected, so that it costs one part and not
the match.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from random import Random
from typing import TypeVar

from drivers.backoff import Backoff

T = TypeVar("T")

log = logging.getLogger("oche")

_RETRY = Backoff(1.0, 60.0)


async def keep(name: str, part: Callable[[], Coroutine[None, None, None]]) -> None:
    """Runs `part` again and again until cancelled."""
    failures = 0
    while True:
        task = await ended(part(), name)
        failure = None if task.cancelled() else task.exception()
        failures += 1
        wait_s = _RETRY.delay_s(failures, Random())
        log.error("%s stopped unexpectedly; again in %.0f s", name, wait_s, exc_info=failure, extra={"part": name})
        await asyncio.sleep(wait_s)


async def ended(part: Coroutine[None, None, T], name: str) -> asyncio.Task[T]:
    """Runs it to its end, as a task of its own: whatever it does with a cancellation, the one of its caller counts."""
    task = asyncio.create_task(part, name=name)
    try:
        await asyncio.wait({task})
    finally:
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # seen: whoever cancelled us does not ask for it
    return task
