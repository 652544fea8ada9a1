"""The presses of a board that is being learned, in a file, so that they are not lost."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from daemon import files
from daemon.errors import UserError
from daemon.learning.blank_profile import Described
from protocol.learning.survey import Answer, Contact
from protocol.sentence import say


class _Header(Struct, omit_defaults=True):
    frame: str | None
    described: Described | None = None


class _Press(Struct):
    press: str
    contact: Contact | None


class PressFile:
    """The presses so far, in a file beside `output`: a JSON line each, after a line with how frames look.

    `frame` is the template of the frames; None: that of the file, or not known yet. `described` is how the board was
    described when it began, for who goes on without that knowledge. All methods raise UserError.
    """

    def __init__(self, output: Path, frame: str | None, described: Described | None = None) -> None:
        self.file = output.with_name(f"{output.name}.presses")
        self.frame = frame
        self.described = described

    def read(self) -> list[Answer]:
        """The answers of the file; empty when there is none. A torn last line, without its end, is left out."""
        try:
            *lines, _ = files.read_bytes(self.file).split(b"\n")
            if not lines:
                return []
            header = msgspec.json.decode(lines[0], type=_Header)
            presses = [msgspec.json.decode(line, type=_Press) for line in lines[1:]]
        except FileNotFoundError:
            return []
        except OSError:
            said = say("learn.unread", "cannot read {name}: remove it to begin anew", name=str(self.file))
            raise UserError(said, 2) from None
        except ValueError:
            said = say("learn.damaged", "{name} cannot be understood: remove it to begin anew", name=str(self.file))
            raise UserError(said, 2) from None
        if self.frame not in (None, header.frame):
            what = f"the presses in {self.file} were made with --frame {header.frame!r}"
            raise UserError(f"{what}: give the same, or remove the file to begin anew", 2)
        self.frame, self.described = header.frame, self.described or header.described
        return [(each.press, each.contact) for each in presses]

    def write(self, answers: Iterable[Answer]) -> None:
        """Writes all answers anew."""
        lines = [_Header(self.frame, self.described), *(_Press(press, contact) for press, contact in answers)]
        with files.explain_errors(say("file.cannot_write", "cannot write {name}", name=str(self.file))):
            files.replace_file(self.file, msgspec.json.Encoder().encode_lines(lines))

    def remove(self) -> None:
        """Removes the file, if there is one."""
        with files.explain_errors(say("file.cannot_remove", "cannot remove {name}", name=str(self.file))):
            files.remove_file(self.file)
