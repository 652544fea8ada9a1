"""The dialogue of `oche boards learn`: asks for a press, waits for the contact, and tells one press from its echoes.

A finger bounces, stays on a contact that then repeats its line, or closes two at once. So an answer is taken after a
short wait: the same contact within it is the same press, another one means that the press is asked for again. The next
press is asked for after that wait, so that nothing which comes late counts for it. What cannot be an answer is ignored.

A person says when there is no contact. A program cannot, so some time without a contact counts as said.
"""

from __future__ import annotations

import asyncio
import enum
import json
import os
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from daemon import files
from daemon.errors import UserError
from drivers.session import LinkDown, LinkUp, Session
from protocol.events import BoardEvent, Garbage
from protocol.learning.contacts import FrameContacts
from protocol.learning.finding import describe_bed
from protocol.learning.learner import Learner
from protocol.learning.survey import Answer, Contact
from protocol.standard import merged

_BOUNCE_S = 0.2
_HELD_NS = 1_000_000_000
"""A contact that repeats itself within this time is still closed."""
_PATIENCE_S = 3.0
_MOST_DOUBLES = 2
"""How often a press that closes two contacts is asked for again; then the first contact counts."""
_NO_BED_S = 15.0
"""After this time without a contact a segment in doubt is taken for one that the board does not have."""
_DEAD_S = 60.0
"""After this time without a contact a program's press is taken for one of a dead segment."""
_NOTHING_HEARD = 3
"""So many dead segments before the first contact mean that nothing is heard at all."""
_MOST_STRANGE = 5
"""How many different frames that are no contact a program is told of."""


class _Header(Struct):
    frame: str


class _Press(Struct):
    press: str
    contact: Contact | None


class PressFile:
    """The presses so far, in a file beside `output` for these frames: a JSON line each, after a line with the frame.

    All methods raise UserError.
    """

    def __init__(self, output: Path, frame: str) -> None:
        self.file = output.with_name(f"{output.name}.presses")
        self._frame = frame

    def read(self) -> list[Answer]:
        """The answers of the file; empty when there is none. A torn last line, without its end, is left out."""
        try:
            *lines, _ = files.read_bytes(self.file).split(b"\n")
            if not lines:
                return []
            frame = msgspec.json.decode(lines[0], type=_Header).frame
            presses = [msgspec.json.decode(line, type=_Press) for line in lines[1:]]
        except FileNotFoundError:
            return []
        except OSError:
            raise UserError(f"cannot read {self.file}: remove it to begin anew", 2) from None
        except ValueError:
            raise UserError(f"{self.file} cannot be understood: remove it to begin anew", 2) from None
        if frame != self._frame:
            what = f"the presses in {self.file} were made with --frame {frame!r}"
            raise UserError(f"{what}: give the same, or remove the file to begin anew", 2)
        return [(each.press, each.contact) for each in presses]

    def write(self, answers: Iterable[Answer]) -> None:
        """Writes all answers anew."""
        lines = [_Header(self._frame), *(_Press(press, contact) for press, contact in answers)]
        with files.explain_errors(f"cannot write {self.file}"):
            files.write(self.file, msgspec.json.Encoder().encode_lines(lines))

    def remove(self) -> None:
        """Removes the file, if there is one."""
        self.file.unlink(missing_ok=True)


class Prompter:
    """Asks for presses: a person in words, a program by a JSON line a press and with only trouble on standard error."""

    def __init__(self, *, is_json: bool) -> None:
        self.is_json = is_json

    def ask(self, learner: Learner) -> None:
        """Prints the next press."""
        if self.is_json:
            click.echo(json.dumps({"press": learner.press}))
            return
        again = "once more " if learner.reason == "again" else ""
        at = f"{len(learner.answers) + 1} of about {max(learner.about, len(learner.answers) + 1)}"
        click.echo(f"{at}: press {again}{describe_bed(learner.press or '')}")

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


