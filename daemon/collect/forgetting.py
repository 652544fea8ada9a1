"""Forgets a player of a daemon: takes the name out of all that is kept, and out of what comes late."""

from __future__ import annotations

import hashlib
import logging
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from msgspec.structs import replace

from daemon.admin.history.forget import write_neutral_names
from daemon.collect import people
from daemon.collect.database import AsyncDatabase
from daemon.collect.received import Forget, Record, list_keys, list_name_keys
from daemon.collect.unreadable import empty_unreadable
from protocol.league_messages import LeagueHeard

log = logging.getLogger("oche.collect")

_LEFT = "The name may still be in backups of the league's database, until they are replaced."
_WRONG_BEFORE = datetime(2024, 1, 1, tzinfo=UTC)
"""A clock that shows an earlier time was never set."""
_WRONG_AFTER = timedelta(days=1)
"""So far in the future is the beginning of a match by a clock that is wrong."""
_LAST = datetime(9999, 12, 31, tzinfo=UTC)
_AT_A_TIME = 200

_HEARD = "select matches from oche.forgetting where bridge_id = %s and id = %s"
_NOTE_HEARD = "insert into oche.forgetting (bridge_id, id, matches) values (%s, %s, %s)"
_REMEMBER = """
    insert into oche.forgotten as known (bridge_id, name_hash, at) values (%s, %s, %s)
    on conflict (bridge_id, name_hash) do update set at = greatest(known.at, excluded.at)
"""
_FIND_FORGOTTEN = "select bridge_id, name_hash, at from oche.forgotten where bridge_id = any(%s)"
_FIND_MATCHES = """
    select table_name, match, record, names from oche.match where bridge_id = %s and names && %s
    and (begun_at is null or begun_at < %s or begun_at > %s) limit %s
"""
_REWRITE_MATCH = """
    update oche.match set record = %s, names = %s, fold_state = 'new', fold_reason = null, changed_at = now()
    where bridge_id = %s and table_name = %s and match = %s
"""
_FIND_EDITIONS = """
    select e.table_name, e.match, e.sha256, e.record, e.names from oche.edition e
    join oche.match m using (bridge_id, table_name, match) where e.bridge_id = %s and e.names && %s
    and (m.begun_at is null or m.begun_at < %s or m.begun_at > %s) limit %s
"""
_REWRITE_EDITION = """
    update oche.edition set record = %s, names = %s
    where bridge_id = %s and table_name = %s and match = %s and sha256 = %s
"""
_FIND_STILL_USED = """
    select distinct key from oche.match, unnest(names) as key where bridge_id = %s and names && %s and key = any(%s)
"""
_DROP_NAMES = "delete from oche.person_name where bridge_id = %s and name_key = any(%s) returning person_id"


class _Rewritten(NamedTuple):
    record: bytes
    names: list[str]


async def forget_player(db: AsyncDatabase, bridge_id: UUID, forget: Forget) -> LeagueHeard | None:
    """Takes the names out of every record of this daemon; returns the answer, the same each time it is asked for.

    None: by the clocks of neither machine it can be told until when the names are to be forgotten, so the daemon has to
    say it again. Holds the lock of what cannot be read.
    """
    message = forget.message
    row = await (await db.execute(_HEARD, [bridge_id, message.id])).fetchone()
    if row is None:
        at = _find_moment(forget.at, _read_clock())
        if at is None:
            log.warning(
                "the clock of this machine was never set: nobody is forgotten for %s until then", forget.sender.name
            )
            return None
        matches = await _forget_names(db, bridge_id, forget, list_name_keys(message.names), at)
        await db.execute(_NOTE_HEARD, [bridge_id, message.id, matches])
    else:
        matches = int(row[0])
    return LeagueHeard(message.id, matches, _LEFT)


def _read_clock() -> datetime:
    return datetime.now(UTC)


def _find_moment(said: datetime, now: datetime) -> datetime | None:
    """Returns when a player was forgotten: as the daemon says, or now where its clock is wrong; None: so is ours."""
    if said < _WRONG_BEFORE or said > now >= _WRONG_BEFORE:
        return None if now < _WRONG_BEFORE else now
    return said


def _find_wrong_after() -> datetime:
    """Returns from when on no match can have begun yet, as far as our clock tells."""
    now = _read_clock()
    return _LAST if now < _WRONG_BEFORE else now + _WRONG_AFTER


