"""Writing what each match comes to when it is over, so that reading the history seldom plays a match again.

It is done after the end was published, in the process that reads the history. The journal is the truth: what is missed
here, because the power is cut or the disk is full, the next reading counts. Then it is known who has a new personal
best, and the table tells of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from daemon.admin.process import CountMatch, FindBests, ReadHistory, WorkerProcess
from daemon.errors import UserError
from daemon.part import Part
from daemon.table.effects import Update
from daemon.table.table import Table

PERSONAL_BEST = "personal_best"
"""The award for a result that is better than all that the player had before."""


class FiguresWriter(Part):
    """A Part for all tables, whose journals the history reads. `tables` receive personal bests."""

    def __init__(self, worker: WorkerProcess, tables: Mapping[str, Table]) -> None:
        self._worker = worker
        self._tables = tables
        self._announced: dict[str, str] = {}
        """The last match that each table was notified of: not again after a correction."""
        self._ended: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

    def publish(self, update: Update) -> None:
        """Notes a match that is over now, or was corrected since."""
        state = update.state
        if update.events and state is not None and state.phase == "over" and state.match is not None:
            self._ended.put_nowait((update.table, state.match))

    async def run(self) -> None:
        """Writes the figures of what is over, until cancelled; with the first also those that an update made stale."""
        first = await self._ended.get()
        with suppress(UserError):  # the statistics tell of it
            await self._worker.read(ReadHistory())
            await self._tell_bests(*first)
        while True:
            ended = await self._ended.get()
            with suppress(UserError):  # as above
                has_results = await self._worker.read(CountMatch(*ended))
                if has_results:
                    await self._tell_bests(*ended)

    async def _tell_bests(self, table: str, match: str) -> None:
        if self._announced.get(table) == match:
            return
        seats: list[int] = await self._worker.read(FindBests(match))
        if seats:
            self._announced[table] = match
            self._tables[table].award(match, seats, PERSONAL_BEST)
