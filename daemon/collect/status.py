"""How a league stands: what was taken, what waits and what cannot be read."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from daemon.collect.database import AsyncDatabase

_COUNT = "select fold_state, count(*) from oche.match group by 1"
_WAITING = """
    select fold_reason, count(*) from oche.match where fold_state in ('waiting', 'unreadable')
    group by 1 order by 2 desc, 1
"""
_CONFLICTS = """
    select b.base || '/bridge/' || b.name, e.table_name, e.match, count(*)
    from oche.edition e join oche.bridge b using (bridge_id) where e.state = 'conflict'
    group by 1, 2, 3 order by 1, 2, 3
"""
_SILENT = """
    select base || '/bridge/' || name, seen_at from oche.bridge where seen_at < now() - interval '7 days' order by 2, 1
"""
_UNREADABLE = """
    select base || '/bridge/' || name, reason, sum(times) from oche.unreadable group by 1, 2 order by 1, 3 desc, 2
"""


class Conflict(NamedTuple):
    """A match of which a daemon has offered records that contradict each other; `editions` are the former ones."""

    bridge: str
    table: str
    match: str
    editions: int


class Status(NamedTuple):
    """The matches by the state of their folding, and why some wait; what contradicts, and what cannot be read."""

    matches: dict[str, int]
    waiting: list[tuple[str, int]]
    conflicts: list[Conflict]
    unreadable: list[tuple[str, str, int]]
    """The daemon, the reason, and how often such a message came."""
    silent: list[tuple[str, datetime]]
    """The daemons that were not heard for a week, and when they were last."""


async def read_status(db: AsyncDatabase) -> Status:
    """Returns how the league stands."""
    counts: dict[str, int] = dict(await (await db.execute(_COUNT)).fetchall())
    waiting = [(reason or "without a reason", count) for reason, count in await (await db.execute(_WAITING)).fetchall()]
    conflicts = [Conflict(*row) for row in await (await db.execute(_CONFLICTS)).fetchall()]
    unreadable = [
        (bridge, reason, int(times)) for bridge, reason, times in await (await db.execute(_UNREADABLE)).fetchall()
    ]
    silent = [(bridge, at) for bridge, at in await (await db.execute(_SILENT)).fetchall()]
    return Status(counts, waiting, conflicts, unreadable, silent)
