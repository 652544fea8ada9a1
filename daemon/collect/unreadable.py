"""What came and cannot be read: kept with its reason, so that the league sees it, and bounded for each daemon."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.collect.database import AsyncDatabase
from daemon.collect.received import Poison, Sender

_MOST = 100
"""Of one daemon; the oldest go."""

_LOCK = 7_204_304
"""The number of the advisory lock."""

_TAKE_LOCK = "select pg_advisory_xact_lock(%s)"
_ADD = """
    insert into oche.unreadable as known (base, name, sha256, match, reason, payload)
    values (%(base)s, %(name)s, %(digest)s, %(match)s, %(reason)s, case when not exists (
        select from oche.forgetting f join oche.bridge b using (bridge_id)
        where b.base = %(base)s and b.name = %(name)s and f.heard_at > now() - interval '1 day'
    ) then %(payload)s::bytea end)
    on conflict (base, name, sha256) do update
    set times = known.times + 1, seen_at = now(), reason = excluded.reason
"""
_DROP_OLDEST = """
    delete from oche.unreadable u using (
        select id from oche.unreadable where base = %s and name = %s order by seen_at desc, id desc offset %s
    ) as oldest where u.id = oldest.id
"""
_EMPTY = "update oche.unreadable set payload = null where base = %s and name = %s"
_DROP_OLD = "delete from oche.unreadable where seen_at < now() - interval '90 days'"


async def lock_unreadable(db: AsyncDatabase) -> None:
    """Has others wait who keep what cannot be read, or empty it, to the end of the transaction.

    It is taken after the locks of the daemons, and before that of the people.
    """
    await db.execute(_TAKE_LOCK, [_LOCK])


async def keep_unreadable(db: AsyncDatabase, found: Iterable[Poison]) -> None:
    """Keeps what cannot be read, under its lock; the locks of the rows are taken in one order.

    What comes soon after a forgetting may have the name, so nothing but the reason is kept of that.
    """
    wanted = sorted(found, key=lambda each: (each.sender, each.digest))
    for each in wanted:
        about = {"digest": each.digest, "match": each.match, "reason": each.reason, "payload": each.payload}
        await db.execute(_ADD, {**each.sender._asdict(), **about})
    for sender in sorted({each.sender for each in wanted}):
        await db.execute(_DROP_OLDEST, [*sender, _MOST])


async def empty_unreadable(db: AsyncDatabase, sender: Sender) -> None:
    """Leaves nothing but the reasons of what came from there: nobody knows which names are in it."""
    await db.execute(_EMPTY, sender)


async def drop_old_unreadable(db: AsyncDatabase) -> None:
    """Deletes what did not come for long."""
    await db.execute(_DROP_OLD)
