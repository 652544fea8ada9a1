"""What the checkout drills share: numbers to check out, one after the other, each in so many visits.

One set of rules over a `DrillPlan`: which numbers, how many visits each, what follows a failure. All sides get the same
numbers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from engine import awards
from engine.checkouts import (
    AimState,
    aim,
    count_aim,
    count_finish,
    describe_tally,
    explain_bust,
    show,
    worth,
)
from engine.finishing import Bull, Out, can_finish, closes, least
from engine.game import Advice, Better, Bust, Closed, Fact, Game, Panel, Seating, Step, Turn, put
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from engine.tally import Tally
from protocol.segment import Dartboard, Layout, Segment
from protocol.sentence import Sentence, say
from protocol.standard import USUAL

Fail = Literal["start", "one_down", "stay"]


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What the last dart must be, and what the bull is."""

    out: Out = "double"
    bull: Bull = "25/50"


class DrillPlan(Struct, frozen=True):
    """The numbers, and the visits for each. `fail`: where a failure leads (None: on to the next number).

    With `turns` the leg is over after so many visits of each side; with `race` once a side is through. With `stays` the
    last number comes again and again.
    """

    numbers: tuple[int, ...]
    visits: int
    fail: Fail | None = None
    turns: int | None = None
    race: bool = False
    stays: bool = False


class CheckoutState(Struct, frozen=True):
    """By side: the place in the numbers, visits used for this one, what is left of it, and points.

    `before` is what was left at the start of the visit, `dartboard` what hangs on the wall. `failed`: whether the last
    visit of a side was the last one for its number, without a checkout.
    """

    options: Options
    plan: DrillPlan
    at: tuple[int, ...]
    used: tuple[int, ...]
    left: tuple[int, ...]
    points: tuple[int, ...]
    dartboard: Dartboard
    before: int = 0
    failed: tuple[bool, ...] = ()


O = TypeVar("O", bound=Options)  # noqa: E741  (options)


