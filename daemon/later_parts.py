"""Parts that are loaded when there is need of them: what tournaments and matches with a `ref` ask of the broker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET

from daemon.config.sections import Config
from daemon.mqtt.link import MqttLink
from daemon.part import Part
from daemon.rules import Guard
from daemon.service.supervisor import keep_running
from daemon.table.effects import Update
from daemon.table.table import Table

if TYPE_CHECKING:
    from daemon.tournament.desk import Desk

_OFFERED = "league.json"
"""The file in `state_dir` that is there while results may be left to offer."""


class LaterParts(Part):
    """A Part that takes in others while the daemon runs."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []
        self._parts: list[Part] = []

    def add(self, name: str, module: str, make: Callable[[], Part]) -> None:
        """Makes this part once its module is loaded, and keeps it running; `name` is its own in the log."""
        self._tasks.append(asyncio.create_task(self._run(name, module, make), name=name))

    async def _run(self, name: str, module: str, make: Callable[[], Part]) -> None:
        await asyncio.to_thread(import_module, module)  # beside the event loop: that takes a small machine long
        part = make()
        self._parts.append(part)
        await keep_running(name, part.run)

    async def close(self) -> None:
        """Ends them all."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for part in self._parts:
            await part.close()


class ResultsForOthers(Part):
    """A Part that has results offered to others, from the first match at a table that has a `ref`.

    `is_own` says whether a `ref` is of a tournament of this daemon, which needs no offer.
    """

    def __init__(
        self,
        later: LaterParts,
        folder: Path,
        tables: Mapping[str, Table],
        link: MqttLink,
        bridge: str,
        guard: Guard,
        is_own: Callable[[str], bool],
    ) -> None:
        self._later = later
        self._folder = folder
        self._about = folder, tables, link, bridge, guard, is_own
        self._is_begun = False

    def publish(self, update: Update) -> None:
        """Begins with the first such match."""
        if not self._is_begun and update.state is not None and update.state.ref is not UNSET:
            self._begin()

    def take_up(self) -> None:
        """Begins if an earlier run may have left some."""
        if not self._is_begun and (self._folder / _OFFERED).exists():
            self._begin()

    def _begin(self) -> None:
        self._is_begun = True
        self._later.add("the offers of results", "daemon.league.offers", self._make)

    def _make(self) -> Part:
        from daemon.league.offers import LeagueOffers  # noqa: PLC0415

        return LeagueOffers(*self._about)


def follow_desk(
    later: LaterParts, desk: Desk, link: MqttLink, show: Callable[[str | None], None], config: Config, guard: Guard
) -> None:
    """Has the tournaments of this desk published, and played at tables of other daemons.

    `show` is called with the id of the tournament that Home Assistant shows.
    """
    base = config.mqtt.base

    def make_topics() -> Part:
        from daemon.tournament.publish import TournamentTopics  # noqa: PLC0415

        return TournamentTopics(desk, link.outbox, base, link.published, guard, show)

    def make_tables() -> Part:
        from daemon.tournament.other_tables import OtherTables  # noqa: PLC0415

        own = {table.name for table in config.table}
        others = OtherTables(link, base, config.bridge.name, own, guard, desk.owns, desk.is_entered)
        desk.add_tables(others)
        desk.subscribe(others.notice)
        return others

    later.add("the topics of tournaments", "daemon.tournament.publish", make_topics)
    later.add("the tables of others", "daemon.tournament.other_tables", make_tables)
