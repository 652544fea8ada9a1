"""The checkout drill whose numbers are drawn by chance."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from engine.finishing import can_finish
from engine.games.checkout_drills import Drill, DrillPlan, Options
from engine.luck import Luck
from protocol.sentence import Refusal, say


class OptionsRandom(Options, frozen=True):
    """The numbers lie between `lowest` and `highest`; `darts` for each of `rounds` numbers."""

    lowest: Annotated[int, Meta(ge=2, le=170)] = 41
    highest: Annotated[int, Meta(ge=2, le=170)] = 100
    darts: Literal[3, 6, 9] = 3
    rounds: Annotated[int, Meta(ge=1, le=100)] = 10


class RandomCheckout(Drill[OptionsRandom]):
    """Numbers drawn by chance, to be checked out with three darts each.

    Ten numbers are drawn (`Rounds`), the same for all, between 41 and 100 (`Lowest number` and `Highest number`, 2 to
    170); a number can come again. The `Darts for a number` are three, or six or nine, three a visit; with three, only
    numbers are drawn that three darts can finish. A bust ends the visit and gives back what it took.

    A checkout is a point, and the next number follows in the next visit; so it does after the last dart of a number.

    `Out`: the last dart must be a double; with `Master` a double or a triple, with `Straight` anything. With `Bull`
    50/50 both parts of the bull are worth 50 and are doubles.

    The number on the wall is what is left of the number at hand; the points decide. The most points win; equal points
    share it.

    Source: a house rule of oche, after the Random Checkout of Autodarts, which is one number.
    """

    id = "random_checkout"
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


GAMES = (RandomCheckout(),)
