"""The rules that the halve-it family shares: a target each round, and a visit without a hit halves the score.

They are played over a plan: the target of each round, and which darts count there (halving_targets.py). A game of the
family (halve_it.py) is its options, the plan they stand for, and a rule sheet.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from engine.game import Advice, Award, Fact, Game, Halved, O, Panel, Seating, Step, Turn, put
from engine.games.halving_targets import (
    BED_OR_21,
    CAPITAL,
    COLOURS,
    FIFTY_SEVEN,
    IN_A_ROW,
    SIDE_BY_SIDE,
    Darts,
    HalvingRules,
    all_score,
    chance_of_total,
)
from engine.games.score_sheet import Sheet
from engine.games.targets import legend, note_worth
from engine.luck import Luck
from engine.ranking import in_contention, leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say
from protocol.standard import NUMBERS

_TASKS = {
    BED_OR_21: say("halving.bed", "Three darts in one number, or 21 in total; else your score is halved"),
    COLOURS: say(
        "halving.colours", "Hit three colours with three darts: red, green, black, white; or your score is halved"
    ),
    SIDE_BY_SIDE: say(
        "halving.side", "Hit three numbers side by side on the board, in any order, or your score is halved"
    ),
    IN_A_ROW: say("halving.row", "Hit three consecutive numbers, such as 7, 8, 9, or your score is halved"),
    CAPITAL: say("halving.capital", "Score as much as you can: every dart counts"),
}


class Last(Struct, frozen=True):
    """The outcome of a side's latest visit."""

    points: int
    halved: bool
    shanghai: bool


class HalvingState(Struct, frozen=True):
    """The sheet, and by side scores, latest visits and halves."""

    plan: HalvingRules
    sheet: Sheet
    scores: tuple[int, ...]
    last: tuple[Last | None, ...]
    halves: tuple[int, ...]


