"""Darts that were entered by hand, for as long as the board may still report them.

A board that is slow, or far away in the network, may report a dart after a player has entered it. Such a report within
two seconds, in this visit or the next one, is the same dart once more: each of them takes one report of its bed, and no
other. A pure rule over times.

Such a dart is a throw or a miss that somebody has asked for, or the correction of one that the board has not reported;
a miss is taken for one that it has not, whoever wrote it down. A miss that `next` fills in by itself is none: the board
has nothing to report for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from daemon.table.matches import OpenMatch
from engine.position import Position
from protocol.commands import Amend, Command, Miss, Throw
from protocol.facts import Corrected, Fact, Undone
from protocol.sentence import say
from protocol.standard import is_same_bed

LATE_S = 2.0
"""How long after the entry a report may be of that dart."""
_LATE_NS = round(LATE_S * 1e9)
_MOST = 16
"""So many entries are kept, the latest: more than people make in the last two visits."""
ENTERED = say("refused.entered", "this dart was entered by hand a moment ago")
"""Why such a report does not count."""


class HandDart(Struct, frozen=True):
    """A dart as it was entered or corrected by hand, and when."""

    match: str
    line: int
    """That of the throw or the amend."""
    dart: int
    """The line of the dart; the negative number of an input for another table."""
    segment: str | None
    """None: there was no dart, or its bed is not known."""
    visit: int
    """The number of the visit in which it was entered."""
    time_ns: int
    is_undone: bool = False


class HandDarts:
    """Those of one table. Times are nanoseconds of one monotonic clock."""

    def __init__(self) -> None:
        self.kept: tuple[HandDart, ...] = ()
        """The latest ones that the board has not reported, also of the match before."""

    def note(self, command: Command, opened: OpenMatch, before: Position, now: int) -> None:
        """Notes the dart that a player has entered or corrected, if this command does so.

        `opened` is the match after it, and `before` is where that stood before it.
        """
        line, layout = opened.match.line, opened.match.layout
        match command:
            case Throw():
                self._add(opened, line, command, now)
            case Miss():
                self._add(opened, line, Throw(layout.miss.id), now)
            case Amend(of_line, was) if self._is_unreported(of_line, opened, before):
                self._add(opened, of_line, was, now)

    def note_elsewhere(self, command: Command, number: int, opened: OpenMatch, now: int) -> None:
        """Notes the dart that was entered here for a match at another table, as the input of this number.

        `opened` is the match here. What is corrected there has no line here.
        """
        if isinstance(command, Throw | Miss):
            was = command if isinstance(command, Throw) else Throw(opened.match.layout.miss.id)
            self._add(opened, -number, was, now)

    def follow(self, facts: Sequence[Fact], match_id: str) -> None:
        """Notes which darts undo took back and redo brought again. Each has its two seconds from its own time on."""
        for fact in facts:
            if isinstance(fact, Undone | Corrected):
                is_undone, its = isinstance(fact, Undone), (match_id, fact.line)
                self.kept = tuple(
                    replace(each, is_undone=is_undone) if (each.match, each.line) == its else each for each in self.kept
                )

    def take_report(self, segment_id: str | None, at: int, opened: OpenMatch) -> HandDart | None:
        """The dart, entered by hand in this visit or the one before, that the board reports for this time; else None.

        A dart takes one report. One that the board could not read, without `segment_id`, may be any. `opened` is the
        current match.
        """
        latest = {(each.match, each.dart): each for each in self.kept if not each.is_undone}
        visit = opened.match.position.visit.number
        for dart, each in latest.items():
            is_near = each.match != opened.id or visit - each.visit <= 1
            is_it = each.segment is not None and (segment_id is None or is_same_bed(each.segment, segment_id))
            if is_near and at - each.time_ns <= _LATE_NS and is_it:
                self.kept = tuple(other for other in self.kept if (other.match, other.dart) != dart)
                return each
        return None

    def _add(self, opened: OpenMatch, dart: int, was: object, now: int) -> None:
        match = opened.match
        spelled = match.spell(was) if isinstance(was, Throw) else None
        segment = spelled.segment if isinstance(spelled, Throw) else None
        entered = HandDart(opened.id, match.line, dart, segment, match.position.visit.number, now)
        self.kept = (*self.kept, entered)[-_MOST:]

    def _is_unreported(self, line: int, opened: OpenMatch, before: Position) -> bool:
        """Whether the board may yet report the dart of this line.

        That is a miss of the last two visits, or what was entered by hand and not reported since.
        """
        visits = [visit for visit in (before.visit, before.last) if visit is not None]
        was = next((dart for visit in visits for dart in visit.darts if dart.line == line), None)
        if was is not None and was.segment == opened.match.layout.miss:
            return True
        return any((each.match, each.dart) == (opened.id, line) and not each.is_undone for each in self.kept)
