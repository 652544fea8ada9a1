"""What is logged of the matches: a line when one begins or ends, and when a board has a stuck segment.

No player is named: logs are kept by other programs, and nothing in them can be deleted on request.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from daemon.part import Part
from daemon.table.effects import Update
from daemon.table.table import Table
from protocol.debounce import UNNAMED
from protocol.facts import Event

log = logging.getLogger("oche.table")

_MATCHES = {"match_started": "begins", "match_won": "is over", "match_stopped": "was stopped"}


class MatchLog(Part):
    """Writes these lines. A Part for all these tables."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = tables
        self._games: dict[str, str] = {}
        """The game at each table, as far as its news were read: the table itself may be at the next match already."""

    def publish(self, update: Update) -> None:
        """Logs the events that belong in a log."""
        for event in update.events:
            if event.event_type in _MATCHES:
                self._note(update.table, event)
            elif event.event_type == "board_problem":
                here = {"table": update.table, "board": self._tables[update.table].config.board}
                log.warning("%s: %s is stuck: free the segment", update.table, event.segment or UNNAMED, extra=here)
        if update.state is not None:
            self._games[update.table] = update.state.game

    def _note(self, table: str, event: Event) -> None:
        if event.game:  # a match begins
            self._games[table] = event.game
        game = self._games.get(table, self._tables[table].match.game.id)
        known = {"table": table, "match": event.match, "game": game, "event": event.event_type}
        log.info("%s: a match of %s %s", table, game, _MATCHES[event.event_type], extra=known)
