"""Backups that are asked for while the daemon runs: made, and checked before they are put back."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from daemon.admin import requests
from daemon.admin.answers import File, Json, Refused
from daemon.admin.process import WorkerProcess
from daemon.admin.settings.settings_file import SettingsFile
from daemon.admin.settings.staged_backup import StagedBackup
from daemon.errors import UserError
from protocol.sentence import write_sentence

_PATIENCE_S = 3600.0
_STAGED_S = 2 * _PATIENCE_S
"""A backup that came is removed after so long: its client may have gone, and it takes as much room as the matches."""


class Backups:
    """What is asked for; `folder` is that of the state."""

    def __init__(self, settings: SettingsFile, folder: Path, worker: WorkerProcess) -> None:
        self._settings = settings
        self._folder = folder
        self._worker = worker
        self._forgetting: asyncio.Task[None] | None = None
        """Removes what was staged last, in a while."""

    async def ask(self, request: requests.BackupRequest) -> File | Json:
        """Returns the answer. Raises Refused, UserError and OSError."""
        match request:
            case requests.MakeBackup():
                out, told = await self._worker.write(request, "backup", _PATIENCE_S)
                name = f"oche-backup-{datetime.now(UTC):%Y-%m-%d}.tar.gz"
                return File(name, "application/gzip", out, remarks=told["remarks"])
            case requests.KeepBackup():
                return cast("Json", await self._worker.carry_out(request, "backup", _PATIENCE_S))
            case requests.StageBackup():
                return await self._stage(request)

    async def close(self) -> None:
        """Leaves what is staged where it is, as the next start may want it."""
        if self._forgetting is not None:
            self._forgetting.cancel()

    async def _stage(self, request: requests.StageBackup) -> Json:
        if self._forgetting is not None:
            self._forgetting.cancel()
        self._forgetting = asyncio.create_task(self._forget_later())  # before it is there: the client may go any time
        try:
            await self._settings.forget_staged()  # one that was not put back
        except UserError as error:
            raise Refused("busy", error.said, 10) from None
        summary: Json = await self._worker.carry_out(request, "restore", _PATIENCE_S)
        trouble = await self._settings.check_staged(StagedBackup(self._folder / summary["restore"]))
        return summary | {"config_trouble": None if trouble is None else write_sentence(trouble)}

    async def _forget_later(self) -> None:
        await asyncio.sleep(_STAGED_S)
        with suppress(UserError):  # oche is restarting, perhaps with it
            await self._settings.forget_staged()
