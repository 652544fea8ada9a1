"""The rows of `rollup`: what a name, or a bot, has played in a month, added up from its parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from psycopg import Connection
from psycopg.rows import TupleRow

_OF_NAMES = """
    with cells as (
        select * from unnest(%(names)s::bigint[], %(bridges)s::uuid[], %(tables)s::text[], %(variants)s::int[],
            %(months)s::timestamptz[]) as c (name_id, bridge_id, table_name, variant_id, month)
    ), dropped as (
        delete from oche.rollup r using cells c
        where (r.name_id, r.bridge_id, r.table_name, r.variant_id, r.month)
            = (c.name_id, c.bridge_id, c.table_name, c.variant_id, (c.month at time zone 'UTC')::date)
            and not exists (
                select from oche.part p
                where (p.name_id, p.bridge_id, p.table_name, p.variant_id)
                    = (c.name_id, c.bridge_id, c.table_name, c.variant_id)
                    and p.begun_at between c.month and c.month + interval '32 days'
                    and date_trunc('month', p.begun_at, 'UTC') = c.month and p.is_counted
            )
    )
    insert into oche.rollup (name_id, bridge_id, table_name, variant_id, month, parts, matches, stopped, won,
        darts, points, marks, legs, legs_won, high_finish, first_at, last_at)
    select c.name_id, c.bridge_id, c.table_name, c.variant_id, (c.month at time zone 'UTC')::date,
        count(*), count(distinct p.match), count(distinct p.match) filter (where p.was_stopped),
        count(distinct p.match) filter (where p.has_won),
        sum(p.darts), sum(p.points), sum(p.marks), sum(p.legs), sum(p.legs_won), max(p.high_finish),
        min(p.begun_at), max(p.begun_at)
    from cells c join oche.part p on (p.name_id, p.bridge_id, p.table_name, p.variant_id)
        = (c.name_id, c.bridge_id, c.table_name, c.variant_id)
        and p.begun_at between c.month and c.month + interval '32 days'
        and date_trunc('month', p.begun_at, 'UTC') = c.month
    where p.is_counted
    group by c.name_id, c.bridge_id, c.table_name, c.variant_id, c.month
    on conflict (name_id, name_key, bridge_id, table_name, variant_id, month) do update set
        (parts, matches, stopped, won, darts, points, marks, legs, legs_won, high_finish, first_at, last_at)
        = (excluded.parts, excluded.matches, excluded.stopped, excluded.won, excluded.darts, excluded.points,
            excluded.marks, excluded.legs, excluded.legs_won, excluded.high_finish, excluded.first_at,
            excluded.last_at)
"""
_OF_BOTS = """
    with cells as (
        select * from unnest(%(names)s::text[], %(bridges)s::uuid[], %(tables)s::text[], %(variants)s::int[],
            %(months)s::timestamptz[]) as c (name_key, bridge_id, table_name, variant_id, month)
    ), dropped as (
        delete from oche.rollup r using cells c
        where (r.name_key, r.bridge_id, r.table_name, r.variant_id, r.month)
            = (c.name_key, c.bridge_id, c.table_name, c.variant_id, (c.month at time zone 'UTC')::date)
            and not exists (
                select from oche.part p
                where (p.name_key, p.bridge_id, p.table_name, p.variant_id)
                    = (c.name_key, c.bridge_id, c.table_name, c.variant_id)
                    and p.begun_at between c.month and c.month + interval '32 days'
                    and date_trunc('month', p.begun_at, 'UTC') = c.month and p.is_counted
            )
    )
    insert into oche.rollup (name_key, bridge_id, table_name, variant_id, month, parts, matches, stopped, won,
        darts, points, marks, legs, legs_won, high_finish, first_at, last_at)
    select c.name_key, c.bridge_id, c.table_name, c.variant_id, (c.month at time zone 'UTC')::date,
        count(*), count(distinct p.match), count(distinct p.match) filter (where p.was_stopped),
        count(distinct p.match) filter (where p.has_won),
        sum(p.darts), sum(p.points), sum(p.marks), sum(p.legs), sum(p.legs_won), max(p.high_finish),
        min(p.begun_at), max(p.begun_at)
    from cells c join oche.part p on (p.name_key, p.bridge_id, p.table_name, p.variant_id)
        = (c.name_key, c.bridge_id, c.table_name, c.variant_id)
        and p.begun_at between c.month and c.month + interval '32 days'
        and date_trunc('month', p.begun_at, 'UTC') = c.month
    where p.is_counted
    group by c.name_key, c.bridge_id, c.table_name, c.variant_id, c.month
    on conflict (name_id, name_key, bridge_id, table_name, variant_id, month) do update set
        (parts, matches, stopped, won, darts, points, marks, legs, legs_won, high_finish, first_at, last_at)
        = (excluded.parts, excluded.matches, excluded.stopped, excluded.won, excluded.darts, excluded.points,
            excluded.marks, excluded.legs, excluded.legs_won, excluded.high_finish, excluded.first_at,
            excluded.last_at)
"""


class Cell(NamedTuple):
    """What a row adds up: of a name or of a bot, at a table, in a variant, in the month (UTC) that begins then."""

    name_id: int | None
    name_key: str | None
    bridge_id: UUID
    table: str
    variant_id: int
    month: datetime


def roll_up(db: Connection[TupleRow], cells: Iterable[Cell]) -> None:
    """Adds these up again, in the transaction that has changed their parts."""
    found = {*cells}
    if of_names := [cell for cell in found if cell.name_id is not None]:
        db.execute(_OF_NAMES, _list_columns(of_names))
    if of_bots := [cell for cell in found if cell.name_id is None and cell.name_key is not None]:
        db.execute(_OF_BOTS, _list_columns(of_bots))


def _list_columns(cells: Collection[Cell]) -> dict[str, object]:
    return {
        "names": [cell.name_id or cell.name_key for cell in cells],
        "bridges": [cell.bridge_id for cell in cells],
        "tables": [cell.table for cell in cells],
        "variants": [cell.variant_id for cell in cells],
        "months": [cell.month for cell in cells],
    }
