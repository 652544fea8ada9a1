"""Writing what each match comes to when it is over, so that reading the history seldom plays a match again.

It is done after the end was published, in a thread. The journal is the truth: what is missed here, because the power is
cut or the disk is full, the next reading counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.errors import UserError
from daemon.release import read_version
from daemon.table.effects import Update
from protocol.segment import Layout

if TYPE_CHECKING:
    from daemon.history.history import History


class FiguresWriter:
    """An Outlet of all tables. `folder` has their journals, `layouts` are their layouts, by name."""

    def __init__(self, folder: Path, layouts: Mapping[str, Layout]) -> None:
        self._folder = folder
        self._layouts = layouts
        self._ended: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

    def publish(self, update: Update) -> None:
        """Notes a match that is over now, or was corrected since."""
        state = update.state
        if update.events and state is not None and state.phase == "over" and state.match is not None:
            self._ended.put_nowait((update.table, state.match))

    async def run(self) -> None:
        """Writes the figures of what is over, until cancelled; with the first also those that an update made stale."""
        await self._ended.get()
        from daemon.history.history import History  # noqa: PLC0415  for hours no match is over

        history = History(self._folder, self._layouts, read_version(), is_gentle=True)
        try:
            await asyncio.to_thread(_read_all, history)
            while True:
                await asyncio.to_thread(history.write_figures, *await self._ended.get())
        finally:
            history.close()


def _read_all(history: History) -> None:
    from daemon.history.history import HistoryClosed  # noqa: PLC0415  as above

    with suppress(UserError, HistoryClosed):  # the statistics tell of it
        for _ in history.all_matches():
            pass
