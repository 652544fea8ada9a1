"""What a table tells its outlets (MQTT, the page, the terminal): plain values, after the journal has them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import msgspec

from engine.facts import Fact, TurnChanged
from engine.match import Match
from engine.position import Visit
from protocol import messages


class BoardNews(NamedTuple):
    """Our view of the hardware link; `info.text` says it in one sentence."""

    online: bool
    info: messages.BoardInfo


class Update(NamedTuple):
    """News of one table; what is None or empty has not changed."""

    table: str
    state: messages.State | None = None
    events: tuple[messages.Event, ...] = ()
    board: BoardNews | None = None
    notice: str | None = None
    plan: messages.Plan | None = None


class Outlet(Protocol):
    """Somewhere news go. `publish` must not block: an outlet that is slow keeps its own bounded backlog."""

    def publish(self, update: Update) -> None:
        """Takes the news."""


class Events:
    """Numbers what one table says: `session` is one id per start of the daemon, `seq` counts states and events."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.seq = 0

    def number(self) -> int:
        """The next `seq`."""
        self.seq += 1
        return self.seq

    def event(self, event_type: str, **fields: object) -> messages.Event:
        """An event that is not a fact of the engine."""
        return msgspec.convert(
            {"event_type": event_type, "session": self.session, "seq": self.number(), **fields}, messages.Event
        )

    def facts(self, facts: tuple[Fact, ...], before: Visit, match: Match, match_id: str) -> list[messages.Event]:
        """The facts that followed from one input, as events. `before` is the visit the input was made in."""
        found = []
        visit = before
        for fact in facts:
            if isinstance(fact, TurnChanged):
                visit = match.position.visit
            fields = {"match": match_id, "line": match.line, **msgspec.to_builtins(fact)}
            side = fields.pop("side")
            if side is not None:
                sides, players = match.seating.sides, match.seating.players
                fields["side"] = side
                fields["player"] = players[visit.seat] if side == visit.side else sides[side].name
            found.append(self.event(fields.pop("event_type"), **fields))
        return found
