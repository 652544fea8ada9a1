"""The rules that the halve-it family shares: a target a round, and whoever misses it altogether is halved.

They are played over a Plan (halve_it_plan.py), which says what the targets are and what darts come to there; a game
of the family is its options, the plan they come to, and a rule sheet (halve_it.py).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic

from msgspec import Struct
from msgspec.structs import replace

from engine.facts import Award, Fact, Halved
from engine.game import Advice, Game, O, Panel, Seating, Step, Turn
from engine.games.halve_it_plan import BED_OR_21, Plan
from engine.games.score_sheet import Sheet
from engine.luck import Luck
from engine.ranking import in_contention, leaders
from engine.skill import Skill
from engine.tuples import put
from protocol.segment import Layout, Segment


class Last(Struct, frozen=True):
    """What a side's latest visit came to."""

    points: int
    halved: bool
    shanghai: bool


class State(Struct, frozen=True):
    """The sheet, and by side scores, latest visits and halves."""

    plan: Plan
    sheet: Sheet
    scores: tuple[int, ...]
    last: tuple[Last | None, ...]
    halves: tuple[int, ...]


class Halving(Game[O, State], Generic[O]):
    """The rules of the family; see its games in halve_it.py."""

    name: ClassVar[str]
    team_size = range(1, 9)

    @abstractmethod
    def plan(self, options: O) -> Plan:
        """The plan that these options come to."""

    def title(self, options: O) -> str:
        return self.name

    def setup(self, options: O, seating: Seating, layout: Layout, luck: Luck) -> State:
        plan, count = self.plan(options), len(seating.sides)
        sheet = Sheet.blank(count, len(plan.targets))
        return State(plan, sheet, scores=(plan.start,) * count, last=(None,) * count, halves=(0,) * count)

    def order(self, state: State, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return in_contention(state.sheet.contenders, sides)

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        target = state.plan.target(turn.round)
        if state.plan.is_together(target):
            return Step(state)
        return Step(state, points=state.plan.points(state.plan.hits(target, turn.darts)))

    def visit_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        plan, side = state.plan, turn.side
        hits = plan.hits(plan.target(turn.round), turn.darts)
        score = state.scores[side]
        if not hits:
            halved = (score + plan.round_up) // 2
            state = replace(state, halves=put(state.halves, side, state.halves[side] + 1))
            state = _written(state, turn, halved, Last(0, halved=True, shanghai=False))
            return Step(state, (Halved(side=side),), points=0, counts={"halved": 1})
        shanghai = plan.is_shanghai(hits)
        points = plan.points(hits) * (plan.shanghai if shanghai else 1)
        state = _written(state, turn, score + points, Last(points, halved=False, shanghai=shanghai))
        facts: tuple[Fact, ...] = ()
        if shanghai:
            facts = (Award(side=side, award="shanghai"),)
        elif plan.target(turn.round) == BED_OR_21 and plan.is_bed(hits):
            facts = (Award(side=side, award="three_in_a_bed"),)
        return Step(state, facts, points=points, counts={"on_target": len(hits)})

    def round_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        """After the last round the highest score wins; where those who are level throw on, it is from the start."""
        plan = state.plan
        if turn.round < len(plan.targets):
            return Step(state)
        by_halves = plan.tie == "fewest_halves"
        level = leaders(
            in_contention(state.sheet.contenders, turn.playing),
            lambda side: (state.scores[side], -state.halves[side] * by_halves),
        )
        if len(level) <= 1 or plan.tie in ("share", "fewest_halves"):
            return Step(state, winners=level)
        if plan.tie == "leaders":
            state = replace(state, sheet=replace(state.sheet, contenders=level))
        return Step(state)

    def score(self, state: State, side: int) -> int:
        return state.scores[side]

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        plan = state.plan
        detail = tuple(
            {
                "last": last and {"points": last.points, "halved": last.halved, "shanghai": last.shanghai},
                "cells": cells,
                "halves": halves,
                "average": tally.average,
            }
            for last, cells, halves, tally in zip(
                state.last, state.sheet.cells, state.halves, turn.tallies, strict=True
            )
        )
        board = {"rows": plan.rows, "row": plan.row(turn.round)}
        lit = plan.lit(plan.target(turn.round), turn.darts) if turn.darts_left else ()
        return Panel("halve_it", detail, targets=lit, board=board)

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        """The bed that pays best; the first dart that counts also saves half the score, most of all the last one."""
        if not turn.darts_left:
            return Advice()
        plan, target = state.plan, state.plan.target(turn.round)
        is_safe = not plan.is_together(target) and plan.hits(target, turn.darts)
        stake = 0 if is_safe else state.scores[turn.side] / 2 / turn.darts_left

        def worth(segment: Segment) -> float:
            return plan.promise(target, (*turn.darts, segment)) * (stake + plan.points((segment,)))

        return Advice(aim=skill.best(worth, among=plan.aims(target, turn.darts)))


def _written(state: State, turn: Turn, score: int, last: Last) -> State:
    """With what this visit came to."""
    side = turn.side
    sheet = state.sheet.written(side, state.plan.row(turn.round), last.points)
    return replace(state, sheet=sheet, scores=put(state.scores, side, score), last=put(state.last, side, last))
