"""The event of the week: at a time of the week, what was played in the seven days before it, on a topic of the bridge.

It is published once: the latest moment is kept in a file. If oche does not run then, or has no broker, the event is
published later, within a day. This module is loaded only where the configuration names a time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, time, timedelta
from pathlib import Path

import msgspec

from daemon import files
from daemon.admin import requests
from daemon.admin.answers import Refused
from daemon.admin.history.wanted import go_back
from daemon.admin.process import ReadHistory, WorkerProcess
from daemon.config.week_time import WeekTime
from daemon.errors import UserError
from daemon.part import Part
from protocol.messages import Week

log = logging.getLogger("oche.week")

FILE = "week.told"
LOOK_S = 5.0
"""How often the clock is looked at: it may be set, and in a summer night it jumps."""
LATE = timedelta(days=1)
"""For so long the event is still published."""


def find_due(at: WeekTime, now: datetime, told: datetime | None) -> datetime | None:
    """Returns the moment of the event that is to be published now; None: there is none.

    `told` is the moment of the latest event. One in the future is from a clock that was wrong, and does not count.
    """
    day = now.astimezone().date()
    day -= timedelta((day.weekday() - at.weekday) % 7)
    moment = datetime.combine(day, time(at.hour, at.minute)).astimezone()
    if moment > now:
        moment = go_back(moment)
    if now - moment >= LATE or (told is not None and told <= now and moment - told < LATE):
        return None
    return moment


class WeekEvents(Part):
    """A Part. It asks the process that reads the history, and gives the event to `publish` while `is_connected`.

    `publish` returns whether the broker has it.
    """

    def __init__(
        self,
        at: WeekTime,
        folder: Path,
        worker: WorkerProcess,
        is_connected: Callable[[], bool],
        publish: Callable[[Week], Awaitable[bool]],
    ) -> None:
        self._at = at
        self._file = folder / FILE
        self._worker = worker
        self._is_connected = is_connected
        self._publish = publish
        self._told = self._read_told()

    async def run(self) -> None:
        """Publishes until cancelled. What fails is tried again, and logged once."""
        said = ""
        while True:
            moment = find_due(self._at, datetime.now().astimezone(), self._told)
            if moment is not None and self._is_connected():
                try:
                    await self._tell(moment)
                    said = ""
                except (UserError, Refused) as error:
                    if str(error) != said:
                        said = str(error)
                        log.warning("the event of the week: %s", said)
            await asyncio.sleep(LOOK_S)

    async def _tell(self, moment: datetime) -> None:
        """Publishes the event, unless nothing was played, or the link is lost. Raises UserError and Refused."""
        await self._worker.read(ReadHistory())
        week = msgspec.json.decode(await self._worker.read(requests.ReadWeek(before=moment.isoformat())), type=Week)
        if week.matches and not await self._publish(week):
            return
        self._told = moment
        with files.explain_errors(f"cannot write {self._file}"):
            await asyncio.to_thread(files.replace_file, self._file, moment.isoformat().encode())

    def _read_told(self) -> datetime | None:
        try:
            return datetime.fromisoformat(self._file.read_text()).astimezone()
        except (OSError, ValueError):  # not there yet, or damaged: the worst is an event that comes twice
            return None
