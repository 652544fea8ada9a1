"""Carries out what the machine is asked for, whoever asks: what does so is loaded when it is first asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from daemon.admin import requests
from daemon.admin.requests import ASKED, File, Refused, Request
from daemon.admin.temporary import close_beside
from daemon.part import Part
from daemon.plugins.profiles import is_file_name
from daemon.rules import Guard
from protocol.sentence import say

if TYPE_CHECKING:
    from daemon.admin.players.doubles import FavouriteDoubles
    from daemon.admin.process import WorkerProcess
    from daemon.admin.settings.file import SettingsFile
    from daemon.board.link import BoardLink
    from daemon.web.auth import Auth


_ABOUT_FILE = requests.SettingsRequest | requests.CareRequest | requests.BackupRequest
"""What a daemon has only where it runs with a file of settings."""


class Admin(Part):
    """The one place that carries out requests.

    `links` have the boards of the tables, by table. `settings` is the file that the daemon runs with; None: it has
    none. `home_assistant` returns, as JSON, what Home Assistant is told of.
    """

    def __init__(
        self,
        auth: Auth,
        folder: Path,
        links: Mapping[str, BoardLink],
        worker: WorkerProcess,
        doubles: FavouriteDoubles,
        settings: SettingsFile | None,
        guard: Guard,
        home_assistant: Callable[[], object],
    ) -> None:
        self._settings = settings
        tables = {name: link.table for name, link in links.items()}
        self._carriers: Mapping[Any, tuple[str, tuple[Any, ...]]] = {
            requests.FiguresRequest: ("history.statistics.Statistics", (worker,)),
            requests.PlayerRequest: ("history.people.People", (folder, tables, worker, doubles)),
            requests.SettingsRequest: (
                "settings.settings.Settings",
                (settings, auth, folder, guard, worker, home_assistant),
            ),
            requests.CareRequest: ("care.Care", (settings, folder, links, worker)),
            requests.BackupRequest: ("backup.backups.Backups", (settings, folder, worker)),
            requests.BoardRequest: ("boards.Boards", (folder, links, worker, self._list_own_profiles)),
            requests.LearnRequest: ("learning.learning.Learning", (folder, links)),
        }
        """Who carries out the requests of a union: a class, by its name below daemon.admin, and what it is made of."""
        self._loaded: dict[str, Any] = {}
        self.is_busy = False
        """Whether what is carried out alone is being carried out, or its answer sent."""

    async def check(self, kind: type[Request]) -> None:
        """Waits until the daemon runs with its settings. Raises Refused for a request about them where it has none."""
        if self._settings is not None:
            await self._settings.started.wait()
        elif issubclass(kind, _ABOUT_FILE) and kind is not requests.ReadHomeAssistant:
            said = say("settings.none", "this daemon has no configuration that could be changed: start oche run")
            raise Refused("unknown", said)

    async def ask(self, request: Request) -> Any:  # Any: the answer, by the request
        """Returns the answer. Raises Refused, SourceError, UserError and OSError."""
        await self.check(type(request))
        carrier = await self._load(type(request))
        if not ASKED[type(request)].alone:
            return await carrier.ask(request)
        if self.is_busy:
            said = say("care.busy", "another report, backup or examination is being made: try again when it is there")
            raise Refused("busy", said, 10)
        self.is_busy = True
        try:
            answer = await carrier.ask(request)
        except BaseException:
            self.is_busy = False
            raise
        self.is_busy = isinstance(answer, File)  # until it is released
        return answer

    def release(self, content: IO[bytes]) -> None:
        """Closes the content of a File, which frees its room on the disk, and lets the next one be made."""
        self.is_busy = False
        close_beside(content)

    def lacks_board(self) -> bool:
        """Whether no table has been given a board yet, and the settings can give it one."""
        return self._settings is not None and self._settings.started.is_set() and self._settings.lacks_board

    async def close(self) -> None:
        """Ends what goes on, and gives boards back to their tables."""
        async with AsyncExitStack() as stack:  # each is closed, whatever becomes of the others
            while self._loaded:  # what is asked meanwhile may load more
                _, carrier = self._loaded.popitem()
                if hasattr(carrier, "close"):
                    stack.push_async_callback(carrier.close)

    async def _load(self, kind: type[Request]) -> Any:  # Any: one of the carriers
        """Returns who carries it out. Its module is loaded beside the event loop: that takes a small machine long."""
        place, of = next(carrier for union, carrier in self._carriers.items() if issubclass(kind, union))
        if place not in self._loaded:
            module, _, name = f"daemon.admin.{place}".rpartition(".")
            found = await asyncio.to_thread(import_module, module)
            if place not in self._loaded:  # as it is where two have asked at once
                self._loaded[place] = getattr(found, name)(*of)
        return self._loaded[place]

    def _list_own_profiles(self) -> list[str]:
        if self._settings is None or not self._settings.started.is_set():
            return []
        names = [table.profile for table in self._settings.running.table]
        return [str(self._settings.file.parent / name) for name in names if is_file_name(name)]
