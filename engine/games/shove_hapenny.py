"""Shove Ha'penny: three marks on every number, and what is too many goes to the next side.

A gift can close the last number of the side that gets it, so a match may end with the dart of another.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Closed, Fact, Game, Panel, Seating, Step, Turn, put
from engine.games.targets import BULL, beds, legend
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

NUMBERS = {"1-9": tuple(range(1, 10)), "15-20+bull": (*range(15, 21), BULL)}
_NEED = 3
_GIFT = 0.9
"""What a mark that is given away costs, in marks."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`ordered`: only the first number that is not closed counts."""

    numbers: Literal["1-9", "15-20+bull"] = "1-9"
    ordered: bool = False
    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None


class ShoveState(Struct, frozen=True):
    """The marks of each side on each number, 0 to 3."""

    options: Options
    marks: tuple[tuple[int, ...], ...]


class ShoveHapenny(Game[Options, ShoveState]):
    """Get three marks on every number from 1 to 9; marks beyond the third go to the next side.

    Every side throws three darts a visit; the members of a team take turns. A single is one mark on its number, a
    double two, a triple three. Three marks close a number; you may close the numbers in any order. Marks beyond the
    third go to the side that throws next. Marks that it cannot use are lost, and so are those of a side that plays
    alone.

    With `Numbers` 15-20+bull you play on 15 to 20 and the bull (the outer part is one mark, the inner two). With
    `Numbers in order` you have to close the numbers in order: only the first one that is not closed counts.

    The first side to close all numbers wins at once, even if marks from another side close its last number. With a
    limit of `Rounds` the side with the most marks wins after the last round; sides that are level share the win.

    Source: Shove Ha'Penny as chinadart.com prints it; in order on 15 to 20 the manual of the BullShooter EDB400.
    """

    id = "shove_hapenny"
    group = "cricket"
    options_type = Options
    team_size = range(1, 9)

    def title(self, options: Options) -> str:
        return "Shove Ha'penny"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> ShoveState:
        return ShoveState(options, ((0,) * len(NUMBERS[options.numbers]),) * len(seating.sides))

    def dart(self, state: ShoveState, segment: Segment, turn: Turn, luck: Luck) -> Step[ShoveState]:
        side = turn.side
        row = _row(state, side, segment)
        if row is None:
            return Step(state)
        before = state.marks[side][row]
        kept = min(_NEED - before, segment.multiplier)
        state = _mark(state, side, row, kept)
        facts = _closed(state, side, row, kept)
        given = segment.multiplier - kept
        other = _next_side(turn)
        gift = min(given, _NEED - state.marks[other][row])
        if other != side and gift:
            state = _mark(state, other, row, gift)
            facts += _closed(state, other, row, gift)
        done = next((s for s in (side, other) if _is_done(state, s)), None)
        return Step(
            state,
            facts,
            points=turn.points + kept,
            ends_visit=done is not None,
            winners=None if done is None else (done,),
            counts={"marks": kept},
        )

    def round_over(self, state: ShoveState, turn: Turn, luck: Luck) -> Step[ShoveState]:
        if turn.round != state.options.rounds:
            return Step(state)
        return Step(state, winners=leaders(turn.playing, lambda side: sum(state.marks[side])))

    def leading(self, state: ShoveState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: sum(state.marks[side]))

    def score(self, state: ShoveState, side: int) -> int:
        return sum(state.marks[side])

    def view(self, state: ShoveState, turn: Turn, seat: int | None) -> Panel:
        rows = ["B" if number == BULL else str(number) for number in NUMBERS[state.options.numbers]]
        detail = tuple(
            {"marks": mine, "mpr": tally.per_visit(tally.counts.get("marks", 0))}
            for mine, tally in zip(state.marks, turn.tallies, strict=True)
        )
        open_ = _open_rows(state, turn.side) if turn.darts_left else ()
        targets = tuple("bull" if rows[row] == "B" else rows[row] for row in open_)
        board = {"rows": rows, "need": _NEED, "legend": legend(rows), "unit": "marks"}
        return Panel("marks", detail, targets=targets, board=board)

    def task(self, state: ShoveState, turn: Turn, panel: Panel) -> Sentence:
        other, rows = _next_side(turn), _open_rows(state, turn.side)
        name = turn.names[other]
        gives = other != turn.side and any(state.marks[other][row] < _NEED for row in rows)
        if state.options.ordered:
            need = _NEED - state.marks[turn.side][rows[0]]
            if not gives:
                return say("shove_hapenny.order", "Hit {targets}, {need} to go", targets=panel.targets, need=need)
            return say(
                "shove_hapenny.next",
                "Hit {targets}, {need} to go; extra marks go to {name}",
                targets=panel.targets,
                need=need,
                name=name,
            )
        if not gives:
            return say("shove_hapenny.alone", "Hit a lit number: three marks close it")
        return say(
            "shove_hapenny.hit", "Hit a lit number: three marks close it, and extra ones go to {name}", name=name
        )

    def advise(self, state: ShoveState, turn: Turn, seat: int, skill: Skill) -> Advice:
        def worth(segment: Segment) -> float:
            row = _row(state, turn.side, segment)
            if row is None:
                return 0
            kept = min(_NEED - state.marks[turn.side][row], segment.multiplier)
            return kept - _GIFT * (segment.multiplier - kept)

        numbers = NUMBERS[state.options.numbers]
        return Advice(
            aim=skill.best(worth, [bed for row in _open_rows(state, turn.side) for bed in beds(numbers[row], "TDO")])
        )


def _next_side(turn: Turn) -> int:
    """The side that gets what is too many; the thrower where there is no other."""
    return turn.playing[(turn.playing.index(turn.side) + 1) % len(turn.playing)]


def _open_rows(state: ShoveState, side: int) -> tuple[int, ...]:
    """The rows that count for this side: those not closed, or in order the first of them."""
    rows = tuple(row for row, marks in enumerate(state.marks[side]) if marks < _NEED)
    return rows[:1] if state.options.ordered else rows


def _row(state: ShoveState, side: int, segment: Segment) -> int | None:
    """The row that a dart of this side there counts on: one at play, or one that is closed and gives to the next."""
    numbers = NUMBERS[state.options.numbers]
    if segment.value not in numbers:
        return None
    row = numbers.index(segment.value)
    return row if not state.options.ordered or row in _open_rows(state, side) else None


def _mark(state: ShoveState, side: int, row: int, marks: int) -> ShoveState:
    mine = state.marks[side]
    return replace(state, marks=put(state.marks, side, put(mine, row, mine[row] + marks)))


def _closed(state: ShoveState, side: int, row: int, marks: int) -> tuple[Fact, ...]:
    """The fact that these marks have closed the row, if they have."""
    if not marks or state.marks[side][row] < _NEED:
        return ()
    number = NUMBERS[state.options.numbers][row]
    return (Closed(side=side, target="bull" if number == BULL else str(number)),)


def _is_done(state: ShoveState, side: int) -> bool:
    return all(marks == _NEED for marks in state.marks[side])


GAMES = (ShoveHapenny(),)
