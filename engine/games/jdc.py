"""The JDC Challenge: the grading of the Junior Darts Corporation, nineteen visits that never change.

A visit is thrown at one number, for points and a Shanghai, or at three doubles, a dart each. Each is a line of `PLAN`,
from which the sheet, the targets and the end follow.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from engine.awards import is_shanghai
from engine.game import Advice, Award, Better, Fact, Game, Panel, Seating, Step, Turn
from engine.games.score_sheet import Sheet
from engine.games.targets import beds, rate, tried
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

DOUBLE = 50
"""The points of any double in the second part."""
BULL_BONUS = 50
SHANGHAI = 100
_DOUBLES = (*(f"D{number}" for number in range(1, 21)), "DB")
PLAN: tuple[int | tuple[str, ...], ...] = (
    *range(10, 16),
    *(_DOUBLES[at : at + 3] for at in range(0, 21, 3)),
    *range(15, 21),
)
"""Visit by visit the number of a Shanghai, or the doubles, one a dart."""
ROWS = tuple(str(line) if isinstance(line, int) else f"{line[0]}-{line[-1][1:]}" for line in PLAN)
SHIRTS = ((850, "black"), (700, "red"), (600, "blue"), (450, "green"), (300, "yellow"), (150, "purple"))
"""The colours, each from so many points on; below them the shirt is white."""

Rings = tuple[int, ...]
"""The rings of a number hit so far in a visit."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`bull_bonus`: the bull at the end of the doubles is worth 50 more than they are."""

    bull_bonus: bool = True


class JdcState(Struct, frozen=True):
    """The sheet, a row each visit."""

    options: Options
    sheet: Sheet


