"""Games with one target a round, the same for all, where only hits of it count: Around the World, Darts at a Number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from engine.games.counting import Counting
from engine.games.targets import beds
from engine.tally import Tally
from protocol.segment import Segment
from protocol.sentence import Sentence, say

TARGETS = (*(str(number) for number in range(1, 21)), "bull")
Target = Literal[
    "1", "2", "3", "4", "5", "6", "7", "8", "9", "10",
    "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "bull",
]  # fmt: skip


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`points`: a hit counts its marks (1 to 3) or its value."""

    points: Literal["marks", "value"] = "marks"


class AroundTheWorld(Counting[Options]):
    """One number a round, from 1 to 20 and then the bull, the same for all; the most marks win.

    Twenty-one rounds: the 1 in the first, the 2 in the second and so on up to the 20, and the bull in the last. Every
    side throws three darts a round; the members of a team take turns, one a round. Only hits of the round's number
    count: a single is one mark, a double two and a triple three; the outer bull is one and the inner bull two.

    `Points for a hit`: with `Value` a hit scores its points on the board instead (a triple 20 is 60, the bull 25 and
    50).

    The highest total after the bull wins; equal totals share the win.

    Source: Around the World of kcapp; the points of the board as in Round the World of Autodarts.
    """

    id = "around_the_world"
    group = "races"
    options_type = Options

    def title(self, options: Options) -> str:
        return "Around the World"

    def rows(self, options: Options) -> tuple[str, ...]:
        return (*TARGETS[:-1], "B")

    def worth(self, options: Options, round: int, segment: Segment) -> int:
        if _target(round) not in segment.groups:
            return 0
        return segment.multiplier if options.points == "marks" else segment.points

    def say_worth(self, options: Options, targets: tuple[str, ...]) -> Sentence:
        if options.points == "marks":
            return super().say_worth(options, targets)
        return say("around_the_world.value", "Hit {targets}: it scores its value", targets=targets)

    def unit(self, options: Options) -> str | None:
        return "marks" if options.points == "marks" else None

    def beds(self, options: Options, round: int) -> tuple[str, ...]:
        return beds(_target(round))

    def lit(self, options: Options, round: int) -> tuple[str, ...]:
        return (_target(round),)


class DartsAtOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`target`: what all throw at, for so many `rounds`."""

    target: Target = "20"
    rounds: Annotated[int, Meta(ge=1, le=33)] = 33


class DartsAt(Counting[DartsAtOptions]):
    """Ninety-nine darts at one number; the most marks win.

    Every side throws all its darts at the same number (`Target`: the 20, or any other, or the bull), three a round;
    the members of a team take turns, one a round. A single is one mark, a double two and a triple three; the outer
    bull is one and the inner bull two. Everything else counts nothing.

    After 33 rounds, which are 99 darts (`Rounds`: 33, or 1 to 33), the most marks win; equal marks share the win. The
    highest possible score is 297.

    Source: 99 Darts at X of kcapp.
    """

    id = "darts_at"
    group = "rounds"
    options_type = DartsAtOptions

    def title(self, options: DartsAtOptions) -> str:
        return f"{3 * options.rounds} Darts at {'the Bull' if options.target == 'bull' else options.target}"

    def rows(self, options: DartsAtOptions) -> tuple[str, ...]:
        return tuple(str(number) for number in range(1, options.rounds + 1))

    def worth(self, options: DartsAtOptions, round: int, segment: Segment) -> int:
        return segment.multiplier if options.target in segment.groups else 0

    def unit(self, options: DartsAtOptions) -> str:
        return "marks"

    def beds(self, options: DartsAtOptions, round: int) -> tuple[str, ...]:
        return beds(options.target)

    def lit(self, options: DartsAtOptions, round: int) -> tuple[str, ...]:
        return (options.target,)

    def figures(self, tally: Tally) -> Mapping[str, float]:
        return {"mpr": tally.average, "best": self.best(tally)}


def _target(round: int) -> str:
    return TARGETS[(round - 1) % len(TARGETS)]


GAMES = (AroundTheWorld(), DartsAt())
