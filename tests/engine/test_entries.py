"""The entries of a match are a tree, and most of its positions are folded again when asked for (engine/entries.py).

Here a match is played beside the plainest thing that it could be: a list of entries, folded from the start each time.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import entries as engine_entries
from engine import fold
from engine.fold import Entry
from engine.match import Match
from engine.position import Position
from engine.referee import Referee
from protocol.commands import Amend, Choose, Concede, Input, Next, Redo, Retire, Stop, Throw, Total, Undo, decode_line
from tests.bench.payloads import any_move
from tests.engine.moves import line_of
from tests.engine.records import Line, Record, header
from tests.engine.test_laws import drawn, games, law


class Folded:
    """The same match as a list of entries."""

    def __init__(self, match: Match) -> None:
        spec = match.header
        self.referee = Referee(match.game, match.options, match.seating, match.layout, spec.seed or "", spec.format)
        self.undoable = (Throw, Total, Next, Choose, Amend, Concede, *((Retire, Stop) if spec.undo_all else ()))
        self.entries: list[Entry] = []
        self.undone: list[Entry] = []

    def fold(self) -> fold.Folded:
        return fold.fold(self.referee, self.referee.start()[0], self.entries)

    def take(self, line: int, said: Input, before: Position, after: Position) -> None:
        """An input that was accepted, and the positions around it."""
        match said:
            case Undo():
                self.undone.append(next(e for e in reversed(self.entries) if isinstance(e.input, self.undoable)))
                self.entries.remove(self.undone[-1])
                return
            case Redo():
                self.entries = sorted([*self.entries, self.undone.pop()], key=lambda e: e.line)
                return
            case Choose(answer, None):
                said = Choose(answer, before.prompts[0].id)
        closes = not isinstance(said, Amend) and (after.over or after.owner != before.owner)
        self.entries.append(Entry(line, said, before.owner, closes, 0))
        if isinstance(said, self.undoable):
            self.undone.clear()


def add(record: Record, folded: Folded, line: Line) -> None:
    before = record.match.position
    if record.add(line).accepted:
        given = record.match.spell(decode_line(dict(line)))
        folded.take(record.line, given, before, record.match.position)
        assert record.match.position == folded.fold().position
        if "amend" in line:
            check_void(record.match, folded)


def check_void(match: Match, folded: Folded) -> None:
    """A line that has no effect cannot be amended; a roll back takes back what was tried."""
    void, mark, position = folded.fold().void, match.checkpoint(), match.position
    for entry in folded.entries:
        if isinstance(entry.input, Throw | Total):
            reason = match.apply(match.line + 1, Amend(entry.line, entry.input)).reason or ""
            assert ("has no effect" in reason) == (entry.line in void)
            match.roll_back(mark)
            assert match.position == position


@games
@law
@given(data=st.data())
def test_after_every_input_the_position_is_that_of_all_entries_folded_anew(data: st.DataObject, game: str) -> None:
    with pytest.MonkeyPatch.context() as patch:  # so that short matches have positions that are not kept
        patch.setattr(engine_entries, "_SPACING", data.draw(st.sampled_from([3, 8])))
        patch.setattr(engine_entries, "_LATEST", data.draw(st.sampled_from([1, 4])))
        record, told = drawn(data, game)
        folded = Folded(record.match)
        for move in told:
            add(record, folded, line_of(move, record))
        for line in [{"undo": True}] * 12 + [{"redo": True}] * 9:
            add(record, folded, line)


@pytest.mark.parametrize("game", ["x01", "cricket", "ground_round"])
def test_every_position_comes_back_however_many_inputs_are_undone(game: str) -> None:
    chance, match = Random(game), Record(header(game, format={"legs": 50}, undo_all=True)).match
    seen = [match.position]
    for line in range(2, 302):
        assert match.apply(line, any_move(match, chance)).accepted
        seen.append(match.position)
    for position in seen[-2::-1]:
        assert match.apply(match.line + 1, Undo()).accepted
        assert match.position == position
    for position in seen[1:]:
        assert match.apply(match.line + 1, Redo()).accepted
        assert match.position == position