class JdcChallenge(Game[Options, JdcState]):
    """Shanghai on 10 to 15, every double, Shanghai on 15 to 20; a shirt colour is your rank.

    Part one has six visits: three darts at the 10, then three at the 11, and so on to the 15. A single scores the
    number, a double twice the number, a triple three times. A Shanghai adds 100: a single, a double and a triple of the
    number in one visit, in any order.

    Part two has seven visits: one dart at each double from 1 to 20, and the last dart at the inner bull. Every hit
    scores 50, whichever double it is. With `Bonus for the bull` the bull scores 50 more.

    Part three has six visits and is played like part one, on 15 to 20.

    After the 57 darts the highest score wins; sides with equal scores share the win. The highest possible score is
    3380. The colour of a shirt is your rank: white below 150, purple from 150, yellow from 300, green from 450, blue
    from 600, red from 700, black from 850.

    Source: the JDC routine as the Madhouse Darts Academy prints it; the shirts as in the app JDC Challenge.
    """

    id = "jdc_challenge"
    group = "practice"
    options_type = Options
    team_size = range(1, 9)
    notes_all_darts = True

    def title(self, options: Options) -> str:
        return "JDC Challenge"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> JdcState:
        return JdcState(options, Sheet.blank(len(seating.sides), len(PLAN)))

    def dart(self, state: JdcState, segment: Segment, turn: Turn, luck: Luck) -> Step[JdcState]:
        line = PLAN[turn.round - 1]
        if isinstance(line, int):
            target, hit = str(line), segment.value == line
            points = segment.points if hit else 0
            points += SHANGHAI if _is_shanghai(turn, line) else 0
        else:
            target = line[len(turn.darts) - 1]
            hit = segment.id == target
            points = _double_points(segment, state.options) if hit else 0
        points += turn.points
        sheet = state.sheet.written(turn.side, turn.round - 1, points)
        return Step(replace(state, sheet=sheet), points=points, counts=tried(target, hit))

    def visit_over(self, state: JdcState, turn: Turn, luck: Luck) -> Step[JdcState]:
        line = PLAN[turn.round - 1]
        shanghai = isinstance(line, int) and _is_shanghai(turn, line)
        facts: tuple[Fact, ...] = (Award(side=turn.side, award="shanghai", great=True),) if shanghai else ()
        return Step(state, facts)

    def round_over(self, state: JdcState, turn: Turn, luck: Luck) -> Step[JdcState]:
        sheet, winners = state.sheet.after(turn, len(PLAN), 0, state.sheet.total)
        return Step(replace(state, sheet=sheet), winners=winners)

    def leading(self, state: JdcState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, state.sheet.total)

    def score(self, state: JdcState, side: int) -> int:
        return state.sheet.total(side)

    def better(self, options: Options) -> Better:
        return "high"

    def view(self, state: JdcState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {
                "cells": cells,
                "shirt": shirt(state.sheet.total(side)),
                "next_shirt_at": _next_shirt_at(state.sheet.total(side)),
                "hits": rate(tally),
            }
            for side, (cells, tally) in enumerate(zip(state.sheet.cells, turn.tallies, strict=True))
        )
        left = self._doubles_left(turn)
        targets = left[:1] or ((ROWS[turn.round - 1],) if turn.darts_left else ())
        board = {"rows": ROWS, "row": turn.round - 1}
        line = PLAN[turn.round - 1]
        if not isinstance(line, int):
            worth = [
                _double_points(dart, state.options) * (dart.id == bed)
                for dart, bed in zip(turn.darts, line, strict=False)
            ]
            board["notes"] = worth
        return Panel("sheet", detail, targets=targets, hint=left, board=board)

    def task(self, state: JdcState, turn: Turn, panel: Panel) -> Sentence:
        if panel.hint:
            return say(
                "jdc_challenge.doubles",
                "One dart at each: {targets}; each hit adds {points}",
                targets=panel.hint,
                points=DOUBLE,
            )
        return say(
            "jdc_challenge.hit",
            "Hit {targets} to score it; a single, a double and a triple add 100",
            targets=panel.targets,
        )

    def advise(self, state: JdcState, turn: Turn, seat: int, skill: Skill) -> Advice:
        line = PLAN[turn.round - 1]
        if not isinstance(line, int):
            return Advice(aim=line[len(turn.darts)])
        rings = tuple(dart.multiplier if dart.value == line else 0 for dart in turn.darts)
        return Advice(aim=_best_aim(skill, line, rings)[0])

    def _doubles_left(self, turn: Turn) -> tuple[str, ...]:
        line = PLAN[turn.round - 1]
        return () if isinstance(line, int) or not turn.darts_left else line[len(turn.darts) :]


def _is_shanghai(turn: Turn, number: int) -> bool:
    return is_shanghai(tuple(dart for dart in turn.darts if dart.value == number))


def shirt(score: int) -> str:
    """The colour of the shirt for this score."""
    return next((colour for least, colour in SHIRTS if score >= least), "white")


def _next_shirt_at(score: int) -> int | None:
    """The score from which the next shirt is earned; None with the last one."""
    return min((least for least, _ in SHIRTS if least > score), default=None)


def _double_points(segment: Segment, options: Options) -> int:
    return DOUBLE + (BULL_BONUS if segment.id == "DB" and options.bull_bonus else 0)


def _best_aim(skill: Skill, number: int, rings: Rings) -> tuple[str, float]:
    """The bed to aim at after these rings, and the points to expect of the rest of the visit.

    A first triple may be worth less than a double, when the Shanghai is still to be had.
    """

    def worth(ring: int) -> float:
        after = (*rings, ring)
        if len(after) == 3:
            return number * ring + (SHANGHAI if sorted(after) == [1, 2, 3] else 0)
        return number * ring + _best_aim(skill, number, after)[1]

    known = [worth(ring) for ring in range(4)]

    def landing(segment: Segment) -> float:
        return known[segment.multiplier if segment.value == number else 0]

    aim = skill.best(landing, among=beds(number))
    return aim, skill.worth(aim, landing)


GAMES = (JdcChallenge(),)
