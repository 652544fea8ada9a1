"""How a checkout drill goes: numbers to be checked out, one after the other, each with so many visits.

One set of rules over a Plan (which numbers, how many visits each, what follows a failure). A drill makes the plan of
its options and says what a checkout is worth; they are in checkout_drills.py. All sides get the same numbers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from engine import awards
from engine.checkouts import Bull, Out, closes, least, worth
from engine.facts import Bust, Closed, Fact
from engine.game import Advice, Game, Panel, Seating, Step, Turn
from engine.games.x01_aim import Stand, aim, hint, targets
from engine.games.x01_figures import aimed, detail, finished
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from engine.tuples import put
from protocol.segment import Layout, Segment

Fail = Literal["start", "one_down", "stay"]


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What the last dart must be, and what the bull is."""

    out: Out = "double"
    bull: Bull = "25/50"


class Plan(Struct, frozen=True):
    """The numbers, and the visits for each. `fail`: where a failure leads (None: on to the next number).

    With `turns` the leg is over after so many visits; with a `race` once somebody is through.
    """

    numbers: tuple[int, ...]
    visits: int
    fail: Fail | None = None
    turns: int | None = None
    race: bool = False


class State(Struct, frozen=True):
    """By side: the place in the numbers, visits used for this one, what is left of it, and points.

    `before` is what was left at the start of the visit.
    """

    options: Options
    plan: Plan
    at: tuple[int, ...]
    used: tuple[int, ...]
    left: tuple[int, ...]
    points: tuple[int, ...]
    before: int = 0


O = TypeVar("O", bound=Options)  # noqa: E741  (options)


class Drill(Game[O, State]):
    """The rules of the family; see its games."""

    team_size = range(1, 9)
    tons = True

    @abstractmethod
    def plan(self, options: O, luck: Luck) -> Plan:
        """The numbers of a leg. Raises ValueError when there are none."""

    def worth(self, points: int, number: int, darts: int) -> int:
        """The points after a checkout of this number with so many darts."""
        return points + 1

    def setup(self, options: O, seating: Seating, layout: Layout, luck: Luck) -> State:
        plan, none = self.plan(options, luck), (0,) * len(seating.sides)
        return State(options, plan, at=none, used=none, left=tuple(plan.numbers[0] for _ in none), points=none)

    def order(self, state: State, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(side for side in sides if not _is_through(state, side))

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        side = turn.side
        left = state.left[side] if state.used[side] else state.plan.numbers[state.at[side]]
        return Step(replace(state, left=put(state.left, side, left), before=left))

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        out, bull, side = state.options.out, state.options.bull, turn.side
        points, multiplier = worth(segment, bull)
        remaining, before = state.left[side], state.before
        left = remaining - points
        if left == 0 and closes(multiplier, out):
            counts = finished(remaining, segment, out, bull, checkout=before)
            done = replace(state, left=put(state.left, side, 0))
            return Step(done, points=before, ends_visit=True, counts=counts, highs={"finish": before})
        counts = aimed(remaining, out, bull)
        if left < least(out):
            back = replace(state, left=put(state.left, side, before))
            return Step(back, (Bust(side=side),), points=0, ends_visit=True, counts=counts)
        return Step(replace(state, left=put(state.left, side, left)), points=before - left, counts=counts)

    def visit_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        side, plan = turn.side, state.plan
        at, used = state.at[side], state.used[side] + 1
        facts: tuple[Fact, ...] = ()
        counts: Mapping[str, int] = {}
        if state.left[side] == 0:
            number, darts = plan.numbers[at], 3 * (used - 1) + len(turn.darts)
            points = self.worth(state.points[side], number, darts)
            state = replace(state, points=put(state.points, side, points))
            facts, counts = (Closed(side=side, target=str(number)),), {"tries": 1, "successes": 1}
            at, used = at + 1, 0
        elif used == plan.visits:
            counts = {"tries": 1}
            at, used = {"start": 0, "one_down": max(0, at - 1), "stay": at, None: at + 1}[plan.fail], 0
        return Step(replace(state, at=put(state.at, side, at), used=put(state.used, side, used)), facts, counts=counts)

    def round_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        through = [_is_through(state, side) for side in turn.playing]
        is_last = state.plan.turns is not None and turn.round >= state.plan.turns
        if all(through) or is_last or (state.plan.race and any(through)):
            return Step(state, winners=leaders(turn.playing, lambda side: state.points[side]))
        return Step(state)

    def award(self, state: State, turn: Turn) -> str | None:
        return awards.of_score(turn.darts, turn.points, state.left[turn.side] == 0) if turn.points else None

    def score(self, state: State, side: int) -> int:
        return state.left[side]

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        last = len(state.plan.numbers) - 1
        details = tuple(
            {
                **detail(tally, has_legs=False),
                "points": state.points[side],
                "number": state.plan.numbers[min(state.at[side], last)],
                "tries": [tally.counts.get("successes", 0), tally.counts.get("tries", 0)],
            }
            for side, tally in enumerate(turn.tallies)
        )
        return Panel("x01", details, targets=targets(_stand(state, turn)), hint=hint(_stand(state, turn)))

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        return Advice(aim=aim(_stand(state, turn), skill)) if turn.darts_left else Advice()


def _is_through(state: State, side: int) -> bool:
    """Has it had all numbers?"""
    return state.at[side] >= len(state.plan.numbers)


def _stand(state: State, turn: Turn) -> Stand:
    return Stand(state.left[turn.side], state.before, turn.darts_left, state.options.out, state.options.bull)