class Halving(Game[O, HalvingState], Generic[O]):
    """The rules of the family. Its games are in halve_it.py."""

    name: ClassVar[str]
    team_size = range(1, 9)

    @abstractmethod
    def plan(self, options: O) -> HalvingRules:
        """The plan that these options stand for."""

    def title(self, options: O) -> str:
        return self.name

    def setup(self, options: O, seating: Seating, layout: Layout, luck: Luck) -> HalvingState:
        plan, count = self.plan(options), len(seating.sides)
        sheet = Sheet.blank(count, len(plan.targets))
        return HalvingState(plan, sheet, scores=(plan.start,) * count, last=(None,) * count, halves=(0,) * count)

    def order(self, state: HalvingState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return in_contention(state.sheet.contenders, sides)

    def dart(self, state: HalvingState, segment: Segment, turn: Turn, luck: Luck) -> Step[HalvingState]:
        target = state.plan.target(turn.round)
        if state.plan.is_together(target):
            return Step(state, ends_visit=target == FIFTY_SEVEN and bool(state.plan.hits(target, turn.darts)))
        points = state.plan.points(state.plan.hits(target, turn.darts), target)
        scores = put(state.scores, turn.side, _score_before(state, turn) + points)
        return Step(replace(state, scores=scores), points=points)

    def visit_over(self, state: HalvingState, turn: Turn, luck: Luck) -> Step[HalvingState]:
        plan, side = state.plan, turn.side
        target = plan.target(turn.round)
        hits = plan.hits(target, turn.darts)
        score = _score_before(state, turn)
        if not hits:
            halved = (score + plan.round_up) // 2
            state = replace(state, halves=put(state.halves, side, state.halves[side] + 1))
            state = _write_visit(state, turn, halved, Last(0, halved=True, shanghai=False))
            return Step(state, (Halved(side=side),), points=0, counts={"halved": 1})
        shanghai = plan.is_shanghai(hits)
        points = plan.points(hits, target) * (plan.shanghai if shanghai else 1)
        state = _write_visit(state, turn, score + points, Last(points, halved=False, shanghai=shanghai))
        facts: tuple[Fact, ...] = ()
        if shanghai:
            facts = (Award(side=side, award="shanghai", great=True),)
        elif target == BED_OR_21 and plan.is_bed(hits):
            facts = (Award(side=side, award="three_in_a_bed"),)
        return Step(state, facts, points=points, counts={"on_target": len(hits)})

    def round_over(self, state: HalvingState, turn: Turn, luck: Luck) -> Step[HalvingState]:
        """After the last round the highest score wins; sides that are tied may throw on, from the first target."""
        plan = state.plan
        if turn.round < len(plan.targets):
            return Step(state)
        tied = self.leading(state, turn.playing)
        if len(tied) <= 1 or plan.tie in ("share", "fewest_halves"):
            return Step(state, winners=tied)
        if plan.tie == "leaders":
            state = replace(state, sheet=replace(state.sheet, contenders=tied))
        return Step(state)

    def dart_counts(self, state: HalvingState, segment: Segment, turn: Turn, step: Step[HalvingState]) -> bool:
        """Of those that count together, each that scores."""
        target = state.plan.target(turn.round)
        if state.plan.is_together(target):
            return segment.points > 0
        return bool(state.plan.hits(target, (segment,)))

    def leading(self, state: HalvingState, sides: tuple[int, ...]) -> tuple[int, ...]:
        by_halves = state.plan.tie == "fewest_halves"
        return leaders(
            in_contention(state.sheet.contenders, sides),
            lambda side: (state.scores[side], -state.halves[side] * by_halves),
        )

    def score(self, state: HalvingState, side: int) -> int:
        return state.scores[side]

    def view(self, state: HalvingState, turn: Turn, seat: int | None) -> Panel:
        plan = state.plan
        detail = tuple(
            {
                "last": None
                if last is None or (side == turn.side and turn.darts and turn.darts_left)
                else to_builtins(last),
                "cells": cells,
                "halves": halves,
                "average": tally.average,
                **({"began_with": plan.start} if plan.start else {}),
            }
            for side, (last, cells, halves, tally) in enumerate(
                zip(state.last, state.sheet.cells, state.halves, turn.tallies, strict=True)
            )
        )
        target = plan.target(turn.round)
        board = {"rows": plan.rows, "row": plan.row(turn.round), "legend": legend(plan.rows)}
        board["together"] = plan.is_together(target)
        board |= note_worth(turn.darts, lambda dart: plan.points((dart,), target))
        lit = plan.lit(target, turn.darts) if turn.darts_left else ()
        return Panel("halve_it", detail, targets=lit, board=board)

    def task(self, state: HalvingState, turn: Turn, panel: Panel) -> Sentence:
        plan, target = state.plan, state.plan.target(turn.round)
        if target == BED_OR_21 and turn.darts:
            return _say_bed_or_21(plan, turn.darts, turn.darts_left)
        if plan.is_lost(target, turn.darts):
            return say("halving.lost", "This visit can no longer make it: your score will be halved")
        if target in _TASKS:
            return _TASKS[target]
        match target:
            case "41" | "57":
                left = int(target) - plan.points(turn.darts)
                if target == FIFTY_SEVEN:
                    return say(
                        "halving.exact",
                        "Score exactly 57 in this visit, {left} to go; else your score is halved",
                        left=left,
                    )
                return say(
                    "halving.total",
                    "Score exactly 41 with three darts, {left} to go; else your score is halved",
                    left=left,
                )
            case "H" if panel.targets:
                return say("halving.hurdle", "The next hurdle: {target}", target=panel.targets[0])
            case "H":
                return say(
                    "halving.hurdles", "Hit a number, then the next but one clockwise, and again; else you are halved"
                )
        if plan.hits(target, turn.darts):
            return say("halving.more", "Hit {target} again: each hit adds its points", target=target)
        if not state.scores[turn.side]:
            return say("halving.from_zero", "Hit {target}: each hit adds its points", target=target)
        return say(
            "halving.hit",
            "Hit {target}: each hit adds its points; no hit halves your {score}",
            target=target,
            score=state.scores[turn.side],
        )

    def reason(self, state: HalvingState, turn: Turn, bust: bool) -> Sentence | None:
        last = state.last[turn.side]
        if last is None or not last.halved:
            return None
        return say("halving.halved", "No hit: halved to {left}", left=state.scores[turn.side])

    def advise(self, state: HalvingState, turn: Turn, seat: int, skill: Skill) -> Advice:
        """The bed that pays best; the first dart that counts also saves half the score, most of all the last one."""
        plan, target = state.plan, state.plan.target(turn.round)
        is_safe = not plan.is_together(target) and plan.hits(target, turn.darts)
        stake = 0 if is_safe else state.scores[turn.side] / 2 / turn.darts_left

        def worth(segment: Segment) -> float:
            return plan.promise(target, (*turn.darts, segment)) * (stake + plan.points((segment,), target))

        return Advice(aim=skill.best(worth, among=plan.aims(target, turn.darts)))


def _score_before(state: HalvingState, turn: Turn) -> int:
    """The score of the side at the oche without what this visit has added until now."""
    return state.scores[turn.side] - turn.points


def _say_bed_or_21(plan: HalvingRules, darts: Darts, darts_left: int) -> Sentence:
    """What these darts leave to do for three in one number or 21."""
    left, target = 21 - plan.points(darts), str(darts[0].value) if darts[0].value in NUMBERS else "bull"
    scored = all_score(darts)
    can_be_bed = scored and plan.is_bed((darts[0],) * 3) and len({dart.value for dart in darts}) == 1
    can_be_21 = scored and chance_of_total(left, darts_left) > 0
    if can_be_bed and can_be_21:
        return say(
            "halving.bed_or_21",
            "Stay in {target}, or make exactly {left} more; else your score is halved",
            target=target,
            left=left,
        )
    if can_be_bed:
        return say("halving.bed_only", "Stay in {target} with every dart, or your score is halved", target=target)
    if can_be_21:
        return say("halving.only_21", "Make exactly {left} more, for 21 in total; else your score is halved", left=left)
    return say("halving.missed", "Three in one number or 21 is no longer possible: your score will be halved")


def _write_visit(state: HalvingState, turn: Turn, score: int, last: Last) -> HalvingState:
    """With the outcome of this visit."""
    side = turn.side
    sheet = state.sheet.written(side, state.plan.row(turn.round), last.points)
    return replace(state, sheet=sheet, scores=put(state.scores, side, score), last=put(state.last, side, last))
