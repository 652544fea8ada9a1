"""The rules that the halve-it family shares: a target each round, and a visit without a hit halves the score.

They are played over a `Plan`: the target of each round, and what darts are worth there. Most targets are groups of the
layout, and each dart counts for itself; a few ask for three darts that make something together, and count all or
nothing. A game of the family (halve_it.py) is its options, the plan they stand for, and a rule sheet.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, Literal

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from engine.awards import is_shanghai
from engine.checkouts import worth
from engine.facts import Award, Fact, Halved
from engine.finishing import Bull
from engine.game import Advice, Game, O, Panel, Seating, Step, Turn
from engine.games.patterns import are_in_a_row, are_neighbours, find_colour, fitting_beds
from engine.games.score_sheet import Sheet
from engine.games.targets import beds, legend, note_worth, shorten_label
from engine.luck import Luck
from engine.ranking import in_contention, leaders
from engine.skill import Skill
from engine.tuples import put
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say
from protocol.standard import NUMBERS

BED_OR_21 = "bed_or_21"
"""Three darts in one number, or three scoring darts with a total of 21."""
FORTY_ONE = "41"
"""Three scoring darts that make exactly 41."""
COLOURS = "3C"
"""Three darts in three different colours of the bristle board."""
HURDLES = "H"
"""Three numbers, each the next but one after the last, clockwise."""
CAPITAL = "C"
"""Every dart counts."""
FIFTY_SEVEN = "57"
"""Exactly 57 with one dart, two or three."""
SIDE_BY_SIDE = "3S"
"""Three darts in three numbers that lie side by side, in any order."""
IN_A_ROW = "3R"
"""Three darts in three numbers that follow each other, in any order; the bull is a 21."""
_TOGETHER = frozenset({BED_OR_21, FORTY_ONE, COLOURS, HURDLES, FIFTY_SEVEN, SIDE_BY_SIDE, IN_A_ROW})
_AIMS = {
    "triple": tuple(f"T{number}" for number in range(20, 0, -1)),
    COLOURS: ("T20", "T19", "O20", "O19", "D20", "D19", "O18", "O17", "DB", "SB"),
    CAPITAL: ("T20", "T19", "T18", "T17", "T16", "T14", "O16", "O11", "DB"),
}
"""The beds that may be worth aiming at, where the darts before do not matter; first the best."""
_TASKS = {
    BED_OR_21: say("halving.bed", "Three darts in one number, or 21 in all; else your score is halved"),
    COLOURS: say(
        "halving.colours", "Hit three colours with three darts: red, green, black, white; or your score is halved"
    ),
    SIDE_BY_SIDE: say(
        "halving.side", "Hit three numbers side by side on the board, in any order, or your score is halved"
    ),
    IN_A_ROW: say("halving.row", "Hit three numbers that follow each other, such as 7, 8, 9, or your score is halved"),
    CAPITAL: say("halving.capital", "Score as much as you can: every dart counts"),
}

Darts = tuple[Segment, ...]


class HalvingRules(Struct, frozen=True):
    """The rules of one game of the family. `targets` has one for each round: a group or a segment id of the layout, or
    one of the names above.

    `shanghai`: the factor of a visit with a single, a double and a triple. `tie`: what happens to sides that are tied
    after the last round: the fewest halves decide, they share the win, or they throw on. With `bull_round_25` either
    part of the bull is worth 25 in its round.
    """

    targets: tuple[str, ...]
    start: int
    round_up: bool = True
    bull: Bull = "25/50"
    bull_is_double: bool = True
    three_bulls: bool = True
    shanghai: int = 1
    one_number_shanghai: bool = True
    tie: Literal["share", "leaders", "all", "fewest_halves"] = "share"
    bull_round_25: bool = False

    @property
    def rows(self) -> tuple[str, ...]:
        """The labels of the targets on a sheet."""
        return tuple("21" if target == BED_OR_21 else shorten_label(target) for target in self.targets)

    def row(self, round: int) -> int:
        """The index of the target of this round: after the last one they begin again."""
        return (round - 1) % len(self.targets)

    def target(self, round: int) -> str:
        """The target of this round."""
        return self.targets[self.row(round)]

    def is_together(self, target: str) -> bool:
        """Whether this target asks for three darts together."""
        return target in _TOGETHER

    def points(self, darts: Darts, target: str | None = None) -> int:
        """The points of darts that count, at this target."""
        if self.bull_round_25 and target == "bull":
            return 25 * len(darts)
        return sum(worth(dart, self.bull)[0] for dart in darts)

    def hits(self, target: str, darts: Darts) -> Darts:
        """The darts of a visit that count."""
        if target == FIFTY_SEVEN:
            return darts if self.points(darts) == 57 else ()
        if target in _TOGETHER:
            return darts if len(darts) == 3 and _all_score(darts) and self._makes(target, darts) else ()
        return tuple(dart for dart in darts if self._is_in(target, dart))

    def is_bed(self, darts: Darts) -> bool:
        """Whether these are three darts in one number."""
        numbers = {dart.value for dart in darts}
        return len(darts) == 3 and _all_score(darts) and len(numbers) == 1 and (self.three_bulls or numbers != {25})

    def is_shanghai(self, hits: Darts) -> bool:
        """Whether these hits are a Shanghai that multiplies the visit."""
        one_number = len({dart.value for dart in hits}) == 1
        return self.shanghai > 1 and is_shanghai(hits) and (one_number or not self.one_number_shanghai)

    def lit(self, target: str, darts: Darts) -> tuple[str, ...]:
        """The targets of the next dart, for a panel; empty where any dart may help."""
        if target == HURDLES:
            return tuple(map(str, hurdles(darts)[len(darts) : len(darts) + 1])) if darts else ()
        return () if target in _TOGETHER or target == CAPITAL else (target,)

    def promise(self, target: str, darts: Darts) -> float:
        """A rough chance, 0 to 1, that the last of these darts helps its visit to count."""
        *before, last = darts
        if target not in _TOGETHER:
            return float(self._is_in(target, last))
        if target == FIFTY_SEVEN:
            return _chance_of_exactly(57 - self.points(darts), 3 - len(darts))
        if not _all_score(darts):
            return 0.0
        if len(darts) == 3:
            return float(self._makes(target, darts))
        match target:
            case "41":
                return _chance_of_total(41 - self.points(darts), 3 - len(darts))
            case "bed_or_21":
                bed = len({dart.value for dart in darts}) == 1
                return 1.0 if bed else _chance_of_total(21 - self.points(darts), 1) / 2
            case "3C":
                return float(find_colour(last) not in map(find_colour, before))
            case "3S" | "3R":
                return float(self._makes(target, darts))
        return float(_is_hurdled(darts))

    def aims(self, target: str, darts: Darts) -> tuple[str, ...]:
        """The beds that may be worth aiming at after these darts; first the best for a player who never misses."""
        if target in _AIMS:
            return _AIMS[target]
        match target:
            case "double":
                return ("DB" if self.bull_is_double else "D20", *(f"D{number}" for number in range(20, 0, -1)))
            case "41":
                left = 41 - self.points(darts)
                return _beds_worth(left) if len(darts) == 2 else tuple(f"O{number}" for number in range(20, 0, -1))
            case "bed_or_21" if darts and darts[0].value in NUMBERS:
                exact = _beds_worth(21 - self.points(darts)) if len(darts) == 2 else ()
                return (*beds(darts[0].value), *exact)
            case "57":
                left = 57 - self.points(darts)
                return (*_beds_worth(left), *(f"O{number}" for number in (20, 19, 18, 17, 16)))
            case "3S" | "3R":
                fits = are_neighbours if target == SIDE_BY_SIDE else are_in_a_row
                return fitting_beds([dart.value for dart in darts], fits) or ("O20",)
            case "H" if darts:
                return beds((hurdles(darts) or (20,) * 3)[len(darts)])
            case "bed_or_21" | "H":
                return ("T20", "O20", "T19", "O19", "T17", "O17")
        return beds(target) if target.isdigit() or target == "bull" else (target,)

    def _is_in(self, target: str, dart: Segment) -> bool:
        if target == "double" and not self.bull_is_double and "bull" in dart.groups:
            return False
        return target in dart.groups or target == dart.id or (target == CAPITAL and dart.points > 0)

    def _makes(self, target: str, darts: Darts) -> bool:
        match target:
            case "41":
                return self.points(darts) == 41
            case "bed_or_21":
                return self.is_bed(darts) or self.points(darts) == 21
            case "3C":
                return len(set(map(find_colour, darts))) == 3
            case "3S":
                return are_neighbours([dart.value for dart in darts])
            case "3R":
                return are_in_a_row([dart.value for dart in darts])
        return _is_hurdled(darts)


def hurdles(darts: Darts) -> tuple[int, ...]:
    """The three numbers of the hurdles that begin with the first dart; empty when it is in no number."""
    if darts[0].value not in NUMBERS:
        return ()
    first = NUMBERS.index(darts[0].value)
    return tuple(NUMBERS[(first + 2 * k) % len(NUMBERS)] for k in range(3))


def _is_hurdled(darts: Darts) -> bool:
    return tuple(dart.value for dart in darts) == hurdles(darts)[: len(darts)]


def _all_score(darts: Darts) -> bool:
    return all(dart.points for dart in darts)


def _chance_of_total(left: int, darts: int) -> float:
    """How easily so many points are made with so many darts that all have to score, 0 to 1."""
    if darts <= left <= 20 * darts:
        return 1.0
    return 0.2 if darts < left <= 60 * darts else 0.0


def _chance_of_exactly(left: int, darts: int) -> float:
    """How easily exactly so many points are made with at most so many darts, 0 to 1."""
    if not left:
        return 1.0
    if darts == 1:
        return 0.5 if 0 < left <= 20 else 0.1 if left > 0 and _beds_worth(left) != ("O20",) else 0.0
    return 0.6 if 0 < left <= 20 * darts else 0.05 if 0 < left <= 60 * darts else 0.0


def _beds_worth(points: int) -> tuple[str, ...]:
    """The beds that are worth so many points; the single 20 where there are none."""
    found = [f"O{points}"] if points in NUMBERS else []
    found += [f"{ring}{points // n}" for ring, n in (("D", 2), ("T", 3)) if not points % n and points // n in NUMBERS]
    return (*found, *{25: ("SB",), 50: ("DB",)}.get(points, ())) or ("O20",)


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
            facts = (Award(side=side, award="shanghai"),)
        elif target == BED_OR_21 and plan.is_bed(hits):
            facts = (Award(side=side, award="three_in_a_bed"),)
        return Step(state, facts, points=points, counts={"on_target": len(hits)})

    def round_over(self, state: HalvingState, turn: Turn, luck: Luck) -> Step[HalvingState]:
        """After the last round the highest score wins; sides that are tied may throw on, from the first target."""
        plan = state.plan
        if turn.round < len(plan.targets):
            return Step(state)
        by_halves = plan.tie == "fewest_halves"
        tied = leaders(
            in_contention(state.sheet.contenders, turn.playing),
            lambda side: (state.scores[side], -state.halves[side] * by_halves),
        )
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
            return say("halving.more", "Hit {target} again, every hit adds", target=target)
        return say("halving.hit", "Hit {target} at least once, or your score is halved", target=target)

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
    scored = _all_score(darts)
    can_be_bed = scored and plan.is_bed((darts[0],) * 3) and len({dart.value for dart in darts}) == 1
    can_be_21 = scored and _chance_of_total(left, darts_left) > 0
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
        return say("halving.only_21", "Make exactly {left} more, for 21 in all; else your score is halved", left=left)
    return say("halving.missed", "No three in one number and no 21 any more: your score will be halved")


def _write_visit(state: HalvingState, turn: Turn, score: int, last: Last) -> HalvingState:
    """With the outcome of this visit."""
    side = turn.side
    sheet = state.sheet.written(side, state.plan.row(turn.round), last.points)
    return replace(state, sheet=sheet, scores=put(state.scores, side, score), last=put(state.last, side, last))
