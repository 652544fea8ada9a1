"""Tic-Tac-Toe: nine beds of the face in a square, claimed with marks; a line of three wins.

A cell is a group label of the face ("20", "bull"), so that what hits it needs no rule here.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.facts import Claimed, Fact
from engine.game import Advice, Game, Panel, Seating, Step, Turn
from engine.games.beds import beds
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from engine.tuples import put
from protocol.segment import Layout, Segment

CLASSIC = ("12", "20", "18", "11", "bull", "6", "7", "3", "2")
"""As the numbers lie around the bull."""
LINES = (*((r, r + 1, r + 2) for r in (0, 3, 6)), *((c, c + 3, c + 6) for c in (0, 1, 2)), (0, 4, 8), (2, 4, 6))
_MAKES = (1.0, 4.0, 30.0)
"""What a cell is worth in a line of which so many are one's own already, and none the other's."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`marks` that claim a cell, how the `numbers` are found, and what becomes of a `full` board without a line."""

    marks: Annotated[int, Meta(ge=1, le=4)] = 4
    numbers: Literal["drawn", "classic"] = "drawn"
    full: Literal["most", "again"] = "most"


class State(Struct, frozen=True):
    """The nine labels, who owns each, and each side's marks in each."""

    options: Options
    cells: tuple[str, ...]
    owners: tuple[int | None, ...] = (None,) * 9
    marks: tuple[tuple[int, int], ...] = ((0, 0),) * 9

    def owned(self, side: int) -> int:
        """How many cells a side has."""
        return self.owners.count(side)

    def has_line(self, side: int) -> bool:
        """Has this side three in a row, a column or a diagonal?"""
        return any(all(self.owners[cell] == side for cell in line) for line in LINES)

    def hit(self, segment: Segment) -> int | None:
        """The cell that a dart here marks: one that nobody has yet."""
        cells = enumerate(zip(self.cells, self.owners, strict=True))
        return next((at for at, (label, owner) in cells if owner is None and label in segment.groups), None)


class TicTacToe(Game[Options, State]):
    """Claim the numbers of a square with four marks each; three in a line win.

    Two sides play on nine cells, three by three. The bull is in the centre, eight numbers drawn by luck are around it;
    with `numbers` = classic they are those that lie that way on the face: 12 20 18, 11 bull 6, 7 3 2.

    A dart in the number of a cell marks it for the side that throws: a single once, a double twice, a triple three
    times, the outer bull once and the inner twice. Who is the first to have four marks in a cell (option `marks`: 1 to
    4) claims it. Nobody can mark it any more, and the marks of the other are worth nothing.

    Three cells in a row, a column or a diagonal win at once. When all nine are claimed and nobody has a line, whoever
    has more of them wins; with `full` = again the visit is over and both go on with nine new cells (the same ones,
    empty, when the numbers are classic).

    The members of a team take turns. When one side leaves, the other has won.

    Source: Tic-Tac-Toe of Arachnid Galaxy machines and of GranDarts; the classic square of home electronic boards.
    """

    id = "tic_tac_toe"
    options_type = Options
    sides = range(2, 3)
    team_size = range(1, 9)
    alone_wins = True

    def title(self, options: Options) -> str:
        return "Tic-Tac-Toe"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        return _empty(options, luck)

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        side, cell = turn.side, state.hit(segment)
        if cell is None:
            return Step(state)
        before, need = state.marks[cell][side], state.options.marks
        marked = min(before + segment.multiplier, need)
        counts = {"marks": marked - before}
        state = replace(state, marks=put(state.marks, cell, _with(state.marks[cell], side, marked)))
        if marked < need:
            return Step(state, counts=counts)
        state = replace(state, owners=put(state.owners, cell, side))
        facts: tuple[Fact, ...] = (Claimed(side=side, cell=_label(state.cells[cell])),)
        winners: tuple[int, ...] | None = (side,) if state.has_line(side) else None
        is_full = None not in state.owners
        if is_full and winners is None and state.options.full == "most":
            winners = leaders((0, 1), state.owned)
        return Step(state, facts, turn.points + 1, ends_visit=is_full, winners=winners, counts=counts)

    def visit_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        is_drawn = None not in state.owners and not any(state.has_line(side) for side in (0, 1))
        if is_drawn and state.options.full == "again":
            state = _empty(state.options, luck)
        return Step(state)

    def score(self, state: State, side: int) -> int:
        return state.owned(side)

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        detail = tuple({"mpr": tally.per_visit(tally.counts.get("marks", 0))} for tally in turn.tallies)
        cells = [
            {"label": _label(label), "owner": owner, "marks": list(marks)}
            for label, owner, marks in zip(state.cells, state.owners, state.marks, strict=True)
        ]
        board = {"columns": 3, "cells": cells, "need": state.options.marks}
        return Panel("grid", detail, targets=_open(state) if turn.darts_left else (), board=board)

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        """At the cell that does most for the own lines and against the other's, as far as a dart brings it."""
        if not turn.darts_left:
            return Advice()
        need = state.options.marks

        def worth(segment: Segment) -> float:
            cell = state.hit(segment)
            if cell is None:
                return 0.0
            before = state.marks[cell][turn.side]
            return _value(state, cell, turn.side) * (min(before + segment.multiplier, need) - before + before / need)

        return Advice(aim=skill.best(worth, among=[bed for label in _open(state) for bed in beds(label, "TO")]))


def _empty(options: Options, luck: Luck) -> State:
    if options.numbers == "classic":
        return State(options, CLASSIC)
    around = [str(number) for number in luck.shuffled("cell", range(1, 21))[:8]]
    return State(options, (*around[:4], "bull", *around[4:]))


def _open(state: State) -> tuple[str, ...]:
    return tuple(label for label, owner in zip(state.cells, state.owners, strict=True) if owner is None)


def _value(state: State, cell: int, side: int) -> float:
    """What owning a cell means for the lines it is in: one's own to make, the other's to spoil."""
    value = 0.0
    for line in LINES:
        owners = [state.owners[other] for other in line if other != cell]
        mine = sum(owner == side for owner in owners)
        theirs = sum(owner == 1 - side for owner in owners)
        if cell in line and not (mine and theirs):
            value += _MAKES[mine] if not theirs else 0.8 * _MAKES[theirs]
    return value or 0.1


def _with(marks: tuple[int, int], side: int, value: int) -> tuple[int, int]:
    return (value, marks[1]) if side == 0 else (marks[0], value)


def _label(label: str) -> str:
    return "B" if label == "bull" else label


GAMES = (TicTacToe(),)
