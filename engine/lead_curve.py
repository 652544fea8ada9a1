"""How a match went: the lead of one of two sides after each visit, where it turned, and the best visits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from engine.match import Match
from engine.position import Position

_MOST_BEST = 3


class CurvePoint(Struct, frozen=True):
    """Where the match stood after a visit: `visit` counts those of the match from 1, and `side` threw it.

    `lead` is how many points of this leg side 0 was ahead of side 1; it is negative where side 1 was ahead, whichever
    way the game counts.
    """

    set: int
    leg: int
    visit: int
    side: int
    lead: int


class BestVisit(Struct, frozen=True):
    """A visit that scored much: `marks` in games that count them, where they decide which is the better one."""

    side: int
    player: str
    points: int
    marks: int | None
    darts: tuple[str, ...]
    set: int
    leg: int
    visit: int


def draw_curve(match: Match, positions: Sequence[Position]) -> tuple[tuple[CurvePoint, ...], int | None]:
    """The lead after each visit in which a dart was thrown, and where the winner took the lead for good.

    `positions` are all of this match. The curve is empty unless there are two sides and the game says who leads. The
    turning point is an index into it: from there on the winner had more sets, with as many more legs, with as many of
    both more points. It is None where nobody won alone, or only because the other one left.
    """
    curve: list[CurvePoint] = []
    standings: list[tuple[int, int, int]] = []
    if len(match.seating.sides) == 2:
        for position in _end_visits(positions):
            lead = _measure_lead(match, position)
            if lead is None:
                return (), None
            visit = position.visit
            curve.append(CurvePoint(visit.set, visit.leg, visit.number, visit.side, lead))
            (legs, others), (sets, other_sets) = position.legs, position.sets
            standings.append((sets - other_sets, legs - others, lead))
    return tuple(curve), _find_turning(match.position.winners, standings)


def find_best_visits(match: Match, positions: Sequence[Position]) -> tuple[BestVisit, ...]:
    """The three visits that scored most, the best first and of equal ones the first; none where points are no score."""
    by_marks = match.game.figure == "mpr"
    if not (by_marks or match.game.tons):
        return ()
    found = [
        BestVisit(
            side=visit.side,
            player=match.seating.players[visit.seat],
            points=visit.points,
            marks=visit.marks if by_marks else None,
            darts=tuple(dart.bed for dart in visit.darts),
            set=visit.set,
            leg=visit.leg,
            visit=visit.number,
        )
        for visit in (position.visit for position in _end_visits(positions))
        if not visit.bust and (visit.marks if by_marks else visit.points) > 0
    ]
    return tuple(sorted(found, key=lambda each: (each.marks or 0, each.points), reverse=True)[:_MOST_BEST])


def _end_visits(positions: Sequence[Position]) -> Iterator[Position]:
    """Yields the last position of each visit in which a dart was thrown."""
    for _, group in groupby(positions, lambda position: position.visit.number):
        *_, last = group
        if last.visit.darts:
            yield last


def _measure_lead(match: Match, position: Position) -> int | None:
    """How many points of this leg side 0 is ahead; None where the game does not say who leads."""
    game, state = match.game, position.state
    ahead = position.leg_winners
    if ahead is None:
        gone = game.out(state) | position.retired
        there = tuple(side for side in (0, 1) if side not in gone)
        ahead = game.leading(state, there) if len(there) > 1 else there
        if not ahead:
            return None
    if len(ahead) != 1:
        return 0
    points = abs(game.score(state, 0) - game.score(state, 1))
    return points if ahead == (0,) else -points


def _find_turning(winners: tuple[int, ...], standings: Sequence[tuple[int, int, int]]) -> int | None:
    if len(winners) != 1:
        return None
    sign = 1 if winners[0] == 0 else -1
    turning = None
    for index in range(len(standings) - 1, -1, -1):
        if tuple(sign * each for each in standings[index]) <= (0, 0, 0):
            break
        turning = index
    return turning
