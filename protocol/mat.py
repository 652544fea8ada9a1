"""Sensor mats: the foil behind the segments, the same few wirings in boards of every name.

A mat is data once (`mats/NAME.toml`); how a board is built around it (layout turned, mirrored, lines swapped or in
another order) is a Wiring on top, so no turn of a known mat is ever copied as a table of its own.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Annotated

from msgspec import Meta, Struct

from protocol.sentence import Refusal, say
from protocol.source import Source
from protocol.spelling import say_nearest
from protocol.standard import NUMBERS


class Mat(Struct, frozen=True, forbid_unknown_fields=True):
    """A matrix of contacts. `rows` holds one text a row line: a segment id a column line, `.` for no contact."""

    id: str
    about: str
    rows: list[str]
    confidence: str = "unknown"
    sources: list[str] = []

    @property
    def grid(self) -> list[list[str]]:
        """Segment ids by row and column line, "." for no contact."""
        return [row.split() for row in self.rows]


class Wiring(Struct, frozen=True, forbid_unknown_fields=True):
    """How a board is wired to its mat.

    Turn and mirror also go for boards that name their segments by number: those with a layout that can be turned in its
    frame know nothing of it. docs/configuration.md has the docstrings of the fields.
    """

    turn: Annotated[int, Meta(ge=0, le=19)] = 0
    """By how many numbers the mat is turned clockwise. With 1, a hit on 1 closes the contact that the mat has as 20."""
    button_at: Annotated[int, Meta(ge=1, le=20)] | None = None
    """Instead of `turn`: next to which number the board's button is, if the profile says where the button belongs."""
    mirror: bool = False
    """The mat was flipped from left to right (20 stays) before it was turned."""
    transpose: bool = False
    """The rows of the mat are the columns of this board, and its columns the rows."""
    rows: list[int] | None = None
    """`rows[r]` is the row line of the board for row r of the mat; both count from 0. By default they are in the same
    order."""
    cols: list[int] | None = None
    """`cols[c]` is the column line of the board for column c of the mat, likewise."""


def list_mats() -> tuple[str, ...]:
    """The ids of the mats that ship."""
    folder = resources.files("protocol") / "mats"
    return tuple(sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")))


@cache
def load_mat(name: str) -> Mat:
    """The shipped mat of that id; raises ValueError with the nearest spelling."""
    if name not in list_mats():
        meant = say_nearest(name, list_mats())
        raise Refusal(say("settings.no_mat", "there is no mat {given}{meant}", given=repr(name), meant=meant))
    text = (resources.files("protocol") / "mats" / f"{name}.toml").read_text(encoding="utf-8")
    return Source(text, f"{name}.toml").read(Mat)


def locate_segments(mat: Mat, wiring: Wiring) -> dict[str, tuple[int, int]]:
    """The board's row and column line of each segment; raises ValueError when the wiring does not fit the mat."""
    grid = mat.grid
    rows = _lines("rows", wiring.rows, len(grid), mat.id)
    cols = _lines("cols", wiring.cols, len(grid[0]), mat.id)
    found: dict[str, tuple[int, int]] = {}
    for r, row in enumerate(grid):
        for c, segment_id in enumerate(row):
            if segment_id != ".":
                line = (rows[r], cols[c])
                found[turn_segment(segment_id, wiring)] = (line[1], line[0]) if wiring.transpose else line
    return found


def _lines(axis: str, given: list[int] | None, count: int, name: str) -> list[int]:
    lines = list(range(count)) if given is None else given
    if len(lines) != count or len(set(lines)) != count or min(lines) < 0:
        raise Refusal(
            say(
                "settings.wiring",
                "wiring.{given} must name {count} different lines (from 0), one for each line of the mat {name}",
                given=axis,
                count=count,
                name=name,
            )
        )
    return lines


def turn_segment(segment_id: str, wiring: Wiring) -> str:
    """The segment over the contact of this name, on a layout that was turned and mirrored."""
    if not segment_id[1:].isdigit():
        return segment_id
    place = NUMBERS.index(int(segment_id[1:]))
    return f"{segment_id[0]}{NUMBERS[(wiring.turn + (-place if wiring.mirror else place)) % 20]}"
