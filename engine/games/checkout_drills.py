"""The checkout drills: 121, 170, Catch 40 and numbers drawn by chance. How they go is in checkout_tries.py."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from engine.checkouts import route
from engine.games.checkout_tries import Drill, Fail, Options, Plan
from engine.luck import Luck


class Options121(Options, frozen=True):
    """`start` is the first number; `fail` is where a failure leads; `turns` are the visits of each side."""

    start: Annotated[int, Meta(ge=61, le=170)] = 121
    fail: Fail = "start"
    turns: Annotated[int, Meta(ge=1, le=1000)] = 30


class Checkout121(Drill[Options121]):
    """Check out 121 with nine darts, then 122, and so on up to 170.

    The first number is 121 (option `start`: 61 to 170). There are nine darts for it, in three visits; a bust ends the
    visit and gives back what it took. A checkout ends the visit, and the next one is for the next higher number. When
    nine darts are not enough it goes back to the first number; with `fail` = one_down it goes back by one, never below
    the first, with stay the same number is tried again.

    The last dart must be a double; with `out` = master a double or a triple, with straight anything. With `bull` 50/50
    both parts of the bull are worth 50 and are doubles.

    The number on the wall is what is left of the number at hand; the points decide, and they are the highest number
    that was checked out. It is over at the end of the round in which somebody has checked out 170, or after so many
    visits of each side (`turns`). The most points win; equal points share it.

    Source: the 121 practice routine of scoring apps and of coaches.
    """

    id = "checkout_121"
    options_type = Options121

    def title(self, options: Options121) -> str:
        return str(options.start)

    def plan(self, options: Options121, luck: Luck) -> Plan:
        return Plan(tuple(range(options.start, 171)), 3, fail=options.fail, turns=options.turns, race=True)

    def worth(self, points: int, number: int, darts: int) -> int:
        return max(points, number)


class Options170(Options, frozen=True):
    """`rounds`: how often it is tried."""

    rounds: Annotated[int, Meta(ge=1, le=100)] = 5


class Checkout170(Drill[Options170]):
    """Check out 170 with nine darts, again and again; a point for each time.

    There are nine darts, in three visits, to bring 170 to exactly zero; a bust ends the visit and gives back what it
    took. A checkout is a point and ends the visit. Then it starts from 170 again, five times in all (option `rounds`).

    The last dart must be a double; with `out` = master a double or a triple, with straight anything. With `bull` 50/50
    both parts of the bull are worth 50 and are doubles.

    The number on the wall is what is left of the number at hand; the points decide. The most points win; equal points
    share it.

    Source: the 170 game of the scoring systems kcapp and DartsMind.
    """

    id = "checkout_170"
    options_type = Options170

    def title(self, options: Options170) -> str:
        return "170"

    def plan(self, options: Options170, luck: Luck) -> Plan:
        return Plan((170,) * options.rounds, 3)


class Catch40(Drill[Options]):
    """Forty checkouts, 61 to 100, six darts each: the fewer darts, the more points.

    Every number from 61 to 100 is tried once, with six darts in two visits; a bust ends the visit, gives back what it
    took and leaves its darts unthrown. A checkout ends the visit.

    A checkout with two darts is 3 points, with three 2, with four to six 1; the 99, which takes three darts, is
    3 points with three. The darts of a visit that was bust count as three. 120 points are the most there are.

    The last dart must be a double; with `out` = master a double or a triple, with straight anything. With `bull` 50/50
    both parts of the bull are worth 50 and are doubles.

    The number on the wall is what is left of the number at hand; the points decide. The most points win; equal points
    share it.

    Source: the Catch 40 practice game of the app DartsMind.
    """

    id = "catch_40"
    options_type = Options

    def title(self, options: Options) -> str:
        return "Catch 40"

    def plan(self, options: Options, luck: Luck) -> Plan:
        return Plan(tuple(range(61, 101)), 2)

    def worth(self, points: int, number: int, darts: int) -> int:
        return points + (3 if darts == 2 or (darts, number) == (3, 99) else 2 if darts <= 3 else 1)


class OptionsRandom(Options, frozen=True):
    """The numbers lie between `lowest` and `highest`; `darts` for each of `rounds` numbers."""

    lowest: Annotated[int, Meta(ge=2, le=170)] = 41
    highest: Annotated[int, Meta(ge=2, le=170)] = 100
    darts: Literal[3, 6, 9] = 3
    rounds: Annotated[int, Meta(ge=1, le=100)] = 10


class RandomCheckout(Drill[OptionsRandom]):
    """Numbers drawn by chance, to be checked out with three darts each.

    Ten numbers are drawn (option `rounds`), the same for everybody, between 41 and 100 (`lowest` and `highest`, 2 to
    170); a number can come again. For each there are three darts, or six or nine (`darts`), three a visit; with three,
    only numbers are drawn that three darts can finish. A bust ends the visit and gives back what it took.

    A checkout is a point, and the next number follows in the next visit; so it does after the last dart of a number.

    The last dart must be a double; with `out` = master a double or a triple, with straight anything. With `bull` 50/50
    both parts of the bull are worth 50 and are doubles.

    The number on the wall is what is left of the number at hand; the points decide. The most points win; equal points
    share it.

    Source: the Random Checkout training of Autodarts.
    """

    id = "random_checkout"
    options_type = OptionsRandom

    def title(self, options: OptionsRandom) -> str:
        return "Random Checkout"

    def plan(self, options: OptionsRandom, luck: Luck) -> Plan:
        if options.lowest > options.highest:
            raise ValueError(
                f"lowest is {options.lowest} and highest {options.highest}: lowest must not be above highest"
            )
        numbers = [
            number
            for number in range(options.lowest, options.highest + 1)
            if options.darts > 3 or route(number, 3, options.out, options.bull)
        ]
        if not numbers:
            darts = f"{options.darts} darts can finish"
            raise ValueError(f"there is no number from {options.lowest} to {options.highest} that {darts}")
        drawn = (numbers[luck.number("checkout", k, len(numbers))] for k in range(options.rounds))
        return Plan(tuple(drawn), options.darts // 3)


GAMES = (Checkout121(), Checkout170(), Catch40(), RandomCheckout())
