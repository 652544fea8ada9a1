"""What the counting games share: every dart adds what it is worth in its round, and the totals decide after the last.

A game of the family says how many rounds there are, what a dart is worth in each, and whether high or low is good. The
sheet of rounds by sides, the end and the extra rounds of those who share the lead are the same for all.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Generic, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Advice, Better, Game, Panel, Seating, Step, Turn, put
from engine.games.score_sheet import Sheet
from engine.games.targets import legend, note_worth
from engine.luck import Luck
from engine.ranking import in_contention, leaders
from engine.skill import Skill
from engine.tally import Tally
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

O = TypeVar("O", bound=Struct)  # noqa: E741  (options)


class CountingState(Struct, Generic[O], frozen=True):
    """Totals by side; the sheet has a row for each round (none without a limit), and one for all extra rounds."""

    options: O
    scores: tuple[int, ...]
    sheet: Sheet


class Counting(Game[O, CountingState[O]]):
    """The rules of the family; see its games."""

    team_size = range(1, 9)
    notes_all_darts = True
    good: ClassVar[Literal[1, -1]] = 1
    """1 when a high total is good, -1 when a low one is."""

    @abstractmethod
    def rows(self, options: O) -> tuple[str, ...]:
        """The labels of the rounds on the sheet; empty without a limit of rounds."""

    @abstractmethod
    def worth(self, options: O, round: int, segment: Segment) -> int:
        """What a dart adds in this round."""

    @abstractmethod
    def beds(self, options: O, round: int) -> tuple[str, ...]:
        """The beds that may be worth aiming at in this round."""

    def lit(self, options: O, round: int) -> tuple[str, ...]:
        """The targets of this round, as a panel has them."""
        return ()

    def say_worth(self, options: O, targets: tuple[str, ...]) -> Sentence:
        """The task of a round with targets."""
        if targets == ("bull",):
            return say("counting.bull", "Hit the bull: the outer part counts 1, the inner 2")
        return say("counting.marks", "Hit {targets}: a single counts 1, a double 2, a triple 3", targets=targets)

    def unit(self, options: O) -> str | None:
        """What the score counts; None for points."""
        return None

    def throws_on(self, options: O) -> bool:
        """Whether the sides that share the lead throw another round."""
        return False

    def has_won(self, options: O, score: int) -> bool:
        """Whether this total wins at once."""
        return False

    def figures(self, tally: Tally) -> Mapping[str, float]:
        """The figures of a side that players compare."""
        return {"average": tally.average, "best": self.best(tally)}

    def best(self, tally: Tally) -> int:
        """The points of the best round."""
        return tally.highs.get("visit" if self.tons else "round", 0)

    def setup(self, options: O, seating: Seating, layout: Layout, luck: Luck) -> CountingState[O]:
        count = len(seating.sides)
        return CountingState(options, (0,) * count, Sheet.blank(count, len(self.rows(options))))

    def order(self, state: CountingState[O], round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return in_contention(state.sheet.contenders, sides)

    def dart(self, state: CountingState[O], segment: Segment, turn: Turn, luck: Luck) -> Step[CountingState[O]]:
        more = self.worth(state.options, turn.round, segment)
        score = state.scores[turn.side] + more
        state = replace(state, scores=put(state.scores, turn.side, score))
        if rows := len(self.rows(state.options)):
            row = min(turn.round - 1, rows)
            state = replace(state, sheet=state.sheet.written(turn.side, row, turn.points + more))
        won = self.has_won(state.options, score)
        return Step(state, points=turn.points + more, ends_visit=won, winners=(turn.side,) if won else None)

    def visit_over(self, state: CountingState[O], turn: Turn, luck: Luck) -> Step[CountingState[O]]:
        is_good = self.rows(state.options) and self.good == 1 and not self.tons
        return Step(state, highs={"round": turn.points} if is_good else {})

    def round_over(self, state: CountingState[O], turn: Turn, luck: Luck) -> Step[CountingState[O]]:
        rows, sheet = len(self.rows(state.options)), state.sheet
        if not rows or turn.round < rows:
            return Step(state)
        best = leaders(in_contention(sheet.contenders, turn.playing), lambda side: self.good * state.scores[side])
        if len(best) <= 1 or not self.throws_on(state.options):
            return Step(state, winners=best)
        sheet = sheet.with_extra_row(best) if turn.round == rows else replace(sheet, contenders=best)
        return Step(replace(state, sheet=sheet))

    def leading(self, state: CountingState[O], sides: tuple[int, ...]) -> tuple[int, ...]:
        """Where low is good, by the rounds that all of them have thrown: the next to throw is not ahead by that."""
        sheet, there = state.sheet, in_contention(state.sheet.contenders, sides)
        if self.good == 1:
            return leaders(there, state.scores.__getitem__)
        return leaders(there, lambda side: sheet.open_total(side, there) - state.scores[side])

    def score(self, state: CountingState[O], side: int) -> int:
        return state.scores[side]

    def better(self, options: O) -> Better | None:
        if self.throws_on(options):
            return None
        return "high" if self.good == 1 else "low"

    def view(self, state: CountingState[O], turn: Turn, seat: int | None) -> Panel:
        figures = tuple(self.figures(tally) for tally in turn.tallies)
        lit = self.lit(state.options, turn.round) if turn.darts_left else ()
        rows, cells = self.rows(state.options), state.sheet.cells
        board = note_worth(turn.darts, lambda dart: self.worth(state.options, turn.round, dart))
        if unit := self.unit(state.options):
            board["unit"] = unit
        if not rows:
            return Panel("plain", figures, lit, board=board)
        shown = (*rows, "+")[: len(cells[0])]
        detail = tuple({**about, "cells": mine} for about, mine in zip(figures, cells, strict=True))
        board |= {"rows": shown, "row": min(turn.round, len(shown)) - 1, "legend": legend(shown)}
        return Panel("sheet", detail, lit, board=board)

    def task(self, state: CountingState[O], turn: Turn, panel: Panel) -> Sentence:
        return self.say_worth(state.options, panel.targets) if panel.targets else super().task(state, turn, panel)

    def advise(self, state: CountingState[O], turn: Turn, seat: int, skill: Skill) -> Advice:
        options, round = state.options, turn.round
        return Advice(
            aim=skill.best(lambda segment: self.good * self.worth(options, round, segment), self.beds(options, round))
        )
