"""Seasons of tests, and records for their fixtures."""

from __future__ import annotations

from collections.abc import Iterable

from engine.league.results import PlayedFor, PlayedSide
from engine.league.schedule import SeasonFixture, list_fixtures
from protocol.player_names import name_key
from protocol.season import Division, SeasonInput, SeasonLine, SeasonPoints, SeasonSide, SeasonSpec
from protocol.tournament import Slot, TieBreak

SLOTS = (Slot((0,), (0,)), Slot((1,), (1,)), Slot((0, 1), (0, 1), points=2))
"""Two singles and a pair that is worth two points."""


def make_season(
    *names: str,
    twice: bool = True,
    slots: tuple[Slot, ...] = (),
    points: SeasonPoints | None = None,
    tie_breaks: tuple[TieBreak, ...] = ("direct", "leg_difference", "legs_won"),
    days: tuple[str, ...] = (),
    promoted: int = 0,
    relegated: int = 0,
) -> SeasonSpec:
    """A season of one division: of these players, or with slots of these teams with two people each."""
    sides = tuple(SeasonSide(name, (f"{name} 1", f"{name} 2") if slots else ()) for name in names)
    return SeasonSpec(
        id="autumn",
        name="Autumn",
        begins="2026-09-01",
        ends="2026-12-31",
        divisions=(Division("One", sides, promoted, relegated),),
        days=days,
        twice=twice,
        slots=slots,
        points=points or SeasonPoints(),
        tie_breaks=tie_breaks,
    )


def find(spec: SeasonSpec, home: str, away: str) -> SeasonFixture:
    """The fixture in which this side is at home against the other one."""
    names = [side.name for side in spec.divisions[0].sides]
    pair = names.index(home) + 1, names.index(away) + 1
    return next(each for each in list_fixtures(spec) if (each.home, each.away) == pair)


def play(
    spec: SeasonSpec,
    home: str,
    away: str,
    legs: tuple[int, int],
    *,
    part: str = "",
    attempt: int = 1,
    begun: str = "2026-09-01T20:00",
    turned: bool = False,
) -> PlayedFor:
    """The record of this match; `turned`: its header has the other side first."""
    fixture = find(spec, home, away)
    sides = tuple(
        PlayedSide(name if spec.slots else "", _list_people(spec, name), mine > theirs, mine, 0, 100 * mine, 30)
        for name, mine, theirs in ((home, *legs), (away, *legs[::-1]))
    )
    match = f"{fixture.match}{part}"
    record = f"{fixture.id}{part}-{attempt}"
    return PlayedFor(fixture.tournament, match, attempt, begun, record, sides[::-1] if turned else sides)


def _list_people(spec: SeasonSpec, name: str) -> frozenset[str]:
    side = next(each for each in spec.divisions[0].sides if each.name == name)
    return frozenset(map(name_key, side.roster))


def number(*inputs: SeasonInput) -> list[SeasonLine]:
    """These inputs as lines."""
    return [SeasonLine(at, "2026-09-01T20:00", each) for at, each in enumerate(inputs, 1)]


def swap(records: Iterable[PlayedFor]) -> list[PlayedFor]:
    """These records with their sides turned round."""
    return [
        PlayedFor(each.tournament, each.match, each.attempt, each.begun, each.record, each.sides[::-1])
        for each in records
    ]
