"""The doubles drills: three darts at every double, one double a round, the bull last.

The games share how they are thrown; they differ in what a round without a hit costs, in which order the doubles come
and whether the score grows or shrinks.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Advice, Better, Eliminated, Game, O, Panel, Seating, Step, Turn, put
from engine.games.score_sheet import Sheet
from engine.games.targets import rate, tried
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say
from protocol.standard import NUMBERS

UPWARDS = (*range(1, 21), 25)
CLOCKWISE = (*NUMBERS[1:], NUMBERS[0], 25)


class BobsOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`allow_negative`: no side goes out, however low its score falls."""

    allow_negative: bool = False


class FourTwentyOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`order`: in which the doubles come."""

    order: Literal["clockwise", "upwards"] = "clockwise"


class DoublesState(Struct, frozen=True):
    """The sheet, a row each number; by side the round in which it went out (None: still in)."""

    numbers: tuple[int, ...]
    sheet: Sheet
    out_in: tuple[int | None, ...]
    may_go_out: bool = False


class Doubles(Game[O, DoublesState]):
    """The rules of the family; see its games."""

    team_size = range(1, 9)
    start: ClassVar[int]
    sign: ClassVar[int]
    """What a hit does to the score: 1 adds, -1 takes off."""

    @abstractmethod
    def say_hit(self, targets: tuple[str, ...], turn: Turn, points: int) -> Sentence:
        """The task of a round whose double is worth so many points."""

    def _setup(self, numbers: tuple[int, ...], seating: Seating, may_go_out: bool = False) -> DoublesState:
        count = len(seating.sides)
        return DoublesState(numbers, Sheet.blank(count, len(numbers)), (None,) * count, may_go_out)

    def dart(self, state: DoublesState, segment: Segment, turn: Turn, luck: Luck) -> Step[DoublesState]:
        number = state.numbers[turn.round - 1]
        hit = (segment.value, segment.multiplier) == (number, 2)
        counts = tried(_bed(number), hit)
        if not hit:
            return Step(state, counts=counts)
        points = turn.points + segment.points
        return Step(_write_row(state, turn, points), points=points, counts=counts)

    def visit_over(self, state: DoublesState, turn: Turn, luck: Luck) -> Step[DoublesState]:
        return Step(_write_row(state, turn, turn.points))

    def round_over(self, state: DoublesState, turn: Turn, luck: Luck) -> Step[DoublesState]:
        done = turn.round == len(state.numbers) or self.out(state).issuperset(turn.playing)
        return Step(state, winners=self._winners(state, turn) if done else None)

    def _winners(self, state: DoublesState, turn: Turn) -> tuple[int, ...]:
        return leaders(turn.playing, lambda side: self.sign * self.score(state, side))

    def out(self, state: DoublesState) -> frozenset[int]:
        return frozenset(side for side, round in enumerate(state.out_in) if round is not None)

    def leading(self, state: DoublesState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: self.sign * self.score(state, side))

    def score(self, state: DoublesState, side: int) -> int:
        return self.start + self.sign * state.sheet.total(side)

    def better(self, options: O) -> Better:
        return "high" if self.sign == 1 else "low"

    def view(self, state: DoublesState, turn: Turn, seat: int | None) -> Panel:
        rows = [_bed(number) for number in state.numbers]
        detail = tuple(
            {"cells": cells, "hits": rate(tally)} for cells, tally in zip(state.sheet.cells, turn.tallies, strict=True)
        )
        board = {"rows": rows, "row": turn.round - 1}
        return Panel("sheet", detail, targets=(rows[turn.round - 1],) if turn.darts_left else (), board=board)

    def task(self, state: DoublesState, turn: Turn, panel: Panel) -> Sentence:
        return self.say_hit(panel.targets, turn, 2 * state.numbers[turn.round - 1])

    def reason(self, state: DoublesState, turn: Turn, bust: bool) -> Sentence | None:
        if turn.points >= 0:
            return None
        return say("bobs_27.none", "No hit: minus {points}", points=-turn.points)

    def advise(self, state: DoublesState, turn: Turn, seat: int, skill: Skill) -> Advice:
        return Advice(aim=_bed(state.numbers[turn.round - 1]))


class Bobs27(Doubles[BobsOptions]):
    """Three darts at every double from 1 to the bull: hits score, a round without a hit costs.

    Every side starts with 27 points. Throw round 1 at double 1, round 2 at double 2, and so on to double 20; the inner
    bull is the 21st and last. Only the double of the round counts.

    Every dart in the double adds its points: 10 for each hit in double 5, 50 for each in the inner bull. A round
    without a hit costs as much as one hit would have brought: three misses at double 5 cost 10. The highest possible
    score is 1437.

    A side whose score falls to 0 or below is out. With `Play on below zero` it stays in, and its score may go below 0.

    After the bull the highest score wins; equal scores share the win. If all sides are out before that, the side that
    lasted longest wins. If several went out in the same round, the highest score of them wins. If you play alone and
    are out, you have lost. In a match of several legs the next leg then begins, until enough legs are won or the match
    is stopped.

    Source: the routine of Bob Anderson, as nidarts.co.uk words it.
    """

    id = "bobs_27"
    group = "practice"
    options_type = BobsOptions
    start = 27
    sign = 1

    def title(self, options: BobsOptions) -> str:
        return "Bob's 27"

    def say_hit(self, targets: tuple[str, ...], turn: Turn, points: int) -> Sentence:
        if turn.points:
            return say("bobs_27.more", "Hit {targets} again: each hit adds {points}", targets=targets, points=points)
        return say(
            "bobs_27.hit",
            "Hit {targets}: each hit adds {points}; three misses cost {points}",
            targets=targets,
            points=points,
        )

    def setup(self, options: BobsOptions, seating: Seating, layout: Layout, luck: Luck) -> DoublesState:
        return self._setup(UPWARDS, seating, may_go_out=not options.allow_negative)

    def visit_over(self, state: DoublesState, turn: Turn, luck: Luck) -> Step[DoublesState]:
        if turn.points:
            return Step(state)
        cost = 2 * state.numbers[turn.round - 1]
        state = _write_row(state, turn, -cost)
        if self.score(state, turn.side) > 0 or not state.may_go_out:
            return Step(state, points=-cost)
        state = replace(state, out_in=put(state.out_in, turn.side, turn.round))
        return Step(state, (Eliminated(side=turn.side),), points=-cost)

    def _winners(self, state: DoublesState, turn: Turn) -> tuple[int, ...]:
        if state.out_in[0] is not None and len(state.out_in) == 1:
            return ()
        after_all = len(state.numbers) + 1
        return leaders(turn.playing, lambda side: (state.out_in[side] or after_all, self.score(state, side)))


class FourTwenty(Doubles[FourTwentyOptions]):
    """Three darts at every double around the board; every hit comes off a score of 420.

    Every side starts with 420, the total of one hit in each of the doubles 1 to 20. In each round throw three darts at
    one double, clockwise around the board from double 1: 1 18 4 13 6 10 15 2 17 3 19 7 16 8 11 14 9 12 5 20 (`Order`
    with `Upwards`: 1 2 3 to 20). The last of the 21 rounds is at the inner bull.

    Every dart in the double of the round takes the points of that double off your score. Misses cost nothing. The
    score may go below 0.

    After the bull the lowest score wins; equal scores share the win.

    Source: kcapp's 420; upwards as decentdarts.com plays it.
    """

    id = "doubles_420"
    group = "practice"
    options_type = FourTwentyOptions
    start = 420
    sign = -1

    def title(self, options: FourTwentyOptions) -> str:
        return "420"

    def say_hit(self, targets: tuple[str, ...], turn: Turn, points: int) -> Sentence:
        return say(
            "doubles_420.hit",
            "Hit {targets}: each hit takes {points} off; the lowest score wins",
            targets=targets,
            points=points,
        )

    def setup(self, options: FourTwentyOptions, seating: Seating, layout: Layout, luck: Luck) -> DoublesState:
        return self._setup(CLOCKWISE if options.order == "clockwise" else UPWARDS, seating)


def _bed(number: int) -> str:
    return "DB" if number == 25 else f"D{number}"


def _write_row(state: DoublesState, turn: Turn, points: int) -> DoublesState:
    """With the points of this round on the sheet."""
    return replace(state, sheet=state.sheet.written(turn.side, turn.round - 1, points))


GAMES = (Bobs27(), FourTwenty())
