"""Waiting for what must come. The patience is for a busy machine; nothing here measures time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

PATIENCE_S = 40


async def eventually(is_so: Callable[[], bool | Awaitable[bool]]) -> None:
    """Asks until the answer is yes; for what sends no word when it changes."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            answer = is_so()
            if answer is True or (not isinstance(answer, bool) and await answer):
                return
            await asyncio.sleep(0.01)


async def ended(task: asyncio.Task[None]) -> None:
    """Cancels it until it ends: asyncio.wait_for, by which libraries wait, may swallow that on Python 3.11."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=1)
