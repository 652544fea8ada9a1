"""In which order the sides throw: in a round, after a visit, and in the next leg where the loser begins it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.game import Game, Seating
from engine.position import Position
from protocol.match_spec import Format

_NO_SIDES: frozenset[int] = frozenset()


class ThrowingOrder:
    """The order of one match; holds nothing that changes."""

    def __init__(self, game: Game[Any, Any], seating: Seating, format: Format) -> None:  # Any: own options and state
        self._game = game
        self._seating = seating
        self._first = format.first
        hooks = (type(game).out, type(game).ranks, type(game).passed_over)
        self._has_passed_over = hooks != (Game.out, Game.ranks, Game.passed_over)

    def find_next(
        self, position: Position, foresee_round: Callable[[Position], Position | None]
    ) -> tuple[int, int] | None:
        """The side and the seat that throw after this visit; None if there is none, as in the last round.

        `foresee_round` says for the last visit of a round in which position the next is opened; None: in no one.
        """
        over = self.find_passed_over(position)
        queue = tuple([side for side in position.queue if side not in over])
        if not queue:
            after = foresee_round(position)
            if after is None:
                return None
            sides = self.list_sides(after, self.find_passed_over(after))
            queue = self._game.order(after.state, after.visit.round + 1, sides)
        if not queue:
            return None
        seats = self._seating.sides[queue[0]].seats
        return queue[0], seats[position.leg_visits[queue[0]] % len(seats)]

    def find_alone(self, position: Position) -> int | None:
        """The side that is left when all others have left, None if there is none. One without players never leaves."""
        sides = self._seating.sides
        if not position.retired or len(position.retired) != len(sides) - 1:
            return None
        (alone,) = position.retired.symmetric_difference(range(len(sides)))
        return alone

    def list_sides(self, position: Position, passed_over: frozenset[int]) -> tuple[int, ...]:
        """The sides that throw, in the order of this leg; those `passed_over`, or that left, or without players do not.

        The first moves on by one with each leg of a set, and with each set; where the same side begins all legs of a
        set, with each set alone. Where the loser throws first, the order begins at the position's `starter`.
        """
        sides, visit = self._seating.sides, position.visit
        match self._first:
            case "loser":
                starter = position.starter
            case "same":
                starter = visit.set - 1
            case _:
                starter = visit.set - 1 + visit.leg - 1
        order = ((starter + place) % len(sides) for place in range(len(sides)))
        return tuple(side for side in order if side not in passed_over | position.retired and sides[side].seats)

    def find_passed_over(self, position: Position) -> frozenset[int]:
        """The sides that throw no more in this leg."""
        return self._game.passed_over(position.state) if self._has_passed_over else _NO_SIDES


def find_next_loser(position: Position) -> int:
    """The next side that has not won the leg, after the first that has; where all have won, the next starter."""
    winners, count = position.leg_winners or (), len(position.legs)
    after = winners[0] if winners and len(winners) < count else position.starter
    order = ((after + place) % count for place in range(1, count + 1))
    return next((side for side in order if side not in winners), (position.starter + 1) % count)
