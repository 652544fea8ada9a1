"""The figures of players and the matches that are over: read in a process of its own, so no dart waits.

Only matches that are over are in the figures. `unread` is how many matches and journals could not be read: `oche stats`
tells why.

The first reading of a long history takes time: a client is kept waiting for a few seconds, and then told how far it is,
and to ask again. All who ask meanwhile share one reading.
"""

from __future__ import annotations

import asyncio
import re
from datetime import date, datetime

from msgspec import Raw

from daemon.admin import requests
from daemon.admin.history import players
from daemon.admin.history.listing import MatchFilter
from daemon.admin.history.process import HistoryProcess
from daemon.admin.requests import File, Refused, StillReading
from daemon.errors import UserError

_DAY = len("2026-11-30")
_PATIENCE_S = 4.0
"""The page gives up after twice that."""
_OWED_S = 60.0
"""Clients that were told to ask again have so long to do it: else a reading that ends between two questions would be
made in vain, and the next one as well."""


class Statistics:
    """What is asked of the history."""

    def __init__(self, history: HistoryProcess) -> None:
        self._history = history
        self._reading: asyncio.Task[bytes | None] | None = None
        self._owed_until = 0.0
        """Until when the latest reading answers the clients that were told to ask again, by the event loop's clock."""

    async def ask(self, request: requests.FiguresRequest) -> Raw | StillReading | File:
        """Returns the answer. Raises Refused."""
        match request:
            case requests.ListFigures():
                return await self._ask_figures("list_players", _read_selection(request))
            case requests.ReadFigures():
                return await self._ask_figures("describe_player", request.name, _read_selection(request))
            case requests.ListMatches():
                since, before = _read_moment(request.since, "since"), _read_moment(request.before, "before")
                wanted = MatchFilter(request.player, request.table, since, before)
                return await self._ask_figures("list_matches", request.game, wanted)
            case requests.ReadMatch():
                return Raw(await self._ask_match("describe_match", request.match))
            case requests.ReadSteps():
                if not re.fullmatch("[0-9]{1,9}", request.first):
                    raise Refused("invalid", "first must be the number of a step, counted from 0")
                return Raw(await self._ask_match("list_steps", request.match, int(request.first)))
            case requests.ReadRecord():
                name, _, record = (await self._ask_match("read_record", request.match)).partition(b"\n")
                return File(name.decode(), "application/x-ndjson", record, secret=False)

    async def _ask_match(self, question: str, *about: object) -> bytes:
        """Returns what the history says of a match."""
        try:
            found = await self._history.ask(question, *about)
        except UserError as error:
            raise Refused("illegal", str(error)) from None
        if found is None:
            raise Refused("unknown", "no match of that id is over")
        return found

    async def _ask_figures(self, question: str, *about: object) -> Raw | StillReading:
        """Returns what the history says to this question, which is about matches that are over."""
        now = asyncio.get_running_loop().time
        if self._reading is None or (self._reading.done() and now() > self._owed_until):
            self._reading = asyncio.create_task(self._history.ask("read"))
        reading = self._reading
        await asyncio.wait([reading], timeout=_PATIENCE_S)
        if not reading.done():
            self._owed_until = now() + _OWED_S
            done, of = self._history.progress
            return StillReading(reading={"done": done, "of": of})
        try:
            reading.result()
            found = await self._history.ask(question, *about)
        except UserError as error:
            self._owed_until = 0.0
            raise Refused("unavailable", str(error)) from None
        if found is None:
            raise Refused("unknown", "no match of a player of that name is over")
        return Raw(found)


def _read_selection(wanted: requests.ListFigures | requests.ReadFigures) -> players.Selection:
    since = _read_moment(wanted.since, "since")
    return players.Selection(wanted.game, since, wanted.table, wanted.bots == "1")


def _read_moment(given: str | None, name: str) -> datetime | None:
    """The day that is written, or the moment, as answers have it."""
    try:
        if not given:
            return None
        return players.start_of_day(date.fromisoformat(given)) if len(given) <= _DAY else _parse_moment(given)
    except ValueError:
        raise Refused("invalid", f"{name} must be a day such as 2026-11-30") from None


def _parse_moment(given: str) -> datetime:
    moment = datetime.fromisoformat(given)
    if moment.tzinfo is None:
        raise ValueError(given)
    return moment
