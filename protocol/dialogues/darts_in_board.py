"""The darts in an Autodarts board, from one snapshot to the next: which dart is which, which are new, which are gone.

The board gives a dart no id, so it is known by its bed and its place. A dart that is gone while others stay may have
been pulled or lost from the picture for a moment: where it comes back it is the same dart.
"""

from __future__ import annotations

from itertools import combinations
from math import dist
from typing import Final

from protocol.dialogue import MS
from protocol.dialogues.autodarts_state import MOST_DARTS, Dart, State
from protocol.events import Amended, BoardEvent, Cleared, Found, TakeoutSeen
from protocol.segment import Segment

IN_TAKEOUT: Final = "Takeout in progress"
_FINISHED: Final = "Takeout finished"
_FORGOTTEN: Final = (
    "Manual reset",
    "Started",
    "Starting",
    "Stopped",
    "Stopping",
    "Calibration started",
    "Calibration finished",
)
"""Events of a board that has forgotten its darts without a takeout."""
_OWN_RESET_MS: Final = 10_000
"""A board that was reset by us has forgotten its darts by then."""


class DartsInBoard:
    """The darts in the board, as far as they were told."""

    def __init__(self) -> None:
        self.was_off = False
        """Whether detection was off since the last snapshot: darts that are gone then were not seen to be pulled."""
        self.reset_ns: int | None = None
        """When a person had the board reset by us."""
        self._darts: list[Dart] = []
        self._pulled: list[Dart] = []
        """Darts of this visit that are gone from the picture, the latest last."""
        self._takeout_of: int | None = None
        """How many darts there were when the takeout began that was told."""
        self._visit_ns = 0
        self._count = 0
        """Of the darts of this visit: with its beginning it makes their keys."""

    @property
    def beds(self) -> list[Segment | None]:
        """The segments of the darts."""
        return [dart.segment for dart in self._darts]

    def find(self, state: State, now: int) -> list[BoardEvent]:
        """A baseline: what was there before. A dart that was known before a gap keeps its key."""
        before, free = self._darts, [*self._darts, *self._pulled]
        if not before:
            self._begin(now)
        for dart, known in _pair(state.darts, before, free):
            dart.key = known.key if known is not None else self._make_key()
        self._darts = list(state.darts)
        self._pulled = free[-MOST_DARTS:] if state.darts else []
        self._takeout_of, self.was_off = None, False
        return [Found(darts=tuple(dart.make_event(now) for dart in self._darts), is_exact=False, time_ns=now)]

    def compare(self, state: State, now: int) -> list[BoardEvent]:
        """What has happened since the last snapshot."""
        count = len(state.darts)
        if not count:
            return self._empty(state, now)
        events = self._end_unseen(state, now) if count < len(self._darts) else []
        self.was_off = False
        if self._takeout_of is not None and state.status != IN_TAKEOUT and count >= self._takeout_of:
            events += self._deny_takeout(now)
        if count < len(self._darts):
            self._pull(state.darts)
        else:
            events += self._match(state.darts, now)
        if state.status == IN_TAKEOUT and self._takeout_of is None:
            self._takeout_of = count
            events.append(TakeoutSeen(step="started", time_ns=now))
        return events

    def _empty(self, state: State, now: int) -> list[BoardEvent]:
        """No dart is in the board."""
        is_ours = self.reset_ns is not None and now - self.reset_ns < _OWN_RESET_MS * MS
        had_darts, was_off = bool(self._darts), self.was_off
        self._darts, self._pulled, self._takeout_of, self.was_off, self.reset_ns = [], [], None, False, None
        if not had_darts or (is_ours and state.event != _FINISHED):  # without darts: a person walked by
            return []
        if was_off or state.event in _FORGOTTEN:
            return [Cleared(time_ns=now)]
        return [TakeoutSeen(step="finished", time_ns=now)]

    def _end_unseen(self, state: State, now: int) -> list[BoardEvent]:
        """Where fewer darts than before are all others, the takeout was not heard of, and a visit has begun since."""
        known = [*self._darts, *self._pulled]
        if state.status == IN_TAKEOUT or any(each.may_be(dart) for each in known for dart in state.darts):
            return []
        self._darts, self._pulled, self._takeout_of = [], [], None
        return [Cleared(time_ns=now)] if self.was_off else [TakeoutSeen(step="finished", time_ns=now)]

    def _pull(self, darts: tuple[Dart, ...]) -> None:
        """Fewer darts than before: which are left is told by their beds, then by their places."""

        def fit(chosen: tuple[Dart, ...]) -> tuple[int, float]:
            pairs = list(zip(chosen, darts, strict=True))
            apart = sum(dist(one.point, other.point) for one, other in pairs if one.point and other.point)
            return sum(one.segment == other.segment for one, other in pairs), -apart

        left = max(combinations(self._darts, len(darts)), key=fit)
        self._pulled = [*self._pulled, *(dart for dart in self._darts if dart not in left)][-MOST_DARTS:]
        self._darts = list(left)

    def _match(self, darts: tuple[Dart, ...], now: int) -> list[BoardEvent]:
        """As many darts as before, or more."""
        before, free = self._darts, [*self._darts, *self._pulled]
        events: list[BoardEvent] = []
        self._darts = []
        for index, (dart, alike) in enumerate(_pair(darts, before, free)):
            known = alike
            if known is None and index < len(before) and before[index] in free:
                known = before[index]
                free.remove(known)
            if known is None:
                events += self._add(dart, now)
            else:
                events += _amend(known, dart, now)
            self._darts.append(known or dart)
        self._pulled = free[-MOST_DARTS:]
        return events

    def _add(self, dart: Dart, now: int) -> list[BoardEvent]:
        """A new dart."""
        events = self._deny_takeout(now)
        if not self._darts:
            self._begin(now)
        dart.key = self._make_key()
        return [*events, dart.make_event(now)]

    def _deny_takeout(self, now: int) -> list[BoardEvent]:
        """The takeout that was told of, if there was one, is none."""
        was_told, self._takeout_of = self._takeout_of is not None, None
        return [TakeoutSeen(step="false", time_ns=now)] if was_told else []

    def _begin(self, now: int) -> None:
        """A visit begins."""
        self._visit_ns, self._count = max(now, self._visit_ns + 1), 0

    def _make_key(self) -> str:
        self._count += 1
        return f"{self._visit_ns}-{self._count - 1}"


def _pair(darts: tuple[Dart, ...], before: list[Dart], free: list[Dart]) -> list[tuple[Dart, Dart | None]]:
    """Each dart with the known one of its bed and place, which is no longer `free` then.

    Those at the same index go first: darts of one bed may be so close that either fits.
    """
    found: list[Dart | None] = [None] * len(darts)
    for index, (dart, known) in enumerate(zip(darts, before, strict=False)):
        if known in free and _is_same(known, dart):
            found[index] = known
            free.remove(known)
    for index, dart in enumerate(darts):
        if found[index] is None and (alike := next((each for each in free if _is_same(each, dart)), None)):
            found[index] = alike
            free.remove(alike)
    return list(zip(darts, found, strict=True))


def _is_same(known: Dart, dart: Dart) -> bool:
    return known.segment == dart.segment and known.is_near(dart)


def _amend(known: Dart, dart: Dart, now: int) -> list[BoardEvent]:
    """What has changed of a dart that is known. One that cannot be read any more stays what it was."""
    if dart.segment is None:
        return []
    if dart.segment == known.segment and (dart.point is None or known.is_near(dart)):
        return []
    known.segment, known.point = dart.segment, dart.point
    return [Amended(key=known.key, segment=dart.segment, point=dart.point, time_ns=now)]
