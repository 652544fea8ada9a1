"""What became of a match that NewTon has handed over, in its message: each visit as it counts in the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby

from daemon.admin.answers import Refused
from engine.position import Position, Visit
from protocol.match_spec import PlannedSpec
from protocol.newton import Assignment, Leg, encode, pack_leg, read_assignment, report
from protocol.sentence import say


def write_result(header: PlannedSpec, positions: Sequence[Position], at: str) -> str:
    """Returns the text of the QR code, of a match that is over since that moment (ISO 8601). Raises Refused."""
    assigned, last = read_assignment(header), positions[-1]
    if assigned is None:
        raise Refused("unknown", say("tournament.newton_not_assigned", "NewTon has not handed this match over"))
    if last.stopped or last.conceded or len(last.winners) != 1:
        said = say("tournament.newton_not_won", "nobody has won this match by darts: tell its organiser who wins")
        raise Refused("illegal", said)
    sides = (0, 1) if header.players[0] == assigned.p1 else (1, 0)
    legs = list(_pack_legs(assigned, positions, sides))
    ended_s = int(datetime.fromisoformat(at).timestamp())
    return encode(report(assigned, legs, first=1 if positions[0].visit.side == sides[0] else 2, ts=ended_s))


def _pack_legs(assigned: Assignment, positions: Sequence[Position], sides: tuple[int, int]) -> Iterator[Leg]:
    """Yields the legs; `sides` are player 1 and player 2."""
    for _, group in groupby(positions, lambda position: position.visit.leg):
        ends = {position.visit.number: position for position in group}
        *_, last = ends.values()
        # What follows the limit of rounds takes the place of NewTon's decider, which its message does not have.
        visits = [each.visit for each in ends.values() if each.visit.round <= assigned.mr]
        one, other = ([visit.points for visit in visits if visit.side == side] for side in sides)
        (winner,) = last.leg_winners or last.winners
        darts = _count_darts(last.visit) if last.visit.checkout and last.visit in visits else 0
        yield pack_leg(1 if winner == sides[0] else 2, (one, other), darts)


def _count_darts(visit: Visit) -> int:
    return len(visit.darts) + visit.summed
