"""Scram: one side closes the numbers, the other scores on those still open; then they change places.

A half ends with the dart that closes the last number. The stopper threw first in it, so the side that is up next is
the new stopper, and nothing has to be turned around. Only a half that ends by its limit does: there the side that
threw last must begin.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.facts import Closed
from engine.game import Advice, Game, Panel, Preset, Seating, Step, Turn
from engine.games.beds import BULL, beds
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from engine.tuples import put
from protocol.segment import Layout, Segment

NUMBERS = {
    "1-20": tuple(range(20, 0, -1)),
    "1-20+bull": (*range(20, 0, -1), BULL),
    "15-20+bull": (*range(20, 14, -1), BULL),
}
_CONSIDERED = 10
"""So many of the dearest open numbers are worth a thought."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`marks`: so many close a number. `rounds`: a half ends after so many visits of each side at the latest."""

    numbers: Literal["1-20", "1-20+bull", "15-20+bull"] = "1-20"
    marks: Literal[1, 3] = 1
    rounds: Annotated[int, Meta(ge=1, le=200)] = 30


class State(Struct, frozen=True):
    """By side: points, and the marks of each number that it made as the stopper.

    `stopper` is None before the first visit. `visits` are those thrown in this half. `turned`: the rounds begin with
    the other side now.
    """

    options: Options
    scores: tuple[int, int]
    marks: tuple[tuple[int, ...], ...]
    half: int = 1
    stopper: int | None = None
    visits: int = 0
    turned: bool = False


class Scram(Game[Options, State]):
    """The stopper closes numbers, the scorer scores on what is still open; then they swap.

    Two sides, alone or in teams whose members take turns. Who throws first is the stopper, the other one the scorer.

    The stopper closes a number with one dart in it, in any ring; with `marks` = 3 it takes three marks, where a single
    is one, a double two, a triple three. The scorer has the points of every dart in a number that is still open; the
    bull counts 25 and 50. What the stopper hits scores nothing, and closed numbers score nothing.

    The numbers are 1 to 20 (option `numbers`: 1-20, 1-20+bull, or 15-20+bull as on machines).

    When the last number is closed the half is over at once. The sides swap: the scorer is the stopper now and throws
    first, on an empty board. A half ends at the latest after 30 visits of each side (option `rounds`).

    After both halves the higher score wins; equal scores share it. When one side leaves, the other has won.

    Source: the Scram of Arachnid, BullShooter and Bull's boards, and the pub game it comes from.
    """

    id = "scram"
    options_type = Options
    sides = range(2, 3)
    team_size = range(1, 9)
    alone_wins = True

    def title(self, options: Options) -> str:
        return "Scram"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        none = (0,) * len(NUMBERS[options.numbers])
        return State(options, (0, 0), (none, none))

    def order(self, state: State, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return sides[::-1] if state.turned else sides

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        return Step(state if state.stopper is not None else replace(state, stopper=turn.side))

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        side = turn.side
        if side != state.stopper:
            if segment.value not in _open(state):
                return Step(state)
            state = replace(state, scores=put(state.scores, side, state.scores[side] + segment.points))
            return Step(state, points=turn.points + segment.points)
        if segment.value not in _open(state):
            return Step(state, counts={"stopping": 1})
        row = NUMBERS[state.options.numbers].index(segment.value)
        before, need = state.marks[side][row], state.options.marks
        after = min(need, before + segment.multiplier)
        counts = {"stopping": 1, "marks": after - before}
        state = replace(state, marks=put(state.marks, side, put(state.marks[side], row, after)))
        if after < need:
            return Step(state, counts=counts)
        facts = (Closed(side=side, target="bull" if segment.value == BULL else str(segment.value)),)
        return Step(state, facts, ends_visit=not _open(state), counts=counts)

    def visit_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        state = replace(state, visits=state.visits + 1)
        closed = not _open(state)
        if not closed and state.visits < 2 * state.options.rounds:
            return Step(state)
        if state.half == 2:
            return Step(state, winners=leaders(turn.playing, lambda side: state.scores[side]))
        stopper = 1 - (state.stopper or 0)
        return Step(replace(state, half=2, stopper=stopper, visits=0, turned=not closed))

    def score(self, state: State, side: int) -> int:
        return state.scores[side]

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        rows = ["B" if number == BULL else str(number) for number in NUMBERS[state.options.numbers]]
        detail = tuple(
            {
                "marks": state.marks[side],
                "role": "stopper" if side == state.stopper else "scorer",
                "stopping": [tally.counts.get("marks", 0), tally.counts.get("stopping", 0)],
                "average": replace(tally, darts=tally.darts - tally.counts.get("stopping", 0)).average,
            }
            for side, tally in enumerate(turn.tallies)
        )
        targets = tuple("bull" if number == BULL else str(number) for number in _open(state)) if turn.darts_left else ()
        board = {"rows": rows, "need": state.options.marks, "half": state.half}
        return Panel("marks", detail, targets=targets, board=board)

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        if not turn.darts_left:
            return Advice()
        open_ = _open(state)
        among = [bed for number in open_[:_CONSIDERED] for bed in beds(number, "OT")]
        worth = _stops if turn.side == state.stopper else _scores
        return Advice(aim=skill.best(lambda segment: worth(segment, state, open_), among=among))


def _open(state: State) -> tuple[int, ...]:
    """The numbers that the stopper of this half has not closed, as they stand on the board."""
    numbers = NUMBERS[state.options.numbers]
    if state.stopper is None:
        return numbers
    held = state.marks[state.stopper]
    return tuple(number for number, marks in zip(numbers, held, strict=True) if marks < state.options.marks)


def _scores(segment: Segment, state: State, open_: tuple[int, ...]) -> float:
    """What a dart there is worth to the scorer."""
    return segment.points if segment.value in open_ else 0


def _stops(segment: Segment, state: State, open_: tuple[int, ...]) -> float:
    """What a dart there is worth to the stopper: its share of what the number's best bed would give the scorer."""
    if segment.value not in open_ or state.stopper is None:
        return 0
    need = state.options.marks
    left = need - state.marks[state.stopper][NUMBERS[state.options.numbers].index(segment.value)]
    best = 2 if segment.value == BULL else 3
    return best * segment.value * min(left, segment.multiplier) / need


GAMES = (Scram(),)
PRESETS = (
    Preset(
        "scram_cricket",
        "scram",
        {"numbers": "15-20+bull", "marks": 3},
        "Scram as machines have it: 15 to 20 and the bull, three marks close.",
    ),
)
