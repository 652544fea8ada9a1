"""What a frame says about the matrix, before anybody knows which segment is where: a row and a column.

The template is the profile's own (`hits.frame`), filled in for every row and column a board may have: so whatever
notation a profile can be written in can be learned, and what was learned is written in the same words.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from protocol.learning.candidates import Cell
from protocol.learning.survey import Contact
from protocol.profile import Profile
from protocol.template import fill, words

_LINES = 64
"""Line numbers are below this: controllers have no more pins."""

OPAQUE = "*"
"""The template of frames nobody can take apart: each of them is a contact of its own."""


class Contacts:
    """The contacts of a board whose hits look as this profile says; raises ValueError if they say no row and column."""

    def __init__(self, profile: Profile) -> None:
        self._ignore_case = profile.hits.ignore_case
        self.is_matrix = profile.hits.frame != OPAQUE
        self._cells: Mapping[bytes, Cell] = _cells(profile) if self.is_matrix else {}
        listed = (*profile.buttons.values(), profile.miss, profile.stuck, profile.ignore)
        said = (word for entry in listed for word in ([entry] if isinstance(entry, str) else entry))
        self._others = {fill(word, profile.notation, {}) for word in said if not word.endswith("*")}
        """Frames the profile knows already."""
        self._frames = {cell: frame for frame, cell in self._cells.items()}

    def read(self, frame: bytes) -> Contact | None:
        """The contact this frame tells of, None if none."""
        if frame in self._others:
            return None
        if self.is_matrix:
            return self._cells.get(frame.lower() if self._ignore_case else frame)
        return frame.decode("latin-1") or None

    def frame(self, contact: Contact) -> bytes:
        """The frame that tells of this contact."""
        return contact.encode("latin-1") if isinstance(contact, str) else self._frames[contact]


def template(text: str) -> str:
    """A template as people write it, `row,col`, as a profile has it: `{row},{col}`."""
    if "{" in text or text == OPAQUE:
        return text
    return text.replace("row", "{row}").replace("col", "{col}")


def _cells(profile: Profile) -> dict[bytes, Cell]:
    hits = profile.hits
    frame = hits.frame or ""
    if "key" in words(frame):
        pairs = [(r, c) for r, row in enumerate(hits.keys) for c in range(len(row))]
    elif words(frame) >= {"row", "col"}:
        # Where one frame could be several cells (`{16*row+col}`), it is the one nearest to the first.
        pairs = sorted(((r, c) for r in range(_LINES) for c in range(_LINES)), key=max)
    else:
        raise ValueError(f"the frame {frame!r} must hold row and col, as in row,col; or be * for frames of any kind")
    found: dict[bytes, Cell] = {}
    for row, col in pairs:
        values: dict[str, int | str] = {"row": row, "col": col}
        if hits.keys:
            values["key"] = hits.keys[row][col]
        with suppress(ValueError):  # a number that does not fit into its byte
            said = fill(frame, profile.notation, values)
            found.setdefault(said.lower() if hits.ignore_case else said, (row, col))
    return found
