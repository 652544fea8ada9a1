"""Care for the daemon: its log and its boards as they are, a report of what is wrong, the doctor, a new start."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from daemon.admin import requests
from daemon.admin.answers import Answer, Checks, File, Json, Refused
from daemon.admin.news import mark_seen, read_news
from daemon.admin.process import WorkerProcess
from daemon.admin.settings.settings_file import SettingsFile
from daemon.board.link import BoardLink
from daemon.service import logs

_PATIENCE_S = 300.0


class Care:
    """What is asked for care; `links` have the boards of the tables, by table."""

    def __init__(
        self, settings: SettingsFile, folder: Path, links: Mapping[str, BoardLink], worker: WorkerProcess
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._links = links
        self._worker = worker

    async def ask(self, request: requests.CareRequest) -> Answer | Json | File:
        """Returns the answer. Raises Refused, UserError and OSError."""
        match request:
            case requests.ReadTraffic():
                return self._list_traffic()
            case requests.WatchBoards():
                return self._watch_boards()
            case requests.ReadLog(since):
                return {"v": 1, "lines": logs.latest.list_since(_read_number(since))}
            case requests.ReadNews():
                news = await asyncio.to_thread(read_news, self._folder)
                return {"v": 1, "sections": [each._asdict() for each in news]}
            case requests.MarkNews():
                await self._mark_news()
            case requests.MakeReport():
                return await self._make_report(request)
            case requests.HealthCheck():
                return cast("Checks", await self._worker.carry_out(request, "doctor", _PATIENCE_S))
            case requests.Restart():
                await self._settings.start_anew()
        return Answer()

    def _list_traffic(self) -> dict[str, str]:
        return {name: each.encode_traffic().decode() for name, each in self._links.items()}

    def _watch_boards(self) -> Json:
        traffic, tables = self._list_traffic(), self._links.items()
        return {
            "v": 1,
            "tables": {name: {"traffic": traffic[name], "events": each.watch()} for name, each in tables},
        }

    async def _mark_news(self) -> None:
        trouble = await asyncio.to_thread(mark_seen, self._folder)
        if trouble is not None:
            raise Refused("unavailable", trouble)

    async def _make_report(self, request: requests.MakeReport) -> File:
        out, _ = await self._worker.write(request, "report", _PATIENCE_S, traffic=self._list_traffic())
        return File(f"oche-report-{datetime.now(UTC):%Y-%m-%d}.zip", "application/zip", out)


def _read_number(since: str) -> int:
    if not (since.isascii() and since.isdecimal()):
        raise Refused("invalid", "since must be the number of a line, such as 7")
    return int(since[:15])
