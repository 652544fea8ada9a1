"""What a daemon says of its players: which of their names are one person's, and what that one is called now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from daemon.collect import people
from daemon.collect.database import AsyncDatabase
from daemon.collect.received import list_name_keys
from protocol.league_messages import LeaguePlayers, PlayerChange
from protocol.player_names import name_key, shorten_name

_HEARD = "select players_sha256 from oche.bridge where bridge_id = %s"
_NOTE_HEARD = "update oche.bridge set players_sha256 = %s where bridge_id = %s"
_FIND = """
    select n.name_key, n.person_id, n.is_joined, p.shown_key, p.is_named,
        exists (select from oche.person_name o where o.person_id = n.person_id and o.bridge_id <> n.bridge_id)
    from oche.person_name n join oche.person p on p.id = n.person_id where n.bridge_id = %s order by n.name_key
"""


class _Known(NamedTuple):
    """Whose a name of the daemon is. `is_shared`: names of other daemons are this person's, too."""

    person: int
    is_joined: bool
    shown_key: str
    is_named: bool
    is_shared: bool


async def join_players(db: AsyncDatabase, bridge_id: UUID, message: LeaguePlayers) -> None:
    """Joins the names of each player of a daemon to one person, and separates those that it no longer says of one.

    The message has all players of more than one name, so a name that is in none of them is a player of its own.
    """
    row = await (await db.execute(_HEARD, [bridge_id])).fetchone()
    if row == (message.sha256,):
        return
    await people.lock_people(db)
    groups = [(shorten_name(change.name), keys) for change in message.players if (keys := _list_keys(change))]
    await people.add_names(db, [(bridge_id, shorten_name(n)) for c in message.players for n in (c.name, *c.names)])
    place = await people.find_place(db, bridge_id)
    known = await _find(db, bridge_id)
    touched = {each.person for each in known.values()}
    joined = {key for _, keys in groups if len(keys) > 1 for key in keys}
    await _separate(db, bridge_id, {key: each for key, each in known.items() if each.is_joined and key not in joined})
    known = await _find(db, bridge_id)
    used: set[int] = set()
    for name, keys in groups:
        person = _choose_person(known, keys, name_key(name), used)
        if person is None:
            person = await people.make_person(db, name, place)
        used.add(person)
        for key in keys:
            await people.set_person(db, person, bridge_id, key, is_joined=len(keys) > 1)
    await people.settle_persons(db, touched - used)
    for key, each in (await _find(db, bridge_id)).items():
        name = next((name for name, keys in groups if key in keys and name_key(name) == key), "")
        if name and not each.is_named and not each.is_shared and each.shown_key != key:
            for shown in people.list_shown_names(name, place):
                if await people.rename_person(db, each.person, shown, is_chosen=False):
                    break
    await db.execute(_NOTE_HEARD, [message.sha256, bridge_id])


def _list_keys(change: PlayerChange) -> list[str]:
    return list_name_keys([change.name, *change.names])


async def _find(db: AsyncDatabase, bridge_id: UUID) -> dict[str, _Known]:
    rows = await (await db.execute(_FIND, [bridge_id])).fetchall()
    return {key: _Known(*rest) for key, *rest in rows}


async def _separate(db: AsyncDatabase, bridge_id: UUID, known: dict[str, _Known]) -> None:
    """Makes persons of their own of names that were joined; the one by which a person is shown stays with it."""
    by_person: dict[int, list[str]] = defaultdict(list)
    for key, each in known.items():
        by_person[each.person].append(key)
    place = await people.find_place(db, bridge_id)
    for person, keys in by_person.items():
        shown = known[keys[0]].shown_key
        stays = shown if shown in keys else keys[0]
        names = {each.key: each.name for each in await people.list_names(db, person) if each.bridge_id == bridge_id}
        for key in keys:
            other = person if key == stays else await people.make_person(db, names[key], place)
            await people.set_person(db, other, bridge_id, key, is_joined=False)


def _choose_person(known: dict[str, _Known], keys: Collection[str], present: str, used: Collection[int]) -> int | None:
    """Whose all of these names become: a person of other daemons too, else that of the present name, else any."""
    mine = [(key, known[key]) for key in keys if key in known and known[key].person not in used]
    best = sorted(mine, key=lambda each: (not each[1].is_shared, each[0] != present))
    return best[0][1].person if best else None
