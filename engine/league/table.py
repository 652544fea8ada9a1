"""A season as it stands: the table of each division, counted from what its fixtures have come to.

Nothing is kept of it: a corrected dart changes a record, and with that whatever follows from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from engine.league.results import FixtureResult, GivenResult, PlayedFor, Records, give_away, judge_fixture
from engine.league.schedule import SeasonFixture, list_fixtures, list_rests
from engine.tournament.standings import make_rows
from protocol.player_names import name_key, shorten_name
from protocol.season import (
    Deduct,
    Division,
    DivisionView,
    EnterResult,
    FixtureView,
    Forfeit,
    Postpone,
    SeasonInput,
    SeasonLine,
    SeasonPoints,
    SeasonRow,
    SeasonSpec,
    SeasonView,
    Withdraw,
)
from protocol.tournament import Points, Row

_DECIDED = ("played", "forfeit", "annulled")


class _Entered(NamedTuple):
    """What was entered, the later before the earlier: results, forfeits, dates, deducted points, who has withdrawn."""

    results: Mapping[tuple[str, int | None], EnterResult]
    forfeits: Mapping[str, Forfeit]
    dates: Mapping[str, str]
    deducted: Mapping[str, int]
    withdrawn: frozenset[str]


def make_season_view(
    spec: SeasonSpec, lines: Sequence[SeasonLine], found: Iterable[PlayedFor], given: Iterable[GivenResult] = ()
) -> SeasonView:
    """All of a season: of these inputs in their order, and of records and results of match days in any order."""
    entered = _sort_inputs(line.input for line in lines)
    records = Records(found, given)
    fixtures = list_fixtures(spec)
    divisions = tuple(
        _make_division(spec, each, [one for one in fixtures if one.division == number], records, entered)
        for number, each in enumerate(spec.divisions, 1)
    )
    return SeasonView(
        id=spec.id, name=spec.name, begins=spec.begins, ends=spec.ends, divisions=divisions, lines=tuple(lines)
    )


def _sort_inputs(inputs: Iterable[SeasonInput]) -> _Entered:
    results: dict[tuple[str, int | None], EnterResult] = {}
    forfeits: dict[str, Forfeit] = {}
    dates: dict[str, str] = {}
    deducted: Counter[str] = Counter()
    withdrawn: set[str] = set()
    for given in inputs:
        match given:
            case EnterResult(fixture=fixture, slot=slot):
                results[fixture, slot] = given
                forfeits.pop(fixture, None)
            case Forfeit(fixture=fixture):
                forfeits[fixture] = given
            case Postpone(fixture=fixture, to=to):
                dates[fixture] = to
            case Deduct(side=side, points=points):
                deducted[_key(side)] += points
            case Withdraw(side=side):
                withdrawn.add(_key(side))
    return _Entered(results, forfeits, dates, deducted, frozenset(withdrawn))


def _key(name: str) -> str:
    return name_key(shorten_name(name))


def _make_division(
    spec: SeasonSpec, division: Division, fixtures: Sequence[SeasonFixture], records: Records, entered: _Entered
) -> DivisionView:
    results = [judge_fixture(spec, each, records, entered.results, entered.forfeits.get(each.id)) for each in fixtures]
    left = {place for place, side in enumerate(division.sides, 1) if _key(side.name) in entered.withdrawn}
    results = _withdraw(spec, results, left)
    rests = list_rests(division, twice=spec.twice)
    return DivisionView(
        division.name,
        tuple(_make_table(spec, division, results, left, entered)),
        tuple(_show_fixture(spec, division, each, entered) for each in results),
        tuple(None if side is None else side.name for side in rests),
    )


def _withdraw(spec: SeasonSpec, results: Sequence[FixtureResult], left: set[int]) -> list[FixtureResult]:
    """The fixtures without those of sides that have withdrawn, or with what is left of these given away."""
    after = list(results)
    for place in sorted(left):
        mine = [at for at, each in enumerate(results) if place in (each.fixture.home, each.fixture.away)]
        played = sum(results[at].status in _DECIDED for at in mine)
        is_struck = spec.withdrawn == "annul" and 2 * played < len(mine)
        for at in mine:
            fixture = results[at].fixture
            if is_struck or (after[at].status not in _DECIDED and {fixture.home, fixture.away} <= left):
                after[at] = FixtureResult(fixture, "annulled")
            elif after[at].status not in _DECIDED:
                after[at] = give_away(spec, fixture, fixture.home == place)
    return after


def _make_table(
    spec: SeasonSpec, division: Division, results: Sequence[FixtureResult], left: set[int], entered: _Entered
) -> Iterable[SeasonRow]:
    places = range(1, len(division.sides) + 1)
    bonus = _count_bonus(spec.points, results)
    deducted = Counter({place: entered.deducted.get(_key(division.sides[place - 1].name), 0) for place in places})
    for each in results:
        deducted.update(dict.fromkeys(_find_forfeiters(each, entered), spec.points.forfeit))
    rows = make_rows(
        places,
        [each.outcome for each in results if each.outcome is not None],
        Points(spec.points.win, spec.points.draw, spec.points.loss),
        spec.tie_breaks,
        seed=f"{spec.id}/{spec.seed}/{division.name}",
        extra={place: bonus[place] - deducted[place] for place in places},
    )
    for line, row in enumerate(rows):
        place = row.entrant
        yield SeasonRow(
            place=row.place,
            side=division.sides[place - 1].name,
            played=row.played,
            won=row.won,
            drawn=row.drawn,
            lost=row.lost,
            legs=row.legs,
            points=row.points,
            bonus=bonus[place],
            deducted=deducted[place],
            average=row.average,
            mark=_find_mark(division, rows, line),
            withdrawn=place in left,
        )


def _count_bonus(worth: SeasonPoints, results: Iterable[FixtureResult]) -> Counter[int]:
    """The points beside those of wins, draws and losses, by place in the division. A forfeit brings none."""
    bonus: Counter[int] = Counter()
    for outcome in (each.outcome for each in results if each.outcome is not None):
        if outcome.walkover:
            continue
        for at, side in enumerate(outcome.sides):
            mine, theirs = outcome.legs[at], outcome.legs[1 - at]
            bonus[side] += worth.leg * mine
            if outcome.winner == side and not theirs:
                bonus[side] += worth.clean
            elif outcome.winner not in (side, None) and theirs - mine <= worth.close_by:
                bonus[side] += worth.close
    return bonus


def _find_forfeiters(result: FixtureResult, entered: _Entered) -> tuple[int, ...]:
    """The places of those who gave this fixture away by an input of its own, or at the match."""
    forfeit = entered.forfeits.get(result.fixture.id)
    if forfeit is None:
        return () if result.given_away is None else (result.given_away,)
    home, away = result.fixture.home, result.fixture.away
    return {"home": (home,), "away": (away,), "both": (home, away)}[forfeit.by]


def _find_mark(division: Division, rows: Sequence[Row], line: int) -> Literal["promoted", "relegated"] | None:
    """Who goes up or down. Sides that share a place across the line are marked by the order of the rows."""
    if line < division.promoted:
        return "promoted"
    return "relegated" if line >= len(rows) - division.relegated else None


def _show_fixture(spec: SeasonSpec, division: Division, result: FixtureResult, entered: _Entered) -> FixtureView:
    fixture = result.fixture
    home, away = division.sides[fixture.home - 1], division.sides[fixture.away - 1]
    planned = spec.days[fixture.day - 1] if spec.days else ""
    return FixtureView(
        id=fixture.id,
        day=fixture.day,
        date=entered.dates.get(fixture.id, planned),
        home=home.name,
        away=away.name,
        place=home.place,
        status=result.status,
        score=result.score,
        postponed=fixture.id in entered.dates,
        by_hand=result.by_hand,
        tournament=fixture.tournament,
        unclear=result.unclear,
    )
