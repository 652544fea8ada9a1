"""The darts of which a board has told, by the keys that it gives them: those of the latest visits.

A dart stays known when it did not count, and when a player has corrected it or taken it back: the board may tell of it
again, and that is no new dart. Which of them may still be in the board decides whether what it says after a gap is new.
A pure value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from daemon.journal.lines import Line
from engine.position import Position, Visit
from protocol.commands import Amend, Input, Redo, Throw, Total, Undo
from protocol.standard import is_same_bed

_MOST = 64
"""So many darts are known, the latest."""
_MOST_CHANGED = 16


class KnownDart(Struct, frozen=True):
    """A dart that the board has told of.

    `line` is that of the dart in the match with this id, 0 where it did not count, and `visit` the visit that it
    belongs to, 0 where that is not known. `at` is the line at which the match was then. `segment` is what the board has
    read last; None: nothing.
    """

    match: str
    visit: int
    line: int
    at: int
    segment: str | None
    order: int = 0
    """Which dart of the board it is; the same under all of its keys."""
    is_keyed: bool = True
    """Whether the board has told of it: else a player has entered it."""


class KnownDarts(Struct, frozen=True):
    """Those of one table."""

    by_key: Mapping[str, KnownDart] = MappingProxyType({})
    count: int = 0
    emptied: int = 0
    """The board was empty when it had told of so many."""
    emptied_at: tuple[str, int] = ("", 0)
    """The match and its line then."""
    changed: tuple[tuple[str, int], ...] = ()
    """Matches and visits in which a player has changed a dart."""

    def __contains__(self, key: str) -> bool:
        return key in self.by_key

    @property
    def has_counted(self) -> bool:
        """Whether any of them has counted."""
        return any(each.line for each in self.by_key.values())

    def find(self, key: str) -> KnownDart | None:
        """The dart with this key."""
        return self.by_key.get(key)

    def find_key(self, match_id: str, line: int) -> str | None:
        """The latest key of the dart on this line; None where the board has not told of it."""
        of = (match_id, line)
        return next((key for key, each in [*self.by_key.items()][::-1] if (each.match, each.line) == of), None)

    def is_changed(self, match_id: str, visit: int) -> bool:
        """Whether a player has changed a dart of this visit."""
        return (match_id, visit) in self.changed

    def add(self, key: str, dart: KnownDart) -> KnownDarts:
        """With a dart under this key; one without an `order` is the next of the board."""
        count = self.count
        if not dart.order:
            count += 1
            dart = replace(dart, order=count)
        known = {**self.by_key, key: dart}
        if len(known) > _MOST:
            del known[next(iter(known))]
        return replace(self, by_key=known, count=count)

    def note_changed(self, visits: Iterable[tuple[str, int]]) -> KnownDarts:
        """With these visits of matches, in which a player has changed a dart."""
        new = tuple(each for each in visits if each not in self.changed)
        return replace(self, changed=(*self.changed, *new)[-_MOST_CHANGED:]) if new else self

    def note_empty(self, match_id: str, line: int) -> KnownDarts:
        """None of the darts so far is in the board any more, or the board has forgotten them."""
        return replace(self, emptied=self.count, emptied_at=(match_id, line))

    def find_emptied(self, match_id: str) -> int:
        """The line of this match at which the board was empty last; 0: none is known."""
        return self.emptied_at[1] if self.emptied_at[0] == match_id else 0

    def list_visit(self, match_id: str, visit: Visit) -> list[KnownDart]:
        """The darts of this visit that the board may still see, the first one first, those that players entered too."""
        known = {each.order: each for each in self._standing() if (each.match, each.visit) == (match_id, visit.number)}
        lines = {each.line for each in self.by_key.values() if each.match == match_id}
        since = self.find_emptied(match_id)
        entered = [
            KnownDart(match_id, visit.number, dart.line, dart.line, dart.segment.id, is_keyed=False)
            for dart in visit.darts
            if dart.line not in lines and dart.line > since
        ]
        return sorted([*known.values(), *entered], key=lambda each: (each.at, each.order))

    def list_latest(self) -> list[KnownDart]:
        """The darts of the latest visit of which the board has told, that it may still see."""
        standing = {each.order: each for each in self._standing()}
        if not standing:
            return []
        latest = standing[max(standing)]
        group = (latest.match, latest.visit)
        return [each for _, each in sorted(standing.items()) if (each.match, each.visit) == group]

    def resume(self, match_id: str, line: int, recalled: KnownDarts | None) -> KnownDarts:
        """As the disk has the match, up to this line. `recalled` is what its lines tell; None: nothing."""
        known = {key: each for key, each in self.by_key.items() if each.match != match_id or each.line <= line}
        if recalled is None:
            return replace(self, by_key=known)
        if not known:
            return recalled
        new = {key: each for key, each in recalled.by_key.items() if key not in known}
        resumed = replace(self, by_key=known)
        for key, each in new.items():
            resumed = resumed.add(key, replace(each, order=0))
        return resumed.note_changed(recalled.changed)

    def recall(self, line: Line, given: Input, before: Position, after: Position) -> KnownDarts:
        """What is known after this line of the journal, which was just entered: `before` and `after` are around it.

        A miss that was filled in by `next` is taken for one that a player has entered: the board then corrects less.
        """
        if isinstance(given, Throw) and given.key:
            segment = None if given.unread else given.segment
            return self.add(given.key, KnownDart(line.match, before.visit.number, line.number, line.number, segment))
        if isinstance(given, Amend) and isinstance(given.was, Throw) and given.was.key:
            key = self.find_key(line.match, given.line)
            was = None if key is None else self.find(key)
            return self if was is None else self.add(given.was.key, replace(was, segment=given.was.segment))
        if line.source == "sensor" and after.visit.number != before.visit.number:
            return self.note_empty(line.match, line.number)
        is_player = line.source not in ("board", "button", "timer", "hits", "sensor", "bot")
        if not is_player or not isinstance(given, Throw | Total | Amend | Undo | Redo):
            return self
        was_read, is_read = list_readings(before), list_readings(after)
        both = [number for number in was_read if is_read.get(number, was_read[number]) != was_read[number]]
        return self.note_changed((line.match, number) for number in both)

    def _standing(self) -> list[KnownDart]:
        return [each for each in self.by_key.values() if each.order > self.emptied]


def may_be_same(known: Sequence[KnownDart], read: Sequence[Throw]) -> bool:
    """Whether these are the same darts, as far as both go; one that could not be read may be any."""
    return all(
        dart.unread or each.segment is None or is_same_bed(each.segment, dart.segment)
        for each, dart in zip(known, read, strict=False)
    )


def list_readings(position: Position) -> dict[int, dict[int, str]]:
    """The segments of this visit and the last one, by their lines, by the visits' numbers; "?" for an unread dart."""
    return {
        visit.number: {
            dart.line: "?" if dart.sensed is not None and dart.sensed.unread else dart.segment.id
            for dart in visit.darts
        }
        for visit in (position.last, position.visit)
        if visit is not None
    }
