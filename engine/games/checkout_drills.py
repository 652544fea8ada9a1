"""Checkout drills: numbers to check out, one after the other, each in so many visits.

One set of rules over a `Plan`: which numbers, how many visits each, what follows a failure. A drill is the plan that
its options stand for, and what a checkout is worth. All sides get the same numbers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Literal, TypeVar

from msgspec import Meta, Struct
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
from protocol.sentence import Refusal, Sentence, say
from protocol.standard import USUAL

Fail = Literal["start", "one_down", "stay"]


_LAST_DARTS: Mapping[Out, str] = {
    "double": "out_double",
    "master": "out_master",
    "straight": "out_straight",
}
"""What the last dart may be in."""


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
        left, last = state.left[turn.side], _LAST_DARTS[state.options.out]
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


class Options121(Options, frozen=True):
    """`start` is the first number; `fail` is where a failure leads; `turns` are the visits of each side.

    `top`: what follows once 170 is checked out.
    """

    start: Annotated[int, Meta(ge=61, le=170)] = 121
    fail: Fail = "start"
    turns: Annotated[int, Meta(ge=1, le=1000)] = 30
    top: Literal["ends", "stays"] = "ends"


class Checkout121(Drill[Options121]):
    """Check out 121 with nine darts, then 122, and so on up to 170.

    The `First number` is 121 (or 61 to 170). You have nine darts for it, in three visits. A bust ends the visit, and
    the score goes back to what it was before the visit. A checkout ends the visit too, and the next visit is for the
    number one higher. `After a failed attempt` of nine darts you go back to the first number; with `One lower` you go
    back by one, never below the first number; with `The same number` you try it again.

    `Out`: the last dart must be a double; with `Master` a double or a triple, with `Straight` anything. With `Bull`
    50/50 both parts of the bull are worth 50 and are doubles.

    The points decide: your points are the highest number that you have checked out. The game ends with the round in
    which a side checks out 170, or when the `Visits per side` are used up. The most points win; equal points share the
    win.

    `After 170`: with `Stay at 170` you go on at 170 until your visits are used up, and every further 170 is one point
    more.

    Source: the 121 of elitedartleague.com; the limit of visits is a house rule of oche.
    """

    id = "checkout_121"
    group = "x01"
    options_type = Options121

    def title(self, options: Options121) -> str:
        return str(options.start)

    def plan(self, options: Options121, luck: Luck) -> DrillPlan:
        stays = options.top == "stays"
        numbers = tuple(range(options.start, 171))
        return DrillPlan(numbers, 3, options.fail, options.turns, race=not stays, stays=stays)

    def worth(self, points: int, number: int, darts: int) -> int:
        return points + 1 if points >= number == 170 else max(points, number)

    def say_aim(self, left: int, last: str, darts: int, now: int, points: int | None) -> Sentence:
        if points is None and darts > now:
            return say(
                "checkout_drills.on_later",
                "Check out {left} on {last} to go on to the next number; darts: {now} now, {later} later",
                left=left,
                last=last,
                now=now,
                later=darts - now,
            )
        if points is None:
            return say(
                "checkout_drills.on",
                "Check out {left} with {darts} darts, on {last}, to go on to the next number",
                left=left,
                last=last,
                darts=darts,
            )
        if darts > now:
            return say(
                "checkout_drills.next_later",
                "Check out {left} on {last} to have {points} points; darts: {now} now, {later} later",
                left=left,
                last=last,
                points=points,
                now=now,
                later=darts - now,
            )
        return say(
            "checkout_drills.next",
            "Check out {left} with {darts} darts, on {last}, to have {points} points",
            left=left,
            last=last,
            darts=darts,
            points=points,
        )


class Options170(Options, frozen=True):
    """`rounds`: how often 170 is tried."""

    rounds: Annotated[int, Meta(ge=1, le=100)] = 5


class Checkout170(Drill[Options170]):
    """Check out 170 with nine darts, again and again; each checkout is a point.

    You have nine darts, in three visits, to bring 170 to exactly zero. A bust ends the visit, and the score goes back
    to what it was before the visit. A checkout is a point and ends the visit. Then you start from 170 again, five
    times in all (`Rounds`).

    `Out`: the last dart must be a double; with `Master` a double or a triple, with `Straight` anything. With `Bull`
    50/50 both parts of the bull are worth 50 and are doubles.

    The points decide: the most points win, and equal points share the win.

    Source: a house rule of oche, after the 170 of kcapp.
    """

    id = "checkout_170"
    group = "x01"
    options_type = Options170

    def title(self, options: Options170) -> str:
        return "170"

    def plan(self, options: Options170, luck: Luck) -> DrillPlan:
        return DrillPlan((170,) * options.rounds, 3)


class Catch40(Drill[Options]):
    """Forty checkouts, 61 to 100, six darts each: the fewer darts, the more points.

    You try every number from 61 to 100 once, with six darts in two visits. A bust ends the visit: the score goes back
    to what it was before the visit, and the darts left in it are lost. A checkout ends the visit.

    A checkout with two darts is 3 points, with three darts 2, with four to six darts 1. The 99 cannot be checked out
    with two darts, so it is 3 points with three. A bust visit counts as three darts. The highest possible score is
    120.

    `Out`: the last dart must be a double; with `Master` a double or a triple, with `Straight` anything. With `Bull`
    50/50 both parts of the bull are worth 50 and are doubles.

    The points decide: the most points win, and equal points share the win.

    Source: Catch 40 of John Part, as my-dart-training.com prints it.
    """

    id = "catch_40"
    group = "x01"
    options_type = Options

    def title(self, options: Options) -> str:
        return "Catch 40"

    def plan(self, options: Options, luck: Luck) -> DrillPlan:
        return DrillPlan(tuple(range(61, 101)), 2)

    def worth(self, points: int, number: int, darts: int) -> int:
        return points + (3 if darts == 2 or (darts, number) == (3, 99) else 2 if darts <= 3 else 1)

    def say_aim(self, left: int, last: str, darts: int, now: int, points: int | None) -> Sentence:
        if darts < 4:  # with more than three in all, it is a point
            return super().say_aim(left, last, darts, now, points)
        if darts == 4:
            return say(
                "checkout_drills.catch_4",
                "Check out {left} on {last}: 2 points with this dart, else 1",
                left=left,
                last=last,
            )
        if darts == 5:
            return say(
                "checkout_drills.catch_5",
                "Check out {left} on {last}: 3 points with this dart, 2 with two, else 1",
                left=left,
                last=last,
            )
        if left == 99:  # no other number leaves it with six darts
            return say(
                "checkout_drills.catch_99",
                "Check out {left} on {last}: 3 points with three darts, else 1",
                left=left,
                last=last,
            )
        return say(
            "checkout_drills.catch",
            "Check out {left} on {last}: 3 points with two darts, 2 with three, else 1",
            left=left,
            last=last,
        )


class OptionsRandom(Options, frozen=True):
    """The numbers lie between `lowest` and `highest`; `darts` for each of `rounds` numbers."""

    lowest: Annotated[int, Meta(ge=2, le=170)] = 41
    highest: Annotated[int, Meta(ge=2, le=170)] = 100
    darts: Literal[3, 6, 9] = 3
    rounds: Annotated[int, Meta(ge=1, le=100)] = 10


class RandomCheckout(Drill[OptionsRandom]):
    """Check out numbers drawn by chance, with three darts each.

    Ten numbers are drawn (`Rounds`), the same for all, between 41 and 100 (`Lowest number` and `Highest number`, 2 to
    170). A number can come up more than once. You have three `Darts per number`, or six or nine, three a visit. With
    three, only numbers that three darts can finish are drawn. A bust ends the visit, and the score goes back to what it
    was before the visit.

    A checkout is a point. After a checkout, or after the last dart for a number, the next visit is for the next
    number.

    `Out`: the last dart must be a double; with `Master` a double or a triple, with `Straight` anything. With `Bull`
    50/50 both parts of the bull are worth 50 and are doubles.

    The points decide: the most points win, and equal points share the win.

    Source: a house rule of oche, after the Random Checkout of Autodarts, which is one number.
    """

    id = "random_checkout"
    group = "x01"
    options_type = OptionsRandom

    def title(self, options: OptionsRandom) -> str:
        return "Random Checkout"

    def plan(self, options: OptionsRandom, luck: Luck) -> DrillPlan:
        if options.lowest > options.highest:
            raise Refusal(
                say(
                    "x01.refuse_range",
                    "lowest is {low} and highest {high}: lowest must not be above highest",
                    low=options.lowest,
                    high=options.highest,
                )
            )
        numbers = [
            number
            for number in range(options.lowest, options.highest + 1)
            if options.darts > 3 or can_finish(number, 3, options.out, options.bull)
        ]
        if not numbers:
            raise Refusal(
                say(
                    "x01.refuse_numbers",
                    "there is no number from {low} to {high} that {darts} darts can finish",
                    low=options.lowest,
                    high=options.highest,
                    darts=options.darts,
                )
            )
        drawn = (numbers[luck.number("checkout", k, len(numbers))] for k in range(options.rounds))
        return DrillPlan(tuple(drawn), options.darts // 3)


GAMES = (Checkout121(), Checkout170(), Catch40(), RandomCheckout())
