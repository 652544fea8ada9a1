"""A match is a journal of inputs, folded by the referee.

An ordinary input is applied to the position at hand, so a dart costs the same at the end of a long match as at its
beginning. Undo, redo and amend change the list of inputs and fold it again from the start; no game ever has to invert
anything. Three rules keep a correction from shifting what others threw:

* every input belongs to the visit in which it was made, and a visit closes by the very entry that closed it first;
* what no longer fits its visit is void (kept, without effect); a question left open by that takes its default;
* a correction after which a later visit would belong to somebody else is refused.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from engine.facts import Corrected, Fact, MatchWon, Undone
from engine.game import Advice, Game, Panel, Seating, Side, Turn
from engine.options import check_seating, read_options
from engine.position import Position
from engine.record import (
    Amend,
    Choose,
    Header,
    Input,
    Next,
    Redo,
    Refused,
    Retire,
    Stop,
    Throw,
    Undo,
    Unreadable,
)
from engine.referee import Referee
from protocol.layouts import layout
from protocol.segment import Layout

_UNDOABLE = (Throw, Next, Choose, Amend)


class Outcome(Struct, frozen=True):
    """What became of an input: accepted with what followed from it, or refused with the reason."""

    accepted: bool
    reason: str | None = None
    facts: tuple[Fact, ...] = ()


class _Entry(Struct):
    """An accepted input; `visit` (number and owner), `closes` and a choose's prompt are as when it was made."""

    line: int
    input: Input
    visit: tuple[int, ...]
    closes: bool = False


class _Fold(Struct):
    """What folding the entries gave: the position, which lines are void and why."""

    position: Position
    void: dict[int, str]


class _Shift(Refused):
    """A correction would change more than the dart: somebody else's visit, or a question nobody can answer now."""


