"""What a daemon says of its players: which of their names are one person's, and what that one is called now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple
from uuid import UUID

from msgspec import UNSET

from daemon.collect import people
from daemon.collect.database import AsyncDatabase
from daemon.collect.forgetting import find_unused_forgotten
from daemon.collect.received import list_name_keys
from protocol.league_messages import LeaguePlayers, PlayerChange
from protocol.player_names import name_key, shorten_name

_HEARD = "select players_sha256, players_order from oche.bridge where bridge_id = %s"
_NOTE_HEARD = """
    update oche.bridge set players_sha256 = %s, players_order = greatest(players_order, %s) where bridge_id = %s
"""
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


async def join_players(db: AsyncDatabase, bridge_id: UUID, message: LeaguePlayers) -> int | None:
    """Joins the names of each player of a daemon to one person, and separates those that it no longer says of one.

    An older message than the one that was heard changes nothing: returns the order of that one, None else.

    The message has all players of more than one name, so a name that is in none of them is a player of its own. Whoever
    the league has joined to one of them becomes that person, too. A forgotten name that no record has is left out: the
    message may have been under way since before the forgetting.
    """
    row = await (await db.execute(_HEARD, [bridge_id])).fetchone()
    heard, newest = row or ("", None)
    order = None if message.order is UNSET else message.order
    if heard == message.sha256:
        if order is not None and (newest is None or newest < order):
            await db.execute(_NOTE_HEARD, [heard, order, bridge_id])
        return None
    if order is not None and newest is not None and order < newest:
        return int(newest)
    await people.lock_people(db)
    every = list_name_keys(name for each in message.players for name in (each.name, *each.names))
    gone = await find_unused_forgotten(db, bridge_id, every)
    changes = [left for each in message.players if (left := _without(each, gone)) is not None]
    groups = [(shorten_name(change.name), keys) for change in changes if (keys := _list_keys(change))]
    await people.add_names(db, [(bridge_id, name) for each in changes for name in (each.name, *each.names)])
    place = await people.find_place(db, bridge_id)
    await _separate(db, bridge_id, await _find(db, bridge_id), place, [keys for _, keys in groups])
    for name, keys in groups:
        known = await _find(db, bridge_id)
        mine = sorted(keys, key=lambda key: (not known[key].is_shared, key != name_key(name)))
        person = known[mine[0]].person
        for other in {known[key].person for key in keys} - {person}:
            await people.merge_person(db, person, other)
        for key in keys:
            await people.set_person(db, person, bridge_id, key, is_joined=len(keys) > 1)
        await _show(db, (await _find(db, bridge_id))[mine[0]], name, place)
    await db.execute(_NOTE_HEARD, [message.sha256, order, bridge_id])
    return None


async def _show(db: AsyncDatabase, known: _Known, name: str, place: str) -> None:
    """Shows a person of this daemon alone by the present name, unless the league has chosen another one."""
    if known.is_named or known.is_shared or known.shown_key == name_key(name):
        return
    for shown in people.list_shown_names(name, place):
        if await people.rename_person(db, known.person, shown, is_chosen=False):
            return


def _without(change: PlayerChange, gone: Collection[str]) -> PlayerChange | None:
    """The change without the names of these keys; None: it has no other."""
    names = tuple(name for name in change.names if name_key(name) not in gone)
    shown = next((name for name in (change.name, *names) if name_key(name) not in gone), None)
    return None if shown is None else PlayerChange(shown, names)


def _list_keys(change: PlayerChange) -> list[str]:
    return list_name_keys([change.name, *change.names])


async def _find(db: AsyncDatabase, bridge_id: UUID) -> dict[str, _Known]:
    rows = await (await db.execute(_FIND, [bridge_id])).fetchall()
    return {key: _Known(*rest) for key, *rest in rows}


async def _separate(
    db: AsyncDatabase, bridge_id: UUID, known: dict[str, _Known], place: str, groups: Sequence[Collection[str]]
) -> None:
    """Makes persons of their own of names that were joined and are in different groups now, or in none.

    Those among which is the name by which the person is shown stay.
    """
    group_of = {key: number for number, keys in enumerate(groups) for key in keys}
    by_person: dict[int, dict[object, list[str]]] = defaultdict(lambda: defaultdict(list))
    for key, each in known.items():
        if each.is_joined:
            by_person[each.person][group_of.get(key, key)].append(key)
    for person, parts in by_person.items():
        names = {each.key: each.name for each in await people.list_names(db, person) if each.bridge_id == bridge_id}
        first, *others = sorted(parts.values(), key=lambda keys: known[keys[0]].shown_key not in keys)
        for keys in others:
            other = await people.make_person(db, names[keys[0]], place)
            for key in keys:
                await people.set_person(db, other, bridge_id, key, is_joined=len(keys) > 1)
        if len(first) == 1:
            await people.set_person(db, person, bridge_id, first[0], is_joined=False)
