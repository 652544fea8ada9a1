"""Who has thrown what: the figures that the course keeps beside a match, for every player and in every game alike.

Everything here takes a position and gives it with other tallies; nothing of it decides what happens in a match.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from msgspec.structs import replace

from engine.facts import Award
from engine.game import Seating, Side, Step
from engine.position import Position
from engine.tally import Tally, pooled
from engine.tuples import put


class SideTallies(Sequence[Tally]):
    """Each side's figures: those of its only player, or of all of them together, which are pooled when asked for.

    For a turn is made many times a dart, and teams are large, and hardly a rule asks.
    """

    def __init__(self, position: Position, sides: tuple[Side, ...]) -> None:
        self._tallies = position.tallies
        self._sides = sides

    def __len__(self) -> int:
        return len(self._sides)

    @overload
    def __getitem__(self, side: int) -> Tally: ...

    @overload
    def __getitem__(self, side: slice) -> tuple[Tally, ...]: ...

    def __getitem__(self, side: int | slice) -> Tally | tuple[Tally, ...]:
        if isinstance(side, slice):
            return tuple(map(self._of, self._sides[side]))
        return self._of(self._sides[side])

    def _of(self, side: Side) -> Tally:
        return pooled(self._tallies[seat] for seat in side.seats)


def after_step(position: Position, step: Step[Any], points: int, darts: int) -> tuple[Tally, ...]:
    """The tallies with so many points and darts of the visit at hand, and what the game counts.

    A step without any of that, as most are that open or end a visit, leaves them as they are.
    """
    visit, tallies = position.visit, position.tallies
    tally = tallies[visit.seat]
    if points or darts or step.unthrown:
        segment_id = visit.darts[-1].segment.id if darts else None
        tally = tally.add(points, darts + step.unthrown, position.leg_visits[visit.side] <= 3, segment_id)
    tally = tally.count(step.counts).high(step.highs)
    if step.facts:
        tally = tally.count({f"award:{fact.award}": 1 for fact in step.facts if isinstance(fact, Award)})
    return tallies if tally is tallies[visit.seat] else put(tallies, visit.seat, tally)


def with_visit(position: Position, award: str | None, tons: bool) -> Position:
    """With the visit that is thrown (as a best one, a 60, where there are `tons`), and the machine's award for it."""
    visit = position.visit
    tally = position.tallies[visit.seat].visit(visit.points, tons).count({f"award:{award}": 1} if award else {})
    return replace(position, visit=replace(visit, tallied=True), tallies=put(position.tallies, visit.seat, tally))


def with_leg(position: Position, seating: Seating, winners: tuple[int, ...], finished: tuple[int, ...]) -> Position:
    """With the leg that is over, for everybody who stayed; its darts only for winners who `finished` it.

    A leg that was won by a limit of rounds was no short one.
    """
    tallies = position.tallies
    for index, side in enumerate(seating.sides):
        won = index in winners
        for seat in side.seats if index not in position.retired else ():
            tally = tallies[seat].count({"legs": 1, "legs_won": 1} if won else {"legs": 1})
            if index in finished and len(side.seats) == 1:
                tally = tally.low({"leg": position.leg_darts[index]})
            tallies = put(tallies, seat, tally)
    return replace(position, tallies=tallies)
