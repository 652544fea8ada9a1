"""What of the league is looked at: where and when it was played. And what there is to choose from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple

from msgspec import Struct

from daemon.admin.answers import Refused
from daemon.admin.history.player_figures import start_of_day
from daemon.admin.history.wanted import read_moment
from daemon.collect.postgres_source import Connect, Database, Scope
from daemon.collect.season_results import find_matches
from daemon.collect.seasons import find_spec, list_seasons
from protocol.season import SeasonSummary

_LIST_PLACES = """
    select distinct coalesce(nullif(b.place, ''), b.name) from oche.bridge b
    where exists (select from oche.played p where p.bridge_id = b.bridge_id) order by 1 limit 2000
"""
_LIST_GAMES = """
    select distinct v.title from oche.variant v
    where exists (select from oche.played p where p.variant_id = v.id) order by 1 limit 500
"""
_FIND_BRIDGES = "select bridge_id from oche.bridge where coalesce(nullif(place, ''), name) = %s"


class LeagueSummary(Struct, frozen=True, kw_only=True):
    """A league: its name, "" where it has none, its places and seasons, and the titles of the games played."""

    v: Literal[1] = 1
    name: str
    places: tuple[str, ...]
    games: tuple[str, ...]
    seasons: tuple[SeasonSummary, ...]


class Filters(NamedTuple):
    """Where and when matches were played that are looked at; None: everywhere, at any time.

    A season, by its id, is what was played for its fixtures; as long as that is nothing, the time from its first day to
    its last.
    """

    place: str | None = None
    since: datetime | None = None
    before: datetime | None = None
    season: str | None = None


def read_filters(query: Mapping[str, str]) -> Filters:
    """Returns what an address asks for. Raises Refused."""
    since, before = (read_moment(query.get(name), name) for name in ("since", "before"))
    return Filters(query.get("place") or None, since, before, query.get("season") or None)


class Chosen(NamedTuple):
    """What of the league is looked at; with `matches`, of that only the matches of these ids."""

    scope: Scope
    matches: frozenset[str] | None = None


def choose(connect: Connect, filters: Filters) -> Chosen:
    """Returns the daemons of that place, the time, and the matches of that season. Raises Refused and UserError."""
    bridges, since, before = None, filters.since, filters.before
    if filters.place is not None:
        with connect() as db:
            bridges = tuple(each for (each,) in db.execute(_FIND_BRIDGES, [filters.place]).fetchall())
        if not bridges:
            raise Refused("invalid", f"the league has no place {filters.place!r}")
    matches = frozenset[str]()
    if filters.season is not None:
        with connect() as db:
            first, end, matches = _find_season(db, filters.season)
        if not matches:
            since, before = max(since or first, first), min(before or end, end)
    return Chosen(Scope(bridges, since, before), matches or None)


def _find_season(db: Database, season: str) -> tuple[datetime, datetime, frozenset[str]]:
    """When a season begins and ends, and the ids of its matches. Raises Refused."""
    spec = find_spec(db, season)
    if spec is None:
        raise Refused("invalid", f"the league has no season {season!r}")
    begins, ends = (date.fromisoformat(each) for each in (spec.begins, spec.ends))
    return start_of_day(begins), start_of_day(ends + timedelta(1)), find_matches(db, spec)


def summarize_league(connect: Connect, name: str) -> LeagueSummary:
    """Returns what there is to choose from. Raises UserError."""
    with connect() as db:
        places, games = db.execute(_LIST_PLACES).fetchall(), db.execute(_LIST_GAMES).fetchall()
        return LeagueSummary(
            name=name,
            places=tuple(each for (each,) in places),
            games=tuple(each for (each,) in games),
            seasons=tuple(sorted(list_seasons(db), key=lambda each: each.begins, reverse=True)),
        )
