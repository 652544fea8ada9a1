"""Keeps the parts of the daemon running: one that raises is logged by name, and started again after a while.

Expected errors are handled in the parts themselves. An unexpected one must cost one part and not the match.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import TypeVar

from drivers.backoff import Backoff

T = TypeVar("T")

Runs = dict[str, Callable[[], Coroutine[None, None, None]]]
"""What is kept running, by its name in the log."""

log = logging.getLogger("oche")

_RETRY = Backoff(1.0, 60.0)


async def keep_running(name: str, part: Callable[[], Coroutine[None, None, None]]) -> None:
    """Runs `part` again and again until cancelled.

    What has run longer than the longest wait was sound: when it fails, it is started again as soon as at first.
    """
    loop, failures = asyncio.get_running_loop(), 0
    while True:
        since_s = loop.time()
        task = await run_to_end(part(), name)
        failure = None if task.cancelled() else task.exception()
        failures = 1 if loop.time() - since_s > _RETRY.most_s else failures + 1
        wait_s = _RETRY.delay_s(failures, Random())
        log.error(
            "%s stopped unexpectedly; it starts again in %.0f s", name, wait_s, exc_info=failure, extra={"part": name}
        )
        await asyncio.sleep(wait_s)


@asynccontextmanager
async def keep_all_running(runs: Runs) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Keeps these going while the block lasts; none of the tasks that it yields ends before."""
    tasks = [asyncio.create_task(keep_running(name, run), name=name) for name, run in runs.items()]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def run_to_end(part: Coroutine[None, None, T], name: str) -> asyncio.Task[T]:
    """Runs a part as a task of its own; returns the task when it has ended.

    A cancellation of the caller counts, whatever the part does with it.
    """
    task = asyncio.create_task(part, name=name)
    try:
        await asyncio.wait({task})
    finally:
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # retrieved, or asyncio would log it
    return task


async def run_uncancelled(part: Coroutine[None, None, None], name: str) -> None:
    """Runs a part to its end, however often the caller is cancelled; so `part` must limit its own time."""
    task = asyncio.create_task(part, name=name)
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait({task})


async def wait_cancellable(call: Awaitable[T]) -> T:
    """Returns the result of a call that waits by asyncio.wait_for; raises CancelledError if it was cancelled meanwhile.

    On Python 3.11 wait_for swallows a cancellation that comes together with the result; the caller would then wait for
    ever for this task to stop.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    result = await call
    if task and task.cancelling() > before:
        raise asyncio.CancelledError
    return result
