"""The talk of `oche boards learn`: asks for a press, waits for the contact, and tells one press from its echoes.

A finger bounces, stays on a contact that then repeats its line, or closes two at once. So an answer is taken only
after a short wait: the same contact within it is the same press, another one means that the press is asked for again.
The next press is asked for after that wait, never before, so that nothing which comes late counts for it. Whatever
cannot be an answer is passed over; if then nothing better comes, the press is asked for once more.
"""

from __future__ import annotations

import asyncio
import enum
import json
import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

import click

from daemon.presses import Presses
from drivers.session import LinkDown, LinkUp, Session
from protocol.events import Event, Garbage
from protocol.learning.contacts import Contacts
from protocol.learning.learner import Learner
from protocol.learning.survey import Contact
from protocol.standard import NUMBERS, merged

_BOUNCE_S = 0.2
_HELD_NS = 1_000_000_000
"""A contact that repeats itself within this time is still closed."""
_PATIENCE_S = 3.0
_TIRED = 2
"""So often a press that closes two contacts is asked for again; then the first one counts."""


class Key(enum.Enum):
    """What a person can say meanwhile: a letter and Enter."""

    UNDO = "u"
    QUIT = "q"
    SKIP = "s"


class Voice(Protocol):
    """How a press is asked for, and what else is told."""

    def ask(self, learner: Learner) -> None:
        """The next press."""

    def tell(self, sentence: str, *, is_trouble: bool = False) -> None:
        """Something a person wants to know."""


class Program:
    """For a program that reads: one JSON line a press."""

    def ask(self, learner: Learner) -> None:
        """The next press."""
        click.echo(json.dumps({"press": learner.press}))

    def tell(self, sentence: str, *, is_trouble: bool = False) -> None:
        """What went wrong, on standard error; of the rest nothing."""
        if is_trouble:
            click.echo(sentence, err=True)


class Person:
    """For people: which bed it is in words, how far it is, and what was heard."""

    def ask(self, learner: Learner) -> None:
        """The next press."""
        again = "once more " if learner.reason == "again" else ""
        at = f"{len(learner.answers) + 1} of about {max(learner.about, len(learner.answers) + 1)}"
        click.echo(f"{at}: press {again}{bed(learner.press or '')}")

    def tell(self, sentence: str, *, is_trouble: bool = False) -> None:
        """Something a person wants to know."""
        click.echo(f"  {sentence}")


def bed(segment: str) -> str:
    """A segment, so that nobody has to know what its name stands for."""
    if segment in ("SB", "DB"):
        return f"{segment}, the {'middle' if segment == 'DB' else 'ring'} of the bull"
    number = int(segment[1:])
    # Boards with merged singles and boards with two of each are told apart if now this half is pressed, now that.
    half = "between triple and bull" if NUMBERS.index(number) % 2 else "between double and triple"
    where = {
        "D": "the double, at the rim",
        "T": "the triple, the narrow ring half way",
        "O": "the outer single, between double and triple",
        "I": "the inner single, between triple and bull",
        "S": f"the single, {half}",
    }
    return f"{segment}, {where[segment[0]]}"


