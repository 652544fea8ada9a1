"""What follows from an input of a table: the scorer returns Effects; the table commits them and publishes an Update.

Events carry neither session nor number until the table publishes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec
from msgspec import Struct

from daemon.table.journal import Begin, Line
from engine.match import Match
from engine.position import Visit
from protocol import messages
from protocol.commands import CommandError
from protocol.facts import Event, Fact, TurnChanged


class BoardNews(NamedTuple):
    """Our view of the hardware link; `info.text` says it in one sentence."""

    online: bool
    info: messages.BoardInfo


class Effects(Struct, frozen=True):
    """Lines to commit; then, once they are, what to publish and to answer. None, () and False stand for nothing new.

    `lines` have no times yet, and `events` neither session nor number: those are the table's. `notice` is a sentence
    for the people at the table. `reply` is the answer to the command that this followed from.
    """

    lines: tuple[Begin | Line, ...] = ()
    events: tuple[Event, ...] = ()
    is_board_changed: bool = False
    plan: messages.Plan | None = None
    notice: str | None = None
    reply: messages.Answer | CommandError | None = None


def merge(several: Sequence[Effects]) -> Effects:
    """The effects of inputs that share a commit, as one: all lines and events, of the rest the latest; no replies."""
    if len(several) == 1:
        return several[0]
    return Effects(
        lines=tuple(line for each in several for line in each.lines),
        events=tuple(event for each in several for event in each.events),
        is_board_changed=any(each.is_board_changed for each in several),
        plan=next((each.plan for each in reversed(several) if each.plan is not None), None),
        notice=next((each.notice for each in reversed(several) if each.notice is not None), None),
    )


def make_event(fact: Fact, **shared: object) -> Event:
    """The event of this fact. Raises ValidationError for a value that the contract does not know."""
    own: dict[str, object] = msgspec.to_builtins(fact)
    if fact.side is None:
        del own["side"]
    return msgspec.convert({"session": "", "seq": 1, **shared, **own}, Event)


def make_events(facts: Sequence[Fact], before: Visit, match: Match, match_id: str) -> tuple[Event, ...]:
    """The facts that followed from one input, as events. `before` is the visit the input was made in."""
    found, visit = [], before
    for fact in facts:
        if isinstance(fact, TurnChanged):
            visit = match.position.visit
        shared: dict[str, object] = {"match": match_id, "line": match.line}
        if fact.side is not None:
            sides, players = match.seating.sides, match.seating.players
            shared["player"] = players[visit.seat] if fact.side == visit.side else sides[fact.side].name
        found.append(make_event(fact, **shared))
    return tuple(found)


class Update(NamedTuple):
    """News of one table; what is None or empty has not changed."""

    table: str
    state: messages.State | None = None
    events: tuple[Event, ...] = ()
    board: BoardNews | None = None
    notice: str | None = None
    plan: messages.Plan | None = None


class Outlet(Protocol):
    """Somewhere news go. `publish` must not block: an outlet that is slow keeps its own bounded backlog."""

    def publish(self, update: Update) -> None:
        """Takes the news."""
