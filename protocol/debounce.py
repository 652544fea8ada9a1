"""From contacts to darts: what one dart does to a board more than once is told apart from two darts.

A pure filter between host and table; time comes with the events. It drops the same segment again within `repeat_ms`
(rolling, so a contact that stays closed is one dart however often it is repeated, and none if its first hit was none),
a segment that touches one which closed within `contact_ms` (a dart on a wire closes two contacts, where wires cross up
to four), and the fourth corner of a rectangle of matrix lines (contacts without diodes read a phantom there). Hits on
segments that do not touch pass even a millisecond apart. Whatever is dropped is reported with the reason; nothing
disappears in silence.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from protocol.codebook import Codebook
from protocol.events import Hit

_MS = 1_000_000

Reason = Literal["repeat", "stuck", "contact", "ghost"]


class Verdict(NamedTuple):
    """`dropped` is None for a dart, else why it is none. `stuck` is a repeat that has gone on for too long."""

    hit: Hit
    dropped: Reason | None = None


class Debounce:
    """The filter of one connection: every hit goes through `judge`, in order of time."""

    def __init__(self, codebook: Codebook) -> None:
        timing = codebook.profile.timing
        self._cells = codebook.cells
        self._repeat_ns = timing.repeat_ms * _MS
        self._contact_ns = timing.contact_ms * _MS
        self._stuck_repeats = timing.stuck_repeats
        self._last: dict[str, tuple[int, int]] = {}
        """When each segment was last seen, and how often it was repeated since its contact closed."""
        self._closed: list[Hit] = []
        """Contacts that closed within the contact time, darts or not; phantoms are none."""

    def judge(self, hit: Hit) -> Verdict:
        """Is this hit a dart?"""
        now, segment = hit.time_ns, hit.segment
        seen, repeats = self._last.get(segment.id, (None, 0))
        if seen is not None and now - seen < self._repeat_ns:
            self._last[segment.id] = (now, repeats + 1)
            return Verdict(hit, "stuck" if repeats + 1 >= self._stuck_repeats else "repeat")
        self._last[segment.id] = (now, 0)
        self._closed = [h for h in self._closed if now - h.time_ns < self._contact_ns]
        touches = any(h.segment.id in segment.near for h in self._closed)
        if not touches and self._is_phantom(segment.id):
            return Verdict(hit, "ghost")
        self._closed.append(hit)
        return Verdict(hit, "contact" if touches else None)

    def _is_phantom(self, segment_id: str) -> bool:
        """Are the other three corners of a rectangle of lines closed?"""
        if segment_id not in self._cells:
            return False
        row, col = self._cells[segment_id]
        closed = {self._cells[h.segment.id] for h in self._closed if h.segment.id in self._cells}
        return any((row, c) in closed and (r, col) in closed for r, c in closed if r != row and c != col)
