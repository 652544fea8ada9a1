"""Writing what each match comes to when it is over, so that reading the history seldom plays a match again.

It is done after the end was published, in the process that reads the history. The journal is the truth: what is missed
here, because the power is cut or the disk is full, the next reading counts. Then it is known who has a new personal
best or a badge, and the table tells of it, as long as it has that match.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import NamedTuple

from daemon.admin.process import CountMatch, FindEarned, ReadHistory, WorkerProcess
from daemon.errors import UserError
from daemon.part import Part
from daemon.table.committed import Earned
from daemon.table.effects import Update
from daemon.table.table import Table
from protocol.facts import Award, BadgeEarned


class _Ended(NamedTuple):
    """A match that is over with this line of its record."""

    table: str
    match: str
    line: int


class FiguresWriter(Part):
    """A Part for all tables, whose journals the history reads. `tables` receive what players have earned."""

    def __init__(self, worker: WorkerProcess, tables: Mapping[str, Table]) -> None:
        self._worker = worker
        self._tables = tables
        self._told: dict[str, tuple[str, set[Earned]]] = {}
        """What each table was told of the last match: after a correction it is told only of what is new."""
        self._is_played = asyncio.Event()
        self._ended: asyncio.Queue[_Ended] = asyncio.Queue()

    def publish(self, update: Update) -> None:
        """Notes a match that is over now, or was corrected since."""
        state = update.state
        if not update.events or state is None or state.match is None:
            return
        self._is_played.set()
        if state.phase == "over":
            self._ended.put_nowait(_Ended(update.table, state.match, state.line))

    async def run(self) -> None:
        """Writes the figures of what is over, until cancelled.

        The history is read with the first dart: what an update made stale takes long, and the players of the first
        match do not wait at its end.
        """
        await self._is_played.wait()
        if self._ended.empty():  # else it is read for this end
            with suppress(UserError):  # the statistics tell of it
                await self._worker.read(ReadHistory())
        while True:
            ended = await self._ended.get()
            with suppress(UserError):  # as above
                if await self._worker.read(CountMatch(ended.table, ended.match)):
                    await self._tell(ended)

    async def _tell(self, ended: _Ended) -> None:
        table, match, line = ended
        earned: list[Earned] = await self._worker.read(FindEarned(match))
        last, told = self._told.get(table, ("", set()))
        if last != match:
            told = set()
            self._told[table] = match, told
        news = [each for each in earned if not _is_told(each, told)]
        if news and self._tables[table].award(match, line, news):
            told.update(news)


def _is_told(earned: Earned, told: Collection[Earned]) -> bool:
    """Whether this was told, or a higher tier of it."""
    seat, fact = earned
    if isinstance(fact, Award):
        return earned in told
    badges = ((other, each) for other, each in told if isinstance(each, BadgeEarned))
    return any(other == seat and each.badge == fact.badge and each.tier >= fact.tier for other, each in badges)
