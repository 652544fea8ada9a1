"""The daemons of a league: whose an id is. What is written for a daemon is written under the lock of its row."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from daemon.collect.database import AsyncDatabase
from daemon.collect.received import Sender
from daemon.collect.unreadable import empty_unreadable, lock_unreadable
from daemon.errors import UserError

_LOCK = """
    insert into oche.bridge as known (bridge_id, base, name)
    select * from unnest(%s::uuid[], %s::text[], %s::text[]) order by 1
    on conflict (bridge_id) do update set seen_at =
        case when known.base = excluded.base and known.name = excluded.name then now() else known.seen_at end
    returning bridge_id, base, name
"""
_NOTE_CLAIM = """
    insert into oche.claim (bridge_id, base, name) values (%s, %s, %s)
    on conflict (bridge_id, base, name) do update set seen_at = now()
"""
_LIST = """
    select b.bridge_id, b.base, b.name, b.place, b.seen_at,
        (select count(*) from oche.match m where m.bridge_id = b.bridge_id),
        array(
            select c.base || '/bridge/' || c.name from oche.claim c
            where c.bridge_id = b.bridge_id order by c.first_seen_at
        )
    from oche.bridge b order by b.place, b.base, b.name, b.bridge_id
"""
_FIND = """
    select bridge_id, base, name from oche.bridge where name = %s or base || '/bridge/' || name = %s
    or replace(bridge_id::text, '-', '') = %s order by base
"""
_SET_PLACE = "update oche.bridge set place = %s where bridge_id = %s"
_MOVE = """
    update oche.bridge b set base = c.base, name = c.name, seen_at = c.seen_at from oche.claim c
    where b.bridge_id = %s and c.bridge_id = b.bridge_id and c.base || '/bridge/' || c.name = %s
"""
_DROP_CLAIMS = "delete from oche.claim where bridge_id = %s"


class Bridge(NamedTuple):
    """A daemon as it is listed. `claims` are the topics from which its id came, too."""

    bridge_id: UUID
    base: str
    name: str
    place: str
    seen_at: datetime
    matches: int
    claims: list[str]

    @property
    def topic(self) -> str:
        """The topic from which its id came first, or the one that the league has accepted since."""
        return f"{self.base}/bridge/{self.name}"


async def lock_bridges(db: AsyncDatabase, ids: Iterable[tuple[UUID, Sender]]) -> dict[UUID, Sender]:
    """Locks these daemons to the end of the transaction, notes that they were seen; returns whose each id is.

    Where an id comes from another topic than before, the transaction notes that.
    """
    seen: dict[UUID, Sender] = {}
    claims = {(bridge_id, sender) for bridge_id, sender in ids if seen.setdefault(bridge_id, sender) != sender}
    wanted = sorted(seen.items())
    found = await db.execute(
        _LOCK, [[key for key, _ in wanted], [each.base for _, each in wanted], [each.name for _, each in wanted]]
    )
    owners = {bridge_id: Sender(base, name) for bridge_id, base, name in await found.fetchall()}
    claims |= {*seen.items()}
    for bridge_id, sender in sorted(claims):
        if owners[bridge_id] != sender:
            await db.execute(_NOTE_CLAIM, [bridge_id, *sender])
    return owners


def explain_claim(owner: Sender) -> str:
    """Returns why the records of a second machine with the same id are not taken, and what to do."""
    return (
        f"the league knows the id of this machine as that of {owner.base}/bridge/{owner.name}: if its folder was "
        "copied, delete bridge.uuid in the copy; if it has a new name, the league accepts it with oche collect accept"
    )


async def list_bridges(db: AsyncDatabase) -> list[Bridge]:
    """Returns all of them by their places."""
    return [Bridge(*row) for row in await (await db.execute(_LIST)).fetchall()]


async def find_bridge(db: AsyncDatabase, name: str) -> tuple[UUID, Sender]:
    """Returns the daemon of this name, topic or id. Raises UserError."""
    rows = await (await db.execute(_FIND, [name, name, name.replace("-", "")])).fetchall()
    if not rows:
        raise UserError(f"the league knows no bridge {name!r}: oche collect bridges lists them", 2)
    if len(rows) > 1:
        topics = " or ".join(f"{base}/bridge/{found}" for _, base, found in rows)
        raise UserError(f"several bridges are called {name!r}: write {topics}, or the id", 2)
    bridge_id, base, found = rows[0]
    return bridge_id, Sender(base, found)


async def set_place(db: AsyncDatabase, name: str, place: str) -> None:
    """Says where a daemon is. Raises UserError."""
    bridge_id, _ = await find_bridge(db, name)
    await db.execute(_SET_PLACE, [place, bridge_id])


async def accept_claim(db: AsyncDatabase, name: str, topic: str) -> None:
    """Has the daemon of this name send from this topic from now on. Raises UserError."""
    bridge_id, owner = await find_bridge(db, name)
    await lock_bridges(db, [(bridge_id, owner)])
    if (await db.execute(_MOVE, [bridge_id, topic])).rowcount == 0:
        raise UserError(f"the id of {name} did not come from {topic}: oche collect bridges lists from where it did", 2)
    await db.execute(_DROP_CLAIMS, [bridge_id])
    await lock_unreadable(db)
    await empty_unreadable(db, owner)  # what the daemon forgets from now on it forgets at its new topic alone


def pair_senders(ids: Collection[tuple[UUID, Sender]], owners: dict[UUID, Sender]) -> set[tuple[UUID, Sender]]:
    """Returns those of these that come from where the league knows them."""
    return {(bridge_id, sender) for bridge_id, sender in ids if owners[bridge_id] == sender}
