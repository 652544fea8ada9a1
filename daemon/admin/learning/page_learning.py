"""Learning one board while the daemon runs: its link, the dialogue, and what of it the settings page shows.

Recognising a mat takes a small machine a good part of a second, so it is done in a thread: darts go on elsewhere.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from daemon import files
from daemon.admin.learning.blank_profile import make_blank_profile
from daemon.admin.learning.long_poll import LongPolled
from daemon.admin.learning.press_file import PressFile
from daemon.admin.requests import BoardDescription
from daemon.config.schemes import SCHEMES
from daemon.errors import UserError
from daemon.remedies import suggest_in_daemon
from drivers.session import Session, now_ns
from protocol.codebook import make_blank_codebook
from protocol.events import Garbage, LinkDown, LinkUp
from protocol.learning.dialogue import Ask, Dialogue, Note, format_contact
from protocol.learning.finding import find_place
from protocol.learning.survey import Answer
from protocol.sentence import Sentence, get_reason, say, write_said, write_sentence
from protocol.source import SourceError

log = logging.getLogger("oche")

_IDLE_S = 300.0
"""When no page has asked for so long it ends; the presses are kept."""


class PageLearning(LongPolled):
    """One board that is being learned: `run` it as a task. Raises UserError for what cannot be learned.

    It goes on from these `answers` of the file; without any, the file is rewritten at the first press.
    """

    def __init__(self, described: BoardDescription, presses: PressFile, answers: Iterable[Answer]) -> None:
        super().__init__(_IDLE_S)
        base = make_blank_profile(described)
        self.described = described
        self._base = base
        self._presses = presses
        try:
            self._dialogue = Dialogue(base, answers, frame=presses.frame, releases=presses.releases)
        except ValueError as error:
            raise UserError(get_reason(error)) from None
        self._session = Session("board", described.board, make_blank_codebook(base), schemes=SCHEMES)
        self._link: LinkUp | LinkDown | None = None
        self._notes: list[Sentence] = []
        self._turn = asyncio.Lock()
        self.shown = self._describe()
        """What the page shows: of the last step that is done with, for the next one may be in its thread."""

    def tell(self, said: Sentence) -> None:
        """Has the page show this, until the next press."""
        self._notes.append(said)
        self.shown = self._describe()

    async def run(self) -> None:
        """Listens to the board until cancelled, or as long as the page looks on."""
        try:
            async with self.limit_idleness(), self._session as session:
                while True:
                    try:
                        deadline = self._dialogue.deadline()
                        async with asyncio.timeout_at(None if deadline is None else deadline / 1e9):
                            item = await anext(session, None)
                    except TimeoutError:
                        await self._do(Dialogue.tick)
                        continue
                    if item is None:
                        return  # a recording is at its end
                    await self._take(item)
        except TimeoutError:
            return

    async def undo(self) -> None:
        """Takes the last press back. Raises UserError when that cannot be kept."""
        await self._do(Dialogue.undo)

    async def skip(self) -> None:
        """Notes that the board has no such bed. Raises UserError when that cannot be kept."""
        await self._do(Dialogue.skip)

    async def save(self, output: Path) -> None:
        """Writes the profile, and forgets the presses. Raises UserError."""
        async with self._turn:
            if not self._dialogue.is_done:
                raise UserError(say("learn.not_done", "the board is not known yet: keep pressing"))
            try:
                text = self._dialogue.write_profile()
            except SourceError as error:
                said = say("learn.makes_none", "these presses do not make a profile: {why}", why=error.reason)
                raise UserError(said) from None
            with files.explain_errors(
                say("file.cannot_write", "cannot write {name}", name=str(output)), suggest_in_daemon
            ):
                await asyncio.to_thread(files.replace_file, output, text.encode())
            try:
                await asyncio.to_thread(self._presses.remove)
            except UserError as error:  # the profile is there; to go on with its presses does no harm
                log.warning("%s", error)

    def _describe(self) -> dict[str, Any]:  # Any: JSON
        dialogue, link = self._dialogue, self._link
        ask, state = dialogue.press, "asking" if not dialogue.is_done else "trying"
        press: dict[str, Any] | None = None  # Any: JSON
        if ask is not None:
            press = {"segment": ask.press, "place": find_place(ask.press)}
            press |= {"number": ask.number, "about": ask.about, "again": ask.is_again}
        found = {
            "state": state,
            "board": self.described.board,
            "name": self.described.name,
            "online": isinstance(link, LinkUp),
            **write_said("trouble", link.said if isinstance(link, LinkDown) else None),
            "press": press,
            "heard": [[press, contact and format_contact(contact)] for press, contact in dialogue.answers],
            "notes": [write_sentence(note) for note in self._notes],
            "tried": dialogue.tried,
        }
        if dialogue.is_done:
            finding = dialogue.finding
            found["finding"] = {
                "mat": finding.mat,
                "turn": finding.wiring.turn,
                "mirror": finding.wiring.mirror,
                "odd": finding.odd,
                "missing": finding.missing,
                "segments": len(finding.contacts),
            }
        return found

    async def _take(self, item: object) -> None:
        match item:
            case LinkUp():
                self._link = item
                await self._do(Dialogue.connect)
            case LinkDown():
                self._link = item
                await self._do(lambda dialogue, _: dialogue.disconnect(item.said))
            case Garbage():
                await self._do(lambda dialogue, _: dialogue.hear(item.raw, item.time_ns))

    async def _do(self, step: Callable[[Dialogue, int], list[Ask | Note]]) -> None:
        """Takes a step of the dialogue at this time, keeps the presses, and shows what is so then.

        Raises UserError where they cannot be kept; the dialogue then goes on from those that are.
        """
        async with self._turn:
            before, frame = tuple(self._dialogue.answers), self._presses.frame
            said = await asyncio.to_thread(step, self._dialogue, now_ns())
            if tuple(self._dialogue.answers) != before:
                self._notes = []
                self._presses.frame, self._presses.releases = (
                    self._dialogue.reader.frame,
                    self._dialogue.reader.releases.examples,
                )
                try:
                    await asyncio.to_thread(self._presses.write, tuple(self._dialogue.answers))
                except UserError:
                    self._presses.frame = frame
                    await asyncio.to_thread(self._go_back, before, frame)
                    raise
            self._notes = [*self._notes, *(each.said for each in said if isinstance(each, Note))][-3:]
            self.shown = self._describe()
            self.note_change()

    def _go_back(self, answers: Iterable[Answer], frame: str | None) -> None:
        self._dialogue = Dialogue(self._base, answers, frame=frame, releases=self._dialogue.reader.releases.examples)
        if isinstance(self._link, LinkUp):
            self._dialogue.connect(now_ns())
