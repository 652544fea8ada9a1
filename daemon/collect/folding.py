"""Folding: makes the figures of a league out of its records, in a process of its own beside the collector.

A record that changes is folded again, and so is everything by a program that comes to other figures. What is made here
depends on the records alone: not on the order in which they came, nor on what was folded before.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import combinations
from time import sleep
from typing import NamedTuple
from uuid import UUID

import msgspec
import psycopg
from psycopg import Connection, Cursor
from psycopg.rows import TupleRow

from daemon.admin.history.digest import digest_match
from daemon.admin.history.played_matches import PlayedMatch, stamp_program
from daemon.admin.players.names import NO_NAMES
from daemon.collect.folded import Folded, encode_body, fold_record
from daemon.collect.received import Key
from daemon.collect.rollup import Cell, roll_up
from daemon.release import read_version
from engine.games import GAMES
from engine.played import PlayerPart
from engine.tally import Tally

log = logging.getLogger("oche.collect")

_LOCK = 7_204_303
"""The number of the advisory lock of the figures: what is played again at the same time is written one by one."""
BATCH = 20
"""Records that are folded at once."""
_BUSY_S = 0.2
"""While others write these very matches: folded again at once they would only be left once more."""

_STALE = """
    update oche.match set fold_state = 'new', fold_until = null
    where fold_state <> 'new' and coalesce(folded_by, '') <> all(%s::text[])
"""
_AGAIN = "update oche.match set fold_state = 'new', fold_until = null"
_CLAIM = """
    update oche.match m set fold_pid = pg_backend_pid(), fold_until = now() + interval '15 minutes' from (
        select bridge_id, table_name, match from oche.match
        where fold_state = 'new' and (fold_until is null or fold_until < now() or not exists (
            select from pg_stat_activity a
            where a.pid = fold_pid and a.backend_start <= fold_until - interval '15 minutes'
        ))
        order by changed_at limit %s for update skip locked
    ) as mine
    where (m.bridge_id, m.table_name, m.match) = (mine.bridge_id, mine.table_name, mine.match)
    returning m.bridge_id, m.table_name, m.match, m.xmin::text, m.layout, coalesce(m.begun_at, m.taken_at), m.record
"""
_RELEASE = """
    update oche.match set fold_until = null
    where (bridge_id, table_name, match) in (select * from unnest(%s::uuid[], %s::text[], %s::text[]))
        and fold_pid = pg_backend_pid()
"""
_TAKE_LOCK = "select pg_advisory_xact_lock(%s)"
_LOCK_UNCHANGED = """
    select m.bridge_id, m.table_name, m.match
    from unnest(%s::uuid[], %s::text[], %s::text[], %s::text[]) as mine (bridge_id, table_name, match, version)
    join oche.match m using (bridge_id, table_name, match)
    where m.xmin::text = mine.version for no key update of m skip locked
"""
_FIND_OTHERS = """
    select m.bridge_id, m.table_name, m.match, o.bridge_id, o.table_name, o.match
    from unnest(%s::uuid[], %s::text[], %s::text[], %s::text[]) as mine (bridge_id, table_name, match, continues)
    join oche.match m using (bridge_id, table_name, match)
    join oche.match o on o.match in (m.continues, mine.continues) and o.fold_state = 'folded'
    where m.continues is distinct from mine.continues
"""
_LOCK_OTHERS = """
    select m.bridge_id, m.table_name, m.match
    from unnest(%s::uuid[], %s::text[], %s::text[]) as other (bridge_id, table_name, match)
    join oche.match m using (bridge_id, table_name, match) for no key update of m skip locked
"""
_SET_STATE = """
    update oche.match set fold_state = %s, fold_reason = %s, folded_by = %s, fold_until = null,
        ref = %s, team_names = %s
    where bridge_id = %s and table_name = %s and match = %s
"""
_SET_CONTINUES = """
    with changed as (
        select bridge_id, table_name, match, continues as former from oche.match
        where bridge_id = %(bridge_id)s and table_name = %(table)s and match = %(match)s
            and continues is distinct from %(continues)s
    ), other as (
        update oche.match m set fold_state = 'new', fold_until = null from changed c
        where m.match in (c.former, %(continues)s) and m.fold_state = 'folded'
    )
    update oche.match m set continues = %(continues)s from changed c
    where (m.bridge_id, m.table_name, m.match) = (c.bridge_id, c.table_name, c.match)
"""
_FIND_CONTINUED = "select distinct continues from oche.match where continues = any(%s)"
_FIND_NAMES = """
    select n.bridge_id, n.name_key, n.id from unnest(%s::uuid[], %s::text[]) as mine (bridge_id, name_key)
    join oche.person_name n using (bridge_id, name_key)
