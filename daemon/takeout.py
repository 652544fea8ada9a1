"""When does the next visit open by itself? The takeout policy of a table, as a pure rule over times.

`button`: never; somebody presses next. `timer`: so many seconds after the last dart, or after the last hit while the
darts were pulled (pulling makes ghost hits). `hits`: with the next hit, when it was quiet before it. After an undo the
timer rests until the next input: somebody is mending something.
"""

from __future__ import annotations

from engine.position import Position


class Takeout:
    """The policy of one table. Times are seconds of one monotonic clock."""

    def __init__(self, mode: str, seconds: float) -> None:
        self.due: float | None = None
        """When the visit is to be closed; None: not by a timer."""
        self._mode = mode
        self._seconds = seconds
        self._touched = 0.0

    def rule(self, position: Position, now: float) -> None:
        """After every input: is the timer to run from here?"""
        waiting = position.phase == "takeout" or (position.blocking is not None and not position.visit.darts_left)
        self.due = now + self._seconds if self._mode == "timer" and waiting else None

    def touch(self, now: float) -> None:
        """Something hit the board."""
        self._touched = now

    def hit_opens(self, now: float) -> bool:
        """In takeout: does this hit begin the next visit?"""
        return self._mode == "hits" and now - self._touched >= self._seconds
