"""The list of all players of a league, added up from `rollup` rather than from their matches.

Whole months are in `rollup`. At the edges of a time, and for players who were in one match under two names (which then
counts for nobody), the parts themselves are added up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime

import msgspec
from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import PlayerSummary
from daemon.collect.folded import decode_body, write_moment
from engine.statistics import collect_figures
from engine.tally import Figure, Tally
from protocol.player_names import name_key

_FIND_TWICE = """
    select distinct m.bridge_id, m.table_name, m.match from oche.person_name a
    join oche.person_name b on b.person_id = a.person_id and b.id > a.id
    join oche.meeting m on m.one = a.id and m.other = b.id
"""
_FIND_TOUCHED = """
    select distinct p.name_id, p.name_key
    from unnest(%(bridges)s::uuid[], %(tables)s::text[], %(matches)s::text[]) as t (bridge_id, table_name, match)
    join oche.part p using (bridge_id, table_name, match) where p.is_counted
"""
_RANK = """
    with cells as (
        select name_id, name_key, variant_id, parts, matches, stopped, won, darts, points, marks, legs, legs_won,
            high_finish, first_at, last_at
        from oche.rollup
        where month >= %(first_month)s and month < %(end_month)s
            and (%(variants)s::int[] is null or variant_id = any(%(variants)s))
            and (%(table)s::text is null or table_name = %(table)s)
            and (%(bridges)s::uuid[] is null or bridge_id = any(%(bridges)s))
            and ((name_id is not null and name_id <> all(%(names)s::bigint[]))
                or (name_key is not null and name_key <> all(%(bots)s::text[]) and %(with_bots)s))
        union all
        select name_id, name_key, variant_id, count(*)::int, count(distinct match)::int,
            (count(distinct match) filter (where was_stopped))::int,
            (count(distinct match) filter (where has_won))::int,
            sum(darts)::int, sum(points)::int, sum(marks)::int, sum(legs)::int, sum(legs_won)::int,
            max(high_finish), min(begun_at), max(begun_at)
        from oche.part
        where is_counted and ((begun_at >= %(since)s and begun_at < %(first_end)s)
                or (begun_at >= %(last_start)s and begun_at < %(before)s))
            and (%(variants)s::int[] is null or variant_id = any(%(variants)s))
            and (%(table)s::text is null or table_name = %(table)s)
            and (%(bridges)s::uuid[] is null or bridge_id = any(%(bridges)s))
            and ((name_id is not null and name_id <> all(%(names)s::bigint[]))
                or (name_key is not null and name_key <> all(%(bots)s::text[]) and %(with_bots)s))
        group by name_id, name_key, variant_id
        union all
        select name_id, name_key, variant_id, count(*)::int, count(distinct match)::int,
            (count(distinct match) filter (where was_stopped))::int,
            (count(distinct match) filter (where has_won))::int,
            sum(darts)::int, sum(points)::int, sum(marks)::int, sum(legs)::int, sum(legs_won)::int,
            max(high_finish), min(begun_at), max(begun_at)
        from oche.part
        where is_counted and begun_at >= %(since)s and begun_at < %(before)s
            and (name_id = any(%(names)s::bigint[]) or (name_key = any(%(bots)s::text[]) and %(with_bots)s))
            and (%(variants)s::int[] is null or variant_id = any(%(variants)s))
            and (%(table)s::text is null or table_name = %(table)s)
            and (%(bridges)s::uuid[] is null or bridge_id = any(%(bridges)s))
            and (bridge_id, table_name, match) not in (
                select * from unnest(%(twice_bridges)s::uuid[], %(twice_tables)s::text[], %(twice_matches)s::text[])
            )
        group by name_id, name_key, variant_id
    ), sums as (
        select name_id, name_key, variant_id, sum(parts) as parts, sum(matches) as matches, sum(stopped) as stopped,
            sum(won) as won, sum(darts) as darts, sum(points) as points, sum(marks) as marks, sum(legs) as legs,
            sum(legs_won) as legs_won, max(high_finish) as high_finish, min(first_at) as first_at,
            max(last_at) as last_at
        from cells group by name_id, name_key, variant_id
    )
    select json_build_array(p.shown, s.name_key, v.game, v.variant, v.title, v.figure, s.parts, s.matches, s.stopped,
        s.won, s.darts, s.points, s.marks, s.legs, s.legs_won, s.high_finish, s.first_at, s.last_at)::text
    from sums s join oche.variant v on v.id = s.variant_id
    left join oche.person_name n on n.id = s.name_id left join oche.person p on p.id = n.person_id
    where p.id is not null or s.name_key is not null
"""
_MEMORY = "set local work_mem = '64MB'"
"""Else the sums of thousands of players are put in order on the disk first."""
_NAME_BOTS = """
    select k.name_key, d.match, d.begun_at, d.seats, d.body, p.seat from unnest(%s::text[]) as k (name_key)
    cross join lateral (
        select bridge_id, table_name, match, seat from oche.part
        where part.name_key = k.name_key and is_counted order by begun_at desc limit 1
    ) as p join oche.played d using (bridge_id, table_name, match)
