"""The X01 family: from a start score down to exactly zero."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.checkouts import Bull, Out, closes, in_one, route
from engine.facts import Award, Bust, Fact
from engine.game import Advice, Game, Panel, Preset, Seating, Step, Turn
from engine.luck import Luck
from engine.skill import Skill
from engine.tuples import put
from protocol.segment import Layout, Segment


class Options(Struct, frozen=True, forbid_unknown_fields=True, rename={"enter": "in", "leave": "out"}):
    """`in` and `out`: what the first and the last dart must be. `rounds`: the lowest score wins after so many."""

    start: Annotated[int, Meta(ge=101, le=1501)] = 501
    enter: Out = "straight"
    leave: Out = "double"
    bull: Bull = "25/50"
    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None


class State(Struct, frozen=True):
    """What remains and whether it has been opened, by side; `before` is both at the start of the visit."""

    options: Options
    scores: tuple[int, ...]
    opened: tuple[bool, ...]
    before: tuple[int, bool] = (0, False)


class X01(Game[Options, State]):
    """From a start score down to exactly zero: 501, 301 and their relatives.

    Every side starts at the same score (option `start`: 501, or 101 to 1501) and throws three darts a visit.
    What a dart hits is taken off. Whoever brings the score to exactly zero wins the leg.

    Out: the last dart must be a double (the inner bull is one); with `master` a double or a triple, with `straight`
    anything. A visit is bust when it would leave less than zero, exactly zero without a legal last dart, or one where
    a double or master out needs two; the score then goes back to what it was before the visit, and the visit is over.

    In: with `double` or `master` nothing counts until that has been hit; the dart that opens counts.

    The bull is 25 and 50. With `bull` 50/50 both parts are worth 50 and both are doubles.

    With a limit of `rounds` the lowest score wins after the last one; equal scores share it.

    Source: the rules common to leagues and machines (WDF, NDA).
    """

    id = "x01"
    options_type = Options
    team_size = range(1, 9)

    def title(self, options: Options) -> str:
        return str(options.start)

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        count = len(seating.sides)
        return State(options, (options.start,) * count, (options.enter == "straight",) * count)

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        return Step(replace(state, before=(state.scores[turn.side], state.opened[turn.side])))

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        options, side = state.options, turn.side
        points, multiplier = _worth(segment, options.bull)
        if not state.opened[side]:
            if not (points and closes(multiplier, options.enter)):
                return Step(state)
            state = replace(state, opened=put(state.opened, side, True))
        remaining = state.scores[side]
        counts = {"at_finish": 1} if in_one(remaining, options.leave, options.bull) else {}
        left = remaining - points
        if left == 0 and closes(multiplier, options.leave):
            counts["finished"] = 1
            won = replace(state, scores=put(state.scores, side, 0))
            return Step(won, points=state.before[0], ends_visit=True, winners=(side,), counts=counts)
        if left < (1 if options.leave == "straight" else 2):
            score, opened = state.before
            back = replace(state, scores=put(state.scores, side, score), opened=put(state.opened, side, opened))
            return Step(back, (Bust(side=side),), points=0, ends_visit=True, counts=counts)
        state = replace(state, scores=put(state.scores, side, left))
        return Step(state, points=state.before[0] - left, counts=counts)

    def visit_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        ton_80 = len(turn.darts) == 3 and all(dart.id == "T20" for dart in turn.darts)
        counted = state.scores[turn.side] == state.before[0] - 180
        facts: tuple[Fact, ...] = (Award(side=turn.side, award="180"),) if ton_80 and counted else ()
        return Step(state, facts)

    def round_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        if state.options.rounds is None or turn.round < state.options.rounds:
            return Step(state)
        lowest = min(state.scores[side] for side in turn.playing)
        return Step(state, winners=tuple(side for side in turn.playing if state.scores[side] == lowest))

    def score(self, state: State, side: int) -> int:
        return state.scores[side]

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {
                "average": tally.average,
                "first_nine": tally.first_nine,
                "darts": tally.darts,
                "checkouts": [tally.counts.get("finished", 0), tally.counts.get("at_finish", 0)],
            }
            for tally in turn.tallies
        )
        return Panel("x01", detail, targets=self._targets(state, turn), hint=self._route(state, turn))

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        return Advice(aim=self._aim(state, turn)) if turn.darts_left else Advice()

    def _aim(self, state: State, turn: Turn) -> str:
        """Where the next dart belongs: at the route out, else at points, without going bust or leaving a dead end."""
        options, remaining = state.options, state.scores[turn.side]
        if not state.opened[turn.side]:
            return "T20" if options.enter == "master" else "D20"
        hint = self._route(state, turn)
        if hint:
            return hint[0]
        if remaining > 61:
            return "T20"
        singles = range(min(20, remaining - 2), 0, -1)
        return f"S{next((n for n in singles if in_one(remaining - n, options.leave, options.bull)), 1)}"

    def _route(self, state: State, turn: Turn) -> tuple[str, ...]:
        if not state.opened[turn.side] or not turn.darts_left:
            return ()
        return route(state.scores[turn.side], turn.darts_left, state.options.leave, state.options.bull)

    def _targets(self, state: State, turn: Turn) -> tuple[str, ...]:
        if not turn.darts_left:
            return ()
        if not state.opened[turn.side]:
            return ("double", "triple") if state.options.enter == "master" else ("double",)
        return (self._aim(state, turn),)


def _worth(segment: Segment, bull: Literal["25/50", "50/50"]) -> tuple[int, int]:
    """Points and multiplier under the rule for the bull."""
    return (50, 2) if bull == "50/50" and segment.value == 25 else (segment.points, segment.multiplier)


GAMES = (X01(),)
PRESETS = tuple(
    Preset(str(start), "x01", {"start": start}, f"{start} straight in, double out.")
    for start in (101, 201, 301, 401, 501, 601, 701, 801, 901, 1001, 1101, 1501)
)
