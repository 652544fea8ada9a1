"""The evening on the log: a line when a match begins or ends. Boards, broker and troubles speak for themselves.

No player is named: a log is kept by others than us, and nothing of it is deleted on request.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from daemon.table import Table
from daemon.updates import Update
from protocol.messages import Event, EventType

log = logging.getLogger("oche.table")

_MATCHES: dict[EventType, str] = {"match_started": "begins", "match_won": "is over", "match_stopped": "was stopped"}


class Logbook:
    """Writes it. An Outlet, of all these tables."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = tables

    def publish(self, update: Update) -> None:
        """Notes what of the news belongs there."""
        for event in update.events:
            if event.event_type in _MATCHES:
                self._note(update.table, event)

    def _note(self, table: str, event: Event) -> None:
        game = self._tables[table].match.game.id
        known = {"table": table, "match": event.match, "game": game, "event": event.event_type}
        log.info("%s: a match of %s %s", table, game, _MATCHES[event.event_type], extra=known)
