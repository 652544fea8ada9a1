"""Tic-Tac-Toe: nine beds of the layout in a square, claimed with marks; a line of three wins.

A cell is a group of the layout ("20", "bull"), so that what hits it needs no rule here.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Claimed, Fact, Game, Panel, Seating, Step, Turn, put
from engine.games.targets import beds, legend, shorten_label
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

CLASSIC = ("12", "20", "18", "11", "bull", "6", "7", "3", "2")
"""As the numbers lie around the bull."""
LINES = (*((r, r + 1, r + 2) for r in (0, 3, 6)), *((c, c + 3, c + 6) for c in (0, 1, 2)), (0, 4, 8), (2, 4, 6))
_SCORES = range(11, 61)
_MAKES = (1.0, 4.0, 30.0)
"""The worth of a cell in a line of which so many are the side's own already, and none the other's."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`marks` that claim a cell, how the `numbers` are found, and what follows a `full` board without a line.

    `dead`: what follows once no side can make a line any more.
    """

    marks: Annotated[int, Meta(ge=1, le=4)] = 4
    numbers: Literal["drawn", "classic", "scores"] = "drawn"
    full: Literal["most", "again"] = "most"
    bull_marks: Literal["split", "one"] = "split"
    dead: Literal["play_on", "draw"] = "play_on"


class TicTacToeState(Struct, frozen=True):
    """The nine cells, the owner of each (None: free), and the marks of each side in it."""

    options: Options
    cells: tuple[str, ...]
    owners: tuple[int | None, ...] = (None,) * 9
    marks: tuple[tuple[int, int], ...] = ((0, 0),) * 9

    def owned(self, side: int) -> int:
        """How many cells a side has."""
        return self.owners.count(side)

    def has_line(self, side: int) -> bool:
        """Whether this side has a row, a column or a diagonal."""
        return any(all(self.owners[cell] == side for cell in line) for line in LINES)

    def completes(self, cell: int, side: int) -> bool:
        """Whether this cell is free and would give this side a line."""
        return self.owners[cell] is None and replace(self, owners=put(self.owners, cell, side)).has_line(side)

    def is_dead(self) -> bool:
        """Whether both sides have a cell in every line."""
        return all({0, 1} <= {self.owners[cell] for cell in line} for line in LINES)

    def marks_of(self, segment: Segment) -> int:
        """The marks of a dart in the number of a cell."""
        return 1 if segment.value == 25 and self.options.bull_marks == "one" else segment.multiplier

    def hit(self, segment: Segment) -> int | None:
        """The index of the free cell that a dart here marks, or None."""
        if self.options.numbers == "scores":
            return None
        cells = enumerate(zip(self.cells, self.owners, strict=True))
        return next((at for at, (label, owner) in cells if owner is None and label in segment.groups), None)


class TicTacToe(Game[Options, TicTacToeState]):
    """Claim the numbers of a square with four marks each; three in a line win.

    Two sides play on nine cells, three by three. The bull is in the centre; around it are eight numbers, drawn at
    random. `Numbers`: with `Classic` they are placed as on the dartboard: 12 20 18, 11 bull 6, 7 3 2.

    A dart in the number of a cell marks it for the side that throws: a single once, a double twice, a triple three
    times, the outer bull once, the inner bull twice. The first side with four marks in a cell (`Marks`: 1 to 4) claims
    it. From then on nobody can mark it, and the marks of the other side are worth nothing. `Marks for the inner bull`:
    with `One` either part of the bull is one mark.

    `Numbers`: with `Scores` the cells are nine scores from 11 to 60, drawn at random. A visit that scores exactly the
    score of a free cell claims it; darts that you do not throw count nothing.

    Three cells in a row, a column or a diagonal win at once. If all nine cells are claimed without a line, the side
    with more of them wins. `When the square is full`: with `New square` the visit ends instead, and both sides go on
    with nine new cells (with classic numbers the same ones, empty).

    `When no line is possible`: with `Draw` the leg ends as soon as neither side can make a line any more, and both
    share the win. If you have also chosen `New square`, both go on with nine new cells instead.

    The members of a team take turns. If one side leaves the match, the other wins.

    Source: Tic Tac Darts of Arachnid's Galaxy 2; the scores of kcapp; a full square is a house rule of oche.
    """

    id = "tic_tac_toe"
    group = "races"
    options_type = Options
    sides = range(2, 3)
    team_size = range(1, 9)
    alone_wins = True

    def title(self, options: Options) -> str:
        return "Tic-Tac-Toe"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> TicTacToeState:
        return _empty_square(options, luck)

    def dart(self, state: TicTacToeState, segment: Segment, turn: Turn, luck: Luck) -> Step[TicTacToeState]:
        side, cell = turn.side, state.hit(segment)
        if cell is None:
            return Step(state)
        before, need = state.marks[cell][side], state.options.marks
        marked = min(before + state.marks_of(segment), need)
        counts = {"marks": marked - before}
        state = replace(state, marks=put(state.marks, cell, _with_marks(state.marks[cell], side, marked)))
        if marked < need:
            return Step(state, counts=counts)
        return replace(_claim(state, cell, turn), counts=counts)

    def visit_over(self, state: TicTacToeState, turn: Turn, luck: Luck) -> Step[TicTacToeState]:
        step = Step(state)
        cell = _scored_cell(state, turn)
        if cell is not None:
            step = _claim(state, cell, turn)
            state = step.state
        is_over = _is_decided(state) and not any(state.has_line(side) for side in (0, 1))
        if is_over and state.options.full == "again":
            return replace(step, state=_empty_square(state.options, luck))
        return step

    def score(self, state: TicTacToeState, side: int) -> int:
        return state.owned(side)

    def view(self, state: TicTacToeState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple({"mpr": tally.per_visit(tally.counts.get("marks", 0))} for tally in turn.tallies)
        cells = [
            {
                "label": shorten_label(label),
                "owner": state.owners[at],
                "marks": list(state.marks[at]),
                **({"completes": wins} if (wins := [side for side in (0, 1) if state.completes(at, side)]) else {}),
            }
            for at, label in enumerate(state.cells)
        ]
        known = legend(map(shorten_label, state.cells))
        board = {"columns": 3, "cells": cells, "need": state.options.marks, "legend": known, "unit": "numbers"}
        board["signs"] = ["cross", "ring"]
        lit = _open_cells(state) if turn.darts_left and state.options.numbers != "scores" else ()
        return Panel("grid", detail, targets=lit, board=board)

    def task(self, state: TicTacToeState, turn: Turn, panel: Panel) -> Sentence:
        if state.options.numbers == "scores":
            total = sum(dart.points for dart in turn.darts)
            return say(
                "tic_tac_toe.score",
                "Make a free score exactly with this visit: {total} so far; three in a line win",
                total=total,
            )
        if cells := _completing(state, turn.side):
            if len(cells) > 1:
                return say(
                    "tic_tac_toe.win_any",
                    "Take one of these, it makes three in a line and wins: {targets}",
                    targets=cells,
                )
            return say("tic_tac_toe.win", "Take {targets}: it makes three in a line and wins", targets=cells)
        if cells := _completing(state, 1 - turn.side):
            other = turn.names[1 - turn.side]
            if len(cells) > 1:
                return say(
                    "tic_tac_toe.block_all",
                    "Take these, {name} can win with any of them: {targets}",
                    targets=cells,
                    name=other,
                )
            return say("tic_tac_toe.block", "Take {targets}, or {name} can win with it", targets=cells, name=other)
        if (need := state.options.marks) == 1:
            return say("tic_tac_toe.hit", "Hit a lit number to own it; three in a line win")
        return say(
            "tic_tac_toe.claim",
            "Hit a lit number: {need} marks make it yours; three in a line win",
            need=need,
        )

    def advise(self, state: TicTacToeState, turn: Turn, seat: int, skill: Skill) -> Advice:
        """The cell that helps the side's own lines and spoils the other's most, as far as a dart marks it."""
        if state.options.numbers == "scores":
            return Advice(aim=_aim_at_scores(state, turn, skill))
        need = state.options.marks

        def worth(segment: Segment) -> float:
            cell = state.hit(segment)
            if cell is None:
                return 0.0
            before = state.marks[cell][turn.side]
            added = min(before + state.marks_of(segment), need) - before
            return _value_of_cell(state, cell, turn.side) * (added + before / need)

        return Advice(aim=skill.best(worth, among=[bed for label in _open_cells(state) for bed in beds(label, "TO")]))


def _claim(state: TicTacToeState, cell: int, turn: Turn) -> Step[TicTacToeState]:
    """The step in which the thrower gets this cell."""
    side = turn.side
    state = replace(state, owners=put(state.owners, cell, side))
    facts: tuple[Fact, ...] = (Claimed(side=side, cell=shorten_label(state.cells[cell])),)
    winners: tuple[int, ...] | None = (side,) if state.has_line(side) else None
    is_over = _is_decided(state)
    if is_over and winners is None and state.options.full == "most":
        winners = (0, 1) if state.options.dead == "draw" else leaders((0, 1), state.owned)
    return Step(state, facts, turn.points + 1, ends_visit=is_over, winners=winners)


def _is_decided(state: TicTacToeState) -> bool:
    """Whether nothing is left to play for: all cells are claimed, or no line can be made and that ends it."""
    return None not in state.owners or (state.options.dead == "draw" and state.is_dead())


def _scored_cell(state: TicTacToeState, turn: Turn) -> int | None:
    """The free cell whose score this visit has made."""
    made = str(sum(dart.points for dart in turn.darts))
    if state.options.numbers != "scores" or made not in _open_cells(state):
        return None
    return state.cells.index(made)


def _aim_at_scores(state: TicTacToeState, turn: Turn, skill: Skill) -> str:
    """The bed from which a free cell's score is nearest: exactly made by the last dart, else left for one more."""
    made = sum(dart.points for dart in turn.darts)
    values = {int(label): _value_of_cell(state, state.cells.index(label), turn.side) for label in _open_cells(state)}
    if made in values:
        return "MISS"

    def worth(segment: Segment) -> float:
        total, more = made + segment.points, turn.darts_left - 1
        left = {score - total: value for score, value in values.items() if score >= total}
        exact = left.get(0, 0.0)
        near = max((value for short, value in left.items() if 0 < short <= 20 * more), default=0.0)
        return exact + near / 4

    return skill.best(worth, among=[f"{ring}{number}" for ring in "OTD" for number in range(20, 0, -1)])


