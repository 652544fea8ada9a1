"""Learning an unknown board on the web: one at a time, by presses that the page asks for.

    GET  /api/learn?since=3          what is so; with `since`, once it is of another version, or after ten seconds
    POST /api/learn/start            {"board": "serial:/dev/ttyUSB0", "name": "garage"}: begins anew
    POST /api/learn/resume           goes on with the presses that are kept
    POST /api/learn/undo             takes the last press back
    POST /api/learn/skip             the board has no such bed
    POST /api/learn/save             writes the profile into the state folder, and ends
    POST /api/learn/stop             ends; the presses are kept
    GET  /api/learn/profile/garage   the profile that was written, a file

They are for clients with the role "setup". A table whose board it is gets it back at the end.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from daemon import files
from daemon.admin.learning.blank_profile import Described, make_id
from daemon.admin.learning.board_learning import BoardLearning
from daemon.admin.learning.press_file import PressFile, UnusablePresses, resume
from daemon.board.link import Listener, lend_board
from daemon.config.schemes import SCHEMES
from daemon.errors import UserError
from daemon.http.messages import HttpRequest, HttpResponse, Route, read_body, respond_error, respond_json
from daemon.service.supervisor import run_to_end
from drivers.schemes import parse
from protocol.learning.survey import Answer
from protocol.sentence import Sentence, get_reason, say, write_said

log = logging.getLogger("oche")

_LENT = say("link.learned", "its board is being learned on the settings page: it is back when that has ended")


class LearnPages:
    """What the part "learn a board" of the settings page asks for."""

    def __init__(self, folder: Path, listeners: Mapping[str, Listener]) -> None:
        self._folder = folder.absolute()
        self._listeners = listeners
        self._learning: BoardLearning | None = None
        self._task: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._trouble: str | Sentence = ""
        """Why the last one has ended; "" where it was told to."""
        self._saved: dict[str, Any] | None = None  # Any: JSON
        """What the last one has written."""
        self._runs = 0
        self.routes = [
            Route("GET", "/api/learn", self._get),
            Route("GET", "/api/learn/profile/{name}", self._download),
            Route("POST", "/api/learn/start", self._start),
            Route("POST", "/api/learn/resume", self._resume),
            Route("POST", "/api/learn/undo", self._undo),
            Route("POST", "/api/learn/skip", self._skip),
            Route("POST", "/api/learn/save", self._save),
            Route("POST", "/api/learn/stop", self._stop),
        ]

    async def close(self) -> None:
        """Ends what goes on, and gives the board back."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _get(self, request: HttpRequest) -> HttpResponse:
        if self._learning is not None:
            await self._learning.wait_for_more(request.query.get("since", ""), self._runs)
        return await self._tell()

    async def _start(self, request: HttpRequest) -> HttpResponse:
        try:
            described = read_body(request.body, Described)
            if await asyncio.to_thread(self._find_output(described.name).exists):
                said = say(
                    "learn.name_taken",
                    "there is a profile called {given} already: give this one another name",
                    given=described.name,
                )
                return respond_error(409, "illegal", said)
            return await self._begin(described, keeps_presses=False)
        except ValueError as error:
            return respond_error(400, "invalid", get_reason(error))

    async def _resume(self, request: HttpRequest) -> HttpResponse:
        try:
            presses = self._open_presses()
            await asyncio.to_thread(_read_presses, presses)
        except UserError as error:
            return respond_error(503, "unavailable", get_reason(error))
        if presses.described is None:
            said = say("learn.nothing_kept", "there are no presses to go on with: begin anew")
            return respond_error(409, "illegal", said)
        return await self._begin(presses.described, keeps_presses=True)

    async def _begin(self, described: Described, *, keeps_presses: bool) -> HttpResponse:
        async with self._starting:
            if self._learning is not None:
                said = say("learn.busy", "a board is being learned already: end that first, or go on with it")
                return respond_error(409, "busy", said)
            try:
                presses = self._open_presses(described)
                learning = await asyncio.to_thread(_make_learning, described, presses, keeps_presses=keeps_presses)
            except UserError as error:
                return respond_error(400, "invalid", get_reason(error))
            self._learning, self._trouble, self._saved = learning, "", None
            self._runs += 1
            self._task = asyncio.create_task(self._run(learning), name="learning a board")
        return await self._tell()

    async def _run(self, learning: BoardLearning) -> None:
        """Listens with the board, which is lent by its table meanwhile."""
        try:
            async with lend_board(self._listeners, parse(learning.described.board, SCHEMES), _LENT):
                ended = await run_to_end(learning.run(), "the board that is learned")
                error = None if ended.cancelled() else ended.exception()
                if isinstance(error, UserError):
                    self._trouble = error.said
                elif error is not None:
                    log.error("learning a board stopped unexpectedly", exc_info=error)
                    self._trouble = say(
                        "learn.failed",
                        "oche could not go on with that press: go on, or begin anew; its log says more",
                    )
        finally:
            self._learning = None
            learning.note_change()  # a page that waits is answered

    async def _undo(self, request: HttpRequest) -> HttpResponse:
        return await self._act(BoardLearning.undo)

    async def _skip(self, request: HttpRequest) -> HttpResponse:
        return await self._act(BoardLearning.skip)

    async def _save(self, request: HttpRequest) -> HttpResponse:
        learning = self._learning
        if learning is None:
            return _refuse_idle()
        name = make_id(learning.described.name)
        output = self._find_output(name)
        try:
            await asyncio.shield(learning.save(output))
        except UserError as error:
            return respond_error(409, "illegal", get_reason(error))
        self._saved = {"profile": str(output), "name": name, "board": learning.described.board}
        return await self._stop(request)

    async def _stop(self, request: HttpRequest) -> HttpResponse:
        await self.close()
        return await self._tell()

    async def _download(self, request: HttpRequest) -> HttpResponse:
        name = make_id(request.params["name"])
        try:
            content = await asyncio.to_thread(files.read_bytes, self._find_output(name))
        except OSError:
            said = say("learn.no_such_profile", "there is no profile called {given}", given=name)
            return respond_error(404, "unknown", said)
        response = HttpResponse(content, "application/toml")
        response.headers |= {"Content-Disposition": f'attachment; filename="{name}.toml"', "Cache-Control": "no-store"}
        return response

    async def _act(self, act: Callable[[BoardLearning], Awaitable[None]]) -> HttpResponse:
        learning = self._learning
        if learning is None:
            return _refuse_idle()
        learning.note_page()
        try:
            await asyncio.shield(asyncio.ensure_future(act(learning)))
        except UserError as error:
            return respond_error(503, "unavailable", get_reason(error))
        return await self._tell()

    async def _tell(self) -> HttpResponse:
        """Answers with what is so.

        In the state "idle" with what the last one has written, the presses kept, and a name that no profile has yet.
        """
        told: dict[str, Any] = {"v": 1, "run": self._runs}  # Any: JSON
        if self._learning is not None:
            return respond_json({**told, "version": self._learning.version, **self._learning.shown})
        try:
            name, kept = await asyncio.to_thread(self._read_kept)
        except UserError as error:
            self._trouble = self._trouble or error.said
            name, kept = await asyncio.to_thread(self._propose_name), None
        idle = {"state": "idle", **write_said("trouble", self._trouble), "saved": self._saved, "kept": kept}
        return respond_json({**told, "version": 0, **idle, "name": name})

    def _read_kept(self) -> tuple[str, dict[str, Any] | None]:  # Any: JSON
        """Returns a name that no profile has yet, and what is known of the presses that are kept. Raises UserError."""
        presses = self._open_presses()
        count, described = len(_read_presses(presses)), presses.described
        kept = None
        if described is not None and count:
            kept = {"name": described.name, "board": described.board, "presses": count}
        return self._propose_name(), kept

    def _propose_name(self) -> str:
        return next(name for name in _propose_names() if not self._find_output(name).exists())

    def _open_presses(self, described: Described | None = None) -> PressFile:
        return PressFile(self._folder / "profile", None, described)

    def _find_output(self, name: str) -> Path:
        return self._folder / f"profile.{make_id(name)}.toml"


def _make_learning(described: Described, presses: PressFile, *, keeps_presses: bool) -> BoardLearning:
    """Returns what learns the board: it goes on from the presses of the file, or that is removed. Raises UserError.

    Presses that cannot be gone on with are renamed, which the page is told.
    """
    if keeps_presses:
        learning, said = resume(presses, lambda kept: BoardLearning(described, presses, kept))
        if said is not None:
            learning.tell(said)
        return learning
    learning = BoardLearning(described, presses, ())
    presses.remove()
    return learning


def _read_presses(presses: PressFile) -> Sequence[Answer]:
    """Returns the presses that are kept. Raises UserError; where they are unusable their file is renamed first."""
    try:
        return presses.read()
    except UnusablePresses:
        raise UserError(presses.set_aside()) from None


def _propose_names() -> Iterator[str]:
    yield "my-board"
    for number in itertools.count(2):
        yield f"my-board-{number}"


def _refuse_idle() -> HttpResponse:
    return respond_error(409, "illegal", say("learn.idle", "no board is being learned now: begin, or go on"))