class Match:
    """One match. `line` is that of the last accepted input (the header's before the first)."""

    def __init__(
        self, header: Header, game: Game[Any, Any], seed: str, line: int = 1, face: Layout | None = None
    ) -> None:
        """`face` replaces the game's own board face. Raises Unreadable when this header cannot be played."""
        self.header = header
        self.game = game
        self.line = line
        self._first_line = line
        if header.rules is not None and header.rules > game.rules:
            raise Unreadable(f"this record follows rules {header.rules} of {game.id}; this program knows {game.rules}")
        people = header.seating
        check_seating(game, people)
        try:
            self.options = game.resolve(read_options(game, header.options), people)
        except ValueError as error:
            raise Unreadable(str(error)) from None
        others = tuple(Side(name, ()) for name in game.extra_sides(self.options))
        self.seating = Seating(people.players, (*people.sides, *others))
        face = face or layout(game.layouts[0])
        self._referee = Referee(game, self.options, self.seating, face, seed, header.format)
        self._entries: list[_Entry] = []
        self._undone: list[_Entry] = []
        self._all_undone: set[int] = set()
        self._void: dict[int, str] = {}
        try:
            self.position, facts = self._referee.start()
        except ValueError as error:
            raise Unreadable(str(error)) from None
        self.opening: tuple[Fact, ...] = tuple(facts)
        """The facts of the first visit's opening."""

    def apply(self, line: int, given: Input) -> Outcome:
        """Applies the input of this line; a refused one changes nothing."""
        try:
            facts = self._apply(line, given)
        except Refused as refused:
            return Outcome(False, str(refused))
        self.line = line
        return Outcome(True, facts=tuple(facts))

    def panel(self, seat: int | None = None) -> Panel:
        """What the game shows this seat; None is the public screen."""
        return self.game.view(self.position.state, self.turn, seat)

    def score(self, side: int) -> int:
        """The number on the wall."""
        return self.game.score(self.position.state, side)

    def advice(self) -> Advice:
        """What the seat at the oche, or the one asked, should do now."""
        prompt = next(iter(self.position.prompts), None)
        seat = prompt.seat if prompt else self.position.visit.seat
        return self.game.advise(self.position.state, self.turn, seat)

    @property
    def turn(self) -> Turn:
        """The visit at the oche as the game sees it."""
        return self._referee.turn(self.position)

    @property
    def layout(self) -> Layout:
        """The face this match is played on."""
        return self._referee.layout

    @property
    def out(self) -> frozenset[int]:
        """The sides that are eliminated or have left."""
        return self.game.out(self.position.state) | self.position.retired

    def _apply(self, line: int, given: Input) -> list[Fact]:
        match given:
            case Undo():
                return self._undo()
            case Redo():
                return self._redo()
            case Amend():
                return self._amend(_Entry(line, given, _visit(self.position)), given)
        before = self.position
        if isinstance(given, Choose) and given.prompt is None and before.prompts:
            given = Choose(given.answer, before.prompts[0].id)
        after, facts = self._rule(before, line, given)
        closes = after.over or _visit(after) != _visit(before)
        self._entries.append(_Entry(line, given, _visit(before), closes))
        self.position = after
        if isinstance(given, _UNDOABLE):
            self._undone.clear()
        return facts

    def _rule(self, position: Position, line: int, given: Input) -> tuple[Position, list[Fact]]:
        match given:
            case Throw(segment):
                return self._referee.throw(position, line, segment)
            case Next():
                return self._referee.next(position, line)
            case Choose(answer, prompt):
                return self._referee.choose(position, prompt, answer)
            case Retire(side):
                return self._referee.retire(position, side)
            case Stop():
                return self._referee.stop(position)
        raise AssertionError(given)

    def _undo(self) -> list[Fact]:
        # The latest one always has an effect: what is void is older than the amend that made it so.
        found = next((entry for entry in reversed(self._entries) if isinstance(entry.input, _UNDOABLE)), None)
        if found is None:
            raise Refused("there is nothing to undo")
        facts = self._refold([e for e in self._entries if e is not found], Undone(line=found.line))
        self._undone.append(found)
        self._all_undone.add(found.line)
        return facts

    def _redo(self) -> list[Fact]:
        if not self._undone:
            raise Refused("there is nothing to redo")
        found = self._undone[-1]
        entries = sorted([*self._entries, found], key=lambda e: e.line)
        facts = self._refold(entries, Corrected(line=found.line))
        self._undone.pop()
        self._all_undone.discard(found.line)
        return facts

    def _amend(self, entry: _Entry, wanted: Amend) -> list[Fact]:
        target = next((e for e in self._entries if e.line == wanted.line), None)
        if target is None or not isinstance(target.input, Throw | Choose):
            raise Refused(self._why_not(wanted.line, target))
        if wanted.line in self._void:
            raise Refused(f"line {wanted.line} has no effect: {self._void[wanted.line]}")
        if isinstance(target.input, Throw) != (wanted.was is None or isinstance(wanted.was, Throw)):
            raise Refused(f"line {wanted.line} is {'a throw' if isinstance(target.input, Throw) else 'an answer'}")
        facts = self._refold([*self._entries, entry], Corrected(line=wanted.line), amended=wanted.line)
        self._undone.clear()
        return facts

    def _why_not(self, line: int, target: _Entry | None) -> str:
        if line == self._first_line:
            return f"line {line} is the header"
        if line in self._all_undone:
            return f"line {line} was undone"
        if target is None:
            return f"line {line} is no throw or answer of this match"
        return f"line {line} is neither a throw nor an answer"

    def _refold(self, entries: list[_Entry], fact: Fact, amended: int | None = None) -> list[Fact]:
        """Takes these entries for the match; tells the correction, and an end of the match that is new."""
        fold = self._fold(entries, amended)
        was_over = self.position.over
        self._entries, self.position, self._void = entries, fold.position, fold.void
        if fold.position.over and not was_over:
            return [fact, MatchWon(winners=fold.position.winners)]
        return [fact]

    def _fold(self, entries: list[_Entry], amended: int | None) -> _Fold:
        """Raises Refused when the `amended` line is not legal as it is now, or would shift what came after it."""
        amends = {e.input.line: e.input for e in entries if isinstance(e.input, Amend)}
        fold = _Fold(self._referee.start()[0], {})
        for at, entry in enumerate(entries):
            given: Input | None = amends[entry.line].was if entry.line in amends else entry.input
            if given is None or isinstance(given, Amend):
                continue
            if isinstance(given, Choose) and isinstance(entry.input, Choose):
                given = Choose(given.answer, entry.input.prompt)
            try:
                position = self._thrown(fold.position, entries, at) if isinstance(given, Choose) else fold.position
                fold.position = self._again(position, entry, given)
            except Refused as refused:
                if isinstance(refused, _Shift) or entry.line == amended:
                    raise
                fold.void[entry.line] = str(refused)
        return fold

    def _again(self, position: Position, entry: _Entry, given: Input) -> Position:
        """An entry once more, in the visit it was made in and without reaching into another one."""
        if position.over:
            raise Refused("the match is over before it")
        if isinstance(given, Retire | Stop):
            return self._rule(position, entry.line, given)[0]
        if _visit(position) != entry.visit:
            raise _Shift(f"would change who threw line {entry.line}; undo to there")
        if isinstance(given, Choose):
            return self._rule(position, entry.line, given)[0]
        position = self._with_defaults(position, entry.line)
        if isinstance(given, Throw):
            return self._rule(position, entry.line, given)[0]
        position, _ = self._referee.next(position, entry.line, close=False)
        if not entry.closes:
            return position
        while position.blocking:
            position = self._with_defaults(position, entry.line)
            position, _ = self._referee.next(position, entry.line, close=False)
        return position if position.over else self._referee.next(position, entry.line)[0]

    def _thrown(self, position: Position, entries: list[_Entry], at: int) -> Position:
        """With misses for what a correction took away before an answer, when the very next input closed its visit.

        So the answer finds the question again that came after the last dart; its default would be somebody else's.
        """
        answer = entries[at]
        asked = answer.input.prompt if isinstance(answer.input, Choose) else None
        if position.phase != "throwing" or _visit(position) != answer.visit or _open(position, asked):
            return position
        then = next((e for e in entries[at + 1 :] if isinstance(e.input, Throw | Next)), answer)
        if not (isinstance(then.input, Next) and then.closes and then.visit == answer.visit):
            return position
        thrown, _ = self._referee.next(position, then.line, close=False)
        return thrown if thrown.blocking and thrown.blocking.id == asked else position

    def _with_defaults(self, position: Position, line: int) -> Position:
        """With the questions answered that a correction has left open before this line."""
        while position.blocking:
            if position.blocking.default is None:
                raise _Shift(f"would ask {position.blocking.id} before line {line}; undo to there")
            position, _ = self._referee.choose(position, position.blocking.id, position.blocking.default)
        return position


def _visit(position: Position) -> tuple[int, ...]:
    """Which visit is at the oche, and whose it is."""
    visit = position.visit
    return visit.number, visit.side, visit.seat, visit.leg, visit.set


def _open(position: Position, prompt_id: str | None) -> bool:
    return any(prompt.id == prompt_id for prompt in position.prompts)