class Learning:
    """One run of the dialogue. From a person it reads the keys u, q and s on the terminal."""

    def __init__(self, learner: Learner, contacts: FrameContacts, presses: PressFile, prompter: Prompter) -> None:
        self._learner = learner
        self._contacts = contacts
        self._presses = presses
        self._prompter = prompter
        self._has_keys = not prompter.is_json
        self._news: asyncio.Queue[BoardEvent | LinkUp | LinkDown | Key] = asyncio.Queue()
        self._aside: deque[BoardEvent | LinkUp | LinkDown | Key] = deque()
        """What came during the wait after a press."""
        self._last_contact: tuple[Contact, int] | None = None
        """The contact of the last answer, and when it was last heard (ns)."""
        self._doubles = 0
        self._since_s: float | None = None
        """When the press was asked for, by the loop's clock; None while there is no board."""
        self._dead = 0
        """Presses without a contact; counted until the first contact comes."""
        self._has_heard = False
        self._strange: set[bytes] = set()

    async def run(self, session: Session) -> bool:
        """Asks until all is known; returns False when it was quit before. Raises UserError."""
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

    async def _handle(self, news: BoardEvent | LinkUp | LinkDown | Key | None) -> float | None:
        """Handles one event; returns after how many seconds to ask for the press again (None: not at all)."""
        match news:
            case Key.UNDO:
                self._undo()
            case Key.SKIP:
                self._skip()
            case LinkDown(reason=reason):
                self._since_s = None
                self._prompter.tell(f"No board: {reason}.", is_trouble=True)
            case Garbage(raw=raw, time_ns=now):
                contact = self._contacts.read(raw)
                if contact is not None and not self._is_held(contact, now):
                    await self._settle(contact, now)
                    return None
                if contact is None:
                    self._report_unknown(raw)
                return _PATIENCE_S
            case LinkUp():
                self._ask()
            case None:
                self._prompter.ask(self._learner)
        return None

    def _ask(self) -> None:
        self._since_s = asyncio.get_running_loop().time()
        self._prompter.ask(self._learner)

    def _report_unknown(self, raw: bytes) -> None:
        is_news = raw not in self._strange and len(self._strange) < _MOST_STRANGE
        if is_news:
            self._strange.add(raw)
        said = raw.decode("latin-1")
        self._prompter.tell(f"Heard {said!r}, which is no contact: check --frame and --end.", is_trouble=is_news)

    async def _settle(self, contact: Contact, now: int) -> None:
        """Waits for other contacts that this press closes, and takes the answer if there is none."""
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
        if others and self._doubles < _MOST_DOUBLES:
            self._doubles += 1
            self._last_contact = None
            self._prompter.tell(
                f"That closed {_join_contacts([contact, *others])} at once: press the middle of the bed."
            )
            self._ask()
            return
        self._last_contact = (contact, now)
        self._has_heard = True
        self._answer(contact)

    def _answer(self, contact: Contact | None) -> None:
        self._doubles = 0
        was_unknown, guessed = self._learner.is_unknown, self._learner.guess
        self._learner.hear(contact)
        self._presses.write(self._learner.answers)
        if self._learner.is_unknown and not was_unknown:
            self._prompter.tell("No known mat explains this, so every segment has to be pressed, number by number.")
        if self._learner.guess not in (None, guessed):
            self._prompter.tell(
                f"This looks like the mat {self._learner.guess}; what is left confirms it, the bulls too."
            )
        if self._learner.press is not None:
            self._ask()

    def _skip(self) -> None:
        """Notes that the press has no contact: a person said so, or a program's time is over."""
        if not self._has_keys:
            self._dead += 1
            if self._dead == _NOTHING_HEARD and not self._has_heard:
                while self._dead > 1 and self._learner.undo():
                    self._dead -= 1
                self._presses.write(self._learner.answers)
                raise UserError(f"no contact has come for {_NOTHING_HEARD} presses: check the cable, --frame and --end")
            press, why = self._learner.press, "it is taken for dead"
            if self._learner.is_in_doubt:
                why = "so this board has no such bed"
            self._prompter.tell(f"No contact came for {press} in {self._limit_s:.0f} seconds: {why}.", is_trouble=True)
        self._answer(None)

    def _undo(self) -> None:
        if self._learner.undo():
            self._last_contact = None
            self._presses.write(self._learner.answers)
        else:
            self._prompter.tell("There is no press to take back.")
        self._ask()

    def _is_held(self, contact: Contact, now: int) -> bool:
        """Whether this is the contact of the last press, which is still closed. A program lets go at once."""
        if self._last_contact is None or contact != self._last_contact[0] or now - self._last_contact[1] >= _HELD_NS:
            return False
        last, press = self._learner.answers[-1][0], self._learner.press or ""
        if not self._has_keys and merged(last) == merged(press):
            return False
        self._last_contact = (contact, now)
        return True

    async def _next(self, patience_s: float | None) -> BoardEvent | LinkUp | LinkDown | Key | None:
        """The next event; None when `patience_s` is over, and Key.SKIP when a program's time is."""
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
        return _NO_BED_S if self._learner.is_in_doubt else _DEAD_S

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

        if self._has_keys:
            with suppress(OSError):  # standard input is a file or closed
                loop.add_reader(0, read)
        try:
            yield
        finally:
            if self._has_keys:
                loop.remove_reader(0)


def _join_contacts(contacts: list[Contact]) -> str:
    return " and ".join(c if isinstance(c, str) else f"{c[0]},{c[1]}" for c in contacts)
