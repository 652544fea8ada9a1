"""The dialogue of `oche boards learn` on the terminal."""

from __future__ import annotations

import asyncio
import enum
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from daemon.admin.learning.press_file import PressFile
from daemon.errors import UserError
from drivers.session import Session, now_ns
from protocol.events import BoardEvent, Garbage, LinkDown, LinkUp
from protocol.learning.dialogue import Ask, Dialogue, Note, NothingHeard


class Prompter:
    """Asks for presses: a person in words, a program by a JSON line a press and with only trouble on standard error."""

    def __init__(self, *, is_json: bool) -> None:
        self.is_json = is_json

    def ask(self, ask: Ask) -> None:
        """Prints the next press."""
        click.echo(json.dumps({"press": ask.press}) if self.is_json else ask.text)

    def tell(self, sentence: str, *, is_trouble: bool = False) -> None:
        """Prints the sentence; for a program only if it is about trouble."""
        if not self.is_json:
            click.echo(f"  {sentence}")
        elif is_trouble:
            click.echo(sentence, err=True)


class Key(enum.Enum):
    """What a person can type: a letter and Enter."""

    UNDO = "u"
    QUIT = "q"
    SKIP = "s"


class TerminalLearning:
    """One run of the dialogue. From a person it reads the keys u, q and s on the terminal."""

    def __init__(self, dialogue: Dialogue, presses: PressFile, prompter: Prompter) -> None:
        self._dialogue = dialogue
        self._presses = presses
        self._prompter = prompter
        self._news: asyncio.Queue[BoardEvent | LinkUp | LinkDown | Key] = asyncio.Queue()

    async def run(self, session: Session) -> bool:
        """Asks until all is known; returns False when it was quit before. Raises UserError."""
        async with session:
            listening = asyncio.create_task(self._listen(session))
            listening.add_done_callback(lambda _: self._news.put_nowait(Key.QUIT))
            try:
                with self._keys():
                    while not self._dialogue.is_done:
                        news = await self._next()
                        if news is Key.QUIT:
                            break
                        self._handle(news)
            finally:
                if not listening.cancel():
                    listening.result()  # it ended by itself, and says why
        return self._dialogue.is_done

    def _handle(self, news: BoardEvent | LinkUp | LinkDown | Key | None) -> None:
        before = tuple(self._dialogue.answers)
        try:
            said = self._feed(news)
        except NothingHeard as error:
            self._keep()
            raise UserError(error.said) from None
        if tuple(self._dialogue.answers) != before:
            self._keep()
        for each in said:
            match each:
                case Note(sentence, is_trouble):
                    self._prompter.tell(str(sentence), is_trouble=is_trouble)
                case ask:
                    self._prompter.ask(ask)

    def _keep(self) -> None:
        self._presses.frame, self._presses.releases = (
            self._dialogue.reader.frame,
            self._dialogue.reader.releases.examples,
        )
        self._presses.write(self._dialogue.answers)

    def _feed(self, news: BoardEvent | LinkUp | LinkDown | Key | None) -> list[Ask | Note]:
        match news:
            case Key.UNDO:
                return self._dialogue.undo(now_ns())
            case Key.SKIP:
                return self._dialogue.skip(now_ns())
            case LinkUp():
                return self._dialogue.connect(now_ns())
            case LinkDown(reason=reason):
                return self._dialogue.disconnect(reason)
            case Garbage(raw=raw, time_ns=time_ns):
                return self._dialogue.hear(raw, time_ns)
            case None:
                return self._dialogue.tick(now_ns())
        return []

    async def _next(self) -> BoardEvent | LinkUp | LinkDown | Key | None:
        """The next event; None when the dialogue wants to be asked again first."""
        deadline = self._dialogue.deadline()
        try:
            async with asyncio.timeout_at(None if deadline is None else deadline / 1e9):
                return await self._news.get()
        except TimeoutError:
            return None

    async def _listen(self, session: Session) -> None:
        async for item in session:
            self._news.put_nowait(item)

    @contextmanager
    def _keys(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()

        def read() -> None:
            said = os.read(0, 1024).decode("utf-8", "replace")
            if not said:
                loop.remove_reader(0)
            for letter in said.lower():
                if letter in {key.value for key in Key}:
                    self._news.put_nowait(Key(letter))

        if not self._prompter.is_json:
            with suppress(OSError):  # standard input is a file or closed
                loop.add_reader(0, read)
        try:
            yield
        finally:
            if not self._prompter.is_json:
                loop.remove_reader(0)
