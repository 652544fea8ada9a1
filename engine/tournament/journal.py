"""The journal of a tournament: its lines, and the tournament that they fold to.

An ordinary input is applied to the tournament as it is. Undo and redo fold again, from the latest state that was kept
before the line: what is undone stays in the journal, and counts no more.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from msgspec.structs import replace

from engine.tournament.rulings import apply, skip
from engine.tournament.specs import check_spec
from engine.tournament.state import Tournament, refuse_begun
from protocol.commands import IllegalInput, refuse
from protocol.tournament import By, Call, Input, Leave, Line, Redo, Result, Settle, TakeBack, TournamentSpec, Undo

_LATEST, _SPACING = 32, 64
"""So many of the latest states are kept, and one in so many of the earlier ones."""


class TournamentJournal:
    """A tournament with all that was done in it. Raises IllegalInput if the spec contradicts itself."""

    def __init__(self, spec: TournamentSpec) -> None:
        check_spec(spec)
        self.lines: list[Line] = []
        self.tournament = Tournament(spec)
        self.ended_s: int | None = None
        """When the tournament was over, a Unix time: later corrections leave it so; None: it goes on."""
        self._undone: set[int] = set()
        self._redo: list[int] = []
        """The lines that redo does again, the next one last."""
        self._states = {1: self.tournament}
        """The tournament after some of the lines."""

    def apply(self, at_s: int, by: By, given: Input) -> Line:
        """Adds a line, which was said at that Unix time; raises IllegalInput, and changes nothing then."""
        line = Line(len(self.lines) + 2, at_s, by, given)
        match given:
            case Undo():
                self._undo(line)
            case Redo():
                self._do_again(line)
            case _:
                self._keep(apply(self.tournament, line))
                if by == "organiser":
                    self._redo.clear()
        self.lines.append(line)
        is_over = self.tournament.phase == "over"
        self.ended_s = None if not is_over else at_s if self.ended_s is None else self.ended_s
        return line

    def find_undo(self) -> Line | None:
        """The line that Undo would take back: the latest that the organiser wrote and that counts."""
        for line in reversed(self.lines):
            if line.by == "organiser" and line.number not in self._undone and not isinstance(line.input, Undo | Redo):
                return line
        return None

    def find_redo(self) -> Line | None:
        """The line that Redo would do again."""
        return self.lines[self._redo[-1] - 2] if self._redo else None

    def _undo(self, line: Line) -> None:
        latest = self.find_undo()
        if latest is None:
            raise refuse("tournament.nothing_done", "there is nothing to undo")
        self._fold(line, self._undone | {latest.number}, latest)
        self._redo.append(latest.number)

    def _do_again(self, line: Line) -> None:
        undone = self.find_redo()
        if undone is None:
            raise refuse("tournament.nothing_undone", "there is nothing to redo")
        self._fold(line, self._undone - {undone.number}, undone)
        self._redo.pop()

    def _fold(self, line: Line, undone: set[int], changed: Line) -> None:
        """Folds again from the changed line on. Raises IllegalInput where a match that has begun would go."""
        start = max(number for number in self._states if number < changed.number)
        tournament = self._states[start]
        states = {}
        for each in self.lines[start - 1 :]:
            after = skip(tournament, each)
            if each.number not in undone and not isinstance(each.input, Undo | Redo):
                with suppress(IllegalInput):  # what a table said may not fit any more
                    after = apply(tournament, each)
            tournament = states[each.number] = after
        _check_begun(self.tournament, tournament, changed.input)
        for number in [each for each in self._states if each > start]:
            del self._states[number]
        for after in states.values():
            self._keep(after)
        self._undone = undone
        self._keep(replace(tournament, line=line.number))

    def _keep(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self._states[tournament.line] = tournament
        old = tournament.line - _LATEST
        if old % _SPACING != 1:
            self._states.pop(old, None)


def _check_begun(before: Tournament, after: Tournament, changed: Input) -> None:
    """Raises IllegalInput for a match that has begun before and has not, or between others, after."""
    for match in before.list_matches():
        if not before.has_begun(match) or _may_end(before, after, match, changed):
            continue
        if after.find_sides(match) != before.find_sides(match) or not after.has_begun(match):
            raise refuse_begun(before, match)


def _may_end(before: Tournament, after: Tournament, match: str, changed: Input) -> bool:
    """Whether it is this input itself by which the match has begun, or has not."""
    match changed:
        case Result() | TakeBack() | Settle() | Call(table=None):
            return changed.match == match
        case Leave(entrant):
            return entrant in before.find_sides(match) == after.find_sides(match)
    return False


def replay(spec: TournamentSpec, lines: Iterable[Line]) -> TournamentJournal:
    """The journal with these lines. Raises IllegalInput where they are not the lines of a journal."""
    journal = TournamentJournal(spec)
    for line in lines:
        if journal.apply(line.at_s, line.by, line.input) != line:
            raise refuse("tournament.line_number", "line {line} has another number", line=line.number)
    return journal
