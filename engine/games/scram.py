"""Scram: one side closes the numbers, the other scores on those still open; then they change places.

A half ends with the dart that closes the last number. The stopper threw first in it, so the side that is up next is the
new stopper, and the order stays. Only a half that ends by its limit turns it: there the side that threw last must
begin.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Closed, Game, Panel, Preset, Seating, Step, Turn, put
from engine.games.targets import BULL, beds, legend
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

NUMBERS = {
    "1-20": tuple(range(20, 0, -1)),
    "1-20+bull": (*range(20, 0, -1), BULL),
    "15-20+bull": (*range(20, 14, -1), BULL),
}
_CONSIDERED = 10
"""How many of the most valuable open numbers are considered as aims."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`marks`: how many close a number. `rounds`: the limit of visits of each side in a half."""

    numbers: Literal["1-20", "1-20+bull", "15-20+bull"] = "1-20"
    marks: Literal[1, 3] = 1
    rounds: Annotated[int, Meta(ge=1, le=200)] = 30


class ScramState(Struct, frozen=True):
    """By side: points, and the marks of each number that it made as the stopper.

    `stopper` is None before the first visit. `visits` are those thrown in this half. `turned`: the rounds now begin
    with the other side.
    """

    options: Options
    scores: tuple[int, int]
    marks: tuple[tuple[int, ...], ...]
    half: int = 1
    stopper: int | None = None
    visits: int = 0
    turned: bool = False