"""


class _Row(Struct, frozen=True, array_like=True):
    """What one name, or one bot, has played in one variant. As JSON thousands of them are read in no time."""

    shown: str | None
    bot: str | None
    game: str
    variant: str
    title: str
    figure: Figure
    parts: int
    matches: int
    stopped: int
    won: int
    darts: int
    points: int
    marks: int
    legs: int
    legs_won: int
    high_finish: int | None
    first: datetime
    last: datetime


def rank_players(db: Connection[TupleRow], given: Mapping[str, object], *, with_bots: bool) -> list[PlayerSummary]:
    """Returns a line for each player; `given` are the parameters `since`, `before`, `variants`, `table`, `bridges`."""
    since, before = given["since"], given["before"]
    assert isinstance(since, datetime)
    assert isinstance(before, datetime)
    every = {**given, **_split_time(since, before), **_find_twice(db), "with_bots": with_bots}
    with db.transaction():
        db.execute(_MEMORY)
        rows = db.execute(_RANK, every, prepare=False).fetchall()
    by_player: dict[str, list[_Row]] = {}
    decode = msgspec.json.Decoder(_Row).decode
    for (text,) in rows:
        row = decode(text)
        by_player.setdefault(row.bot or name_key(row.shown or ""), []).append(row)
    bots = _name_bots(db, {row.bot for found in by_player.values() for row in found if row.bot is not None})
    summaries = [_summarize(found, bots) for found in by_player.values()]
    return sorted(summaries, key=lambda each: (-each.matches, -each.darts, each.name))


def _split_time(since: datetime, before: datetime) -> dict[str, datetime | date]:
    """The whole months (UTC) of this time, and what is left of it before and after them."""
    first, end = _ceil_month(since), before.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    if first >= end:
        return {"first_month": date.max, "end_month": date.min, "first_end": before, "last_start": before}
    return {"first_month": first.date(), "end_month": end.date(), "first_end": first, "last_start": end}


def _ceil_month(moment: datetime) -> datetime:
    start = moment.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    if start == moment:
        return start
    year, month = divmod(start.year * 12 + start.month, 12)
    return start.replace(year=min(year, 9999), month=month + 1)


def _find_twice(db: Connection[TupleRow]) -> dict[str, Sequence[object]]:
    """The matches in which one person has two names, and the names and bots that are in them."""
    twice = db.execute(_FIND_TWICE).fetchall()
    bridges, tables, matches = ([row[place] for row in twice] for place in range(3))
    touched = (
        db.execute(_FIND_TOUCHED, {"bridges": bridges, "tables": tables, "matches": matches}).fetchall()
        if twice
        else []
    )
    return {
        "twice_bridges": bridges,
        "twice_tables": tables,
        "twice_matches": matches,
        "names": [name for name, _ in touched if name is not None],
        "bots": [key for _, key in touched if key is not None],
    }


def _name_bots(db: Connection[TupleRow], keys: Iterable[str]) -> dict[str, str]:
    """What bots are called, by the keys of their names."""
    if not (wanted := [*keys]):
        return {}
    rows = db.execute(_NAME_BOTS, [wanted]).fetchall()
    return {
        key: decode_body(body, match, "", begun_at, (None,) * len(seats)).players[seat]
        for key, match, begun_at, seats, body, seat in rows
    }


def _summarize(rows: Sequence[_Row], bots: Mapping[str, str]) -> PlayerSummary:
    by_variant: dict[str, list[_Row]] = {}
    for row in rows:
        by_variant.setdefault(row.variant, []).append(row)
    most = min(
        by_variant.values(), key=lambda found: (-sum(row.parts for row in found), min(row.first for row in found))
    )
    latest, last = max(most, key=lambda row: row.last), max(rows, key=lambda row: row.last)
    tally = Tally(
        points=sum(row.points for row in most),
        darts=sum(row.darts for row in most),
        counts={"marks": sum(row.marks for row in most)},
    )
    legs = sum(row.legs for row in rows)
    return PlayerSummary(
        name=last.shown or bots.get(last.bot or "", last.bot or ""),
        is_bot=last.shown is None,
        matches=sum(row.matches for row in rows),
        stopped=sum(row.stopped for row in rows),
        won=sum(row.won for row in rows),
        legs_won=sum(row.legs_won for row in rows) if legs else 0,
        legs=legs,
        darts=sum(row.darts for row in rows),
        last=write_moment(last.last),
        label=PlayedMatch("", "", "", latest.game, latest.variant, latest.title).label,
        figure=latest.figure,
        value=collect_figures(tally, latest.figure).value(latest.figure),
        value_darts=tally.darts,
        high_finish=max((row.high_finish for row in rows if row.high_finish is not None), default=None),
    )
