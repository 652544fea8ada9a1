"""The table of a group, a round robin, a Swiss tournament or an open evening, counted from outcomes.

How sides of equal points are separated is data: each tie-break in turn splits those that are still level, and looks at
them alone. What nothing separates shares a place. A walkover is won or lost, but nothing was played: it counts in no
average, and not in `played`; nor does a bye, which is worth a win.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType

from msgspec import Struct

from engine.luck import Luck
from engine.tournament.fixtures import Outcome
from protocol.tournament import Entrant, Points, Row, TieBreak

LOTS = 2**64


class _Sum(Struct):
    """What the matches of a side come to."""

    played: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    legs_won: int = 0
    legs_lost: int = 0
    scored: int = 0
    darts: int = 0

    def worth(self, points: Points) -> int:
        return self.won * points.win + self.drawn * points.draw + self.lost * points.loss

    @property
    def leg_difference(self) -> int:
        return self.legs_won - self.legs_lost

    @property
    def average(self) -> float | None:
        return 3 * self.scored / self.darts if self.darts else None


def make_rows(
    entrants: Sequence[Entrant],
    outcomes: Iterable[Outcome],
    points: Points,
    tie_breaks: Sequence[TieBreak],
    *,
    byes: Iterable[Entrant] = (),
    seed: str = "",
    extra: Mapping[Entrant, int] = MappingProxyType({}),
) -> tuple[Row, ...]:
    """The table of these entrants, the best first; sides that share a place stand in the order of `entrants`.

    An outcome with a side that is not among the entrants is not counted: so the matches of a side are struck. `byes`
    has an entrant once for each of its byes. `seed` is for lots. `extra` are points that entrants have beside those of
    their matches, or less than these.
    """
    known = set(entrants)
    counted = [each for each in outcomes if known.issuperset(each.sides)]
    table = _Table(entrants, counted, [each for each in byes if each in known], points, seed)
    for entrant in known.intersection(extra):
        table.points[entrant] += extra[entrant]
    rows: list[Row] = []
    for level in _split([tuple(entrants)], lambda among: table.points):
        shared = [level]
        for tie_break in tie_breaks:
            shared = _split(shared, table.measures[tie_break])
        for sides in shared:
            place = len(rows) + 1
            rows.extend(table.make_row(place, entrant) for entrant in sides)
    return tuple(rows)


def _split(
    level: Iterable[tuple[Entrant, ...]],
    measure: Callable[[tuple[Entrant, ...]], Mapping[Entrant, float]],
) -> list[tuple[Entrant, ...]]:
    """Each of these sets of level sides, split into those that measure the same, the highest first."""
    parts: list[tuple[Entrant, ...]] = []
    for among in level:
        if len(among) < 2:
            parts.append(among)
            continue
        values = measure(among)
        by_value: dict[float, list[Entrant]] = {}
        for each in among:
            by_value.setdefault(values[each], []).append(each)
        parts.extend(tuple(by_value[value]) for value in sorted(by_value, reverse=True))
    return parts


class _Table:
    """The sums of all, and what each tie-break measures of sides that are level: a higher number is better."""

    def __init__(
        self,
        entrants: Sequence[Entrant],
        outcomes: Sequence[Outcome],
        byes: Sequence[Entrant],
        worth: Points,
        seed: str,
    ) -> None:
        self._outcomes = outcomes
        self._worth = worth
        self._luck = Luck(seed, 0)
        self._sums = _add_up(entrants, outcomes)
        for entrant in byes:
            self._sums[entrant].won += 1
        self.points = {entrant: each.worth(worth) for entrant, each in self._sums.items()}
        self.measures: dict[TieBreak, Callable[[tuple[Entrant, ...]], Mapping[Entrant, float]]] = {
            "direct": self._measure_direct,
            "leg_difference": lambda among: {each: self._sums[each].leg_difference for each in among},
            "level_leg_difference": self._measure_level_legs,
            "legs_won": lambda among: {each: self._sums[each].legs_won for each in among},
            "wins": lambda among: {each: self._sums[each].won for each in among},
            "opponents": self._measure_opponents,
            "average": lambda among: {each: self._sums[each].average or 0.0 for each in among},
            "lots": lambda among: {each: self._luck.number("lot", each, LOTS) for each in among},
        }

    def make_row(self, place: int, entrant: Entrant) -> Row:
        """The line of this entrant."""
        mine = self._sums[entrant]
        return Row(
            place=place,
            entrant=entrant,
            played=mine.played,
            won=mine.won,
            drawn=mine.drawn,
            lost=mine.lost,
            legs=(mine.legs_won, mine.legs_lost),
            points=self.points[entrant],
            average=mine.average,
        )

    def _among(self, level: frozenset[Entrant]) -> list[Outcome]:
        return [each for each in self._outcomes if each.sides[0] in level and each.sides[1] in level]

    def _measure_direct(self, level: tuple[Entrant, ...]) -> Mapping[Entrant, float]:
        """Points from the matches among these; the same for all while some of them have not met."""
        between = self._among(frozenset(level))
        met = {frozenset(each.sides) for each in between}
        if len(met) < len(list(combinations(level, 2))):
            return dict.fromkeys(level, 0)
        sums = _add_up(level, between)
        return {each: sums[each].worth(self._worth) for each in level}

    def _measure_level_legs(self, level: tuple[Entrant, ...]) -> Mapping[Entrant, float]:
        sums = _add_up(level, self._among(frozenset(level)))
        return {each: sums[each].leg_difference for each in level}

    def _measure_opponents(self, level: tuple[Entrant, ...]) -> Mapping[Entrant, float]:
        """The points of those that each has met: Buchholz. A bye adds nothing."""
        met: Counter[Entrant] = Counter(dict.fromkeys(level, 0))
        for outcome in self._outcomes:
            one, other = outcome.sides
            met[one] += self.points[other]
            met[other] += self.points[one]
        return met


def _add_up(entrants: Iterable[Entrant], outcomes: Iterable[Outcome]) -> dict[Entrant, _Sum]:
    sums = {entrant: _Sum() for entrant in entrants}
    for outcome in outcomes:
        for at, entrant in enumerate(outcome.sides):
            mine = sums[entrant]
            mine.won += outcome.winner == entrant
            mine.drawn += outcome.winner is None
            mine.lost += outcome.winner not in (None, entrant)
            mine.legs_won += outcome.legs[at]
            mine.legs_lost += outcome.legs[1 - at]
            if not outcome.walkover:
                mine.played += 1
                mine.scored += outcome.points[at]
                mine.darts += outcome.darts[at]
    return sums