class Learning:
    """One run. With `has_keys` it reads the keys u, q and s from the terminal."""

    def __init__(self, learner: Learner, contacts: Contacts, presses: Presses, voice: Voice, *, has_keys: bool) -> None:
        self._learner = learner
        self._contacts = contacts
        self._presses = presses
        self._voice = voice
        self._has_keys = has_keys
        self._news: asyncio.Queue[Event | LinkUp | LinkDown | Key] = asyncio.Queue()
        self._aside: deque[Event | LinkUp | LinkDown | Key] = deque()
        """What came while a press was waited out."""
        self._held: tuple[Contact, int] | None = None
        """The contact that was the last answer, and when it was heard last (ns)."""
        self._doubles = 0

    async def run(self, session: Session) -> bool:
        """Asks until all is known; False when somebody wants to go on later. Raises UserError."""
        patience_s: float | None = None
        async with session:
            listening = asyncio.create_task(self._listen(session))
            listening.add_done_callback(lambda _: self._news.put_nowait(Key.QUIT))
            try:
                with self._keys():
                    while self._learner.press is not None:
                        news = await self._next(patience_s)
                        if news is Key.QUIT:
                            break
                        patience_s = await self._handle(news)
            finally:
                if not listening.cancel():
                    listening.result()  # it ended by itself, and says why
        return self._learner.press is None

    async def _handle(self, news: Event | LinkUp | LinkDown | Key | None) -> float | None:
        """Takes one thing in; how long to wait now before the press is asked for once more."""
        match news:
            case Key.UNDO:
                self._undo()
            case Key.SKIP:
                self._answer(None)
            case LinkDown(reason=reason):
                self._voice.tell(f"No board: {reason}.", is_trouble=True)
            case Garbage(raw=raw, time_ns=now):
                contact = self._contacts.read(raw)
                if contact is not None and not self._is_held(contact, now):
                    await self._settle(contact, now)
                    return None
                if contact is None:
                    self._voice.tell(f"Heard {raw.decode('latin-1')!r}, which is no contact.")
                return _PATIENCE_S
            case None | LinkUp():
                self._voice.ask(self._learner)
        return None

    async def _settle(self, contact: Contact, now: int) -> None:
        """Waits out what else this press closes, and takes the answer if it was this contact alone."""
        others: set[Contact] = set()
        with suppress(TimeoutError):
            async with asyncio.timeout(_BOUNCE_S):
                while True:
                    news = await self._news.get()
                    other = self._contacts.read(news.raw) if isinstance(news, Garbage) else None
                    if other == contact and isinstance(news, Garbage):
                        now = news.time_ns
                    elif other is not None:
                        others.add(other)
                    else:
                        self._aside.append(news)
        if others and self._doubles < _TIRED:
            self._doubles += 1
            self._held = None
            self._voice.tell(f"That closed {_listed([contact, *others])} at once: press the middle of the bed.")
            self._voice.ask(self._learner)
            return
        self._held = (contact, now)
        self._answer(contact)

    def _answer(self, contact: Contact | None) -> None:
        self._doubles = 0
        was_unknown, guessed = self._learner.is_unknown, self._learner.guess
        self._learner.hear(contact)
        self._presses.write(self._learner.answers)
        if self._learner.is_unknown and not was_unknown:
            self._voice.tell("No known mat explains this, so every segment has to be pressed, number by number.")
        if self._learner.guess not in (None, guessed):
            self._voice.tell(f"This looks like the mat {self._learner.guess}; what is left confirms it, the bulls too.")
        if self._learner.press is not None:
            self._voice.ask(self._learner)

    def _undo(self) -> None:
        if self._learner.undo():
            self._held = None
            self._presses.write(self._learner.answers)
        else:
            self._voice.tell("There is no press to take back.")
        self._voice.ask(self._learner)

    def _is_held(self, contact: Contact, now: int) -> bool:
        """Is this the contact of the last press, which has not opened yet? A program presses at once, and lets go."""
        if self._held is None or contact != self._held[0] or now - self._held[1] >= _HELD_NS:
            return False
        last, press = self._learner.answers[-1][0], self._learner.press or ""
        if not self._has_keys and merged(last) == merged(press):
            return False
        self._held = (contact, now)
        return True

    async def _next(self, patience_s: float | None) -> Event | LinkUp | LinkDown | Key | None:
        """What comes next; None when patience is over."""
        if self._aside:
            return self._aside.popleft()
        try:
            async with asyncio.timeout(patience_s):
                return await self._news.get()
        except TimeoutError:
            return None

    async def _listen(self, session: Session) -> None:
        async for item in session:
            self._news.put_nowait(item)

    @contextmanager
    def _keys(self) -> Iterator[None]:
        """Listens to the terminal, if there is one."""
        loop = asyncio.get_running_loop()

        def read() -> None:
            said = os.read(0, 1024).decode("utf-8", "replace")
            if not said:
                loop.remove_reader(0)
            for letter in said.lower():
                if letter in {key.value for key in Key}:
                    self._news.put_nowait(Key(letter))

        if self._has_keys:
            with suppress(OSError):  # a file or nothing at all: then there is nobody to say anything
                loop.add_reader(0, read)
        try:
            yield
        finally:
            if self._has_keys:
                loop.remove_reader(0)


def _listed(contacts: list[Contact]) -> str:
    return " and ".join(c if isinstance(c, str) else f"{c[0]},{c[1]}" for c in contacts)
