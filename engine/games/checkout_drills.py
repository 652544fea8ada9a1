"""The checkout drills: each is a plan of numbers (checkout_plan.py), and what a checkout is worth."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from engine.finishing import can_finish
from engine.games.checkout_plan import Drill, DrillPlan, Fail, Options
from engine.luck import Luck
from protocol.sentence import Refusal, Sentence, say


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