class Scram(Game[Options, ScramState]):
    """The stopper closes numbers, the scorer scores on those still open; then they swap.

    Two sides play, single players or teams; the members of a team take turns. The side that throws first is the
    stopper, the other one the scorer.

    The stopper closes a number with one dart in any of its rings. With `Marks` 3 it takes three marks: a single is one,
    a double two, a triple three. The scorer gets the points of every dart in a number that is still open; the bull
    counts 25 and 50. The stopper scores nothing, and darts in closed numbers score nothing.

    The `Numbers` are 1 to 20; or 1 to 20 and the bull; or 15 to 20 and the bull, as on machines.

    When the last number is closed, the half ends at once. The sides swap: the scorer is now the stopper and throws
    first, and all numbers are open again. A half ends at the latest after 30 visits of each side (`Rounds`).

    After both halves the higher score wins; sides with equal scores share the win. If one side leaves the match, the
    other wins.

    Source: mostdartgames.com (1 to 20 and the bull), Bull's Delta IV; 1 to 20 without the bull is a house rule of oche.
    """

    id = "scram"
    group = "cricket"
    options_type = Options
    sides = range(2, 3)
    team_size = range(1, 9)
    shows_advice = True
    alone_wins = True

    def title(self, options: Options) -> str:
        return "Scram"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> ScramState:
        none = (0,) * len(NUMBERS[options.numbers])
        return ScramState(options, (0, 0), (none, none))

    def order(self, state: ScramState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return sides[::-1] if state.turned else sides

    def begin(self, state: ScramState, turn: Turn, luck: Luck) -> Step[ScramState]:
        return Step(state if state.stopper is not None else replace(state, stopper=turn.side))

    def dart(self, state: ScramState, segment: Segment, turn: Turn, luck: Luck) -> Step[ScramState]:
        side = turn.side
        if side != state.stopper:
            if segment.value not in _open_numbers(state):
                return Step(state)
            state = replace(state, scores=put(state.scores, side, state.scores[side] + segment.points))
            return Step(state, points=turn.points + segment.points)
        if segment.value not in _open_numbers(state):
            return Step(state, counts={"stopping": 1})
        row = NUMBERS[state.options.numbers].index(segment.value)
        before, need = state.marks[side][row], state.options.marks
        after = min(need, before + segment.multiplier)
        counts = {"stopping": 1, "marks": after - before}
        state = replace(state, marks=put(state.marks, side, put(state.marks[side], row, after)))
        if after < need:
            return Step(state, counts=counts)
        facts = (Closed(side=side, target="bull" if segment.value == BULL else str(segment.value)),)
        return Step(state, facts, ends_visit=not _open_numbers(state), counts=counts)

    def visit_over(self, state: ScramState, turn: Turn, luck: Luck) -> Step[ScramState]:
        state = replace(state, visits=state.visits + 1)
        closed = not _open_numbers(state)
        if not closed and state.visits < 2 * state.options.rounds:
            return Step(state)
        if state.half == 2:
            return Step(state, winners=leaders(turn.playing, lambda side: state.scores[side]))
        stopper = 1 - (state.stopper or 0)
        return Step(replace(state, half=2, stopper=stopper, visits=0, turned=not closed))

    def score(self, state: ScramState, side: int) -> int:
        return state.scores[side]

    def view(self, state: ScramState, turn: Turn, seat: int | None) -> Panel:
        rows = ["B" if number == BULL else str(number) for number in NUMBERS[state.options.numbers]]
        detail = tuple(
            {
                "marks": state.marks[side] if side == state.stopper else (0,) * len(rows),
                "role": "stopper" if side == state.stopper else "scorer",
                "stopping": [tally.counts.get("marks", 0), tally.counts.get("stopping", 0)],
                "average": replace(tally, darts=tally.darts - tally.counts.get("stopping", 0)).average,
            }
            for side, tally in enumerate(turn.tallies)
        )
        numbers = _open_numbers(state) if turn.darts_left else ()
        targets = tuple("bull" if number == BULL else str(number) for number in numbers)
        board = {
            "rows": rows,
            "need": state.options.marks,
            "half": state.half,
            "legend": legend(rows),
            "closing": state.stopper,
        }
        return Panel("marks", detail, targets=targets, board=board)

    def task(self, state: ScramState, turn: Turn, panel: Panel) -> Sentence:
        left, need, stops = len(_open_numbers(state)), state.options.marks, turn.side == state.stopper
        if state.half == 2:
            then = "then_over"
        elif stops:
            then = "then_score"
        else:
            then = "then_close"
        if left == 1:
            what = panel.targets[0]
            if stops:
                return say("scram.stop_last", "Close {target}, the last open number; {then}", target=what, then=then)
            return say("scram.score_last", "Score on {target}, the last open number; {then}", target=what, then=then)
        if not stops:
            return say("scram.score", "Score: {left} numbers still open; {then}", left=left, then=then)
        if need > 1:
            return say(
                "scram.stop_marks",
                "Close numbers, {need} marks each: {left} numbers still open; {then}",
                need=need,
                left=left,
                then=then,
            )
        return say("scram.stop", "Close numbers, one hit each: {left} numbers still open; {then}", left=left, then=then)

    def advise(self, state: ScramState, turn: Turn, seat: int, skill: Skill) -> Advice:
        open_ = _open_numbers(state)
        among = [bed for number in open_[:_CONSIDERED] for bed in beds(number, "OT")]
        stops = turn.side == state.stopper
        worth = _worth_to_stopper if stops else _worth_to_scorer
        aim = skill.best(lambda segment: worth(segment, state, open_), among=among)
        return Advice(aim=aim, purpose="close" if stops else "score")


def _open_numbers(state: ScramState) -> tuple[int, ...]:
    """The numbers that the stopper of this half has not closed, in the order of the board."""
    numbers = NUMBERS[state.options.numbers]
    if state.stopper is None:
        return numbers
    held = state.marks[state.stopper]
    return tuple(number for number, marks in zip(numbers, held, strict=True) if marks < state.options.marks)


def _worth_to_scorer(segment: Segment, state: ScramState, open_: tuple[int, ...]) -> float:
    """The points of a dart there for the scorer."""
    return segment.points if segment.value in open_ else 0


def _worth_to_stopper(segment: Segment, state: ScramState, open_: tuple[int, ...]) -> float:
    """The worth of a dart there for the stopper: its share of what the best bed of the number gives the scorer."""
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
        "Scram as on machines: 15 to 20 and the bull; three marks close a number.",
    ),
)
