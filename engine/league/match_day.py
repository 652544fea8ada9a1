"""A match day as a tournament that any daemon plays: what it is made of, and the first lines of its journal."""

from __future__ import annotations

from collections.abc import Sequence

from engine.league.schedule import FIRST_ENTRANT, SeasonFixture
from protocol.season import SeasonSpec
from protocol.tournament import DrawGroups, DrawRound, Enter, Input, Points, SetTables, TableUse, TournamentSpec

_NAME = 40


def make_spec(spec: SeasonSpec, name: str, *, is_whole_day: bool = False) -> TournamentSpec:
    """What a fixture is made of as a tournament, or all fixtures of a match day."""
    return TournamentSpec(
        name=name[:_NAME].strip(),
        kind="swiss" if is_whole_day else "round_robin",
        rounds=1 if is_whole_day else None,
        game=spec.game,
        options=spec.options,
        format=spec.format,
        side=spec.side,
        slots=spec.slots,
        points=Points(spec.points.win, spec.points.draw, spec.points.loss),
        tie_breaks=spec.tie_breaks,
        first=spec.first,
        seed=f"{spec.id}/{spec.seed}" if spec.seed else spec.id,
    )


def make_match_day(
    spec: SeasonSpec, fixtures: Sequence[SeasonFixture]
) -> tuple[str, TournamentSpec, tuple[Input, ...]]:
    """The tournament of these fixtures: its id, what it is made of, and its first inputs.

    It is one fixture, at the table of its home side, or all fixtures of a match day of one division, at tables that
    the organiser chooses. The home side comes first: of one fixture it throws first, or in every other slot.
    """
    first = fixtures[0]
    division = spec.divisions[first.division - 1]
    sides = [division.sides[place - 1] for each in fixtures for place in (each.home, each.away)]
    entered = [Enter(side.roster, side.name if side.people else "") for side in sides]
    entrants = range(FIRST_ENTRANT, FIRST_ENTRANT + len(sides))
    pairs = tuple(zip(entrants[::2], entrants[1::2], strict=True))
    if len(fixtures) > 1:
        made = make_spec(spec, f"{division.name} {first.day}: {spec.name}", is_whole_day=True)
        return first.day_tournament, made, (*entered, DrawRound(pairs))
    home, away = sides
    made = make_spec(spec, f"{home.name} – {away.name}")
    tables = (SetTables((TableUse(home.table),)),) if home.table is not None else ()
    return first.tournament, made, (*entered, DrawGroups(pairs), *tables)
