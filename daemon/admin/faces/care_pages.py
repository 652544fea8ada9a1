"""Care for the daemon on the web: a report of what is wrong, the doctor, a backup, a new start.

    GET  /api/care/traffic    {"main": "…"}: the latest bytes of each board, as `oche capture` records them
    GET  /api/care/watch      {"v": 1, "tables": {"main": {"traffic": "…", "events": […]}}}: and what became of them
    GET  /api/care/log?since=7  {"v": 1, "lines": [[8, "2026-11-26T…", "info", "…"]]}: the latest lines of the log
    GET  /api/care/news       {"v": 1, "sections": [{"title": "0.2.0", "text": "…"}]}: since the version that was seen
    POST /api/care/news       notes that they have been seen
    POST /api/care/report     a zip for a bug report, as `oche report` writes it
    POST /api/care/doctor     {"v": 1, "checks": [{"name": …, "verdict": "ok", "text": …, "remedy": …}]}
    POST /api/care/backup     a tar.gz with everything, as `oche backup` writes it: it has secrets
    POST /api/care/restore    see restore_pages.py
    POST /api/care/restart    starts the daemon anew, within its process

What takes work is a POST, since another site may have a browser GET what it likes by a link.

They are for clients with the role "setup"; the traffic also for programs of this machine (`oche report`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import msgspec

from daemon import files
from daemon.admin.faces.restore_pages import RestorePages
from daemon.admin.news import mark_seen, read_news
from daemon.admin.own_commands import close_beside, find_lack_of_room, make_temporary, run_command
from daemon.admin.settings.file import SettingsFile
from daemon.board.link import Listener
from daemon.errors import UserError
from daemon.http.messages import HttpRequest, HttpResponse, Route, respond_error, respond_json
from daemon.remedies import suggest_in_daemon
from daemon.service import logs
from protocol.sentence import get_reason, say

_PATIENCE_S = 300.0
_BACKUP_S = 3600.0
_PIECE_BYTES = 1 << 16


class CarePages:
    """What the part Care of the settings page asks for.

    The latest bytes of the boards are those of the `listeners`, by table.
    """

    def __init__(self, settings: SettingsFile, folder: Path, listeners: Mapping[str, Listener]) -> None:
        self._settings = settings
        self._folder = folder
        self._listeners = listeners
        self._busy = False
        self.routes = [
            Route("GET", "/api/care/traffic", self._tell_traffic),
            Route("GET", "/api/care/watch", self._watch),
            Route("GET", "/api/care/log", self._tell_log),
            Route("GET", "/api/care/news", self._tell_news),
            Route("POST", "/api/care/news", self._mark_news),
            Route("POST", "/api/care/report", self._report),
            Route("POST", "/api/care/doctor", self._examine),
            Route("POST", "/api/care/backup", self._back_up),
            Route("POST", "/api/care/restart", self._restart),
            *RestorePages(settings, folder, self._run_with, self._release).routes,
        ]

    async def _tell_traffic(self, request: HttpRequest) -> HttpResponse:
        return respond_json(self._list_traffic(), accepted=request.header("accept-encoding"))

    async def _watch(self, request: HttpRequest) -> HttpResponse:
        traffic = self._list_traffic()
        tables = {name: {"traffic": traffic[name], "events": each.watch()} for name, each in self._listeners.items()}
        return respond_json({"v": 1, "tables": tables}, accepted=request.header("accept-encoding"))

    async def _tell_log(self, request: HttpRequest) -> HttpResponse:
        since = request.query.get("since", "0")
        if not (since.isascii() and since.isdecimal()):
            return respond_error(400, "invalid", "since must be the number of a line, such as 7")
        found = {"v": 1, "lines": logs.latest.list_since(int(since[:15]))}
        return respond_json(found, accepted=request.header("accept-encoding"))

    async def _tell_news(self, request: HttpRequest) -> HttpResponse:
        news = await asyncio.to_thread(read_news, self._folder)
        found = {"v": 1, "sections": [each._asdict() for each in news]}
        return respond_json(found, accepted=request.header("accept-encoding"))

    async def _mark_news(self, request: HttpRequest) -> HttpResponse:
        trouble = await asyncio.to_thread(mark_seen, self._folder)
        return respond_json({"v": 1}) if trouble is None else respond_error(503, "unavailable", trouble)

    async def _report(self, request: HttpRequest) -> HttpResponse:
        given = msgspec.json.encode(self._list_traffic())
        return await self._download("report", ".zip", "report", "-", "--traffic", "-", given=given)

    async def _back_up(self, request: HttpRequest) -> HttpResponse:
        lack = await self._check_room()
        return lack or await self._download("backup", ".tar.gz", "backup", "-", patience_s=_BACKUP_S)

    async def _check_room(self) -> HttpResponse | None:
        """Returns the refusal of a backup that might fill the disk, which it is written to before it is sent."""
        try:
            lack = await asyncio.to_thread(find_lack_of_room, self._folder)
        except OSError as error:
            return _refuse_unmade(error)
        return None if lack is None else respond_error(503, "unavailable", lack)

    async def _examine(self, request: HttpRequest) -> HttpResponse:
        found = await self._run("doctor", "--json")
        if isinstance(found, HttpResponse):
            return found
        try:
            found.seek(0)
            checks = [msgspec.Raw(line) for line in found.read().splitlines()]
        finally:
            self._release(found)
        return respond_json({"v": 1, "checks": checks})

    async def _restart(self, request: HttpRequest) -> HttpResponse:
        try:
            await self._settings.start_anew()
        except UserError as error:
            return respond_error(409, "illegal", get_reason(error))
        return respond_json({"v": 1})

    def _list_traffic(self) -> dict[str, str]:
        return {name: each.encode_traffic().decode() for name, each in self._listeners.items()}

    async def _download(
        self, kind: str, ending: str, *command: str, given: bytes = b"", patience_s: float = _PATIENCE_S
    ) -> HttpResponse:
        """Answers with what a command writes, once it has ended well: as a file of this kind, named after today."""
        found = await self._run(*command, given=given, patience_s=patience_s)
        if isinstance(found, HttpResponse):
            return found
        response = HttpResponse(
            _FileStream(found, self._release), "application/zip" if ending == ".zip" else "application/gzip"
        )
        name = f"oche-{kind}-{datetime.now(UTC):%Y-%m-%d}{ending}"
        response.headers |= {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return response

    async def _run_with(self, given: IO[bytes], typed: tuple[str, ...]) -> IO[bytes] | HttpResponse:
        return await self._run(*typed, given=given, patience_s=_BACKUP_S)

    async def _run(
        self, command: str, *more: str, given: bytes | IO[bytes] = b"", patience_s: float = _PATIENCE_S
    ) -> IO[bytes] | HttpResponse:
        """Returns the output of a command, which is to be released, or a refusal.

        Only one of them runs at a time, and none while the output of another takes room on the disk.
        """
        if self._busy:
            said = say("care.busy", "another report, backup or examination is being made: try again when it is there")
            return respond_error(503, "busy", said, 10)
        self._busy, out = True, None
        try:
            out = await asyncio.to_thread(make_temporary, self._folder)  # /tmp may be in memory
            typed = (command, *more, *self._settings.option)
            await run_command(*typed, folder=self._folder, out=out, given=given, patience_s=patience_s)
        except BaseException as error:
            self._release(out)
            if isinstance(error, OSError):
                return _refuse_unmade(error)
            if isinstance(error, UserError):
                return respond_error(503, "unavailable", get_reason(error))
            raise
        return out

    def _release(self, out: IO[bytes] | None) -> None:
        """Closes the output of a command, which frees its room on the disk, and lets the next one run."""
        self._busy = False
        if out is not None:
            close_beside(out)


def _refuse_unmade(error: OSError) -> HttpResponse:
    why, remedy = files.say_reason(error), suggest_in_daemon(error)
    said = say("file.unmade", "it cannot be made: {why}{remedy}", why=why, remedy=remedy)
    return respond_error(503, "unavailable", said)


class _FileStream:
    """A BodyStream of a file from its beginning, which is given to `release` at its end."""

    def __init__(self, file: IO[bytes], release: Callable[[IO[bytes]], None]) -> None:
        self._file = file
        self._release = release
        file.seek(0)

    async def next(self) -> bytes | None:
        """Returns the next piece; None at the end."""
        return await asyncio.to_thread(self._file.read, _PIECE_BYTES) or None

    def end(self) -> None:
        """The client has gone: the file is released by `close`."""

    def close(self) -> None:
        """Releases the file."""
        self._release(self._file)
