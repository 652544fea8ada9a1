"""Backups that are asked for while the daemon runs: `oche backup` and `oche restore` make and check them beside it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import msgspec

from daemon.admin import requests
from daemon.admin.own_commands import BACKUPS, choose_place, find_lack_of_room, keep_output, read_command
from daemon.admin.requests import File, Json, Refused
from daemon.admin.settings.file import SettingsFile
from daemon.admin.settings.staged_backup import StagedBackup
from daemon.errors import UserError
from protocol.sentence import write_sentence

_PATIENCE_S = 3600.0


class Backups:
    """What is asked for; `folder` is that of the state, in which those that are kept get a folder of their own."""

    def __init__(self, settings: SettingsFile, folder: Path) -> None:
        self._settings = settings
        self._folder = folder

    async def ask(self, request: requests.BackupRequest) -> File | Json:
        """Returns the answer. Raises Refused, UserError and OSError."""
        option, folder = self._settings.option, self._folder
        match request:
            case requests.MakeBackup():
                await self._check_room()
                out = await keep_output("backup", "-", *option, folder=folder, patience_s=_PATIENCE_S)
                return File(f"oche-backup-{datetime.now(UTC):%Y-%m-%d}.tar.gz", "application/gzip", out)
            case requests.KeepBackup():
                await self._check_room()
                file = await asyncio.to_thread(choose_place, folder / BACKUPS, "oche-backup", ".tar.gz")
                await read_command("backup", str(file), *option, folder=folder, patience_s=_PATIENCE_S)
                return {"file": str(file), "bytes": file.stat().st_size}
            case requests.StageBackup(given):
                return await self._stage(given)

    async def _check_room(self) -> None:
        """Raises Refused for a backup that might fill the disk, which it is written to before it is sent."""
        lack = await asyncio.to_thread(find_lack_of_room, self._folder)
        if lack is not None:
            raise Refused("unavailable", lack)

    async def _stage(self, given: IO[bytes]) -> Json:
        try:
            await self._settings.forget_staged()  # one that was not put back
        except UserError as error:
            raise Refused("busy", error.said, 10) from None
        staged = StagedBackup.choose_folder(self._folder)
        given.seek(0)
        typed = ("restore", "-", "--stage", str(staged.folder), *self._settings.option)
        found = await read_command(*typed, folder=self._folder, given=given, patience_s=_PATIENCE_S)
        summary: Json = msgspec.json.decode(found)
        if (refused := summary.get("refused")) is not None:
            raise Refused("unavailable", refused)
        summary |= {"v": 1, "restore": staged.folder.name, "aside": str(staged.aside)}
        trouble = await self._settings.check_staged(staged)
        return summary | {"config_trouble": None if trouble is None else write_sentence(trouble)}
