"""Writing what each match comes to when it is over, so that reading the history seldom plays a match again.

It is done after the end was published, in the process that reads the history. The journal is the truth: what is missed
here, because the power is cut or the disk is full, the next reading counts. Then it is known who has a new personal
best or a badge, and the table tells of it, as long as it has that match. So it is where boards measure darts how those
of a player scatter, which the hints and bots of the next match use.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET

from daemon.admin.players.doubles import Scatters
from daemon.admin.process import CountMatch, FindEarned, FindScatters, ReadHistory, WorkerProcess
from daemon.config.reader import CheckedConfig
from daemon.errors import UserError
from daemon.part import Part
from daemon.table.committed import Earned
from daemon.table.effects import Update
from daemon.table.table import Table
from protocol.player_words import find_model

log = logging.getLogger("oche")

_PATIENCE_S = 15.0
"""Then the start is over."""
_MODELS_S = 20.0
"""How long the start waits for a history."""


class _Reached(NamedTuple):
    """A match, and a line of its record."""

    match: str
    line: int


class FiguresWriter(Part):
    """A Part for all tables, whose journals the history reads.

    `tables` receive what players have earned, and `scatters` how their darts scatter.
    """

    def __init__(self, worker: WorkerProcess, tables: Mapping[str, Table], scatters: Scatters) -> None:
        self._worker = worker
        self._tables = tables
        self._scatters = scatters
        self._is_measured: bool | None = None
        """Whether a board measures darts, or one has; None: not known yet."""
        self._told: dict[str, _Reached] = {}
        """Up to where each table was told what its match gave; of a match that it resumed a former run has told."""
        self._is_played = asyncio.Event()
        has_cameras = any(table.codebook.profile.link == "web" for table in tables.values())
        self._patience_s = _PATIENCE_S if has_cameras else None
        """How long a first dart is waited for. Cameras measure darts: bots may throw like a player before it."""
        self._ended: asyncio.Queue[tuple[str, _Reached]] = asyncio.Queue()

    def publish(self, update: Update) -> None:
        """Notes a match that is over now, or was corrected since."""
        state = update.state
        if state is None or state.match is None:
            return
        reached = _Reached(state.match, state.line)
        if not update.events:
            self._told.setdefault(update.table, reached)
            return
        self._is_played.set()
        if not self._is_measured and any(dart.point is not UNSET for dart in state.turn.darts):
            self._is_measured = True
        if state.phase == "over":
            self._ended.put_nowait((update.table, reached))

    async def run(self) -> None:
        """Writes the figures of what is over, until cancelled.

        The history is read with the first dart, or soon where cameras are: what an update made stale takes long, and
        the players of the first match do not wait at its end.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience_s):
                await self._is_played.wait()
        if self._ended.empty():  # else it is read for this end
            with suppress(UserError):  # the statistics tell of it
                await self._worker.read(ReadHistory())
                await self._learn_scatters()
        while True:
            table, end = await self._ended.get()
            with suppress(UserError):  # as above
                if await self._worker.read(CountMatch(table, end.match)):
                    await self._tell(table, end)
                    await self._learn_scatters()

    async def _learn_scatters(self) -> None:
        """Asks how far darts scatter, unless it is known that no board measures any. Raises UserError."""
        if self._is_measured is False:
            return
        self._scatters.learn(found := await self._worker.read(FindScatters()))
        self._is_measured = self._is_measured or bool(found)

    async def _tell(self, table: str, end: _Reached) -> None:
        told = self._told.get(table)
        line = told.line if told and told.match == end.match else 0
        news: list[Earned] = await self._worker.read(FindEarned(table, end.match, line))
        if news and self._tables[table].award(end.match, end.line, news):
            self._told[table] = end


async def learn_models(checked: CheckedConfig, scatters: Scatters) -> None:
    """Has the history read before the tables open, if a bot of the configuration throws like a player.

    A table that has a journal goes on with the match in it, which has the numbers: no dart waits for the history.
    """
    tables, folder = checked.config.table, Path(checked.config.bridge.state_dir)
    new = [table for table in tables if not (folder / f"{table.name}.sqlite3").exists()]
    if not any(find_model(name) for table in new for name in table.players):
        return
    layouts = {table.name: codebook.layout for table, codebook in zip(tables, checked.codebooks, strict=True)}
    worker = WorkerProcess(folder, layouts)
    try:
        async with asyncio.timeout(_MODELS_S):
            scatters.learn(await worker.read(FindScatters()))
    except TimeoutError:
        log.error("the history is long: bots cannot throw like a player yet")
    except UserError as error:
        log.error("%s: bots cannot throw like a player yet", error)
    finally:
        await worker.close()
