"""What the league itself decides on persons: which names are one person's, and how a person is shown."""

from __future__ import annotations

from typing import NamedTuple

from daemon.admin.players.names import check_name
from daemon.collect import people
from daemon.collect.bridges import find_bridge
from daemon.collect.database import AsyncDatabase
from daemon.errors import UserError
from protocol.player_names import name_key
from protocol.spelling import suggest_nearest

_FIND = "select id, shown from oche.person where shown_key = %s"
_LIST_SHOWN = "select shown from oche.person order by shown_key"
_LIST = """
    select p.shown, n.name, case b.place when '' then b.name else b.place end
    from oche.person p join oche.person_name n on n.person_id = p.id join oche.bridge b using (bridge_id)
    order by p.shown_key, 2, 3
"""
_PROPOSE = """
    select distinct least(p.shown, o.shown), greatest(p.shown, o.shown)
    from oche.person_name n join oche.person_name m on m.name_key = n.name_key and m.bridge_id > n.bridge_id
    join oche.person p on p.id = n.person_id join oche.person o on o.id = m.person_id
    where p.id <> o.id order by 1, 2
"""


class Member(NamedTuple):
    """A person as the league lists them: the name that is shown, and each name with the place where it is used."""

    shown: str
    names: list[tuple[str, str]]


async def list_members(db: AsyncDatabase) -> list[Member]:
    """Returns all persons by the names that are shown."""
    found: dict[str, list[tuple[str, str]]] = {}
    for shown, name, place in await (await db.execute(_LIST)).fetchall():
        found.setdefault(shown, []).append((name, place))
    return [Member(*each) for each in found.items()]


async def propose_joins(db: AsyncDatabase) -> list[tuple[str, str]]:
    """Returns the pairs of persons, as they are shown, who have the same name at different daemons."""
    return [(one, other) for one, other in await (await db.execute(_PROPOSE)).fetchall()]


async def join_persons(db: AsyncDatabase, name: str, other: str) -> None:
    """Makes the person shown as `other` the one who is shown as `name`. Raises UserError."""
    await people.lock_people(db)
    (person, shown), (joined, _) = await _find(db, name), await _find(db, other)
    if person == joined:
        raise UserError(f"{shown} is one person already", 2)
    await people.merge_person(db, person, joined)


async def split_person(db: AsyncDatabase, name: str, bridge: str) -> list[str]:
    """Makes a person of their own of whoever has the names of this person at one daemon; returns these names.

    Raises UserError.
    """
    bridge_id, _ = await find_bridge(db, bridge)
    await people.lock_people(db)
    person, shown = await _find(db, name)
    names = await people.list_names(db, person)
    mine = [each for each in names if each.bridge_id == bridge_id]
    if not mine:
        raise UserError(f"{shown} has no name at {bridge}: oche collect people lists the names", 2)
    if len(mine) == len(names):
        raise UserError(f"{shown} has names at {bridge} alone: rename or split the player there", 2)
    other = await people.make_person(db, mine[0].name, mine[0].place)
    for each in mine:
        await people.set_person(db, other, bridge_id, each.key, is_joined=len(mine) > 1)
    return [each.name for each in mine]


async def rename_member(db: AsyncDatabase, name: str, to: str) -> str:
    """Shows a person by another name, which no daemon changes any more; returns it. Raises UserError."""
    shown = check_name(to)
    await people.lock_people(db)
    person, _ = await _find(db, name)
    if not await people.rename_person(db, person, shown, is_chosen=True):
        raise UserError(f"another person is shown as {shown}: choose another name, or join the two", 2)
    return shown


async def _find(db: AsyncDatabase, name: str) -> tuple[int, str]:
    row = await (await db.execute(_FIND, [name_key(name)])).fetchone()
    if row is None:
        known = [shown for (shown,) in await (await db.execute(_LIST_SHOWN)).fetchall()]
        other = suggest_nearest(name, known, "; oche collect people lists them")
        raise UserError(f"the league shows nobody as {name!r}{other}", 2)
    return int(row[0]), str(row[1])
