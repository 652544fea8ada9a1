"""Keeps records in the database. All of it runs in one transaction, under the locks of the daemons that sent them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple

from daemon.admin.history.editions import Relation, compare
from daemon.collect.database import AsyncDatabase
from daemon.collect.forgetting import drop_unused_names
from daemon.collect.received import Key, Record, list_keys

REPLACED_KEPT = timedelta(days=90)
_MOST_EDITIONS = 20
"""Former records of one match that are kept."""

_FIND_KNOWN = """
    select m.bridge_id, m.table_name, m.match, m.lines, m.sha256, m.said_order
    from unnest(%s::uuid[], %s::text[], %s::text[]) as wanted (bridge_id, table_name, match)
    join oche.match m using (bridge_id, table_name, match)
"""
_READ = "select record, names from oche.match where bridge_id = %s and table_name = %s and match = %s"
_FIND_EDITION = """
    select state from oche.edition where bridge_id = %s and table_name = %s and match = %s and sha256 = %s
"""
_ADD = """
    insert into oche.match (bridge_id, table_name, match, layout, begun_at, lines, said_order, sha256, record, names)
    values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_KEEP_FORMER = """
    insert into oche.edition
        (bridge_id, table_name, match, sha256, lines, record, names, state, kept_until)
    select bridge_id, table_name, match, sha256, lines, record, names, %s, now() + %s from oche.match
    where bridge_id = %s and table_name = %s and match = %s
    on conflict (bridge_id, table_name, match, sha256)
    do update set state = excluded.state, replaced_at = now(), kept_until = excluded.kept_until
"""
_DROP_OLDEST = """
    delete from oche.edition e using (
        select ctid as place from oche.edition where bridge_id = %s and table_name = %s and match = %s
        order by replaced_at desc, sha256 offset %s
    ) as oldest where e.ctid = oldest.place
"""
_REPLACE = """
    update oche.match set layout = %s, begun_at = %s, lines = %s, said_order = greatest(said_order, %s), sha256 = %s,
        record = %s, names = %s, fold_state = 'new', fold_reason = null, changed_at = now()
    where bridge_id = %s and table_name = %s and match = %s
"""
_DROP_NAMED = """
    delete from oche.edition where bridge_id = %s and table_name = %s and match = %s and state = 'replaced'
"""
_DROP_EDITION = """
    delete from oche.edition where bridge_id = %s and table_name = %s and match = %s and sha256 = %s
"""
_NOTE_OFFERED = """
    update oche.match set sha256 = %s, said_order = greatest(said_order, %s)
    where bridge_id = %s and table_name = %s and match = %s
"""
_DROP_OLD = "delete from oche.edition where kept_until < now()"


class _Known(NamedTuple):
    """What is known of a match."""

    lines: int
    sha256: bytes
    order: int | None

    def is_newer(self, record: Record) -> bool:
        """Whether this is newer than that record, as far as both tell their order."""
        return self.order is not None and record.order is not None and record.order < self.order


class Kept(NamedTuple):
    """What became of an offered record. `is_new`: what is kept of the match has changed.

    `more` is the number of lines of the known record that goes on where this one ends. `older_than` is the order of the
    known record, which is newer than this one.
    """

    record: Record
    is_new: bool = False
    more: int | None = None
    older_than: int | None = None


async def keep_records(db: AsyncDatabase, records: Iterable[Record]) -> list[Kept]:
    """Keeps these records; returns what became of each.

    Of one match only one is compared at a time, in the order in which they came. Of those that tell their order only
    one that is newer than the known one is compared with it.
    """
    found: list[Kept] = []
    left = [*records]
    while left:
        now: dict[Key, Record] = {}
        later = [each for each in left if now.setdefault(each.key, each) is not each]
        found += await _keep_once(db, [*now.values()])
        left = later
    return found


async def _keep_once(db: AsyncDatabase, records: Sequence[Record]) -> list[Kept]:
    """The same for records of which each is of another match."""
    keys = [each.key for each in records]
    rows = await db.execute(
        _FIND_KNOWN, [[key.bridge_id for key in keys], [key.table for key in keys], [key.match for key in keys]]
    )
    known = {Key(*key): _Known(*rest) for *key, rest in ((*row[:3], row[3:]) for row in await rows.fetchall())}
    new = [each for each in records if each.key not in known]
    async with db.cursor() as cursor:
        await cursor.executemany(_ADD, _make_rows(new))
    found = [Kept(each, is_new=True) for each in new]
    return [*found, *[await _keep_known(db, each, known[each.key]) for each in records if each.key in known]]


async def _keep_known(db: AsyncDatabase, record: Record, known: _Known) -> Kept:
    """Keeps a record of a match of which there is one."""
    if known.sha256.hex() != record.sha256:
        if known.is_newer(record):
            return Kept(record, older_than=known.order)
        return await _keep_edition(db, record, known)
    if record.order is not None and (known.order is None or known.order < record.order):
        await db.execute(_NOTE_OFFERED, [known.sha256, record.order, *record.key])
    return Kept(record)


def _make_rows(records: Iterable[Record]) -> Iterator[tuple[object, ...]]:
    for each in records:
        yield (*each.key, each.layout, each.begun_at, each.lines, each.order, *_make_columns(each))


def _make_columns(record: Record) -> tuple[bytes, bytes, list[str]]:
    return bytes.fromhex(record.sha256), zlib.compress(record.text), list_keys(record.header)


async def _keep_edition(db: AsyncDatabase, record: Record, known: _Known) -> Kept:
    """Keeps another record of a match that is known."""
    sha256 = bytes.fromhex(record.sha256)
    row = await (await db.execute(_READ, record.key)).fetchone()
    assert row is not None, "under the lock of the daemon"
    relation = compare(zlib.decompress(row[0]), record.text)
    if relation is Relation.SAME:  # names that were forgotten here have gone there, too
        await db.execute(_NOTE_OFFERED, [sha256, record.order, *record.key])
        return Kept(record)
    if relation is Relation.SHORTER:
        return Kept(record, more=known.lines)
    if relation is Relation.OTHER and await (await db.execute(_FIND_EDITION, [*record.key, sha256])).fetchone():
        if record.order is None or record.order == known.order:
            return Kept(record)  # came late: another one is the newest
        await db.execute(_DROP_EDITION, [*record.key, sha256])
    if relation is Relation.LONGER:
        await db.execute(_KEEP_FORMER, ["replaced", REPLACED_KEPT, *record.key])
    elif relation is Relation.OTHER:
        await db.execute(_KEEP_FORMER, ["conflict", None, *record.key])
        await db.execute(_DROP_OLDEST, [*record.key, _MOST_EDITIONS])
    else:  # what has the former names goes with them
        await db.execute(_DROP_NAMED, record.key)
    columns = _make_columns(record)
    await db.execute(_REPLACE, [record.layout, record.begun_at, record.lines, record.order, *columns, *record.key])
    if relation in (Relation.RENAMED, Relation.LONGER_RENAMED):
        gone = [key for key in row[1] if key not in list_keys(record.header)]
        await drop_unused_names(db, record.key.bridge_id, gone)
    return Kept(record, is_new=True)


async def drop_old_editions(db: AsyncDatabase) -> None:
    """Deletes the former records that have been kept long enough."""
    await db.execute(_DROP_OLD)
