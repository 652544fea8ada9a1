"""In which order the sides throw in the rounds of a leg, and who begins the next leg."""

from __future__ import annotations

from engine.game import Seating
from engine.position import Position
from protocol.match_spec import Format


def rotate(position: Position, seating: Seating, format: Format, passed_over: frozenset[int]) -> tuple[int, ...]:
    """The sides that throw, in the order of this leg; those `passed_over`, or that left, or without players do not.

    The first moves on by one with each leg of a set, and with each set; where the same side begins all legs of a set,
    with each set alone. Where the loser throws first, the order begins at the position's `starter`.
    """
    count, visit = len(seating.sides), position.visit
    match format.first:
        case "loser":
            starter = position.starter
        case "same":
            starter = visit.set - 1
        case _:
            starter = visit.set - 1 + visit.leg - 1
    order = ((starter + place) % count for place in range(count))
    return tuple(side for side in order if side not in passed_over | position.retired and seating.sides[side].seats)


def find_next_loser(position: Position) -> int:
    """The next side that has not won the leg, after the first that has; where all have won, the next starter."""
    winners, count = position.leg_winners or (), len(position.legs)
    after = winners[0] if winners and len(winners) < count else position.starter
    order = ((after + place) % count for place in range(1, count + 1))
    return next((side for side in order if side not in winners), (position.starter + 1) % count)
