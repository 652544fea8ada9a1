"""The foil behind the segments: which contacts read as closed when a dart lands, faults of the foil included.

What a dart does to a matrix is the same in boards of every name: a contact closes for a few milliseconds and bounces,
a hard throw closes a neighbour too, three corners of a rectangle of lines read as four, a slow scan looks elsewhere
just then. Faults are data, switched on one by one; what a fault adds comes after the dart's own contact, so a debounce
that works leaves exactly one dart.
"""

from __future__ import annotations

from random import Random

from msgspec import Struct

from protocol.codebook import Codebook
from protocol.segment import Segment, UnknownSegment
from protocol.standard import NUMBERS

_MS = 1_000_000
_CLOSED_MS = (1.0, 4.0)
"""A dart keeps its contact closed for so long."""


class Faults(Struct, frozen=True):
    """What this board does wrong; the default is a board without faults.

    `bounce_ms`: the line of a hit comes again so long after it, once for each number. `wedge_ms`: a dart closes a
    touching contact too, so much later. `has_ghosts`: three closed corners of a rectangle of lines read as four.
    `stuck_ms`: a contact stays closed and repeats its line so often, until `free`. `scan_ms`: the controller looks at
    all lines once in so long, and misses what opens before. `lost`: so large a part of the darts is not noticed.
    `shake_ms`: the miss sensor fires on hits too, so long after (or before, if below 0). `turn`: the mat sits behind
    the numbers turned clockwise by so many more than its profile says. `noise`: bytes sent as a line of their own
    before each hit. `chunk`: at most so many bytes in one write (0: no limit).
    """

    bounce_ms: tuple[int, ...] = ()
    wedge_ms: int | None = None
    has_ghosts: bool = False
    stuck_ms: int | None = None
    scan_ms: float = 0.0
    lost: float = 0.0
    shake_ms: int | None = None
    turn: int = 0
    noise: bytes = b""
    chunk: int = 0


SOUND = Faults()
"""A board without faults."""


class BoardContacts:
    """The contacts of one board."""

    def __init__(self, codebook: Codebook, faults: Faults, rng: Random) -> None:
        self._codebook = codebook
        self._faults = faults
        self._rng = rng
        self._closed: dict[Segment, int] = {}
        """When each contact closed last."""

    def under(self, segment: Segment) -> Segment | None:
        """The contact that a dart in this segment closes; None: there is none."""
        return self._codebook.reported(self._turned(segment))

    def is_seen(self) -> bool:
        """Whether the controller notices a dart that lands now: by chance, it may look elsewhere."""
        closed_ms = self._rng.uniform(*_CLOSED_MS)
        is_scanned = closed_ms >= self._faults.scan_ms * self._rng.random()
        return is_scanned and self._rng.random() >= self._faults.lost

    def close(self, contact: Segment, now: int) -> list[Segment]:
        """What reads as closed when this contact closes: itself, and the ghosts it makes."""
        if not self._faults.has_ghosts:
            return [contact]
        self._closed = {s: since for s, since in self._closed.items() if now - since <= _CLOSED_MS[1] * _MS}
        before = self._corners()
        self._closed[contact] = now
        ghosts = self._corners() - before - set(self._closed)
        return [contact, *(s for s in self._codebook.layout if s in ghosts)]

    def touching(self, contact: Segment) -> Segment | None:
        """A contact that a dart on the wire closes besides; None: nothing touches."""
        neighbours = [s for s in self._codebook.segments if s.id in contact.near]
        return self._rng.choice(neighbours) if neighbours else None

    def _turned(self, segment: Segment) -> Segment:
        number = segment.id[1:]
        if not self._faults.turn or not number.isdigit():
            return segment
        place = NUMBERS.index(int(number)) - self._faults.turn
        try:
            return self._codebook.layout[f"{segment.id[0]}{NUMBERS[place % 20]}"]
        except UnknownSegment:
            return segment

    def _corners(self) -> set[Segment]:
        """Contacts that read as closed because the other three corners of a rectangle are."""
        cells = self._codebook.cells
        closed = {cells[s.id] for s in self._closed if s.id in cells}
        return {
            self._codebook.layout[segment_id]
            for segment_id, (row, col) in cells.items()
            if any((row, c) in closed and (r, col) in closed for r, c in closed if r != row and c != col)
        }
