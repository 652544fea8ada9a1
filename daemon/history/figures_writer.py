"""Writing what each match comes to when it is over, so that reading the history seldom plays a match again.

It is done after the end was published, in the process that reads the history. The journal is the truth: what is missed
here, because the power is cut or the disk is full, the next reading counts.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from daemon.errors import UserError
from daemon.history.process import HistoryProcess
from daemon.table.effects import Update


class FiguresWriter:
    """An Outlet of all tables, whose journals the history reads."""

    def __init__(self, history: HistoryProcess) -> None:
        self._history = history
        self._ended: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

    def publish(self, update: Update) -> None:
        """Notes a match that is over now, or was corrected since."""
        state = update.state
        if update.events and state is not None and state.phase == "over" and state.match is not None:
            self._ended.put_nowait((update.table, state.match))

    async def run(self) -> None:
        """Writes the figures of what is over, until cancelled; with the first also those that an update made stale."""
        await self._ended.get()
        with suppress(UserError):  # the statistics tell of it
            await self._history.ask("read")
        while True:
            ended = await self._ended.get()
            with suppress(UserError):  # as above
                await self._history.ask("write_figures", *ended)
