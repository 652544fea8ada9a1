"""Publishes the tournaments of this oche over MQTT, each until a day after its end.

Only what has changed is sent. Before anything is published on a topic, the file of what is retained has it: if oche
ends and the tournament is gone at its next start, the topic is emptied then (daemon/mqtt/stale.py).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct

from daemon.mqtt.outbox import Outbox
from daemon.mqtt.stale import PublishedFile
from daemon.part import Part
from daemon.rules import Guard, RulesFailed
from daemon.tournament.desk import Desk
from daemon.tournament.topics import find_events, make_messages
from engine.games import expand_preset, game
from engine.options import read_options
from protocol.commands import CommandError
from protocol.match_spec import MatchSpec
from protocol.topics import topic
from protocol.tournament import TournamentSpec, TournamentView

SHOWN_S = 24 * 3600
"""So long a tournament is shown after its end."""
_LOOK_S = 600.0
"""While one is shown after its end, the clock is looked at so often: it may be set."""


class _Shown(Struct):
    """A tournament: its latest view, when it ended (Unix time), and what has been published of it."""

    view: TournamentView
    ended_s: int | None
    published: TournamentView | None = None
    topics: frozenset[str] = frozenset()


class TournamentTopics(Part):
    """A Part that publishes the tournaments of this desk, which runs.

    `announce` is called with the id of the one that Home Assistant shows when it changes, None for none: of those that
    go on the latest, otherwise the one that ended last.
    """

    def __init__(
        self,
        desk: Desk,
        outbox: Outbox,
        base: str,
        published: PublishedFile,
        guard: Guard,
        announce: Callable[[str | None], None],
    ) -> None:
        self._desk = desk
        self._outbox = outbox
        self._base = base
        self._file = published
        self._guard = guard
        self._announce = announce
        self._shown: dict[str, _Shown] = {}
        self._changed: set[str] = set()
        self._wake = asyncio.Event()
        desk.subscribe(self._take)

    async def run(self) -> None:
        """Publishes until cancelled."""
        self._changed |= self._desk.list_since(time.time() - SHOWN_S)
        await self._tell_changed()
        self._file.awaits_tournaments = False
        for text in {*self._file.tournaments} - self._outbox.retained:
            self._outbox.clear(text)
        self._announce(self._choose())
        while True:
            self._wake.clear()
            await self._tell_changed()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S if self.remove_old() else None):
                    await self._wake.wait()

    async def _tell_changed(self) -> None:
        while self._changed:
            with suppress(CommandError):  # one that cannot be read is told by the desk
                found = await self._desk.find(self._changed.pop())
                await self.tell(found.view, found.kept.ended_s)

    def _take(self, view: TournamentView) -> None:
        self._changed.add(view.id)
        self._wake.set()

    async def tell(self, view: TournamentView, ended_s: int | None) -> None:
        """Publishes what has changed since the last call; what ended more than a day ago is not published any more.

        The first view of a run has no events: what happened before is no news.
        """
        if ended_s is not None and time.time() >= ended_s + SHOWN_S:
            self.remove(view.id)
            return
        shown = self._shown.setdefault(view.id, _Shown(view, ended_s))
        shown.view, shown.ended_s = view, ended_s
        title = find_title(view.spec, self._guard)
        made = await asyncio.to_thread(lambda: [*make_messages(view, title)])  # megabytes, where all play all
        messages = [(each.kind, {"tournament": view.id, **dict(each.names)}, each.value) for each in made]
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

    def remove_old(self) -> bool:
        """Empties the topics of what ended a day ago; returns whether there are others that have ended."""
        ends = {name: shown.ended_s + SHOWN_S for name, shown in self._shown.items() if shown.ended_s is not None}
        old = [name for name, end_s in ends.items() if end_s <= time.time()]
        for name in old:
            self.remove(name)
        return len(old) < len(ends)

    def _choose(self) -> str | None:
        """Returns the id of the tournament that Home Assistant shows."""
        latest = max(
            self._shown.values(),
            key=lambda each: (each.ended_s is None, each.ended_s or each.view.made_s, each.view.id),
            default=None,
        )
        return None if latest is None else latest.view.id


def find_title(spec: TournamentSpec, guard: Guard) -> str:
    """Returns what players call the game of a tournament."""
    with suppress(RulesFailed, ValueError):
        wanted = expand_preset(MatchSpec(spec.game, (), dict(spec.options)))
        found = game(wanted.game)
        with guard.call(found, is_vital=False, may_refuse=False):
            return found.title(read_options(found, dict(wanted.options)))
    return spec.game
