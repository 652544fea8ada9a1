"""The inputs of a match in the order in which they were made, with what was undone; see engine/match.py."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from engine.fold import Entry, fold
from engine.position import Position
from engine.referee import Referee
from protocol.commands import Amend
from protocol.sentence import Sentence

START = 0
"""The index of the header, which all entries follow."""
_SPACING = 32
"""One position in so many is kept for good: an undo folds no more entries than that."""
_LATEST = 64
"""So many others are kept of those that were reached last."""


class Entries:
    """The inputs of a match, in a tree that only grows: an undo steps back to an earlier one, an input branches off.

    An entry never changes its index, so a step back or forward costs the same however many there are. Of the positions
    after them the latest are kept, and one in 32 for good; another one is folded again from the nearest before it. The
    first entry is the header, and has no input.
    """

    def __init__(self, referee: Referee, line: int, position: Position) -> None:
        self._referee = referee
        self._all = [Entry(line, None, (), closes=False, before=START, position=position)]
        self._latest: deque[Entry] = deque()
        """The entries whose position is not kept for good."""

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, index: int) -> Entry:
        return self._all[index]

    def add(self, entry: Entry, position: Position, void: Mapping[int, str | Sentence] | None = None) -> int:
        """Adds an entry with the position after it; returns its index. `void`: as in Entry, if it changed."""
        earlier = self._all[entry.before]
        entry.void = earlier.void if void is None else void
        entry.depth = earlier.depth + 1
        self._keep(entry, position)
        self._all.append(entry)
        return len(self._all) - 1

    def cut(self, length: int) -> None:
        """Forgets the entries that were added since there were so many."""
        del self._all[length:]

    def back_from(self, index: int) -> Iterator[int]:
        """The index of each entry up to this one, the latest first, without the header."""
        while index != START:
            yield index
            index = self._all[index].before

    def position(self, index: int) -> Position:
        """The position after the entry at this index."""
        missing: list[Entry] = []
        while (position := self._all[index].position) is None:
            missing.append(self._all[index])
            index = self._all[index].before
        for entry in reversed(missing):
            position = fold(self._referee, position, [entry]).position
            self._keep(entry, position)
        return position

    def follow(self, index: int, entry: Entry) -> int:
        """Puts a copy of this entry behind the one at `index`, in the visit that it was made in; returns its index.

        An amend changes what becomes of all entries since the line that it corrects. Raises IllegalInput when that
        line is not legal as it is now, or when who threw a later one would change.
        """
        since, base, amended = [entry], index, None
        if isinstance(entry.input, Amend):
            first = amended = entry.input.line
            while (earlier := self._all[base]).line >= first:
                since.append(earlier)
                if isinstance(earlier.input, Amend):
                    first = min(first, earlier.input.line)
                base = earlier.before
        folded = fold(self._referee, self.position(base), since[::-1], amended)
        void = {**self._all[base].void, **folded.void}
        return self.add(replace(entry, before=index), folded.position, void)

    def _keep(self, entry: Entry, position: Position) -> None:
        entry.position = position
        if entry.depth % _SPACING and not isinstance(entry.input, Amend):
            self._latest.append(entry)
            if len(self._latest) > _LATEST:
                self._latest.popleft().position = None
