"""What became of the latest events of a board, kept while a page looks: why a dart did not count.

A table has a watch only as long as one asks for it, so that it costs no dart anything otherwise.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

from protocol.debounce import Reason
from protocol.events import (
    Amended,
    BoardEvent,
    Button,
    Cleared,
    Echo,
    Found,
    Garbage,
    Hit,
    MissSensed,
    Stuck,
    TakeoutSeen,
    Unread,
    encode_event,
)
from protocol.sentence import Sentence, say, write_sentence

MOST_EVENTS = 200
_DARTS = Hit | MissSensed | Unread
_WATCHED = _DARTS | Button | Stuck | Echo | Garbage | Amended | TakeoutSeen | Cleared | Found
IDLE = say("refused.idle", "there is nothing to do with this right now")
"""Why a button or a sensor of misses is refused that the match does not need now."""

Fate = Reason | Literal["counted", "refused", "unknown", "unwritten"]
"""`refused`: by the match. `unknown`: bytes that mean nothing. `unwritten`: the journal could not be written."""


class WatchedEvent(Struct):
    """An event of the board, and what became of it; `why` it was refused."""

    event: BoardEvent
    fate: Fate
    why: str | Sentence | None = None


class BoardWatch:
    """The latest events of one board, from now on."""

    def __init__(self) -> None:
        self._events: deque[WatchedEvent] = deque(maxlen=MOST_EVENTS)
        self._latest: list[WatchedEvent] = []
        """Those of which it is not known yet whether they can be written."""

    def note(self, event: BoardEvent, dropped: Reason | None, why: str | Sentence | None) -> None:
        """Keeps what is said of darts, a button, and bytes that mean nothing; `dropped`, or `why` refused."""
        if isinstance(event, _WATCHED):
            fate: Fate = dropped or ("refused" if why else "unknown" if isinstance(event, Garbage) else "counted")
            self._latest.append(WatchedEvent(event, fate, why))

    def note_committed(self) -> None:
        """Tells from now on what became of the latest events: it is on the disk."""
        self._events += self._latest
        self._latest.clear()

    def take_back(self, darts: int) -> None:
        """Notes that the latest darts that counted could not be written to the journal."""
        counted = [each for each in self._latest if each.fate == "counted" and isinstance(each.event, _DARTS)]
        for each in counted[max(0, len(counted) - darts) :]:
            each.fate = "unwritten"
        self.note_committed()

    def encode(self, count_ms: Callable[[int], int]) -> list[dict[str, Any]]:  # Any: JSON
        """Returns the events in order of their times, which `count_ms` makes of those of the monotonic clock."""
        return [
            {"ms": count_ms(each.event.time_ns), "event": encode_event(each.event) or {}, "fate": each.fate}
            | ({"why": write_sentence(each.why)} if each.why else {})
            for each in sorted(self._events, key=lambda each: each.event.time_ns)
        ]
