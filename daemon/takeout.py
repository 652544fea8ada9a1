"""When does the next visit open by itself? The takeout policy of a table, as a pure rule over times.

`button`: never; somebody presses next. `timer`: so many seconds after the last dart, or after the last hit while the
darts were pulled (pulling makes ghost hits). `hits`: with the next hit, when it was quiet before it. A board that sees
somebody walk up to it starts the timer, whatever the policy: the darts are still to be pulled. After an undo the timer
rests until the next input: somebody is mending something. A bot has no darts to pull and goes on by itself; as it hits
no board either, `hits` is a timer where bots play.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from engine.match import Match

Mode = Literal["button", "timer", "hits"]


def mode(wanted: Mode | None, buttons: Collection[str]) -> Mode:
    """The policy of a table: the one it asks for, else the button where its board has one, else the timer."""
    return wanted or ("button" if {"next", "takeout"} & set(buttons) else "timer")


class Takeout:
    """The policy of one table. Times are seconds of one monotonic clock."""

    def __init__(self, mode: Mode, seconds: float) -> None:
        self.due: float | None = None
        """When the visit is to be closed; None: not by a timer."""
        self._mode = mode
        self._seconds = seconds
        self._touched = 0.0
        self._is_pulled = False
        """Somebody was seen at the board since the visit was thrown."""

    def rule(self, match: Match, now: float) -> None:
        """After every input: is the timer to run from here?"""
        position, header = match.position, match.header
        is_thrown = position.phase == "takeout" or (position.blocking is not None and not position.visit.darts_left)
        waiting = is_thrown and header.bot(position.mover) is None
        self._is_pulled = self._is_pulled and waiting
        is_timed = self._mode == "timer" or (self._mode == "hits" and header.bots is not None) or self._is_pulled
        self.due = now + self._seconds if waiting and is_timed else None

    def pull(self, now: float) -> None:
        """In takeout: somebody walked up to the board."""
        self._is_pulled = True
        self._touched = now
        self.due = now + self._seconds

    def rest(self) -> None:
        """After an undo: not before the next input."""
        self.due = None
        self._is_pulled = False

    def touch(self, now: float) -> None:
        """Something hit the board."""
        self._touched = now

    def hit_opens(self, now: float) -> bool:
        """In takeout: does this hit begin the next visit?"""
        return self._mode == "hits" and now - self._touched >= self._seconds
