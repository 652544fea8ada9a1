"""A matrix board as its firmware behaves, faults included: from a dart to the lines it prints.

Sans-IO like the codec it speaks through: time is an argument (monotonic, ns), what is to come later is a deadline,
and nothing here knows a port. Faults are data, switched on one by one, each a thing real boards do; what a fault adds
comes after the dart's own line, so a debounce that works leaves exactly one dart.
"""

from __future__ import annotations

import heapq
from itertools import count
from random import Random

from msgspec import Struct

from protocol.codebook import Codebook
from protocol.endpoint import Board
from protocol.events import Button, Event, Hit, Miss, Status, Write
from protocol.segment import Segment

_MS = 1_000_000
_CLOSED_MS = 4
"""A dart keeps its contact closed for 1 to 4 ms."""


class Faults(Struct, frozen=True):
    """What this board does wrong; the default is a board without faults.

    `bounce_ms`: the line of a hit comes again so long after it, once for each number. `wedge_ms`: a dart closes a
    touching contact too, so much later. `has_ghosts`: three closed corners of a rectangle of lines read as four.
    `stuck_ms`: a contact stays closed and repeats its line so often, until `free`. `noise`: bytes sent as a line of
    their own before each hit. `chunk`: at most so many bytes in one write (0: no limit).
    """

    bounce_ms: tuple[int, ...] = ()
    wedge_ms: int | None = None
    has_ghosts: bool = False
    stuck_ms: int | None = None
    noise: bytes = b""
    chunk: int = 0


SOUND = Faults()
"""A board without faults."""


class Firmware:
    """The board's program. `outgoing` hands out what it wrote, one item a write."""

    def __init__(self, codebook: Codebook, faults: Faults = SOUND, rng: Random | None = None) -> None:
        self.faults = faults
        self._codebook = codebook
        self._rng = rng or Random(0)
        self._board = Board(codebook)
        self._writes: list[bytes] = []
        self._later: list[tuple[int, int, Segment, bool]] = []
        """Contacts that will read as closed: when, in which order, which, and whether they do so for ever."""
        self._order = count()
        self._closed: dict[Segment, int] = {}
        """When each contact closed last."""

    def opened(self) -> None:
        """A host opened the port: the controller starts anew and greets, if it is a kind that does."""
        self._board = Board(self._codebook)
        self._writes.clear()
        profile = self._codebook.profile
        greeting = profile.serial.banner or next((word for word in profile.ignore if not word.endswith("*")), None)
        if greeting is not None:
            self._say(Status(text=greeting, raw=greeting.encode("latin-1")))

    def hit(self, segment: Segment, now: int) -> bool:
        """A dart lands in this segment. False: the board has no contact there and notices nothing."""
        contact = self._codebook.reported(segment)
        if contact is None:
            return False
        if self.faults.noise:
            self._write(self._codebook.profile.framing.wrap(self.faults.noise))
        self._contact(contact, now)
        for bounce_ms in self.faults.bounce_ms:
            self._plan(now + bounce_ms * _MS, contact)
        if self.faults.wedge_ms is not None:
            neighbours = [s for s in self._codebook.segments if s.id in contact.near]
            self._plan(now + self.faults.wedge_ms * _MS, self._rng.choice(neighbours))
        if self.faults.stuck_ms is not None:
            self._plan(now + self.faults.stuck_ms * _MS, contact, is_stuck=True)
        return True

    def miss(self, now: int) -> bool:
        """A dart misses the face. False: this board has no way to tell."""
        return self._say(Miss(time_ns=now))

    def press(self, button: str, now: int) -> bool:
        """Somebody presses a button. False: there is none of that name."""
        return self._say(Button(name=button, time_ns=now))

    def free(self) -> None:
        """Whatever kept a contact closed is pulled out."""
        self._later = [planned for planned in self._later if not planned[3]]
        heapq.heapify(self._later)

    def feed(self, data: bytes, now: int) -> list[Write]:
        """The commands in these bytes from the host."""
        return self._board.feed(data, now)

    def outgoing(self) -> list[bytes]:
        """What is to be written now, in order."""
        writes, self._writes = self._writes, []
        return writes

    def deadline(self) -> int | None:
        """When `tick` wants to be called; None: never."""
        return self._later[0][0] if self._later else None

    def tick(self, now: int) -> None:
        """Called at the deadline, or later."""
        while self._later and self._later[0][0] <= now:
            time_ns, _, contact, is_stuck = heapq.heappop(self._later)
            self._contact(contact, time_ns)
            if is_stuck and self.faults.stuck_ms is not None:
                self._plan(time_ns + self.faults.stuck_ms * _MS, contact, is_stuck=True)

    def _plan(self, time_ns: int, contact: Segment, *, is_stuck: bool = False) -> None:
        heapq.heappush(self._later, (time_ns, next(self._order), contact, is_stuck))

    def _contact(self, contact: Segment, now: int) -> None:
        self._say(Hit(segment=contact, time_ns=now))
        if self.faults.has_ghosts:
            self._closed = {s: since for s, since in self._closed.items() if now - since <= _CLOSED_MS * _MS}
            before = self._corners()
            self._closed[contact] = now
            for ghost in self._corners() - before - set(self._closed):
                self._say(Hit(segment=ghost, time_ns=now))

    def _corners(self) -> set[Segment]:
        """Contacts that read as closed because the other three corners of a rectangle are."""
        cells = self._codebook.cells
        closed = {cells[s.id] for s in self._closed if s.id in cells}
        return {
            self._codebook.layout[segment_id]
            for segment_id, (row, col) in cells.items()
            if any((row, c) in closed and (r, col) in closed for r, c in closed if r != row and c != col)
        }

    def _say(self, event: Event) -> bool:
        said = self._board.send(event)
        if said:
            self._write(self._board.outgoing())
        return said

    def _write(self, data: bytes) -> None:
        size = self.faults.chunk or len(data)
        self._writes += [data[at : at + size] for at in range(0, len(data), size)]
