"""What one loudspeaker is still to say, in order, so that calls never overlap, repeat or come late.

Sans-IO: every method takes the time, in seconds of any one clock. The owner puts what happened, asks `deadline` when to
come back, and says what `take` returns. A visit is called only VISIT_S after it was put, so a correction comes first:
what replaces a call that still waits is said once, as corrected.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

Kind = Literal["dart", "visit", "turn", "question", "news"]
"""What an item is: where a dart went, what a visit came to, who has to do what, a question, anything else."""
_END_A_TURN = ("dart", "visit", "turn")
VISIT_S = 0.6
"""How long after its last dart a visit is called. Everything else is said at once."""
MOST_WAITING = 20
"""Items; what is older is dropped. Nobody listens to more."""


class SpeechItem(Struct, frozen=True):
    """Something to say. `text` is the sentence; an owner that plays recordings adds them.

    A waiting item with the same `about` is replaced. If it was taken already, `correction` is said in place of `text`;
    without one, `text` is said. An item that `drops` empties the queue of what waits first. `line` is that of the match
    from which a visit or a fact follows, 0 for anything else: what waits of the line `outdates` and of those up to the
    item's own is dropped. An item without text is not said; it only replaces and drops.
    """

    kind: Kind
    text: str
    about: str = ""
    correction: str = ""
    drops: bool = False
    line: int = 0
    outdates: int = 0


Item = TypeVar("Item", bound=SpeechItem)


class SpeechQueue(Generic[Item]):
    """The queue of one loudspeaker."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[float, Item]] = deque()
        """Each with the time from which it may be said."""
        self._busy_until = 0.0

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, item: Item, now: float) -> None:
        """Adds the item, in place of one that waits about the same, else at the end; a dart before its visit.

        A turn that waits is out of date with the next dart, visit or turn: nobody is told to throw what is thrown.
        """
        if item.drops:
            self.clear()
        if item.kind in _END_A_TURN:
            self._waiting = deque((due, other) for due, other in self._waiting if other.kind != "turn")
        is_replaced = False
        for place, (due, other) in enumerate(self._waiting):
            if item.about and other.about == item.about:
                self._waiting[place] = due, item
                is_replaced = True
        if not is_replaced:
            self._add(replace(item, text=item.correction) if item.correction else item, now)
        outdated = range(item.outdates or item.line, item.line)
        self._waiting = deque((due, each) for due, each in self._waiting if each.text and each.line not in outdated)
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popleft()

    def _add(self, item: Item, now: float) -> None:
        places = [place for place, (_, other) in enumerate(self._waiting) if other.kind == "visit"]
        place = places[0] if places and item.kind == "dart" else len(self._waiting)
        self._waiting.insert(place, (now + VISIT_S if item.kind == "visit" else now, item))

    def has(self, about: str) -> bool:
        """Whether something about this waits."""
        return any(other.about == about for _, other in self._waiting)

    def clear(self) -> None:
        """Drops all that has not begun."""
        self._waiting.clear()

    def take(self, now: float) -> Item | None:
        """Removes and returns what is to be said now; None while something is spoken, or nothing is due."""
        if not self._waiting or now < self._due():
            return None
        return self._waiting.popleft()[1]

    def hold(self, until: float) -> None:
        """Has everything wait: the loudspeaker speaks until then. A time that has passed: it has finished."""
        self._busy_until = until

    def deadline(self) -> float | None:
        """Returns when `take` has something; None while nothing waits."""
        return self._due() if self._waiting else None

    def _due(self) -> float:
        return max(self._waiting[0][0], self._busy_until)
