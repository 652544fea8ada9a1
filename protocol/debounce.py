"""From contacts to darts: recognises one dart that closes contacts several times, and two darts.

A pure filter between host and table; time comes with the events. It drops the same contact or key again within
`repeat_ms` (rolling, so a contact that stays closed is one dart however often it is repeated, and none if its first hit
was none), a segment that touches one which closed within `contact_ms` (a dart on a wire closes two contacts, where
wires cross up to four), and the fourth corner of a rectangle of matrix lines (contacts without diodes read a phantom
there). Hits on segments that do not touch pass even a millisecond apart.

A sensor of misses feels hits too, sometimes before the contact is read. So with `miss_ms` a miss is held back for that
long, and dropped if a contact closes meanwhile or did so just before. A key ends the wait: what is held was thrown
before the button was pressed. What becomes of a miss never depends on how late `tick` is called.

What is dropped is returned with the reason.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from protocol.codebook import Codebook
from protocol.events import BoardEvent, Button, Echo, Hit, MissSensed, Stuck
from protocol.segment import Segment

_MS = 1_000_000

Reason = Literal["repeat", "stuck", "contact", "ghost", "sensor", "echo"]
"""Why something was no dart. `sensor`: a miss that was a hit. `echo`: said twice, by the board's own count."""

UNNAMED = "?"
"""The stuck segment of a board that does not say which one it is."""


class Verdict(NamedTuple):
    """`dropped` is None for what counts, else why it does not. `stuck` is a repeat that has gone on for too long."""

    event: BoardEvent
    dropped: Reason | None = None


class Debounce:
    """The filter of one board: every event goes through `feed`, in order of time, and comes out of it in that order."""

    def __init__(self, codebook: Codebook) -> None:
        timing = codebook.profile.timing
        self._cells = codebook.cells
        self._repeat_ns = timing.repeat_ms * _MS
        self._contact_ns = timing.contact_ms * _MS
        self._miss_ns = timing.miss_ms * _MS
        self._stuck_ns = timing.stuck_ms * _MS
        self._last: dict[tuple[type[BoardEvent], str], tuple[int, int]] = {}
        """When each contact and key was seen last, and since when it has been repeated."""
        self._closed: dict[str, Hit] = {}
        """Contacts that closed within the contact time, darts or not, by segment; phantoms are none."""
        self._closed_ns: int | None = None
        """When a contact closed last, whatever came of it."""
        self._held: MissSensed | None = None
        self._stuck: dict[str, int] = {}
        """Contacts that do not open, and when they have if nothing more is heard of them."""

    @property
    def stuck(self) -> tuple[str, ...]:
        """The segments that do not open, in the order they got stuck; UNNAMED for one that the board does not name."""
        return tuple(self._stuck)

    def feed(self, event: BoardEvent) -> list[Verdict]:
        """Filters an event. Returns it, with what was held back before it; what is no throw and no key passes."""
        verdicts = self.tick(event.time_ns)
        match event:
            case Hit():
                verdict = self._hit(event)
                if verdict.dropped not in ("repeat", "stuck"):
                    verdicts += self._release("sensor")
                verdicts.append(verdict)
            case MissSensed():
                verdicts += self._miss(event)
            case Button(name=name):
                is_repeat = self._repeated_since(Button, name, event.time_ns, self._repeat_ns) is not None
                verdicts += [Verdict(event, "repeat")] if is_repeat else [*self.settle(), Verdict(event)]
            case Stuck(segment=segment):
                opens = event.time_ns + max(self._stuck_ns, self._repeat_ns)
                self._stuck[segment.id if segment else UNNAMED] = opens
                verdicts.append(Verdict(event, "stuck"))
            case Echo():
                verdicts.append(Verdict(event, "echo"))
            case _:
                verdicts.append(Verdict(event))
        return verdicts

    def deadline(self) -> int | None:
        """When `tick` wants to be called (monotonic, ns); None: never."""
        held = [self._held.time_ns + self._miss_ns] if self._held else []
        return min([*held, *self._stuck.values()], default=None)

    def tick(self, now: int) -> list[Verdict]:
        """Called at the deadline or later; returns what was held back."""
        self._stuck = {segment_id: opens for segment_id, opens in self._stuck.items() if now < opens}
        is_due = self._held is not None and now - self._held.time_ns >= self._miss_ns
        return self.settle() if is_due else []

    def counts_from(self, segment: Segment | None) -> int:
        """From when on (monotonic, ns) a hit on this segment counts, as far as is known now; None: a miss.

        Such a hit does not cancel a miss that is held back. 0: it counts at once.
        """
        kind, name = (MissSensed, "") if segment is None else (Hit, segment.id)
        seen, _ = self._last.get((kind, name), (None, 0))
        repeat_ns = self._repeat_ns if segment is not None else max(self._repeat_ns, self._miss_ns)
        waits = [seen + repeat_ns] if seen is not None else []
        if segment is None:
            waits += [self._closed_ns + self._miss_ns] if self._closed_ns is not None else []
        else:
            waits += [hit.time_ns + self._contact_ns for hit in self._closed.values()]
            waits += [self._held.time_ns + self._miss_ns] if self._held else []
        return max(waits, default=0)

    def settle(self) -> list[Verdict]:
        """Returns a miss that is held back as one that counts, because the match goes on."""
        return self._release(None)

    def _hit(self, hit: Hit) -> Verdict:
        now, segment = hit.time_ns, hit.segment
        since = self._repeated_since(Hit, segment.id, now, self._repeat_ns)
        if since is not None:
            if now - since < self._stuck_ns:
                return Verdict(hit, "repeat")
            self._stuck[segment.id] = now + self._repeat_ns
            return Verdict(hit, "stuck")
        self._closed_ns = now
        self._closed = {i: h for i, h in self._closed.items() if now - h.time_ns < self._contact_ns}
        touches = not segment.near.isdisjoint(self._closed)
        if not touches and self._is_phantom(segment.id):
            return Verdict(hit, "ghost")
        self._closed[segment.id] = hit
        return Verdict(hit, "contact" if touches else None)

    def _miss(self, miss: MissSensed) -> list[Verdict]:
        now = miss.time_ns
        if self._repeated_since(MissSensed, "", now, max(self._repeat_ns, self._miss_ns)) is not None:
            return [Verdict(miss, "repeat")]
        if self._closed_ns is not None and now - self._closed_ns < self._miss_ns:
            return [Verdict(miss, "sensor")]
        if not self._miss_ns:
            return [Verdict(miss)]
        self._held = miss
        return []

    def _release(self, dropped: Reason | None) -> list[Verdict]:
        held, self._held = self._held, None
        return [Verdict(held, dropped)] if held else []

    def _repeated_since(self, kind: type[BoardEvent], name: str, now: int, window_ns: int) -> int | None:
        """Since when (ns) this contact or key repeats itself; None when it is new."""
        seen, since = self._last.get((kind, name), (None, now))
        is_new = seen is None or now - seen >= window_ns
        self._last[kind, name] = (now, now if is_new else since)
        return None if is_new else since

    def _is_phantom(self, segment_id: str) -> bool:
        """Whether the other three corners of a rectangle of lines are closed."""
        if segment_id not in self._cells:
            return False
        row, col = self._cells[segment_id]
        closed = {self._cells[i] for i in self._closed if i in self._cells}
        return any((row, c) in closed and (r, col) in closed for r, c in closed if r != row and c != col)