class Drill(Game[O, CheckoutState]):
    """The rules of the family; see its games."""

    team_size = range(1, 9)
    tons = True

    @abstractmethod
    def plan(self, options: O, luck: Luck) -> DrillPlan:
        """The numbers of a leg. Raises ValueError when there are none."""

    def worth(self, points: int, number: int, darts: int) -> int:
        """The points after a checkout of this number with so many darts."""
        return points + 1

    def setup(self, options: O, seating: Seating, layout: Layout, luck: Luck) -> CheckoutState:
        plan, none = self.plan(options, luck), (0,) * len(seating.sides)
        left = tuple(plan.numbers[0] for _ in none)
        return CheckoutState(
            options,
            plan,
            at=none,
            used=none,
            left=left,
            points=none,
            dartboard=layout.dartboard or USUAL,
            failed=(False,) * len(none),
        )

    def order(self, state: CheckoutState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(side for side in sides if not _is_through(state, side))

    def begin(self, state: CheckoutState, turn: Turn, luck: Luck) -> Step[CheckoutState]:
        return Step(replace(state, before=state.left[turn.side]))

    def dart(self, state: CheckoutState, segment: Segment, turn: Turn, luck: Luck) -> Step[CheckoutState]:
        out, bull, side = state.options.out, state.options.bull, turn.side
        points, multiplier = worth(segment, bull)
        remaining, before = state.left[side], state.before
        left = remaining - points
        if left == 0 and closes(multiplier, out):
            counts = count_finish(remaining, segment, out, bull, checkout=before)
            done = replace(state, left=put(state.left, side, 0))
            return Step(done, points=before, ends_visit=True, counts=counts, highs={"finish": before})
        counts = count_aim(remaining, out, bull)
        if left < least(out):
            back = replace(state, left=put(state.left, side, before))
            return Step(back, (Bust(side=side),), points=0, ends_visit=True, counts=counts)
        return Step(replace(state, left=put(state.left, side, left)), points=before - left, counts=counts)

    def visit_over(self, state: CheckoutState, turn: Turn, luck: Luck) -> Step[CheckoutState]:
        side, plan = turn.side, state.plan
        at, used = state.at[side], state.used[side] + 1
        facts: tuple[Fact, ...] = ()
        counts: Mapping[str, int] = {}
        if state.left[side] == 0:
            number, darts = plan.numbers[at], 3 * (used - 1) + len(turn.darts)
            points = self.worth(state.points[side], number, darts)
            state = replace(state, points=put(state.points, side, points))
            facts, counts = (Closed(side=side, target=str(number)),), {"tries": 1, "successes": 1}
            at, used = min(at + 1, len(plan.numbers) - plan.stays), 0
        elif used == plan.visits:
            counts = {"tries": 1}
            at, used = {"start": 0, "one_down": max(0, at - 1), "stay": at, None: at + 1}[plan.fail], 0
        has_failed = not used and state.left[side] > 0
        state = replace(
            state,
            at=put(state.at, side, at),
            used=put(state.used, side, used),
            failed=put(state.failed, side, has_failed),
        )
        if not used and not _is_through(state, side):  # the wall shows the number that comes next
            state = replace(state, left=put(state.left, side, plan.numbers[at]))
        return Step(state, facts, counts=counts)

    def round_over(self, state: CheckoutState, turn: Turn, luck: Luck) -> Step[CheckoutState]:
        through = [_is_through(state, side) for side in turn.playing]
        is_last = state.plan.turns is not None and turn.round >= state.plan.turns
        if all(through) or is_last or (state.plan.race and any(through)):
            return Step(state, winners=leaders(turn.playing, lambda side: state.points[side]))
        return Step(state)

    def award(self, state: CheckoutState, turn: Turn) -> str | None:
        return awards.of_score(turn.darts, turn.points, turn.points == state.before) if turn.points else None

    def leading(self, state: CheckoutState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: state.points[side])

    def score(self, state: CheckoutState, side: int) -> int:
        return state.left[side]

    def better(self, options: O) -> Better:
        return "high"

    def result(self, state: CheckoutState, side: int, tally: Tally) -> int:
        """The points, which decide; the wall has what is left."""
        return state.points[side]

    def view(self, state: CheckoutState, turn: Turn, seat: int | None) -> Panel:
        last = len(state.plan.numbers) - 1
        details = tuple(
            {
                **describe_tally(tally, has_legs=False),
                "number": state.plan.numbers[min(state.at[side], last)],
                "points": state.points[side],
                "failed": state.failed[side],
                "tries": [tally.counts.get("successes", 0), tally.counts.get("tries", 0)],
            }
            for side, tally in enumerate(turn.tallies)
        )
        return show(details, _stand(state, turn))

    def task(self, state: CheckoutState, turn: Turn, panel: Panel) -> Sentence:
        visits = _count_visits(state, turn)
        darts = 3 * min(visits, state.plan.visits - state.used[turn.side]) - len(turn.darts)
        left, last = state.left[turn.side], f"out_{state.options.out}"
        if darts <= turn.darts_left and not can_finish(left, darts, state.options.out, state.options.bull):
            return say("checkout_drills.beyond", "{left} cannot be checked out with the remaining darts", left=left)
        if darts == 1:
            return say("checkout_drills.last", "Check out {left} with this dart, on {last}", left=left, last=last)
        number = state.plan.numbers[state.at[turn.side]]
        before = state.points[turn.side]
        points = self.worth(before, number, darts=0)
        if points == before and visits == 1:
            return say(
                "checkout_drills.only",
                "Check out {left} with {darts} darts, on {last}",
                left=left,
                last=last,
                darts=darts,
            )
        return self.say_aim(left, last, darts, turn.darts_left, points if points > before else None)

    def say_aim(self, left: int, last: str, darts: int, now: int, points: int | None) -> Sentence:
        """The task of a visit: `last` is what the last dart has to be in, `darts` how many there are for the number.

        So many of them are thrown `now`, the others in later visits. `points` are those of the side after a checkout,
        None where it brings none.
        """
        if darts > now:
            return say(
                "checkout_drills.point_later",
                "Check out {left} on {last} for 1 point; darts: {now} now, {later} later",
                left=left,
                last=last,
                now=now,
                later=darts - now,
            )
        return say(
            "checkout_drills.point",
            "Check out {left} with {darts} darts, on {last}: 1 point",
            left=left,
            last=last,
            darts=darts,
        )

    def reason(self, state: CheckoutState, turn: Turn, bust: bool) -> Sentence | None:
        return explain_bust(_stand(state, turn), turn.darts) if bust else None

    def advise(self, state: CheckoutState, turn: Turn, seat: int, skill: Skill) -> Advice:
        return Advice(aim=aim(_stand(state, turn), skill))


def _is_through(state: CheckoutState, side: int) -> bool:
    """Whether the side has had all its numbers."""
    return state.at[side] >= len(state.plan.numbers)


def _count_visits(state: CheckoutState, turn: Turn) -> int:
    """How many visits this side can still have in the leg at most, this one included."""
    plan = state.plan
    if plan.race and any(_is_through(state, side) for side in turn.playing):
        return 1
    return (plan.turns or len(plan.numbers) * plan.visits) - turn.round + 1


def _stand(state: CheckoutState, turn: Turn) -> AimState:
    options = state.options
    left, before = state.left[turn.side], state.before
    return AimState(left, before, turn.darts_left, options.out, options.bull, dartboard=state.dartboard)
