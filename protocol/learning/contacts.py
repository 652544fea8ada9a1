"""What a frame says about the matrix, before it is known which segment is where: a row and a column.

The template is the profile's own (`hits.frame`): so whatever notation a profile can be written in can be learned, and
what was learned is written in the same words. Where each number stands by itself the frame is taken apart, piece by
piece; otherwise (`{16*row+col}`, a key a contact) the template is filled in for every row and column there may be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from protocol.codebook import make_blank_codebook
from protocol.learning.candidates import Cell
from protocol.learning.survey import Contact
from protocol.profile import Profile
from protocol.sentence import Refusal, say
from protocol.templates import fill, find_factors, find_words

LINES = 256
"""Line numbers are below this: some boards say the pins of their controller."""
_LINES_IN_ONE = 64
"""The same where row and column are one number."""

OPAQUE = "*"
"""The template of frames that cannot be taken apart: each of them is a contact of its own."""


class FrameContacts:
    """The contacts of a board whose hits look as this profile says; raises ValueError if they say no row and column."""

    def __init__(self, profile: Profile) -> None:
        self._book = make_blank_codebook(profile)
        self.is_matrix = profile.hits.frame != OPAQUE
        self._pieces = _pieces(profile) if self.is_matrix else None
        self._cells: Mapping[bytes, Cell] = _cells(profile) if self.is_matrix and self._pieces is None else {}
        listed = (*profile.buttons.values(), profile.miss, profile.stuck)
        said = (word for entry in listed for word in ([entry] if isinstance(entry, str) else entry))
        self._others = {self._book.key(fill(word, profile.notation, {})) for word in said}
        """Frames the profile knows already, but for those it ignores."""

    def read(self, frame: bytes) -> Contact | None:
        """The contact in this frame; None: it has none."""
        key = self._book.key(frame)
        if key in self._others or self._book.ignores(frame):
            return None
        if not self.is_matrix:
            return frame.decode("latin-1") or None
        if key is None:
            return None
        return self._cells.get(key) if self._pieces is None else self._pieces.read(key)

    def frame(self, contact: Contact) -> bytes:
        """The frame for this contact."""
        return contact.encode("latin-1") if isinstance(contact, str) else _frame(self._book.profile, contact)


class _Pieces(NamedTuple):
    """A frame in which each number stands by itself: its shape, and what each number in it says of which word."""

    shape: re.Pattern[bytes]
    numbers: Sequence[tuple[str, Mapping[bytes, int]]]

    def read(self, frame: bytes) -> Cell | None:
        match = self.shape.fullmatch(frame)
        if match is None:
            return None
        said = {(word, lines.get(text)) for text, (word, lines) in zip(match.groups(), self.numbers, strict=True)}
        lines = dict(said)
        row, col = lines["row"], lines["col"]
        return None if row is None or col is None or len(lines) < len(said) else (row, col)


def template(text: str) -> str:
    """The template of a profile, `{row},{col}`, for one as people write it, `row,col`."""
    if (
        any(f"{{{word}" in text for word in ("row", "col", "key"))
        or find_words(text) >= {"row", "col"}
        or text == OPAQUE
    ):
        return text
    return text.replace("row", "{row}").replace("col", "{col}")


def _pieces(profile: Profile) -> _Pieces | None:
    """How to take a frame apart; None where that cannot be done number by number."""
    frame, notation = profile.hits.frame or "", profile.notation
    parts = re.split(r"(\{[^{}]*\})", frame)
    if find_words(frame) != {"row", "col"} or any(len(find_words(part)) > 1 for part in parts):
        return None
    shape, numbers = b"", []
    for part in parts:
        if find_words(part):
            digits = _find_digits(part)
            if shape.endswith(b")") and notation == "text" and b"," not in digits:
                return None  # 111 may be 1 and 11, or 11 and 1
            (word,) = find_words(part)
            lines: dict[bytes, int] = {}
            for line in range(LINES):
                with suppress(ValueError):  # a number that does not fit into its byte
                    lines.setdefault(fill(part, notation, {word: line}), line)
            numbers.append((word, lines))
            shape += b"(" + digits + b")" if notation == "text" else b"(.)"
        else:
            said = fill(part, notation, {})
            shape += re.escape(said.lower() if profile.hits.ignore_case else said)
    return _Pieces(re.compile(shape, re.DOTALL), numbers)


def _find_digits(placeholder: str) -> bytes:
    """The digits of a placeholder in text, as in `{row:02X}`: a regular expression."""
    _, _, form = placeholder.strip("{}").partition(":")
    digit = rb"[\da-fA-F]" if form[-1:] in ("x", "X") else rb"\d"
    width = form.strip("xX")
    return digit + b"{%d,}" % int(width) if width else b"-?" + digit + b"+"


def _cells(profile: Profile) -> dict[bytes, Cell]:
    hits = profile.hits
    frame = hits.frame or ""
    if "key" in find_words(frame):
        cells = [(r, c) for r, row in enumerate(hits.keys) for c in range(len(row))]
    elif find_words(frame) >= {"row", "col"}:
        cells = _count_cells(frame)
    else:
        raise Refusal(
            say(
                "learn.frame",
                "the frame {given} must contain {row} and {col}, as in {one} or {other}; or write * for "
                "frames of any kind",
                given=repr(frame),
                row="{row}",
                col="{col}",
                one="{row},{col}",
                other="R{row}C{col}",
            )
        )
    found: dict[bytes, Cell] = {}
    for cell in cells:
        with suppress(ValueError):  # a number that does not fit into its byte
            said = _frame(profile, cell)
            found.setdefault(said.lower() if hits.ignore_case else said, cell)
    return found


def _count_cells(frame: str) -> list[Cell]:
    """Every cell there may be, the likeliest first where one frame could be several.

    In `{7*row+col}` that is the one whose column is below 7, else the one nearest to the first.
    """
    row, col = (abs(factor) for factor in find_factors(frame, ("row", "col")) or (1, 1))
    cells = ((r, c) for r in range(_LINES_IN_ONE) for c in range(_LINES_IN_ONE))
    return sorted(cells, key=lambda cell: (cell[1] * col >= row > col or cell[0] * row >= col > row, max(cell)))


def _frame(profile: Profile, cell: Cell) -> bytes:
    hits = profile.hits
    values: dict[str, int | str] = {"row": cell[0], "col": cell[1]}
    if "key" in find_words(hits.frame or ""):
        values["key"] = hits.keys[cell[0]][cell[1]]
    return fill(hits.frame or "", profile.notation, values)


def is_hex(frame: str) -> bool:
    """Whether this template can be one of bytes, rather than of characters."""
    try:
        return bool(fill(frame, "hex", {"row": 0, "col": 0}))
    except ValueError:
        return False
