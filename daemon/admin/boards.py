"""Boards: found, tried out before a table plays with them, recorded while it does, and told from each other.

A table whose board is tried out gets it back at the end.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

from daemon.admin import requests
from daemon.admin.answers import ENDING, Json, Refused
from daemon.admin.learning.board_tryout import BoardTryout
from daemon.admin.process import WorkerProcess
from daemon.admin.scan import SECONDS
from daemon.admin.temporary import choose_place
from daemon.board.capture import BoardCapture
from daemon.board.link import BoardLink, is_same_board, lend_board
from daemon.config.schemes import SCHEMES
from daemon.errors import UserError, to_user_error
from daemon.files import explain_errors
from daemon.plugins.profiles import choose_profile, find_codebook
from daemon.remedies import suggest_in_daemon
from daemon.service.supervisor import run_to_end
from drivers.capture import CaptureError
from drivers.proxies import get_proxies
from drivers.schemes import parse
from protocol.events import Flash
from protocol.sentence import get_reason, say, write_said
from protocol.spelling import suggest_nearest

log = logging.getLogger("oche")

_PATIENCE_S = 60.0
_LENT = say("link.tried", "its board is being tried out on the settings page: it returns when that ends")
_BLINKS = 6
_BLINK_S = 0.5


class Boards:
    """What is asked of boards.

    `folder` is that of the state; `links` have the boards of the tables, by table; `list_own_profiles` returns the
    profiles that are looked for beside the shipped ones, by their files.
    """

    def __init__(
        self,
        folder: Path,
        links: Mapping[str, BoardLink],
        worker: WorkerProcess,
        list_own_profiles: Callable[[], list[str]],
    ) -> None:
        self._folder = folder
        self._links = links
        self._worker = worker
        self._list_own_profiles = list_own_profiles
        self._scan: asyncio.Task[Json] | None = None
        self._scan_askers = 0
        """How many clients wait for what it finds."""
        self._tryout: BoardTryout | None = None
        self._task: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._runs = 0
        self._captures: dict[str, BoardCapture] = {}
        self._capturing = asyncio.Lock()
        self._is_ending = False

    async def ask(self, request: requests.BoardRequest) -> Json:
        """Returns the answer. Raises Refused and UserError."""
        match request:
            case requests.FindBoards():
                return await self._find()
            case requests.TryBoard():
                await self._try(request)
            case requests.ReadTryout(since):
                if self._tryout is not None:
                    await self._tryout.wait_for_more(since, self._runs)
            case requests.StopTryout():
                await self._end_tryout()
            case requests.Capture():
                async with self._capturing:
                    self._check_not_ending()
                    return await self._capture(request)
            case requests.Identify(table):
                await self._identify(self._find_link(table))
                return {}
        return self._describe_tryout()

    async def close(self) -> None:
        """Ends what goes on, and gives the board back. Nothing begins from now on."""
        self._is_ending = True
        async with self._starting:
            for task in (self._task, self._scan):
                if task is not None:
                    task.cancel()
                    await asyncio.wait({task})
        async with self._capturing:
            for capture in self._captures.values():
                capture.stop()
                with suppress(OSError):
                    await capture.measure()

    async def _find(self) -> Json:
        if self._scan is None or self._scan.done() or self._scan.cancelling():
            self._scan, self._scan_askers = asyncio.create_task(self._look_around(), name="looking for boards"), 0
        scan = self._scan  # a client that asks meanwhile gets the same answer
        self._scan_askers += 1
        try:
            with explain_errors("boards cannot be looked for", suggest_in_daemon):
                found = await asyncio.shield(scan)
        finally:
            if scan is self._scan:
                self._scan_askers -= 1
                if not self._scan_askers:
                    scan.cancel()  # nobody waits any more; of one that is done it does nothing
        for each in found["found"]:
            board = parse(each["address"], SCHEMES)
            same = (name for name, own in self._links.items() if is_same_board(board, own.session.address))
            each["table"] = next(same, None)
        return {"v": 1, **found}

    async def _look_around(self) -> Json:
        """Looks around in a process of its own, for the libraries need much memory. Raises UserError and OSError.

        Where there are proxies, Bluetooth is listened to here: a proxy serves one program at a time.
        """
        profiles, heard = tuple(dict.fromkeys(self._list_own_profiles())), None
        if get_proxies():
            from drivers.scan import listen  # noqa: PLC0415  only with proxies, as above

            heard = await listen(SECONDS)
        wanted = requests.FindBoards()
        found = await self._worker.carry_out(wanted, "scan", _PATIENCE_S, profiles=profiles, heard=heard)
        return cast("Json", found)

    async def _try(self, wanted: requests.TryBoard) -> None:
        try:
            address = parse(wanted.board, SCHEMES)
            name = choose_profile(wanted.profile, address)
            codebook = await asyncio.to_thread(find_codebook, name)
            token = wanted.token.strip()
            tryout = BoardTryout(wanted.board, codebook, self._find_token(str(address), name), token)
        except (UserError, ValueError) as error:
            raise Refused("invalid", get_reason(error)) from None
        async with self._starting:
            await self._end_tryout()
            self._check_not_ending()
            self._tryout = tryout
            self._runs += 1
            self._task = asyncio.create_task(self._run(tryout), name="trying a board out")

    def _find_token(self, address: str, profile: str) -> str | None:
        """Returns the file with the token of this board, if a table plays on it; no other board may get a token."""
        configs = [link.table.config for link in self._links.values()]
        same = (each.board_token_file for each in configs if (each.board.strip(), each.profile) == (address, profile))
        return next(same, None)

    async def _run(self, tryout: BoardTryout) -> None:
        try:
            async with lend_board(self._links, parse(tryout.address, SCHEMES), _LENT):
                ended = await run_to_end(tryout.run(), "the board that is tried out")
                if not ended.cancelled() and (error := ended.exception()) is not None:
                    log.error("trying a board out stopped unexpectedly", exc_info=error)
        finally:
            self._tryout = None
            tryout.note_change()  # a page that waits is answered

    async def _end_tryout(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def _check_not_ending(self) -> None:
        if self._is_ending:
            raise Refused("unavailable", ENDING)

    def _describe_tryout(self) -> Json:
        tryout = self._tryout
        if tryout is None:
            return {"v": 1, "run": self._runs, "version": 0, "state": "idle"}
        layout = {"layout": tryout.layout.name, "dartboard": tryout.layout.dartboard}
        shown = {"board": tryout.address, **layout, "heard": tryout.heard}
        shown |= write_said("trouble", tryout.trouble)
        return {"v": 1, "run": self._runs, "version": tryout.version, "state": "listening", **shown}

    async def _capture(self, wanted: requests.Capture) -> Json:
        link, capture = self._find_link(wanted.table), self._captures.get(wanted.table)
        if wanted.capture == "stop":
            if capture is None:
                raise Refused("illegal", f"no recording is in progress at the table {wanted.table}: send start first")
            capture.stop()
        elif capture is not None and not capture.is_over:
            raise Refused("illegal", f"a recording is already in progress, into {capture.file}: send stop first")
        else:
            with explain_errors("the recording cannot be made", suggest_in_daemon), to_user_error(CaptureError):
                file = await asyncio.to_thread(choose_place, self._folder / "captures", wanted.table, ".jsonl")
                capture = self._captures[wanted.table] = await link.begin_capture(file, wanted.seconds)
        with explain_errors(f"cannot read {capture.file}", suggest_in_daemon), to_user_error(CaptureError):
            return {"file": str(capture.file), "bytes": await capture.measure()}

    async def _identify(self, link: BoardLink) -> None:
        table = link.table
        table.notify(say("identify.table", "this is the table {name}", name=table.title))
        if table.config.lamps:
            lamps = [lamp for lamp in table.codebook.layout.segments if lamp is not table.codebook.layout.miss]
            for lamp in lamps[:: max(1, len(lamps) // _BLINKS)][:_BLINKS]:
                if not await link.send(Flash(lamp)):
                    break
                await asyncio.sleep(_BLINK_S)

    def _find_link(self, table: str) -> BoardLink:
        if table not in self._links:
            known = suggest_nearest(table, [*self._links])
            raise Refused("unknown", f"there is no table {table!r}{known}")
        return self._links[table]