"""
_DROP = """
    with mine as (
        select * from unnest(%s::uuid[], %s::text[], %s::text[]) as k (bridge_id, table_name, match)
    ), cells as (
        select distinct p.name_id, p.name_key, p.bridge_id, p.table_name, p.variant_id,
            date_trunc('month', p.begun_at, 'UTC') as month
        from mine join oche.part p using (bridge_id, table_name, match) where p.is_counted
    ), dropped as (
        delete from oche.played p using mine
        where (p.bridge_id, p.table_name, p.match) = (mine.bridge_id, mine.table_name, mine.match)
    )
    select name_id, name_key, bridge_id, table_name, variant_id, month from cells
"""
_ADD_VARIANT = """
    insert into oche.variant as known (game, variant, title, figure, variant_key, title_key)
    values (%s, %s, %s, %s, %s, %s)
    on conflict (game, variant, title, figure) do update set variant_key = known.variant_key returning id
"""
_ADD_PLAYED = """
    insert into oche.played (bridge_id, table_name, match, begun_at, variant_id, seats, body, digest)
    values (%s, %s, %s, %s, %s, %s, %s, %s)
"""
_ADD_PART = """
    insert into oche.part (bridge_id, table_name, match, begun_at, variant_id, seat, name_id, name_key, is_counted,
        was_stopped, has_won, darts, points, marks, legs, legs_won, high_finish)
    values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_ADD_MEETING = """
    insert into oche.meeting (bridge_id, table_name, match, begun_at, one, other) values (%s, %s, %s, %s, %s, %s)
"""
Database = Connection[TupleRow]


class _Claimed(NamedTuple):
    """A record to be folded; `version` changes with its row."""

    key: Key
    version: str
    begun_at: datetime
    folded: Folded


def mark_stale(db: Database, version: str) -> int:
    """Has everything folded again that another program or other rules came to; returns how many records that are."""
    current = [*(_stamp(version, game) for game in GAMES), _stamp_all(version)]
    with db.transaction():
        return db.execute(_STALE, [current]).rowcount


def mark_all(db: Database) -> int:
    """Has everything folded again; returns how many records that are."""
    with db.transaction():
        return db.execute(_AGAIN).rowcount


def fold_some(db: Database, version: str, most: int = BATCH) -> int:
    """Folds the records that have waited longest; returns how many these were, 0: none is left.

    Raises psycopg.Error; nothing is lost then, and a record that another one has now is folded after a while.
    """
    with db.transaction():
        rows = db.execute(_CLAIM, [most]).fetchall()
    claimed = [
        _Claimed(Key(*row[:3]), row[3], row[5], fold_record(row[2], row[1], row[4], row[5], row[6])) for row in rows
    ]
    if claimed:
        _write_or_part(db, claimed, version)
    return len(claimed)


def fold_all(db: Database, version: str | None = None) -> int:
    """Folds what is there; returns how many records. Raises as `fold_some`."""
    version, done = version or read_version(), 0
    while count := fold_some(db, version):
        done += count
    return done


def _stamp(version: str, game: str) -> str:
    """What the figures of a match of this game depend on beside its record."""
    return f"{game} {stamp_program(version, game)}"


def _stamp_all(version: str) -> str:
    """What it depends on that a record has no figures."""
    known = "\n".join(sorted(_stamp(version, game) for game in GAMES))
    return f"{version} {hashlib.sha256(known.encode()).hexdigest()[:16]}"


def _list_columns(keys: Iterable[Key]) -> tuple[list[UUID], list[str], list[str]]:
    found = [*keys]
    return [each.bridge_id for each in found], [each.table for each in found], [each.match for each in found]


def _write_or_part(db: Database, claimed: Sequence[_Claimed], version: str) -> None:
    """Writes these; what the database cannot hold spoils nothing else."""
    try:
        with db.transaction():
            written = _write(db, claimed, version)
    except (psycopg.DataError, UnicodeError) as error:  # such as a zero byte in a text
        if len(claimed) > 1:
            for each in claimed:
                _write_or_part(db, [each], version)
            return
        log.warning("the match %s cannot be kept: %s", claimed[0].key.match, error)
        folded = Folded("unreadable", reason=f"the database cannot hold it: {type(error).__name__}")
        with db.transaction():
            written = _write(db, [claimed[0]._replace(folded=folded)], version)
    if left := [each.key for each in claimed if each.key not in written]:  # they changed meanwhile
        with db.transaction():
            db.execute(_RELEASE, _list_columns(left))
        if not written:
            sleep(_BUSY_S)


