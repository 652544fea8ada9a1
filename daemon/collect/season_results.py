"""The records of a season: those whose `ref` names one of its tournaments, as they are folded now."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.admin.history.played_matches import PlayedMatch
from daemon.collect.folded import decode_body, write_moment
from daemon.collect.postgres_source import Database
from daemon.tournament.ref import Ref, read_ref
from engine.league.results import PlayedFor, PlayedSide
from engine.league.schedule import list_fixtures
from engine.tally import Tally, pool_tallies
from protocol.season import SeasonSpec

_FIND = """
    select m.ref, m.team_names, p.bridge_id::text, p.table_name, p.match, p.begun_at, p.seats, p.body
    from oche.match m join oche.played p using (bridge_id, table_name, match)
    where m.tournament = any(%s)
"""
_FIND_IDS = """
    select p.match from oche.match m join oche.played p using (bridge_id, table_name, match)
    where m.tournament = any(%s)
"""
_FIND_NAMES = """
    select n.id, n.name_key, p.shown_key from oche.person_name n join oche.person p on p.id = n.person_id
    where n.id = any(%s)
"""


def list_tournaments(spec: SeasonSpec) -> list[str]:
    """Returns the ids of all tournaments that the fixtures of a season are played as."""
    return sorted({each for one in list_fixtures(spec) for each in (one.tournament, one.day_tournament)})


def find_matches(db: Database, spec: SeasonSpec) -> frozenset[str]:
    """Returns the ids of all matches that were played for the fixtures of a season, and count in the statistics."""
    return frozenset(match for (match,) in db.execute(_FIND_IDS, [list_tournaments(spec)]).fetchall())


def find_played(db: Database, spec: SeasonSpec) -> list[PlayedFor]:
    """Returns what was played for the fixtures of a season: finished matches that were not stopped.

    A person is known by the name at the daemon, as well as by the one that the league shows.
    """
    rows = db.execute(_FIND, [list_tournaments(spec)]).fetchall()
    seats = sorted({seat for row in rows for seat in row[6] if seat})
    names = {number: frozenset(keys) for number, *keys in db.execute(_FIND_NAMES, [seats]).fetchall()}
    found = []
    for text, teams, bridge, table, match, begun_at, people, body in rows:
        ref = read_ref(text)
        played = decode_body(body, match, table, begun_at, (None,) * len(people))
        if ref is None or played.was_stopped:
            continue
        known = [names.get(seat, frozenset[str]()) for seat in people]
        begun = f"{write_moment(begun_at)} {bridge} {table}"
        found.append(_read_match(ref, played, begun, teams, known))
    return found


def _read_match(
    ref: Ref, played: PlayedMatch, begun: str, teams: Sequence[str] | None, people: Sequence[frozenset[str]]
) -> PlayedFor:
    """What this match says, in the order of its sides."""
    parts = {part.player: part for part in played.parts}
    sides = []
    for number, standing in enumerate(played.standings):
        tallies = [parts[played.players[seat]].tally for seat in standing.seats if played.players[seat] in parts]
        tally = pool_tallies(tallies)
        sides.append(
            PlayedSide(
                title=teams[number] if teams is not None and number < len(teams) else "",
                people=frozenset[str]().union(*(people[seat] for seat in standing.seats)),
                won=standing.won,
                # Each member of a side has all legs of the side in the figures.
                legs=(tallies[0] if tallies else Tally()).counts.get("legs_won", 0),
                sets=standing.score if played.score_of == "sets" else 0,
                points=tally.counts.get("marks", 0) if played.figure == "mpr" else tally.points,
                darts=tally.darts,
            )
        )
    return PlayedFor(ref.tournament, ref.match, ref.attempt, begun, played.id, tuple(sides))
