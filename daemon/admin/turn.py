"""Work that is done to its end once it has begun; and changes of the same thing, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


async def finish(work: Coroutine[Any, Any, T]) -> T:
    """Does the work to its end, also where who waits for it goes away."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    finally:
        while not task.done():  # however often the caller is cancelled
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})


async def finish_in_turn(lock: asyncio.Lock, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Does the work to its end while it holds the lock. Where who waits goes away before its turn, nothing is done."""
    async with lock:
        return await finish(make())
