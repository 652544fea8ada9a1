"""A match as a journal keeps it: how it began, and its lines.

Values without a file: what is played makes them, and what writes and reads a journal takes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from engine.played import PlayerPart
from engine.tally import Figure
from protocol.commands import strip_line

RewriteHeader = Callable[[dict[str, Any]], dict[str, Any]]  # Any: JSON
"""Returns what takes the place of a header."""


class Begin(NamedTuple):
    """A new match: its id, its header as JSON, when (ISO 8601, UTC; "" until it is written)."""

    match: str
    header: dict[str, Any]  # Any: JSON
    at: str = ""


class Line(NamedTuple):
    """One accepted input: its match, its line in the record, the input as JSON, who made it, when (as in Begin)."""

    match: str
    number: int
    input: dict[str, Any]  # Any: JSON
    source: str
    at: str = ""


class StoredMatch(NamedTuple):
    """A match as it was written."""

    id: str
    header: dict[str, Any]  # Any: JSON
    lines: list[Line]
    at: str = ""


class Planned(NamedTuple):
    """The plan of the next match that a player made during this one: a header as JSON; None: what follows by itself."""

    match: str
    header: dict[str, Any] | None  # Any: JSON


class Result(Struct, frozen=True, omit_defaults=True):
    """The result of a match that is over; `rules` is the version of its game's rules that it was played by.

    `winners` are sides, `scores` has one of each side, and `parts` those of the players by their seats.
    """

    rules: int
    game: str
    variant: str
    title: str
    layout: str
    figure: Figure
    was_stopped: bool
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    parts: dict[int, PlayerPart]


class FinishedMatch(NamedTuple):
    """A finished match that is in the journal, to be kept as one record as well, with what it came to if that is known.

    A result that is kept already stays, as long as the match has the same lines.
    """

    match: StoredMatch
    result: Result | None = None


def encode_record(stored: StoredMatch) -> Iterator[bytes]:
    """Yields the lines of the match record, as docs/playing.md has it: a sensor's own names of darts stay here."""
    yield msgspec.json.encode(stored.header) + b"\n"
    for line in stored.lines:
        yield msgspec.json.encode(strip_line(line.input)) + b"\n"
