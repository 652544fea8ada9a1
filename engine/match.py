"""A match is a journal of inputs, folded by the referee.

An ordinary input is applied to the current position, so a dart costs the same at the end of a long match as at its
beginning. Undo and redo step to an earlier position or on to a later one; an amend folds again what came
after it (fold.py). No game ever has to invert anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from engine.entries import START, Entries
from engine.fold import Entry, Folded, fold, fold_stepwise
from engine.game import Advice, Game, Panel, Reason, Seating, Side, Turn
from engine.game_check import InvalidGame
from engine.options import check_seating, read_options
from engine.position import Position, Visit
from engine.ranking import find_leader
from engine.referee import Referee
from engine.skill import Skill
from protocol.commands import (
    Amend,
    Choose,
    Concede,
    IllegalInput,
    Input,
    Next,
    Redo,
    Retire,
    Stop,
    Throw,
    Total,
    Undo,
    refuse,
)
from protocol.facts import Corrected, Event, Fact, MatchStopped, MatchWon, TurnChanged, Undone, make_event
from protocol.layouts import find_layout, with_dartboard
from protocol.match_spec import MatchSpec, Unreadable
from protocol.segment import Layout, UnknownSegment
from protocol.sentence import Sentence, get_reason, say

_UNDOABLE = (Throw, Total, Next, Choose, Amend, Retire, Concede, Stop)
_UNDOABLE_0_1_0 = (Throw, Total, Next, Choose, Amend, Concede)
"""In a record whose header does not say `undo_all`: 0.1.0 had no `concede` that undo could have skipped."""
_CORRECTIONS = (Undo, Redo, Amend)
_Undone = tuple[int, "_Undone"] | None
"""The indices of the entries that can be redone, the next one first."""


class Outcome(Struct, frozen=True, gc=False):
    """What became of an input: accepted with what followed from it, or refused; `said` is why."""

    accepted: bool
    said: str | Sentence | None = None
    facts: tuple[Fact, ...] = ()

    @property
    def reason(self) -> str | None:
        """Why it was refused, in English."""
        return None if self.said is None else str(self.said)


class Match:
    """One match. `line` is that of the last accepted input (the header's before the first).

    What it is made of is replaced and never changed in place, so that `checkpoint` costs nothing; but its entries are
    added to.
    """

    def __init__(
        self, header: MatchSpec, game: Game[Any, Any], seed: str, line: int = 1, layout: Layout | None = None
    ) -> None:
        """`layout` replaces the game's own layout; of the standard one the header says the dartboard.

        Raises Unreadable when this header cannot be played.
        """
        self.header = header
        self.game = game
        self.line = line
        self._first_line = line
        if header.rules is not None and header.rules > game.rules:
            raise Unreadable(f"this record follows rules {header.rules} of {game.id}; this program knows {game.rules}")
        people = header.seating
        check_seating(game, people)
        self.rules = game.rules
        """The version of the rules that it is played by: that of its header, where the game can still play it."""
        options = read_options(game, header.options)
        if header.rules is not None and header.rules < game.rules:
            older = game.resolve_older(options, header.rules)
            if older is not None:
                self.rules, options = header.rules, older
        try:
            self.options = game.resolve(options, people)
        except ValueError as error:
            raise Unreadable(get_reason(error)) from None
        others = tuple(Side(name, ()) for name in game.extra_sides(self.options))
        self.seating = Seating(people.players, (*people.sides, *others))
        self.kept: dict[str, Any] = {}
        """What others have worked out of the options, which never change; copies have the same."""
        try:
            layout = with_dartboard(layout or find_layout(game.layouts[0]), header.dartboard)
        except ValueError as error:
            raise Unreadable(get_reason(error)) from None
        self._referee = Referee(game, self.options, self.seating, layout, seed, header.format)
        self._undoable = _UNDOABLE if header.undo_all else _UNDOABLE_0_1_0
        self._undone: _Undone = None
        try:
            self.position, facts = self._referee.start()
        except ValueError as error:
            raise Unreadable(get_reason(error)) from None
        self._turn = self.position, self._referee.turn(self.position)
        self._entries = Entries(self._referee, line, self.position)
        self._length = len(self._entries)
        self._latest = START
        """The index of the latest entry that was not undone."""
        self.opening: tuple[Fact, ...] = tuple(facts)
        """The facts of the first visit's opening."""

    def apply(self, line: int, given: Input) -> Outcome:
        """Applies the input of this line; a refused one changes nothing."""
        try:
            facts = self._apply(line, self.spell(given))
        except IllegalInput as refused:
            return Outcome(False, refused.said)
        self.line = line
        return Outcome(True, facts=tuple(facts))

    def spell(self, given: Input) -> Input:
        """The input with the ids of its segments, as it is stored; one that is understood in no way stays as it is."""
        if isinstance(given, Amend) and isinstance(given.was, Throw):
            was = self._spell_dart(given.was)
            return given if was is given.was else Amend(given.line, was)
        return self._spell_dart(given) if isinstance(given, Throw) else given

    def _spell_dart(self, given: Throw) -> Throw:
        if given.segment in self.layout:
            return given
        try:
            return replace(given, segment=self.layout.find(given.segment).id)
        except UnknownSegment:  # the referee says so, unless no dart may be thrown at all
            return given

    def checkpoint(self) -> dict[str, Any]:  # Any: its attributes
        """Where it stands now, for `roll_back`."""
        return dict(vars(self))

    def roll_back(self, checkpoint: dict[str, Any]) -> None:  # Any: as in checkpoint
        """Restores the match as it was at the checkpoint, also after a rule that failed half-way."""
        vars(self).update(checkpoint)
        self._entries.cut(self._length)

    def panel(self, seat: int | None = None) -> Panel:
        """What the game shows this seat; None is the public screen. Raises InvalidGame for an incomplete panel."""
        panel = self.game.view(self.position.state, self.turn, seat)
        if not isinstance(panel, Panel):
            raise InvalidGame(f"view of {self.game.id} must return a Panel, and returned {panel!r:.99}", "view")
        if len(panel.detail) != len(self.seating.sides):
            raise InvalidGame(
                f"view of {self.game.id} returned {len(panel.detail)} details for {len(self.seating.sides)} sides",
                "view",
            )
        return panel

    def task(self, panel: Panel) -> Reason | Sentence | None:
        """What is to be done now, or as a Reason why the visit came to what it did; None when the match is over.

        While a dart of the visit is unread, what it was is asked, before anything but a question that must be answered.
        `panel` is the public one. Raises InvalidGame for an answer of the game that is no sentence.
        """
        position, phase = self.position, self.position.phase
        if phase == "over":
            return None
        if phase == "deciding":
            asked = self.game.question(position.state, self.turn)
            if asked is not None and not isinstance(asked, Sentence):
                raise InvalidGame(
                    f"question of {self.game.id} must return a Sentence, and returned {asked!r:.99}", "question"
                )
            mover = self.seating.players[position.mover]
            return asked or say("task.answer", "{name}: answer on the screen or a phone", name=mover)
        turn = self.turn
        if turn.unread:
            return say("task.unread", "What was dart {dart}? Tap it to correct it", dart=_find_unread(position.visit))
        if phase == "throwing":
            told: Reason | Sentence | None = self.game.task(position.state, turn, panel)
        else:
            told = self.game.reason(position.state, turn, position.visit.bust) if turn.darts else None
            told = Reason(told) if isinstance(told, Sentence) else told or say("task.takeout", "Pull your darts")
        said = told.said if isinstance(told, Reason) and phase != "throwing" else told
        if not isinstance(said, Sentence):
            method = "task" if phase == "throwing" else "reason"
            raise InvalidGame(f"{method} of {self.game.id} must return a Sentence, and returned {said!r:.99}", method)
        return told

    def score(self, side: int) -> int:
        """The number on the wall."""
        return self.game.score(self.position.state, side)

    def advice(self, skill: Skill | None = None) -> Advice:
        """What the seat at the oche, or the one asked, should do now; without a `skill` it hits what it aims at.

        Nothing once the match is over.
        """
        prompt, visit = next(iter(self.position.prompts), None), self.position.visit
        if self.position.over or (prompt is None and not visit.darts_left):
            return Advice()
        seat = prompt.seat if prompt else visit.seat
        return self.game.advise(self.position.state, self.turn, seat, skill or Skill(self.layout))

    def list_visits(self) -> tuple[Visit, ...]:
        """Every visit as it counts in the end, in the order in which they were opened; the last is at the oche.

        What was undone is gone, and what was corrected is right. A position holds two visits, as more is never needed
        to play on; so the inputs are folded again.
        """
        visits = fold(self._referee, self._entries.position(START), self.list_entries()).visits
        return tuple(visit for number, visit in sorted(visits.items()) if number)

    def explain_entry(self, line: int, given: Input) -> Sentence | None:
        """Why this input, just applied as that line, must not be entered, though in a stored match it is legal.

        A checkout is a dart at the finish: where a record says `at_finish` 0 at one, it is read as 1.
        """
        was, line = (given.was, given.line) if isinstance(given, Amend) else (given, line)
        if not isinstance(was, Total) or was.at_finish != 0:
            return None
        near = [visit for visit in (self.position.visit, self.position.last) if visit is not None]
        visits = self.list_visits() if isinstance(given, Amend) else near  # an amend folds again anyway
        if not any(visit.checkout and any(dart.line == line for dart in visit.darts) for visit in visits):
            return None
        return say(
            "refused.at_checkout",
            "at_finish must be at least 1 here: the dart that checked out was thrown at the finish",
        )

    def list_positions(self) -> Iterator[Position]:
        """Yields the position before the first input, and after each as it counts in the end (see list_visits)."""
        start = self._entries.position(START)
        yield start
        yield from fold_stepwise(self._referee, Folded(start, {}, {}), self.list_entries())

    def at(self, position: Position) -> Match:
        """A copy of this match that stands at one of its positions, to be looked at and not to be played on."""
        found = Match.__new__(Match)  # sooner made than by `copy`: it is on the way of a dart
        vars(found).update(vars(self), position=position)
        return found

    def list_entries(self) -> list[Entry]:
        """The entries that were not undone, the first one first."""
        return [self._entries[index] for index in self._entries.back_from(self._latest)][::-1]

    @property
    def turn(self) -> Turn:
        """The visit at the oche as the game sees it."""
        if self._turn[0] is not self.position:  # a snapshot asks several times
            self._turn = self.position, self._referee.turn(self.position)
        return self._turn[1]

    @property
    def has_luck(self) -> bool:
        """Whether dice or cards have decided anything so far, also in what was undone since."""
        return bool(self._referee.drawn)

    @property
    def layout(self) -> Layout:
        """The layout this match is played on."""
        return self._referee.layout

    @property
    def ranks(self) -> tuple[int, ...] | None:
        """The sides that have their place, from the first on; None where a leg is not played on for the places."""
        return self.game.ranks(self.position.state)

    def find_next(self) -> tuple[int, int] | None:
        """The side and the seat that throw after this visit, as it stands now; None once the leg is over."""
        return self._referee.find_next(self.position)

    def find_leader(self) -> int | None:
        """The side ahead of all others in this leg; None while several are level, where it is not known, or at the end.

        Raises InvalidGame if the game names a side that is not in the match any more.
        """
        return find_leader(self.game, self.position)

    @property
    def out(self) -> frozenset[int]:
        """The sides that are eliminated or have left."""
        return self.game.out(self.position.state) | self.position.retired

    @property
    def alone(self) -> int | None:
        """The side that may win by `concede`: all others have left, and the match is not over."""
        return None if self.position.over else self._referee.order.find_alone(self.position)

    @property
    def is_of_other_rules(self) -> bool:
        """Whether it was begun under rules that its game cannot play any more, and goes on by the present ones."""
        return self.header.rules not in (None, self.rules)

    def _apply(self, line: int, given: Input) -> list[Fact]:
        if isinstance(given, _CORRECTIONS):
            return self._correct(line, given)
        before = self.position
        if before.stopped and not self.header.undo_all:
            raise refuse("refused.stopped", "the match was stopped: start a new one")
        if isinstance(given, Choose) and given.prompt is None and before.prompts:
            given = Choose(given.answer, before.prompts[0].id)
        after, facts = before, list[Fact]()
        is_told = before.stopped or before.conceded
        if not (before.over and not is_told and self.is_of_other_rules):  # by the rules of its time it went on
            after, facts = self._referee.rule(before, line, given)
        closes = after.over or after.visit.number != before.visit.number
        self._go_to(self._entries.add(Entry(line, given, before.owner, closes, self._latest), after), after)
        if isinstance(given, self._undoable):
            self._undone = None
        return facts

    def _correct(self, line: int, given: Undo | Redo | Amend) -> list[Fact]:
        if isinstance(given, Amend):
            return self._amend(line, given)
        return self._undo() if isinstance(given, Undo) else self._redo()

    def find_undone(self) -> Entry | None:
        """What undo takes back next; None where there is nothing."""
        entries = map(self._entries.__getitem__, self._entries.back_from(self._latest))
        return next((entry for entry in entries if isinstance(entry.input, self._undoable)), None)

    def find_redone(self) -> Entry | None:
        """What redo repeats; None where there is nothing."""
        return None if self._undone is None else self._entries[self._undone[0]]

    def _undo(self) -> list[Fact]:
        # The latest one always has an effect: what is void is older than the amend that made it so.
        later: list[Entry] = []
        for found in self._entries.back_from(self._latest):
            entry = self._entries[found]
            if isinstance(entry.input, self._undoable):
                break
            later.append(entry)
        else:
            raise refuse("refused.no_undo", "there is nothing to undo")
        facts = self._step(entry.before, later, Undone(line=entry.line))
        self._undone = found, self._undone
        return facts

    def _redo(self) -> list[Fact]:
        if self._undone is None:
            raise refuse("refused.no_redo", "there is nothing to redo")
        found, undone = self._undone
        entry, index = self._entries[found], self._latest
        later: list[Entry] = []
        while (last := self._entries[index]).line > entry.line:
            later.append(last)
            index = last.before
        facts = self._step(found, later, Corrected(line=entry.line))
        self._undone = undone
        return facts

    def _amend(self, line: int, wanted: Amend) -> list[Fact]:
        void = self._entries[self._latest].void
        target = self._find(wanted.line)
        if target is None or not isinstance(target.input, Throw | Total | Choose):
            raise IllegalInput(self._why_not(wanted.line, target))
        if wanted.line in void:
            raise refuse("refused.void", "line {line} has no effect: {why}", line=wanted.line, why=void[wanted.line])
        if isinstance(target.input, Choose) != isinstance(wanted.was, Choose):
            if isinstance(wanted.was, Choose):
                raise refuse("refused.is_throw", "line {line} is a throw", line=wanted.line)
            raise refuse("refused.is_answer", "line {line} is an answer", line=wanted.line)
        entry = Entry(line, wanted, self.position.owner, False, self._latest)
        facts = self._step(self._latest, [entry], Corrected(line=wanted.line))
        self._undone = None
        return facts

    def _find(self, line: int) -> Entry | None:
        """The entry of this line, if it was not undone."""
        for index in self._entries.back_from(self._latest):
            if (entry := self._entries[index]).line <= line:
                return entry if entry.line == line else None
        return None

    def _why_not(self, line: int, target: Entry | None) -> Sentence:
        if line == self._first_line:
            return say("refused.is_header", "line {line} is the header", line=line)
        if target is not None:
            return say("refused.is_neither", "line {line} is neither a throw nor an answer", line=line)
        if any(self._entries[index].line == line for index in range(len(self._entries))):
            return say("refused.undone", "line {line} was undone", line=line)
        return say("refused.no_line", "line {line} is not a throw or an answer of this match", line=line)

    def _step(self, index: int, later: list[Entry], fact: Fact) -> list[Fact]:
        """Goes to the entry of this index, and on by the `later` ones, of which the last in the list is the earliest.

        Tells the correction, and an end of the match that is new.
        """
        for entry in reversed(later):
            index = self._entries.follow(index, entry)
        was_over = self.position.over
        self._go_to(index, self._entries.position(index))
        if was_over or not self.position.over:
            return [fact]
        return [fact, MatchStopped() if self.position.stopped else MatchWon(winners=self.position.winners)]

    def _go_to(self, index: int, position: Position) -> None:
        self._latest, self.position, self._length = index, position, len(self._entries)


def _find_unread(visit: Visit) -> int:
    """The number of the first dart of this visit that no sensor could read, counted from 1."""
    darts = enumerate(visit.darts, 1)
    return next(number for number, dart in darts if dart.sensed is not None and dart.sensed.unread)


def make_events(facts: Sequence[Fact], before: Visit, match: Match, match_id: str) -> tuple[Event, ...]:
    """The facts that followed from one input, as events. `before` is the visit the input was made in."""
    found, visit = [], before
    for fact in facts:
        if isinstance(fact, TurnChanged):
            visit = match.position.visit
        shared: dict[str, object] = {"match": match_id, "line": match.line}
        if fact.side is not None:
            sides, players = match.seating.sides, match.seating.players
            shared["player"] = players[visit.seat] if fact.side == visit.side else sides[fact.side].name
        found.append(make_event(fact, **shared))
    return tuple(found)


def remark_older_rules(match: Match) -> str | None:
    """What to tell of a match that is not over and cannot go on by the rules it was begun under; None: nothing."""
    if not match.is_of_other_rules or match.position.over:
        return None
    begun, now = match.header.rules, match.rules
    return f"the match began with rules {begun} of {match.game.id} and goes on with rules {now}: check the score"
