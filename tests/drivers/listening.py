"""Reading a session up to what a test waits for. The patience is for a busy machine; nothing here measures time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from drivers.backoff import Backoff
from drivers.session import Session
from protocol.events import BoardItem, Hit
from protocol.segment import Segment

PATIENCE_S = 60
SOON = Backoff(0.01, 0.05)
"""Waits short enough for tests that unplug often."""


async def take(session: Session, count: int) -> list[BoardItem]:
    """The next so many items."""
    async with asyncio.timeout(PATIENCE_S):
        return [await anext(session) for _ in range(count)]


async def take_until(session: Session, kind: type[BoardItem]) -> list[BoardItem]:
    """All items up to the first of this kind, which is the last of them."""
    items: list[BoardItem] = []
    async with asyncio.timeout(PATIENCE_S):
        while not items or not isinstance(items[-1], kind):
            items.append(await anext(session))
    return items


def hits(items: Iterable[object]) -> list[Segment]:
    """The segments of the hits among these."""
    return [item.segment for item in items if isinstance(item, Hit)]
