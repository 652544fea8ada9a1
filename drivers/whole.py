"""Work that is never left half done: opening and closing, whatever happens meanwhile to whoever wanted it.

A thread cannot be stopped, and a Bluetooth service cut short goes on by itself. So a cancelling waits until the work
has ended, and what it brought that nobody wants any more goes back first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

_T = TypeVar("_T")


async def whole(
    work: Coroutine[Any, Any, _T],
    *,
    break_off: bool = False,
    give_back: Callable[[_T], Coroutine[Any, Any, object]] | None = None,
) -> _T:
    """Does this work to its end even when the caller is cancelled, and tells of the cancelling only then.

    `break_off` passes the first cancelling on to the work, and still waits until it has cleaned up. `give_back` undoes
    what the work has brought, to its end as well, when the caller does not get it.
    """
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if break_off:
            task.cancel()
        if await _has_brought(task) and give_back is not None:
            await _has_brought(asyncio.create_task(give_back(task.result())))
        raise


async def _has_brought(task: asyncio.Task[Any]) -> bool:
    """Waits for the end, cancelled or not; whether there is a result. No error is told: the cancelling counts."""
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([task])
    return not task.cancelled() and task.exception() is None