def _empty_square(options: Options, luck: Luck) -> TicTacToeState:
    if options.numbers == "classic":
        return TicTacToeState(options, CLASSIC)
    if options.numbers == "scores":
        return TicTacToeState(options, tuple(map(str, luck.shuffled("cell", _SCORES)[:9])))
    around = [str(number) for number in luck.shuffled("cell", range(1, 21))[:8]]
    return TicTacToeState(options, (*around[:4], "bull", *around[4:]))


def _open_cells(state: TicTacToeState) -> tuple[str, ...]:
    return tuple(label for label, owner in zip(state.cells, state.owners, strict=True) if owner is None)


def _completing(state: TicTacToeState, side: int) -> tuple[str, ...]:
    """The cells that would give this side a line."""
    return tuple(label for at, label in enumerate(state.cells) if state.completes(at, side))


def _value_of_cell(state: TicTacToeState, cell: int, side: int) -> float:
    """The worth of owning a cell for the lines it is in: those of the side to make, those of the other to spoil."""
    value = 0.0
    for line in LINES:
        owners = [state.owners[other] for other in line if other != cell]
        mine = sum(owner == side for owner in owners)
        theirs = sum(owner == 1 - side for owner in owners)
        if cell in line and not (mine and theirs):
            value += _MAKES[mine] if not theirs else 0.8 * _MAKES[theirs]
    return value or 0.1


def _with_marks(marks: tuple[int, int], side: int, value: int) -> tuple[int, int]:
    return (value, marks[1]) if side == 0 else (marks[0], value)


GAMES = (TicTacToe(),)
