"""The talk of `oche boards learn`: asks for a press, waits for the contact, and tells one press from its echoes.

A finger bounces, stays on a contact that then repeats its line, or closes two at once. So an answer is taken only
after a short wait: the same contact within it is the same press, another one means that the press is asked for again.
The next press is asked for after that wait, never before, so that nothing which comes late counts for it. Whatever
cannot be an answer is passed over; if then nothing better comes, the press is asked for once more.

A person says when there is no contact. A program cannot, so after some time without one it counts as said.
"""

from __future__ import annotations

import asyncio
import enum
import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from daemon.errors import UserError
from daemon.presses import Presses
from daemon.voices import Voice
from drivers.session import LinkDown, LinkUp, Session
from protocol.events import Event, Garbage
from protocol.learning.contacts import Contacts
from protocol.learning.learner import Learner
from protocol.learning.survey import Contact
from protocol.standard import merged

_BOUNCE_S = 0.2
_HELD_NS = 1_000_000_000
"""A contact that repeats itself within this time is still closed."""
_PATIENCE_S = 3.0
_TIRED = 2
"""So often a press that closes two contacts is asked for again; then the first one counts."""
_NO_BED_S = 15.0
"""A program that presses nothing for so long has no such segment: it may be one that its board has not."""
_DEAD_S = 60.0
"""A program that presses for so long without a contact presses a segment that is dead."""
_DEAF = 3
"""So many dead segments before the first contact are no dead segments."""
_STRANGE = 5
"""A program is told of so many frames that are no contact."""


class Key(enum.Enum):
    """What a person can say meanwhile: a letter and Enter."""

    UNDO = "u"
    QUIT = "q"
    SKIP = "s"


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
        self._since_s: float | None = None
        """When the press was asked for, by the loop's time; None while there is no board."""
        self._dead = 0
        """Presses without a contact; counted until the first contact comes."""
        self._has_heard = False
        self._strange: set[bytes] = set()

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
                self._skip()
            case LinkDown(reason=reason):
                self._since_s = None
                self._voice.tell(f"No board: {reason}.", is_trouble=True)
            case Garbage(raw=raw, time_ns=now):
                contact = self._contacts.read(raw)
                if contact is not None and not self._is_held(contact, now):
                    await self._settle(contact, now)
                    return None
                if contact is None:
                    self._wonder(raw)
                return _PATIENCE_S
            case LinkUp():
                self._ask()
            case None:
                self._voice.ask(self._learner)
        return None

    def _ask(self) -> None:
        self._since_s = asyncio.get_running_loop().time()
        self._voice.ask(self._learner)

    def _wonder(self, raw: bytes) -> None:
        is_news = raw not in self._strange and len(self._strange) < _STRANGE
        if is_news:
            self._strange.add(raw)
        said = raw.decode("latin-1")
        self._voice.tell(f"Heard {said!r}, which is no contact: check --frame and --end.", is_trouble=is_news)

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
            self._ask()
            return
        self._held = (contact, now)
        self._has_heard = True
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
            self._ask()

    def _skip(self) -> None:
        """There is no contact: a person said so, or a program has not pressed anything that closes one."""
        if not self._has_keys:
            self._dead += 1
            if self._dead == _DEAF and not self._has_heard:
                while self._dead > 1 and self._learner.undo():
                    self._dead -= 1
                self._presses.write(self._learner.answers)
                raise UserError(f"no contact has come for {_DEAF} presses: check the cable, --frame and --end")
            press, why = self._learner.press, "it is taken for dead"
            if self._learner.is_in_doubt:
                why = "so this board has no such bed"
            self._voice.tell(f"No contact came for {press} in {self._limit_s:.0f} seconds: {why}.", is_trouble=True)
        self._answer(None)

    def _undo(self) -> None:
        if self._learner.undo():
            self._held = None
            self._presses.write(self._learner.answers)
        else:
            self._voice.tell("There is no press to take back.")
        self._ask()

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
        """What comes next; None when patience is over, and what a person would say when a program presses nothing."""
        if self._aside:
            return self._aside.popleft()
        now_s = asyncio.get_running_loop().time()
        until_s = None if patience_s is None else now_s + patience_s
        over: Key | None = None
        if self._since_s is not None and not self._has_keys:
            end_s = self._since_s + self._limit_s
            if until_s is None or end_s <= until_s:
                until_s, over = end_s, Key.SKIP
        try:
            async with asyncio.timeout_at(until_s):
                return await self._news.get()
        except TimeoutError:
            return over

    @property
    def _limit_s(self) -> float:
        """How long a program may be silent."""
        return _NO_BED_S if self._learner.is_in_doubt else _DEAD_S

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