def _write(db: Database, claimed: Sequence[_Claimed], version: str) -> set[Key]:
    """Writes what became of those records that have not changed; returns which these are."""
    db.execute(_TAKE_LOCK, [_LOCK])
    columns = _list_columns(each.key for each in claimed)
    found = db.execute(_LOCK_UNCHANGED, [*columns, [each.version for each in claimed]]).fetchall()
    keys = {Key(*row) for row in found}
    keys -= _find_busy(db, [each for each in claimed if each.key in keys])
    mine = [each for each in claimed if each.key in keys]
    for each in mine:
        db.execute(_SET_CONTINUES, {**each.key._asdict(), "continues": each.folded.continues})
    with db.cursor() as cursor:
        cursor.executemany(_SET_STATE, (_make_state(each, version) for each in mine))
    cells = {Cell(*row) for row in db.execute(_DROP, _list_columns(keys)).fetchall()}
    roll_up(db, cells | _add_figures(db, mine))
    return keys


def _find_busy(db: Database, claimed: Iterable[_Claimed]) -> set[Key]:
    """Returns those of these that change what counts of a match that somebody else is writing at the moment.

    The others of these matches are locked. Who waited here would wait for somebody who may wait for us.
    """
    going_on = {each.key: each.folded.continues for each in claimed}
    rows = db.execute(_FIND_OTHERS, [*_list_columns(going_on), [*going_on.values()]]).fetchall()
    others = [(Key(*row[:3]), Key(*row[3:])) for row in rows]
    if not others:
        return set()
    wanted = _list_columns(sorted({other for _, other in others}))
    free = {Key(*row) for row in db.execute(_LOCK_OTHERS, wanted).fetchall()}
    return {key for key, other in others if other not in free}


def _make_state(claimed: _Claimed, version: str) -> tuple[object, ...]:
    folded = claimed.folded
    is_known = folded.state == "folded" and folded.game in GAMES
    stamp = _stamp(version, folded.game) if is_known else _stamp_all(version)
    return folded.state, folded.reason, stamp, folded.ref, folded.team_names, *claimed.key


def _add_figures(db: Database, claimed: Iterable[_Claimed]) -> set[Cell]:
    """Adds what the matches come to that count; returns what that adds up in."""
    counted = [(each, each.folded.played) for each in claimed if each.folded.played is not None]
    stopped = [each.key.match for each, played in counted if played.was_stopped]
    continued = {match for (match,) in db.execute(_FIND_CONTINUED, [stopped]).fetchall()}
    people = {(each.key.bridge_id, seat.key) for each, _ in counted for seat in each.folded.seats if seat.is_person}
    wanted = [bridge_id for bridge_id, _ in people], [name for _, name in people]
    names = {(bridge_id, name): name_id for bridge_id, name, name_id in db.execute(_FIND_NAMES, wanted)}
    cells: set[Cell] = set()
    with db.cursor() as cursor:
        for each, played in counted:
            if not (played.was_stopped and each.key.match in continued):
                ids = [
                    names.get((each.key.bridge_id, seat.key)) if seat.is_person else None for seat in each.folded.seats
                ]
                cells |= _add_match(cursor, each, played, ids)
    return cells


def _add_match(
    cursor: Cursor[TupleRow], claimed: _Claimed, played: PlayedMatch, names: Sequence[int | None]
) -> set[Cell]:
    key, seats = claimed.key, claimed.folded.seats
    shown = (played.variant, played.title)
    added = cursor.execute(
        _ADD_VARIANT, [played.game, *shown, played.figure, *(text.casefold() for text in shown)]
    ).fetchone()
    assert added is not None, "it returns the row"
    head = (*key, claimed.begun_at)
    cursor.execute(_ADD_PLAYED, [*head, added[0], [each or 0 for each in names], *_encode(claimed.folded, played)])
    rows = []
    cells: set[Cell] = set()
    month = claimed.begun_at.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    for number, (seat, name) in enumerate(zip(seats, names, strict=True)):
        part = None if seat.part is None else played.parts[seat.part]
        name_key = None if seat.is_person else seat.key
        is_counted = part is not None and (seat.is_bot or name is not None) and not played.has_player_twice
        rows.append((*head, added[0], number, name, name_key, is_counted, played.was_stopped, *_list_figures(part)))
        if is_counted:
            cells.add(Cell(name, name_key, key.bridge_id, key.table, added[0], month))
    cursor.executemany(_ADD_PART, rows)
    met = combinations(sorted({each for each in names if each is not None}), 2)
    cursor.executemany(_ADD_MEETING, [(*head, *pair) for pair in met])
    return cells


def _encode(folded: Folded, played: PlayedMatch) -> tuple[bytes, str | None]:
    digest = digest_match(played, NO_NAMES)
    return encode_body(folded), None if digest is None else msgspec.json.encode(digest).decode()


def _list_figures(part: PlayerPart | None) -> tuple[object, ...]:
    """What the list of all players is made of."""
    tally = part.tally if part else Tally()
    counts = (tally.counts.get(name, 0) for name in ("marks", "legs", "legs_won"))
    return (bool(part and part.won), tally.darts, tally.points, *counts, tally.highs.get("finish"))
