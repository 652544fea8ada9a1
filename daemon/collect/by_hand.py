"""What organisers have entered in the tournaments of daemons: kept as it was said last, and read for the seasons."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

import msgspec
from msgspec import UNSET

from daemon.collect.database import AsyncDatabase
from daemon.collect.postgres_source import Database
from engine.league.results import GivenResult
from protocol.league_messages import LeagueHeard, LeagueResults, ResultByHand

_KEEP = """
    insert into oche.tournament_results as known (bridge_id, tournament, line, said_order, results)
    values (%s, %s, %s, %s, %s)
    on conflict (bridge_id, tournament) do update set line = excluded.line, results = excluded.results,
        said_order = greatest(known.said_order, excluded.said_order), heard_at = now()
    where known.said_order is null or excluded.said_order is null or excluded.said_order >= known.said_order
    returning true
"""
_FIND_ORDER = "select said_order from oche.tournament_results where bridge_id = %s and tournament = %s"
_FIND = """
    select distinct on (tournament) tournament, results from oche.tournament_results where tournament = any(%s)
    order by tournament, line desc, heard_at desc
"""


async def keep_results(db: AsyncDatabase, bridge_id: UUID, message: LeagueResults) -> LeagueHeard:
    """Keeps what a daemon says of a tournament, unless it is older than what is known; returns the answer."""
    order = None if message.order is UNSET else message.order
    text = msgspec.json.encode(message.results).decode()
    key = bridge_id, message.tournament
    if await (await db.execute(_KEEP, [*key, message.line, order, text])).fetchone() is not None:
        return LeagueHeard(message.id)
    row = await (await db.execute(_FIND_ORDER, key)).fetchone()
    return LeagueHeard(message.id, older_than=row[0] if row else UNSET)


def find_results(db: Database, tournaments: Collection[str]) -> list[GivenResult]:
    """Returns what was entered in these tournaments: of several daemons that have one, at that which is further on."""
    rows = db.execute(_FIND, [[*tournaments]]).fetchall()
    return [
        GivenResult(
            *(tournament, each.match, each.sides, _find_winner(each), each.legs, each.sets, each.walkover),
            void=0 if each.void is UNSET else each.void,
        )
        for tournament, text in rows
        for each in msgspec.json.decode(text, type=tuple[ResultByHand, ...])
    ]


def _find_winner(result: ResultByHand) -> int | None:
    return None if result.winner is UNSET else result.sides[result.winner]
