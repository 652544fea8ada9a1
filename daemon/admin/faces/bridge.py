"""Carries out what the bridge itself is asked over MQTT: the same as the settings and Care of the page.

This module is loaded only where the configuration has the bridge take requests. No secret is in an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from daemon.admin.own_commands import BACKUPS, find_lack_of_room, read_command
from daemon.admin.settings.file import SettingsFile
from daemon.admin.settings.toml_edit import Change
from daemon.admin.settings.write import SettingsChanged
from daemon.board.capture import BoardCapture
from daemon.board.link import Listener
from daemon.config.sections import Config
from daemon.errors import UserError
from daemon.files import explain_errors
from daemon.http.addresses import is_loopback
from daemon.part import Part
from daemon.remedies import suggest_in_daemon
from drivers.capture import CaptureError
from protocol.bridge_requests import Backup, BridgeRequest, Capture, HealthCheck, Identify, Options, Restart
from protocol.commands import CommandError
from protocol.events import Flash
from protocol.sentence import say
from protocol.source import SourceError
from protocol.spelling import suggest_nearest

T = TypeVar("T")
Data = dict[str, Any]  # Any: JSON

_DOCTOR_S = 300.0
_BACKUP_S = 3600.0
_BLINKS = 6
_BLINK_S = 0.5


class BridgeRequests(Part):
    """Carries out requests; `folder` is that of the journals, in which backups and captures get folders of their own.

    To be closed when the daemon stops.
    """

    def __init__(self, settings: SettingsFile, listeners: Mapping[str, Listener], folder: Path) -> None:
        self._settings = settings
        self._listeners = listeners
        self._folder = folder
        self._captures: dict[str, BoardCapture] = {}
        self._command = asyncio.Lock()
        self._capturing = asyncio.Lock()

    async def obey(self, request: BridgeRequest) -> Data:
        """Returns the data of the answer. Raises CommandError."""
        await self._settings.started.wait()
        try:
            return await self._carry_out(request)
        except SettingsChanged:
            raise CommandError("the configuration is of another version by now: look again", "stale") from None
        except SourceError as error:
            where = ".".join(map(str, error.path))
            raise CommandError(f"{where}: {error.reason}" if where else str(error.reason)) from None
        except (UserError, CaptureError) as error:
            raise CommandError(str(error), "unavailable") from None

    async def _carry_out(self, request: BridgeRequest) -> Data:
        match request:
            case Restart():
                await self._settings.start_anew()
                return {}
            case Options():
                return await self._change(request)
            case Backup():
                return await self._run_alone(self._back_up)
            case HealthCheck():
                return await self._run_alone(self._examine)
            case Capture():
                return await self._run_capture(request)
            case Identify():
                return await self._identify(request.table)

    async def _change(self, request: Options) -> Data:
        """Changes the configuration. Without changes it is left as it is, and does not start anew."""
        _, version = await asyncio.to_thread(self._settings.read)
        if isinstance(request.version, str) and request.version != version:
            raise SettingsChanged
        if request.changes:
            changes = [Change(change.path, change.value) for change in request.changes]
            await self._settings.save(version, changes, prepare=self._check_opening)
            _, version = await asyncio.to_thread(self._settings.read)
        return {"version": version}

    def _check_opening(self, config: Config) -> None:
        """Raises UserError where the page would become reachable for others: its tokens are shown on the page alone."""
        if is_loopback(self._settings.running.web.host) and not is_loopback(config.web.host):
            raise UserError("open the page to others in its own settings, which show the tokens: web.host is as it was")

    async def _run_alone(self, work: Callable[[], Coroutine[None, None, Data]]) -> Data:
        if self._command.locked():
            raise CommandError("another backup or examination is being made: try again when it is answered", "busy")
        async with self._command:
            return await work()

    async def _back_up(self) -> Data:
        with explain_errors("the backup cannot be made", suggest_in_daemon):
            lack = await asyncio.to_thread(find_lack_of_room, self._folder)
            if lack is not None:
                raise CommandError(lack, "unavailable")
            file = await asyncio.to_thread(_make_place, self._folder / BACKUPS, "oche-backup", ".tar.gz")
            command = ("backup", str(file), *self._settings.option)
            await read_command(*command, folder=self._folder, patience_s=_BACKUP_S)
            return {"file": str(file), "bytes": file.stat().st_size}

    async def _examine(self) -> Data:
        with explain_errors("the doctor cannot be asked", suggest_in_daemon):
            command = ("doctor", "--json", *self._settings.option)
            found = await read_command(*command, folder=self._folder, patience_s=_DOCTOR_S)
        checks = [msgspec.json.decode(line) for line in found.splitlines()]
        return {"healthy": all(check["verdict"] != "problem" for check in checks), "checks": checks}

    async def _run_capture(self, request: Capture) -> Data:
        async with self._capturing:
            return await self._capture(request)

    async def _capture(self, request: Capture) -> Data:
        listener, capture = self._find(request.table), self._captures.get(request.table)
        if request.capture == "stop":
            if capture is None:
                raise CommandError(f"nothing is recorded of the table {request.table}: send start first", "illegal")
            capture.stop()
        elif capture is not None and not capture.is_over:
            raise CommandError(f"{capture.file} is being recorded: send stop first", "illegal")
        else:
            with explain_errors("the recording cannot be made", suggest_in_daemon):
                file = await asyncio.to_thread(_make_place, self._folder / "captures", request.table, ".jsonl")
                capture = self._captures[request.table] = await listener.record(file, request.seconds)
        with explain_errors(f"cannot read {capture.file}", suggest_in_daemon):
            return {"file": str(capture.file), "bytes": await capture.measure()}

    async def _identify(self, name: str) -> Data:
        listener = self._find(name)
        table = listener.table
        table.notify(say("identify.table", "this is the table {name}", name=table.config.title or name))
        if table.config.lamps:
            lamps = [lamp for lamp in table.codebook.layout.segments if lamp is not table.codebook.layout.miss]
            for lamp in lamps[:: max(1, len(lamps) // _BLINKS)][:_BLINKS]:
                if not await listener.send(Flash(lamp)):
                    break
                await asyncio.sleep(_BLINK_S)
        return {}

    def _find(self, table: str) -> Listener:
        if table not in self._listeners:
            known = suggest_nearest(table, [*self._listeners])
            raise CommandError(f"there is no table {table!r}{known}", "unknown")
        return self._listeners[table]

    async def close(self) -> None:
        """Ends what is recorded."""
        for capture in self._captures.values():
            capture.stop()
            with suppress(OSError):
                await capture.measure()


def _make_place(folder: Path, name: str, ending: str) -> Path:
    """Returns where a new file of this name can be, in a folder that only this user reads. Raises OSError."""
    folder.mkdir(mode=0o700, exist_ok=True)
    stem = f"{name}-{datetime.now(UTC):%Y-%m-%d-%H%M%S}"
    numbers = (f"-{number}" for number in range(2, 1000))
    return next(place for more in ("", *numbers) if not (place := folder / f"{stem}{more}{ending}").exists())
