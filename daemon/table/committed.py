"""What a table has on disk: the match, its states and the plan of the next one, for all that look on from outside.

While a commit is under way the scorer is ahead of the disk, and what it has may be taken back. So nothing but the
scorer reads from it: the others read this value, which never changes and is replaced as a whole after each commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from msgspec.structs import replace

from daemon.table.scoresheet import Scoresheet
from engine.match import Match
from protocol import messages
from protocol.facts import Award, BadgeEarned, Event, make_event

Earned = tuple[int, Award | BadgeEarned]
"""What a player has earned in a match, known when it is over: the seat, and the fact."""


class Committed(NamedTuple):
    """The current match, to be read only, and its id; what is shown of it; and what is planned after it.

    `hands` are the states of the seats, where there is something to hide from the others.
    """

    match_id: str
    match: Match
    public: messages.State
    hands: tuple[messages.State, ...]
    plan: messages.Plan


def read_committed(
    sheet: Scoresheet, plan: messages.Plan, number: Callable[[messages.State], messages.State]
) -> Committed:
    """Returns what is committed: all that is on this sheet now. `number` gives a state its place among the news."""
    states, match = sheet.states, sheet.match
    public, hands = number(states.public), tuple(map(number, states.hands))
    return Committed(sheet.opened.id, match.at(match.position), public, hands, plan)


def make_awards(committed: Committed, match_id: str, line: int, earned: Iterable[Earned]) -> tuple[Event, ...]:
    """Returns the events of what players have earned in a match with so many lines; none if the table has another."""
    if (committed.public.match, committed.public.line) != (match_id, line):
        return ()
    seating = committed.match.seating
    side_of = {seat: index for index, side in enumerate(seating.sides) for seat in side.seats}
    return tuple(
        make_event(replace(fact, side=side_of[seat]), match=match_id, line=line, player=seating.players[seat])
        for seat, fact in earned
    )
