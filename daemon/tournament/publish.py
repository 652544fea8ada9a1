"""Publishes the tournaments of this oche over MQTT, each until a day after its end.

Only what has changed is sent. Before anything is published on a topic, the file of what is retained has it: if oche
ends and the tournament is gone at its next start, the topic is emptied then (daemon/mqtt/stale.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec import Struct

from daemon.mqtt.outbox import Outbox
from daemon.mqtt.stale import PublishedFile
from daemon.tournament.topics import find_events, make_messages
from protocol.topics import topic
from protocol.tournament import TournamentSpec, TournamentView

SHOWN_S = 24 * 3600
"""So long a tournament is shown after its end."""


class _Shown(Struct):
    """A tournament: its latest view, when it ended (Unix time), and what has been published of it."""

    view: TournamentView
    ended_s: int | None
    published: TournamentView | None = None
    topics: frozenset[str] = frozenset()


class TournamentTopics:
    """What is published of tournaments. `find_title` returns the title of the game of one.

    `announce` is called with the id of the one that Home Assistant shows when it changes, None for none: of those that
    go on the latest, otherwise the one that ended last.
    """

    def __init__(
        self,
        outbox: Outbox,
        base: str,
        published: PublishedFile,
        find_title: Callable[[TournamentSpec], str],
        announce: Callable[[str | None], None],
    ) -> None:
        self._outbox = outbox
        self._base = base
        self._file = published
        self._find_title = find_title
        self._announce = announce
        self._shown: dict[str, _Shown] = {}

    async def publish(self, view: TournamentView, ended_s: int | None) -> None:
        """Publishes what has changed since the last call; what ended more than a day ago is not published any more.

        The first view of a run has no events: what happened before is no news.
        """
        if ended_s is not None and time.time() >= ended_s + SHOWN_S:
            self.remove(view.id)
            return
        shown = self._shown.setdefault(view.id, _Shown(view, ended_s))
        shown.view, shown.ended_s = view, ended_s
        messages = [
            (each.kind, {"tournament": view.id, **dict(each.names)}, each.value)
            for each in make_messages(view, self._find_title(view.spec))
        ]
        topics = frozenset(topic(kind, self._base, **names) for kind, names, _ in messages)
        while missing := topics - {*self._file.tournaments}:
            await self._file.keep(tournaments={*self._file.tournaments, *missing})
        if self._shown.get(view.id) is not shown or shown.view is not view:
            return  # a newer one is published, or none any more
        for kind, names, value in messages:
            self._outbox.put(kind, value, **names)
        for text in shown.topics - topics:
            self._outbox.remove(text)
        for event in () if shown.published is None else find_events(shown.published, view):
            self._outbox.put("tournament_event", event, tournament=view.id)
        shown.published, shown.topics = view, topics
        self._announce(self._choose())

    def remove(self, tournament: str) -> None:
        """Empties the topics of this tournament."""
        shown = self._shown.pop(tournament, None)
        for text in () if shown is None else shown.topics:
            self._outbox.remove(text)
        self._announce(self._choose())

    def remove_old(self) -> float | None:
        """Empties the topics of what ended a day ago; returns when that is due next (Unix time), None: never."""
        ends = {name: shown.ended_s + SHOWN_S for name, shown in self._shown.items() if shown.ended_s is not None}
        now_s = time.time()
        for name in [name for name, end_s in ends.items() if end_s <= now_s]:
            self.remove(name)
        return min((end_s for end_s in ends.values() if end_s > now_s), default=None)

    def _choose(self) -> str | None:
        """Returns the id of the tournament that Home Assistant shows."""
        latest = max(
            self._shown.values(),
            key=lambda each: (each.ended_s is None, each.ended_s or each.view.made_s, each.view.id),
            default=None,
        )
        return None if latest is None else latest.view.id
