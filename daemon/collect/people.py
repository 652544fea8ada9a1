"""The persons of a league: each name of a daemon belongs to one of them, from when it is first seen to one of its own.

Whoever makes or joins persons holds an advisory lock to the end of the transaction, taken after those of the daemons.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import count
from types import MappingProxyType
from typing import NamedTuple
from uuid import UUID

from psycopg.errors import ForeignKeyViolation

from daemon.admin.players.names import make_neutral_name
from daemon.collect.database import AsyncDatabase
from daemon.collect.received import list_name_keys
from protocol.player_names import name_key, shorten_name

_LOCK = 7_204_302
"""The number of the advisory lock."""

_TAKE_LOCK = "select pg_advisory_xact_lock(%s)"
_FIND_NAMES = """
    select bridge_id, name_key from unnest(%s::uuid[], %s::text[]) as wanted (bridge_id, name_key)
    join oche.person_name using (bridge_id, name_key)
"""
_FIND_PLACE = "select case place when '' then name else place end from oche.bridge where bridge_id = %s"
_ADD_PERSON = """
    insert into oche.person (shown, shown_key) values (%s, %s) on conflict (shown_key) do nothing returning id
"""
_ADD_NAME = "insert into oche.person_name (bridge_id, name_key, name, person_id) values (%s, %s, %s, %s)"
_RENAME = """
    update oche.person p set shown = %s, shown_key = %s, is_named = is_named or %s
    where id = %s and not exists (select from oche.person other where other.shown_key = %s and other.id <> p.id)
"""
_SET_PERSON = """
    update oche.person_name set person_id = %s, is_joined = %s, changed_at = now()
    where bridge_id = %s and name_key = %s
"""
_MOVE_ALL = "update oche.person_name set person_id = %s, changed_at = now() where person_id = %s"
_DROP = "delete from oche.person p where id = %s and not exists (select from oche.person_name where person_id = p.id)"
_JOIN_TO = "update oche.person set joined_to = %s where id = %s or joined_to = %s"
_FIND_PERSON = "select shown, shown_key, is_named from oche.person where id = %s"
_LIST_NAMES = """
    select n.name, n.name_key, n.bridge_id, case b.place when '' then b.name else b.place end
    from oche.person_name n join oche.bridge b using (bridge_id) where n.person_id = %s order by 1, 4, 3
"""


class Name(NamedTuple):
    """A name of a person, in the records of one daemon; `place` is where that is."""

    name: str
    key: str
    bridge_id: UUID
    place: str


async def lock_people(db: AsyncDatabase) -> None:
    """Has others wait who make or join persons, to the end of the transaction."""
    await db.execute(_TAKE_LOCK, [_LOCK])


async def add_names(db: AsyncDatabase, names: Iterable[tuple[UUID, str]]) -> None:
    """Makes a person for each of these names, of the daemons of these ids, that is new."""
    wanted: dict[tuple[UUID, str], str] = {}
    for bridge_id, name in names:
        for key in list_name_keys([name]):
            wanted.setdefault((bridge_id, key), shorten_name(name) or key)
    if not await _find_missing(db, wanted):
        return
    await lock_people(db)
    places: dict[UUID, str] = {}
    for bridge_id, key in await _find_missing(db, wanted):
        if bridge_id not in places:
            places[bridge_id] = await find_place(db, bridge_id)
        name = wanted[bridge_id, key]
        await db.execute(_ADD_NAME, [bridge_id, key, name, await make_person(db, name, places[bridge_id])])


async def _find_missing(db: AsyncDatabase, wanted: Mapping[tuple[UUID, str], str]) -> list[tuple[UUID, str]]:
    rows = await db.execute(_FIND_NAMES, [[key for key, _ in wanted], [key for _, key in wanted]])
    known = {*await rows.fetchall()}
    return [each for each in wanted if each not in known]


async def find_place(db: AsyncDatabase, bridge_id: UUID) -> str:
    """Returns where a daemon is: what tells its Ann from others."""
    row = await (await db.execute(_FIND_PLACE, [bridge_id])).fetchone()
    return "" if row is None else str(row[0])


def list_shown_names(name: str, place: str) -> Iterator[str]:
    """Yields what a person of this name can be shown as, the best first."""
    yield name
    yield f"{name} · {place}"
    for number in count(2):
        yield f"{name} · {place} {number}"


async def make_person(db: AsyncDatabase, name: str, place: str) -> int:
    """Returns the id of a new person, shown by a name that no other one has. Holds the lock of the people."""
    for shown in list_shown_names(name, place):
        row = await (await db.execute(_ADD_PERSON, [shown, name_key(shown)])).fetchone()
        if row is not None:
            return int(row[0])
    raise AssertionError("there are always more names")


async def rename_person(db: AsyncDatabase, person: int, shown: str, *, is_chosen: bool) -> bool:
    """Shows a person by another name; returns False when another one has it. `is_chosen`: by the league."""
    key = name_key(shown)
    return (await db.execute(_RENAME, [shown, key, is_chosen, person, key])).rowcount > 0


async def set_person(db: AsyncDatabase, person: int, bridge_id: UUID, key: str, *, is_joined: bool) -> None:
    """Makes a name one of this person. `is_joined`: its daemon says so."""
    await db.execute(_SET_PERSON, [person, is_joined, bridge_id, key])


async def merge_person(db: AsyncDatabase, person: int, other: int) -> None:
    """Makes all names of `other` names of this person, and deletes `other`."""
    await db.execute(_MOVE_ALL, [person, other])
    await settle_persons(db, [other], joined={other: person})


async def list_names(db: AsyncDatabase, person: int) -> list[Name]:
    """Returns the names of a person."""
    return [Name(*row) for row in await (await db.execute(_LIST_NAMES, [person])).fetchall()]


async def settle_persons(
    db: AsyncDatabase,
    persons: Collection[int],
    *,
    joined: Mapping[int, int] = MappingProxyType({}),
    lost: Collection[str] = (),
) -> None:
    """Deletes those of these persons who have no name any more, and shows no other by a name that it has lost.

    `joined` says who a person is now, and `lost` are the keys of names that are forgotten. What points to a person
    keeps it: as a sign to the one who it is now, else without a name.
    """
    for person in sorted({*persons}):
        try:
            async with db.transaction():
                await db.execute(_DROP, [person])
        except ForeignKeyViolation:
            if person in joined:
                await db.execute(_JOIN_TO, [joined[person], person, person])
            else:
                await rename_person(db, person, make_neutral_name(person - 1), is_chosen=False)
            continue
        row = await (await db.execute(_FIND_PERSON, [person])).fetchone()
        if row is not None and not _may_show(str(row[1]), lost, names := await list_names(db, person)):
            await show_by_own_name(db, person, names)


def _may_show(shown_key: str, lost: Collection[str], names: Collection[Name]) -> bool:
    mine = {each.key for each in names}
    return all(key in mine or not (shown_key == key or shown_key.startswith(f"{key} · ")) for key in lost)


async def show_by_own_name(db: AsyncDatabase, person: int, names: Collection[Name]) -> None:
    """Shows a person by the first of these names that no other one has."""
    first = next(iter(names))
    for shown in list_shown_names(first.name, first.place):
        if await rename_person(db, person, shown, is_chosen=False):
            return
