"""Darts that were entered by hand, for as long as the board may still report them.

A board that is slow, or far away in the network, may report a dart after a player has entered it. Such a report within
two seconds is the same dart once more: each entry takes one report of its bed, and no other. A pure rule over times.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from protocol.commands import Amend, Input, Throw
from protocol.facts import Fact, Undone
from protocol.sentence import say
from protocol.standard import merged

LATE_S = 2.0
"""How long after the entry a report may be of that dart."""
_LATE_NS = round(LATE_S * 1e9)
ENTERED = say("refused.entered", "it was entered by hand a moment ago")
"""Why such a report does not count."""


class Entry(Struct, frozen=True):
    """A dart entered by hand: its line in the match, its segment, and when it was entered."""

    line: int
    segment: str
    time_ns: int


Entries = tuple[Entry, ...]


class HandEntries:
    """Those of one table. Times are nanoseconds of one monotonic clock."""

    def __init__(self) -> None:
        self.kept: Entries = ()
        """Those that the board may still report."""

    def note(self, given: Input, facts: Sequence[Fact], line: int, now: int) -> None:
        """Notes what a player has entered as this line of the match, and what came of it: a dart, or one mended."""
        undone = [fact.line for fact in facts if isinstance(fact, Undone)]
        self.kept = tuple(entry for entry in self.kept if entry.line not in undone)
        match given:
            case Throw(segment):
                self.kept = (*self._find_recent(now), Entry(line, segment, now))
            case Amend(of_line, Throw(segment)):
                self.kept = tuple(replace(e, segment=segment) if e.line == of_line else e for e in self.kept)
            case Amend(of_line):
                self.kept = tuple(entry for entry in self.kept if entry.line != of_line)

    def take_report(self, segment_id: str, at: int) -> bool:
        """Whether what the board reports for this time was entered by hand already. An entry takes one report."""
        self.kept = self._find_recent(at)
        found = next((entry for entry in self.kept if _is_same_bed(entry.segment, segment_id)), None)
        self.kept = tuple(entry for entry in self.kept if entry is not found)
        return found is not None

    def clear(self) -> None:
        """Forgets them: another match begins."""
        self.kept = ()

    def _find_recent(self, now: int) -> Entries:
        return tuple(entry for entry in self.kept if now - entry.time_ns <= _LATE_NS)


def _is_same_bed(one: str, other: str) -> bool:
    """Whether both can be the same dart. Of a single, a board or a player may not tell the halves apart."""
    return one == other or merged(one) == other or one == merged(other)
