"""The presses of a board that is being learned, in a file, so that they are not lost."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from daemon import files
from daemon.admin.requests import BoardDescription
from daemon.errors import UserError
from protocol.learning.survey import Answer, Contact
from protocol.sentence import Sentence, say
from protocol.standard import standard

log = logging.getLogger("oche")

Learner = TypeVar("Learner")


class UnusablePresses(UserError):
    """The presses that are kept cannot be read or understood."""


class _Header(Struct, omit_defaults=True):
    frame: str | None
    described: BoardDescription | None = None
    releases: list[tuple[str, str]] = []


class _Press(Struct):
    press: str
    contact: Contact | None


class PressFile:
    """The presses so far, in a file beside `output`: a JSON line each, after a line with how frames look.

    `frame` is the template of the frames; None: that of the file, or not known yet. `described` is how the board was
    described when it began, for who goes on without that knowledge. All methods raise UserError.
    """

    def __init__(self, output: Path, frame: str | None, described: BoardDescription | None = None) -> None:
        self.file = output.with_name(f"{output.name}.presses")
        self.frame = frame
        self.described = described
        self.releases: list[tuple[str, str]] = []
        """Presses and their releases, as Dialogue has them."""

    def read(self) -> list[Answer]:
        """The answers of the file; empty when there is none. A torn last line, without its end, is left out.

        Raises UnusablePresses, and UserError when they were made with another `frame` than was given.
        """
        try:
            *lines, _ = files.read_bytes(self.file).split(b"\n")
            if not lines:
                return []
            header = msgspec.json.decode(lines[0], type=_Header)
            presses = [msgspec.json.decode(line, type=_Press) for line in lines[1:]]
            for each in presses:
                standard()[each.press]  # raises a ValueError
        except FileNotFoundError:
            return []
        except OSError:
            said = say("learn.unread", "cannot read {name}: delete it to start over", name=str(self.file))
            raise UnusablePresses(said, 2) from None
        except ValueError:
            said = say("learn.damaged", "{name} is damaged: delete it to start over", name=str(self.file))
            raise UnusablePresses(said, 2) from None
        if self.frame not in (None, header.frame):
            what = f"the presses in {self.file} were made with --frame {header.frame!r}"
            raise UserError(f"{what}: use the same, or delete the file to start over", 2)
        self.frame, self.described = header.frame, self.described or header.described
        self.releases = header.releases
        return [(each.press, each.contact) for each in presses]

    def set_aside(self) -> Sentence:
        """Renames the file, so that learning can start over; returns what to say. Raises UserError."""
        names = (self.file.with_name(f"{self.file.name}.old{count or ''}") for count in range(1000))
        place = next(name for name in names if not name.exists())
        with files.explain_errors(say("file.cannot_rename", "cannot rename {name}", name=str(self.file))):
            files.rename_draft(self.file, place)
        return say(
            "learn.set_aside",
            "The presses in {name} cannot be used. They are now in {given}, and learning starts over.",
            name=str(self.file),
            given=str(place),
        )

    def write(self, answers: Iterable[Answer]) -> None:
        """Writes all answers again."""
        lines = [
            _Header(self.frame, self.described, self.releases),
            *(_Press(press, contact) for press, contact in answers),
        ]
        with files.explain_errors(say("file.cannot_write", "cannot write {name}", name=str(self.file))):
            files.replace_file(self.file, msgspec.json.Encoder().encode_lines(lines))

    def remove(self) -> None:
        """Removes the file, if there is one."""
        with files.explain_errors(say("file.cannot_remove", "cannot remove {name}", name=str(self.file))):
            files.remove_file(self.file)


def continue_learning(
    presses: PressFile, make: Callable[[Iterable[Answer]], Learner]
) -> tuple[Learner, Sentence | None]:
    """Returns what `make` makes of the presses that are kept.

    Where that cannot be, their file is renamed and learning starts over; then with what to say. Raises UserError, and
    whatever `make` raises without any presses.
    """
    given = presses.frame
    answers: list[Answer] = []
    try:
        answers = presses.read()
        return make(answers), None
    except UnusablePresses:
        pass
    except Exception as error:  # whatever is wrong with these presses must not keep the board from being learned
        if not answers:
            raise
        log.warning("the presses in %s cannot be used (%r)", presses.file, error)
    presses.frame, presses.releases = given, []
    anew = make(())
    return anew, presses.set_aside()
