"""The figures of players and the matches that are over: read in a process of its own, so no dart waits.

Only matches that are over are in the figures. `unread` is how many matches and journals could not be read: `oche stats`
tells why.

The first reading of a long history takes time: a client is kept waiting for a few seconds, and then told how far it is,
and to ask again. All who ask meanwhile share one reading.
"""

from __future__ import annotations

import asyncio
from typing import cast

from msgspec import Raw

from daemon.admin import requests
from daemon.admin.answers import File, Refused, StillReading
from daemon.admin.history.wanted import (
    read_compared,
    read_evening,
    read_filter,
    read_league_month,
    read_pair,
    read_piece,
    read_selection,
    read_week,
)
from daemon.admin.process import ReadHistory, WorkerProcess
from daemon.errors import UserError

_PATIENCE_S = 4.0
"""The page gives up after twice that."""
_OWED_S = 60.0
"""Clients that were told to ask again have so long to do it: else a reading that ends between two questions would be
made in vain, and the next one as well."""


_OF_ONE_MATCH = (
    requests.ReadMatch,
    requests.ReadSteps,
    requests.ReadRecord,
    requests.ReadGhost,
    requests.ReadNewTonResult,
)


class Statistics:
    """What is asked of the history."""

    def __init__(self, worker: WorkerProcess) -> None:
        self._worker = worker
        self._reading: asyncio.Task[None] | None = None
        self._owed_until = 0.0
        """Until when the latest reading answers the clients that were told to ask again, by the event loop's clock."""

    async def ask(self, request: requests.FiguresRequest) -> Raw | StillReading | File:
        """Returns the answer. Raises Refused."""
        _check(request)
        if not isinstance(request, _OF_ONE_MATCH):
            return await self._ask_figures(request)
        try:
            return cast("Raw | File", await self._worker.read(request))
        except UserError as error:
            raise Refused("illegal", str(error)) from None

    async def _ask_figures(self, request: requests.FiguresRequest) -> Raw | StillReading:
        """Returns the answer to what is about matches that are over."""
        now = asyncio.get_running_loop().time
        if self._reading is None or (self._reading.done() and now() > self._owed_until):
            self._reading = asyncio.create_task(self._worker.read(ReadHistory()))
        reading = self._reading
        await asyncio.wait([reading], timeout=_PATIENCE_S)
        if not reading.done():
            self._owed_until = now() + _OWED_S
            done, of = self._worker.progress
            return StillReading(reading={"done": done, "of": of})
        try:
            reading.result()
            return cast("Raw", await self._worker.read(request))
        except UserError as error:
            self._owed_until = 0.0
            raise Refused("unavailable", str(error)) from None


def _check(request: requests.FiguresRequest) -> None:
    """Raises Refused for a mistake in the request, which does not wait for a reading."""
    match request:
        case requests.ListFigures():
            read_selection(request)
            read_piece(request)
        case requests.ReadFigures():
            read_selection(request)
        case requests.ReadHeadToHead():
            read_compared(request)
        case requests.ReadHandicap():
            read_pair(request)
        case requests.ReadLeague():
            read_league_month(request)
        case requests.ListMatches():
            read_filter(request)
        case requests.ReadRatings():
            read_piece(request)
        case requests.ReadEvening():
            read_evening(request)
        case requests.ReadWeek():
            read_week(request)
        case _:
            pass