async def _forget_names(db: AsyncDatabase, bridge_id: UUID, forget: Forget, keys: list[str], at: datetime) -> int:
    """Returns in how many matches the names were."""
    for key in keys:
        await db.execute(_REMEMBER, [bridge_id, hash_name(bridge_id, key), at])
    begun = (at, _find_wrong_after())
    matches: set[tuple[str, str]] = set()
    while rows := await (await db.execute(_FIND_MATCHES, [bridge_id, keys, *begun, _AT_A_TIME])).fetchall():
        for table, match, record, names in rows:
            matches.add((table, match))
            await db.execute(_REWRITE_MATCH, [*_rewrite(record, names, keys), bridge_id, table, match])
    while rows := await (await db.execute(_FIND_EDITIONS, [bridge_id, keys, *begun, _AT_A_TIME])).fetchall():
        for table, match, sha256, record, names in rows:
            matches.add((table, match))
            await db.execute(_REWRITE_EDITION, [*_rewrite(record, names, keys), bridge_id, table, match, sha256])
    await empty_unreadable(db, forget.sender)
    await drop_unused_names(db, bridge_id, keys)
    return len(matches)


async def drop_unused_names(db: AsyncDatabase, bridge_id: UUID, keys: list[str]) -> None:
    """Forgets whose these names are, as far as no match of this daemon has them any more."""
    await people.lock_people(db)
    used = await _find_used(db, bridge_id, keys)
    dropped = await db.execute(_DROP_NAMES, [bridge_id, [key for key in keys if key not in used]])
    await people.settle_persons(db, {person for (person,) in await dropped.fetchall()}, lost=keys)


def _rewrite(record: bytes, names: Iterable[str], keys: Collection[str]) -> _Rewritten:
    line, _, inputs = zlib.decompress(record).partition(b"\n")
    header = write_neutral_names(msgspec.json.decode(line), keys)
    text = msgspec.json.encode(header) + b"\n" + inputs
    return _Rewritten(zlib.compress(text), [name for name in names if name not in keys])


def hash_name(bridge_id: UUID, key: str) -> bytes:
    """Returns what is remembered of a forgotten name, which nobody can read it from who does not know it."""
    return hashlib.sha256(bridge_id.bytes + key.encode()).digest()


async def find_forgotten(db: AsyncDatabase, bridges: Collection[UUID]) -> dict[UUID, dict[bytes, datetime]]:
    """Returns the hashes of the names that these daemons have forgotten, and until when."""
    found: dict[UUID, dict[bytes, datetime]] = defaultdict(dict)
    for bridge_id, name_hash, at in await (await db.execute(_FIND_FORGOTTEN, [[*bridges]])).fetchall():
        found[bridge_id][name_hash] = at
    return found


async def find_unused_forgotten(db: AsyncDatabase, bridge_id: UUID, keys: Collection[str]) -> set[str]:
    """Returns those of these names that this daemon has forgotten and that nobody has played under since."""
    forgotten = (await find_forgotten(db, [bridge_id]))[bridge_id]
    gone = [key for key in keys if hash_name(bridge_id, key) in forgotten]
    return {*gone} - await _find_used(db, bridge_id, gone)


async def _find_used(db: AsyncDatabase, bridge_id: UUID, keys: list[str]) -> set[str]:
    """Returns those of these names that a record of this daemon has."""
    if not keys:
        return set()
    return {key for (key,) in await (await db.execute(_FIND_STILL_USED, [bridge_id, keys, keys])).fetchall()}


def without_forgotten(record: Record, forgotten: Mapping[bytes, datetime]) -> Record:
    """The record without the names of players who were forgotten after it began."""
    begun_at, wrong_after = record.begun_at, _find_wrong_after()
    keys = [
        key
        for key in list_keys(record.header)
        if (at := forgotten.get(hash_name(record.key.bridge_id, key))) is not None
        and (begun_at is None or begun_at < at or begun_at > wrong_after)
    ]
    if not keys:
        return record
    header: dict[str, Any] = write_neutral_names(record.header, keys)  # Any: JSON
    text = msgspec.json.encode(header) + b"\n" + record.text.partition(b"\n")[2]
    return replace(record, header=header, text=text)
