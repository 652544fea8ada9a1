"""Finding a board on the web, and trying it out before a table plays with it.

    POST /api/boards/scan            what `oche scan` finds; `table` is the one that plays on it
    POST /api/boards/try             {"board": "serial:/dev/ttyUSB0", "profile": "opendarts"}: listens to it;
                                     without `profile` by that of a table that names none
    GET  /api/boards/try?since=1.3   what it has said; with `since`, once it is of another version, or after ten seconds
    POST /api/boards/stop            ends that

They are for clients with the role "setup". A table whose board is tried out gets it back at the end.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from daemon.admin.learning.board_trial import BoardTrial
from daemon.admin.own_commands import read_command
from daemon.board.link import Listener, is_same_board, lend_board
from daemon.config.schemes import SCHEMES
from daemon.errors import UserError
from daemon.http.messages import HttpRequest, HttpResponse, Route, read_body, respond_error, respond_json
from daemon.plugins.profiles import choose_profile, find_codebook
from daemon.service.supervisor import run_to_end
from drivers.schemes import parse
from protocol.sentence import get_reason, say, write_said

log = logging.getLogger("oche")

_PATIENCE_S = 60.0
_LENT = say("link.tried", "its board is being tried out on the settings page: it is back when that has ended")


class _Wanted(Struct, frozen=True, forbid_unknown_fields=True):
    board: str
    profile: str = ""


class BoardPages:
    """What the settings page asks for to find a board.

    `folder` is that of the state; `listeners` have the boards of the tables, by table; `list_own_profiles` returns the
    profiles that are looked for beside the shipped ones, by their files.
    """

    def __init__(
        self, folder: Path, listeners: Mapping[str, Listener], list_own_profiles: Callable[[], list[str]]
    ) -> None:
        self._folder = folder
        self._listeners = listeners
        self._list_own_profiles = list_own_profiles
        self._scan: asyncio.Task[dict[str, Any]] | None = None  # Any: JSON
        self._trial: BoardTrial | None = None
        self._task: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._runs = 0
        self.routes = [
            Route("POST", "/api/boards/scan", self._find),
            Route("POST", "/api/boards/try", self._try),
            Route("GET", "/api/boards/try", self._tell),
            Route("POST", "/api/boards/stop", self._stop),
        ]

    async def close(self) -> None:
        """Ends what goes on, and gives the board back."""
        for task in (self._task, self._scan):
            if task is not None:
                task.cancel()
                await asyncio.wait({task})

    async def _find(self, request: HttpRequest) -> HttpResponse:
        if self._scan is None or self._scan.done():  # a client that asks meanwhile gets the same answer
            self._scan = asyncio.create_task(self._look_around(), name="looking for boards")
        try:
            found = await asyncio.shield(self._scan)
        except (UserError, OSError) as error:
            return respond_error(503, "unavailable", get_reason(error))
        for each in found["found"]:
            each["table"] = self._find_table(each["address"])
        return respond_json({"v": 1, **found})

    async def _look_around(self) -> dict[str, Any]:  # Any: JSON
        """Runs `oche scan`: in a process of its own, whose libraries need much memory. Raises UserError and OSError."""
        own = [f"--profile={file}" for file in dict.fromkeys(self._list_own_profiles())]
        found = await read_command("scan", "--json", *own, folder=self._folder, patience_s=_PATIENCE_S)
        return dict(msgspec.json.decode(found))

    def _find_table(self, address: str) -> str | None:
        board = parse(address, SCHEMES)
        same = (name for name, each in self._listeners.items() if is_same_board(board, each.session.address))
        return next(same, None)

    async def _try(self, request: HttpRequest) -> HttpResponse:
        try:
            wanted = read_body(request.body, _Wanted)
            name = choose_profile(wanted.profile, parse(wanted.board, SCHEMES))
            codebook = await asyncio.to_thread(find_codebook, name)
            trial = BoardTrial(wanted.board, codebook)
        except (UserError, ValueError) as error:
            return respond_error(400, "invalid", get_reason(error))
        async with self._starting:
            await self._end_trial()
            self._trial = trial
            self._runs += 1
            self._task = asyncio.create_task(self._run(trial), name="trying a board out")
        return self._describe()

    async def _run(self, trial: BoardTrial) -> None:
        try:
            async with lend_board(self._listeners, parse(trial.address, SCHEMES), _LENT):
                ended = await run_to_end(trial.run(), "the board that is tried out")
                if not ended.cancelled() and (error := ended.exception()) is not None:
                    log.error("trying a board out stopped unexpectedly", exc_info=error)
        finally:
            self._trial = None
            trial.note_change()  # a page that waits is answered

    async def _tell(self, request: HttpRequest) -> HttpResponse:
        if self._trial is not None:
            await self._trial.wait_for_more(request.query.get("since", ""), self._runs)
        return self._describe()

    async def _stop(self, request: HttpRequest) -> HttpResponse:
        await self._end_trial()
        return self._describe()

    async def _end_trial(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def _describe(self) -> HttpResponse:
        trial = self._trial
        if trial is None:
            return respond_json({"v": 1, "run": self._runs, "version": 0, "state": "idle"})
        layout = {"layout": trial.layout.name, "dartboard": trial.layout.dartboard}
        shown = {"board": trial.address, **layout, "heard": trial.heard}
        shown |= write_said("trouble", trial.trouble)
        return respond_json({"v": 1, "run": self._runs, "version": trial.version, "state": "listening", **shown})
