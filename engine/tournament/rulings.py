"""What a line of the journal changes, or why it is refused: one function for each kind of input.

One law holds for all of them: a match of which a dart was thrown keeps its sides. What would change them is refused,
naming that match; what a table says so is kept beside, as disputed.
"""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from engine.tournament import drawing, entering, playing
from engine.tournament.state import Tournament
from protocol.commands import IllegalInput, refuse
from protocol.tournament import (
    Begin,
    Call,
    Change,
    DrawGroups,
    DrawLadder,
    DrawRound,
    DrawSeats,
    DrawSides,
    End,
    Enter,
    Leave,
    Line,
    Outdated,
    Pair,
    Redo,
    Result,
    SeatLate,
    SetTables,
    Settle,
    SetWriter,
    TakeBack,
    Undo,
)


def apply(tournament: Tournament, line: Line) -> Tournament:
    """The tournament after this line. Raises IllegalInput."""
    given = line.input
    if tournament.ended and not isinstance(given, Change | Result | TakeBack | Outdated | Settle):
        raise refuse("tournament.over", "the tournament is over")
    after = _apply(skip(tournament, line), line)
    if after.disputes:
        after = playing.settle_disputes(after)
    return after


def skip(tournament: Tournament, line: Line) -> Tournament:
    """The tournament after a line that does not count, except that it is one more call of its match."""
    calls = tournament.calls
    if isinstance(line.input, Call):
        calls = {**calls, line.input.match: calls.get(line.input.match, 0) + 1}
    return replace(tournament, calls=calls, line=line.number)


def _apply(tournament: Tournament, line: Line) -> Tournament:
    given = line.input
    match given:
        case Enter() | Change() | Leave() | SeatLate():
            return _apply_to_entrants(tournament, given, line.number)
        case DrawSides() | DrawSeats() | DrawGroups() | DrawRound() | DrawLadder() | Pair():
            return _apply_draw(tournament, given)
        case SetTables() | Call() | SetWriter() | Begin() | Result() | TakeBack() | Outdated() | Settle():
            return _apply_to_matches(tournament, given, line.at_s)
        case End():
            return playing.end(tournament)
        case Undo() | Redo():
            raise IllegalInput("undo and redo are done by the journal")
    assert_never(given)


def _apply_to_entrants(tournament: Tournament, given: Enter | Change | Leave | SeatLate, number: int) -> Tournament:
    match given:
        case Enter():
            return entering.enter(tournament, given, number)
        case Change():
            return entering.change(tournament, given)
        case Leave(entrant):
            return entering.leave(tournament, entrant, number)
        case SeatLate(entrant, match):
            return drawing.seat_late(tournament, entrant, match)
    assert_never(given)


def _apply_draw(
    tournament: Tournament, given: DrawSides | DrawSeats | DrawGroups | DrawRound | DrawLadder | Pair
) -> Tournament:
    match given:
        case DrawSides(sides):
            return drawing.draw_sides(tournament, sides)
        case DrawSeats(seats):
            return drawing.draw_seats(tournament, seats)
        case DrawGroups(groups):
            return drawing.draw_groups(tournament, groups)
        case DrawRound():
            return drawing.draw_round(tournament, given)
        case DrawLadder(order):
            return drawing.draw_ladder(tournament, order)
        case Pair(sides):
            return drawing.pair(tournament, sides)
    assert_never(given)


def _apply_to_matches(
    tournament: Tournament,
    given: SetTables | Call | SetWriter | Begin | Result | TakeBack | Outdated | Settle,
    at_s: int,
) -> Tournament:
    match given:
        case SetTables():
            return playing.set_tables(tournament, given)
        case Call():
            return playing.call(tournament, given, at_s)
        case SetWriter():
            return playing.set_writer(tournament, given)
        case Begin():
            return playing.begin(tournament, given, at_s)
        case Result():
            return playing.end_match(tournament, given, at_s)
        case TakeBack():
            return playing.take_back(tournament, given, at_s)
        case Outdated():
            return playing.note_outdated(tournament, given)
        case Settle(match):
            return playing.settle(tournament, match)
    assert_never(given)
