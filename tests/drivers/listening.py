"""Reading a session up to what a test waits for. The patience is for a busy machine; nothing here measures time."""

from __future__ import annotations

import asyncio

from drivers.backoff import Backoff
from drivers.session import LinkDown, LinkUp, Session
from protocol.events import BoardEvent

PATIENCE_S = 60
SOON = Backoff(0.01, 0.05)
"""Waits short enough for tests that unplug often."""

Item = BoardEvent | LinkUp | LinkDown


async def take(session: Session, count: int) -> list[Item]:
    """The next so many items."""
    async with asyncio.timeout(PATIENCE_S):
        return [await anext(session) for _ in range(count)]


async def take_until(session: Session, kind: type[Item]) -> list[Item]:
    """All items up to the first of this kind, which is the last of them."""
    items: list[Item] = []
    async with asyncio.timeout(PATIENCE_S):
        while not items or not isinstance(items[-1], kind):
            items.append(await anext(session))
    return items
