"""What somebody has pressed so far, beside the profile it is to become: nobody presses eighty segments twice.

One JSON line a press, so that the file can be read and mended by hand; a line that says what they were pressed for is
the first. The whole file is written anew each time: it is small, and an undo is then nothing special.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from daemon.errors import UserError
from protocol.learning.survey import Answer, Contact


class Presses:
    """The presses kept beside `output`, for frames that look like `frame`. Raises UserError for a file of others."""

    def __init__(self, output: Path, frame: str) -> None:
        self.file = output.with_name(f"{output.name}.presses")
        self._frame = frame

    def read(self) -> list[Answer]:
        """What was pressed before; nothing if there is no file. A last line that is torn is left out."""
        try:
            lines = self.file.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        except OSError:
            raise UserError(f"cannot read {self.file}: remove it to begin anew", 2) from None
        if lines and not _is_whole(lines[-1]):
            lines.pop()  # somebody pulled the plug while it was written
        if not lines:
            return []
        try:
            header, *presses = map(json.loads, lines)
            if header["frame"] != self._frame:
                raise UserError(
                    f"the presses in {self.file} were made with --frame {header['frame']!r}: "
                    "give the same, or remove the file to begin anew",
                    2,
                )
            return [(str(line["press"]), _contact(line["contact"])) for line in presses]
        except (ValueError, KeyError, TypeError):
            raise UserError(f"{self.file} cannot be understood: remove it to begin anew", 2) from None

    def write(self, answers: Iterable[Answer]) -> None:
        """Keeps these; raises UserError."""
        lines: list[object] = [{"frame": self._frame}, *({"press": s, "contact": contact} for s, contact in answers)]
        fresh = self.file.with_name(f"{self.file.name}.new")
        try:
            fresh.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
            fresh.replace(self.file)
        except OSError as error:
            raise UserError(f"cannot write {self.file}: {(error.strerror or str(error)).lower()}") from None

    def remove(self) -> None:
        """They have become a profile."""
        self.file.unlink(missing_ok=True)


def _is_whole(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _contact(said: object) -> Contact | None:
    match said:
        case None | str():
            return said
        case [int(row), int(col)]:
            return row, col
    raise ValueError(said)
