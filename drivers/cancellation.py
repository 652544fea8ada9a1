"""Opening and closing that is never left half done, even when the task that wants it is cancelled.

A thread cannot be stopped, and a Bluetooth service cut short goes on by itself. So a cancellation waits until the work
has ended, and a result that the caller does not get is undone first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

_T = TypeVar("_T")


async def finish_before_cancel(
    work: Coroutine[Any, Any, _T],
    *,
    pass_cancel: bool = False,
    give_back: Callable[[_T], Coroutine[Any, Any, object]] | None = None,
) -> _T:
    """Returns the result of the work. A caller that is cancelled waits for the end of the work; then it is cancelled.

    `pass_cancel` cancels the work as well, and waits until it has cleaned up. `give_back` undoes a result that the
    caller does not get; it runs to its end, too.
    """
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if pass_cancel:
            task.cancel()
        if await _wait_for_result(task) and give_back is not None:
            await _wait_for_result(asyncio.create_task(give_back(task.result())))
        raise


async def _wait_for_result(task: asyncio.Task[Any]) -> bool:
    """Waits for the end, cancelled or not. Returns whether there is a result; an error of the work is dropped."""
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([task])
    return not task.cancelled() and task.exception() is None
