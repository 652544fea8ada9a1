"""The rows of `rollup`: what a name, or a bot, has played in a month, added up from its parts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from psycopg import Connection
from psycopg.rows import TupleRow

_ROLL_UP = """
    with cells as (
        select *, coalesce(name_id::text, '=' || name_key) as player, month + interval '32 days' as until,
            (month at time zone 'UTC')::date as first_day
        from unnest(%(names)s::bigint[], %(keys)s::text[], %(bridges)s::uuid[], %(tables)s::text[],
            %(variants)s::int[], %(months)s::timestamptz[])
            as c (name_id, name_key, bridge_id, table_name, variant_id, month)
    ), sums as (
        select c.name_id, c.name_key, c.player, c.bridge_id, c.table_name, c.variant_id, c.first_day, s.*
        from cells c cross join lateral (
            select count(*) as parts, count(distinct match) as matches,
                count(distinct match) filter (where was_stopped) as stopped,
                count(distinct match) filter (where has_won) as won,
                sum(darts) as darts, sum(points) as points, sum(marks) as marks, sum(legs) as legs,
                sum(legs_won) as legs_won, max(high_finish) as high_finish, min(begun_at) as first_at,
                max(begun_at) as last_at
            from (
                select * from oche.part where name_id = c.name_id and begun_at between c.month and c.until
                union all
                select * from oche.part where name_key = c.name_key and begun_at between c.month and c.until
            ) as p
            where (p.bridge_id, p.table_name, p.variant_id) = (c.bridge_id, c.table_name, c.variant_id)
                and date_trunc('month', p.begun_at, 'UTC') = c.month and p.is_counted
        ) as s where s.parts > 0
    ), dropped as (
        delete from oche.rollup r using cells c
        where (r.player, r.bridge_id, r.table_name, r.variant_id, r.month)
            = (c.player, c.bridge_id, c.table_name, c.variant_id, c.first_day)
            and not exists (
                select from sums s where (s.player, s.bridge_id, s.table_name, s.variant_id, s.first_day)
                    = (c.player, c.bridge_id, c.table_name, c.variant_id, c.first_day)
            )
    )
    insert into oche.rollup (name_id, name_key, bridge_id, table_name, variant_id, month, parts, matches, stopped, won,
        darts, points, marks, legs, legs_won, high_finish, first_at, last_at)
    select name_id, name_key, bridge_id, table_name, variant_id, first_day, parts, matches, stopped, won,
        darts, points, marks, legs, legs_won, high_finish, first_at, last_at from sums
    on conflict (player, bridge_id, table_name, variant_id, month) do update set
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
    found = [cell for cell in {*cells} if cell.name_id is not None or cell.name_key is not None]
    if found:
        names, keys, bridges, tables, variants, months = map(list, zip(*found, strict=True))
        given = {"names": names, "keys": keys, "bridges": bridges, "tables": tables}
        db.execute(_ROLL_UP, {**given, "variants": variants, "months": months})
