"""A match against a recorded leg: the plan of it, in which a bot throws the darts of that leg."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from daemon.admin.players.names import is_neutral_name
from engine.match import Match
from engine.options import leave_out_filled
from engine.position import Position
from protocol.ghost import MOST_VISITS, Ghost
from protocol.match_spec import LEVELS
from protocol.messages import Plan
from protocol.player_names import name_key


def has_ghost(match: Match, positions: Sequence[Position], side: int) -> bool:
    """Whether one can play against the legs of this side: it is one player, not forgotten, and the darts are known."""
    seats = match.seating.sides[side].seats
    if len(seats) > 1 or is_neutral_name(match.seating.players[seats[0]]):
        return False
    return not any(position.visit.side == side and position.visit.summed for position in positions)


def plan_ghost(match: Match, positions: Sequence[Position], name: str, number: int | None) -> Plan | None:
    """The match of this player against the own leg with this number, from 0; without one, against the best one.

    That is the shortest leg won, else the shortest. Legs without a dart have no number. None where there is no such
    player or leg, or the leg has no ghost.
    """
    players = match.seating.players
    ends = {(each.visit.set, each.visit.leg): each for each in positions if any(each.leg_darts)}
    legs = [*ends.values()]
    seat = next((seat for seat, player in enumerate(players) if name_key(player) == name_key(name)), None)
    if seat is None or (number or 0) >= len(legs):
        return None
    side = next(index for index, each in enumerate(match.seating.sides) if seat in each.seats)
    if not has_ghost(match, positions, side):
        return None
    if number is not None:
        chosen = legs[number]
    else:
        chosen = min(legs, key=lambda end: (side not in (end.leg_winners or end.winners), end.leg_darts[side] or inf))
    visits = {
        visit.number: tuple(dart.segment.id for dart in visit.darts)
        for each in positions
        for visit in (each.last, each.visit)  # darts that `next` fills in are in the last one only
        if visit and (visit.side, visit.set, visit.leg) == (side, chosen.visit.set, chosen.visit.leg)
    }
    if not any(visits.values()):
        return None
    ghost = Ghost(players[seat], tuple(visits.values())[:MOST_VISITS])
    options = leave_out_filled(match.game, match.header.options, match.header.seating)
    person = () if match.header.bot(seat) is not None else (players[seat],)
    return Plan(
        game=match.game.id,
        title=match.game.title(match.options),
        options={name: value for name, value in options.items() if name not in match.game.by_player},
        players=(*person, f"bot:{LEVELS[0]}"),
        ghosts=(*(None for _ in person), ghost),
    )
