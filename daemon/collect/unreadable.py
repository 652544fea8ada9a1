"""What came and cannot be read: kept with its reason, so that the league sees it, and bounded for each daemon."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.collect.database import AsyncDatabase
from daemon.collect.received import Poison

_MOST = 100
"""Of one daemon; the oldest go."""

_ADD = """
    insert into oche.unreadable as known (base, name, sha256, match, reason, payload) values (%s, %s, %s, %s, %s, %s)
    on conflict (base, name, sha256) do update
    set times = known.times + 1, seen_at = now(), reason = excluded.reason
"""
_DROP_OLDEST = """
    delete from oche.unreadable u using (
        select id from oche.unreadable where base = %s and name = %s order by seen_at desc, id desc offset %s
    ) as oldest where u.id = oldest.id
"""
_DROP_OLD = "delete from oche.unreadable where seen_at < now() - interval '90 days'"


async def keep_unreadable(db: AsyncDatabase, found: Iterable[Poison]) -> None:
    """Keeps what cannot be read; the locks are taken in one order."""
    wanted = sorted(found, key=lambda each: (each.sender, each.digest))
    for each in wanted:
        await db.execute(_ADD, [*each.sender, each.digest, each.match, each.reason, each.payload])
    for sender in sorted({each.sender for each in wanted}):
        await db.execute(_DROP_OLDEST, [*sender, _MOST])


async def drop_old_unreadable(db: AsyncDatabase) -> None:
    """Deletes what did not come for long."""
    await db.execute(_DROP_OLD)
