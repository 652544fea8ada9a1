"""Learning an unknown board: one at a time, by presses that the page asks for.

A table whose board it is gets it back at the end.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path

from daemon import files
from daemon.admin import requests
from daemon.admin.answers import ENDING, File, Json, Refused
from daemon.admin.learning.blank_profile import make_id
from daemon.admin.learning.page_learning import PageLearning
from daemon.admin.learning.press_file import PressFile, UnusablePresses, continue_learning
from daemon.board.link import BoardLink, lend_board
from daemon.config.schemes import SCHEMES
from daemon.errors import UserError
from daemon.service.supervisor import run_to_end
from drivers.schemes import parse
from protocol.learning.survey import Answer
from protocol.sentence import Sentence, get_reason, say, write_said

log = logging.getLogger("oche")

_LENT = say("link.learned", "its board is being learned on the settings page: it returns when that ends")


class Learning:
    """What is asked of learning a board; `links` have those of the tables, by table."""

    def __init__(self, folder: Path, links: Mapping[str, BoardLink]) -> None:
        self._folder = folder.absolute()
        self._links = links
        self._learning: PageLearning | None = None
        self._task: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._trouble: str | Sentence = ""
        """Why the last one has ended; "" if it was asked to."""
        self._saved: Json | None = None
        """What the last one has written."""
        self._runs = 0
        self._is_ending = False

    async def ask(self, request: requests.LearnRequest) -> Json | File:
        """Returns the answer. Raises Refused and UserError."""
        match request:
            case requests.ReadLearning(since):
                if self._learning is not None:
                    await self._learning.wait_for_more(since, self._runs)
            case requests.ReadProfile(name):
                return await self._read_profile(make_id(name))
            case requests.StartLearning():
                await self._start(request)
            case requests.ResumeLearning():
                await self._resume()
            case requests.UndoPress():
                await self._act(PageLearning.undo)
            case requests.SkipPress():
                await self._act(PageLearning.skip)
            case requests.SaveProfile():
                await self._save()
            case requests.StopLearning():
                await self._end()
        return await self._tell()

    async def close(self) -> None:
        """Ends what goes on, and gives the board back. Nothing begins from now on."""
        self._is_ending = True
        async with self._starting:
            await self._end()

    async def _end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _start(self, wanted: requests.StartLearning) -> None:
        if await asyncio.to_thread(self._find_output(wanted.name).exists):
            said = say(
                "learn.name_taken",
                "there already is a profile called {given}: choose another name",
                given=wanted.name,
            )
            raise Refused("illegal", said)
        try:
            await self._begin(wanted, keeps_presses=False)
        except ValueError as error:
            raise Refused("invalid", get_reason(error)) from None

    async def _resume(self) -> None:
        presses = self._open_presses()
        await asyncio.to_thread(_read_presses, presses)
        if presses.described is None:
            said = say("learn.nothing_kept", "there are no saved presses to continue with: start over")
            raise Refused("illegal", said)
        await self._begin(presses.described, keeps_presses=True)

    async def _begin(self, described: requests.BoardDescription, *, keeps_presses: bool) -> None:
        async with self._starting:
            if self._is_ending:
                raise Refused("unavailable", ENDING)
            if self._learning is not None:
                said = say("learn.busy", "a board is already being learned: finish that first, or continue with it")
                raise Refused("busy", said)
            try:
                presses = self._open_presses(described)
                learning = await asyncio.to_thread(_make_learning, described, presses, keeps_presses=keeps_presses)
            except UserError as error:
                raise Refused("invalid", get_reason(error)) from None
            self._learning, self._trouble, self._saved = learning, "", None
            self._runs += 1
            self._task = asyncio.create_task(self._run(learning), name="learning a board")

    async def _run(self, learning: PageLearning) -> None:
        """Listens with the board, which is lent by its table meanwhile."""
        try:
            async with lend_board(self._links, parse(learning.described.board, SCHEMES), _LENT):
                ended = await run_to_end(learning.run(), "the board that is learned")
                error = None if ended.cancelled() else ended.exception()
                if isinstance(error, UserError):
                    self._trouble = error.said
                elif error is not None:
                    log.error("learning a board stopped unexpectedly", exc_info=error)
                    self._trouble = say(
                        "learn.failed",
                        "oche could not process that press: continue, or start over; its log has details",
                    )
        finally:
            self._learning = None
            learning.note_change()  # a page that waits is answered

    async def _save(self) -> None:
        learning = self._require_learning()
        name = make_id(learning.described.name)
        output = self._find_output(name)
        try:
            await asyncio.shield(learning.save(output))
        except UserError as error:
            raise Refused("illegal", get_reason(error)) from None
        self._saved = {"profile": str(output), "name": name, "board": learning.described.board}
        await self._end()

    async def _read_profile(self, name: str) -> File:
        try:
            content = await asyncio.to_thread(files.read_bytes, self._find_output(name))
        except OSError:
            raise Refused(
                "unknown", say("learn.no_such_profile", "there is no profile called {given}", given=name)
            ) from None
        return File(f"{name}.toml", "application/toml", content)

    async def _act(self, act: Callable[[PageLearning], Awaitable[None]]) -> None:
        learning = self._require_learning()
        learning.note_page()
        await asyncio.shield(asyncio.ensure_future(act(learning)))

    def _require_learning(self) -> PageLearning:
        if self._learning is None:
            raise Refused("illegal", say("learn.idle", "no board is being learned now: start, or continue"))
        return self._learning

    async def _tell(self) -> Json:
        """Returns what is so.

        In the state "idle" with what the last one has written, the presses kept, and a name that no profile has yet.
        """
        answer: Json = {"v": 1, "run": self._runs}
        if self._learning is not None:
            return {**answer, "version": self._learning.version, **self._learning.shown}
        try:
            name, kept = await asyncio.to_thread(self._read_kept)
        except UserError as error:
            self._trouble = self._trouble or error.said
            name, kept = await asyncio.to_thread(self._propose_name), None
        idle = {"state": "idle", **write_said("trouble", self._trouble), "saved": self._saved, "kept": kept}
        return {**answer, "version": 0, **idle, "name": name}

    def _read_kept(self) -> tuple[str, Json | None]:
        """Returns a name that no profile has yet, and what is known of the presses that are kept. Raises UserError."""
        presses = self._open_presses()
        count, described = len(_read_presses(presses)), presses.described
        kept = None
        if described is not None and count:
            kept = {"name": described.name, "board": described.board, "presses": count}
        return self._propose_name(), kept

    def _propose_name(self) -> str:
        return next(name for name in _propose_names() if not self._find_output(name).exists())

    def _open_presses(self, described: requests.BoardDescription | None = None) -> PressFile:
        return PressFile(self._folder / "profile", None, described)

    def _find_output(self, name: str) -> Path:
        return self._folder / f"profile.{make_id(name)}.toml"


def _make_learning(described: requests.BoardDescription, presses: PressFile, *, keeps_presses: bool) -> PageLearning:
    """Returns what learns the board: it goes on from the presses of the file, or that is removed. Raises UserError.

    Presses that cannot be gone on with are renamed, and the page says so.
    """
    if keeps_presses:
        learning, said = continue_learning(presses, lambda kept: PageLearning(described, presses, kept))
        if said is not None:
            learning.tell(said)
        return learning
    learning = PageLearning(described, presses, ())
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
