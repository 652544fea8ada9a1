"""The halve-it family: a target a round, what hits it counts, and whoever misses it altogether is halved.

The family is one set of rules over a Plan (targets, start score, rounding, Shanghai, the odd round); a game of the
family is a Plan and a rule sheet.
"""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from engine.facts import Award, Fact, Halved
from engine.game import Advice, Game, Panel, Seating, Step, Turn
from engine.luck import Luck
from engine.skill import Skill
from engine.tuples import put
from protocol.segment import Layout, Segment

BED_OR_21 = "bed_or_21"
"""The target of the odd round: three darts in one number, or three scoring darts that make exactly 21."""


class Plan(NamedTuple):
    """What tells one game of the family from another. `targets` are group labels or BED_OR_21, a round each."""

    title: str
    targets: tuple[str, ...]
    start: int
    round_up: bool = True
    """An odd score is halved upwards."""
    shanghai: int = 2
    """What a single, a double and a triple in one visit multiply it by."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The readings of the rules that houses differ in."""

    bull_is_double: bool = True
    three_bulls: bool = True
    bull: Literal["25/50", "50/50"] = "25/50"
    one_number_shanghai: bool = True
    tie: Literal["leaders", "all"] = "leaders"


class Last(Struct, frozen=True):
    """What a side's latest visit came to."""

    points: int
    halved: bool
    shanghai: bool


class State(Struct, frozen=True):
    """Scores and latest visits by side; `contenders` are the sides that can still win."""

    options: Options
    scores: tuple[int, ...]
    last: tuple[Last | None, ...]
    contenders: tuple[int, ...]


class HalveIt(Game[Options, State]):
    """The rules of the family; see its games."""

    options_type = Options
    plan: ClassVar[Plan]
    sides = range(2, 17)
    team_size = range(1, 5)

    def title(self, options: Options) -> str:
        return self.plan.title

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        count = len(seating.sides)
        return State(options, (self.plan.start,) * count, (None,) * count, tuple(range(count)))

    def order(self, state: State, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(side for side in sides if side in state.contenders)

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        if self._target(turn.round) == BED_OR_21:
            return Step(state)
        return Step(state, points=sum(_points(dart, state.options) for dart in self._hits(state, turn)))

    def visit_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        hits = self._hits(state, turn)
        score = state.scores[turn.side]
        if not hits:
            halved = (score + self.plan.round_up) // 2
            state = replace(
                state,
                scores=put(state.scores, turn.side, halved),
                last=put(state.last, turn.side, Last(0, halved=True, shanghai=False)),
            )
            return Step(state, (Halved(side=turn.side),), points=0)
        shanghai = _is_shanghai(hits, state.options)
        points = sum(_points(dart, state.options) for dart in hits) * (self.plan.shanghai if shanghai else 1)
        state = replace(
            state,
            scores=put(state.scores, turn.side, score + points),
            last=put(state.last, turn.side, Last(points, halved=False, shanghai=shanghai)),
        )
        facts: tuple[Fact, ...] = ()
        if shanghai:
            facts = (Award(side=turn.side, award="shanghai"),)
        elif self._target(turn.round) == BED_OR_21 and _is_bed(hits, state.options):
            facts = (Award(side=turn.side, award="three_in_a_bed"),)
        return Step(state, facts, points=points)

    def round_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        """After the last round the highest score wins; level leaders throw on, from the first target again."""
        if turn.round < len(self.plan.targets):
            return Step(state)
        contenders = [side for side in state.contenders if side in turn.playing]
        best = max((state.scores[side] for side in contenders), default=0)
        leaders = tuple(side for side in contenders if state.scores[side] == best)
        if len(leaders) <= 1:
            return Step(state, winners=leaders)
        return Step(replace(state, contenders=leaders) if state.options.tie == "leaders" else state)

    def score(self, state: State, side: int) -> int:
        return state.scores[side]

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"last": last and {"points": last.points, "halved": last.halved, "shanghai": last.shanghai}}
            for last in state.last
        )
        target = self._target(turn.round)
        return Panel("halve_it", detail, targets=() if target == BED_OR_21 else (target,))

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        target = self._target(turn.round)
        if target == BED_OR_21:
            number = turn.darts[0].value if turn.darts and turn.darts[0].value in range(1, 21) else 20
            return Advice(aim=f"S{number}")
        return Advice(aim={"triple": "T20", "double": "D20", "bull": "DB"}.get(target, f"T{target}"))

    def _target(self, round: int) -> str:
        return self.plan.targets[(round - 1) % len(self.plan.targets)]

    def _hits(self, state: State, turn: Turn) -> tuple[Segment, ...]:
        """The darts of this visit that count."""
        target, options = self._target(turn.round), state.options
        if target == BED_OR_21:
            done = _is_bed(turn.darts, options) or _is_21(turn.darts, options)
            return turn.darts if done else ()
        if target == "double" and not options.bull_is_double:
            return tuple(dart for dart in turn.darts if "double" in dart.groups and "bull" not in dart.groups)
        return tuple(dart for dart in turn.darts if target in dart.groups)


class BurmaRoad(HalveIt):
    """Twelve targets, one a round: hits add up, a visit without any halves the score.

    Twelve rounds, one target each: 20, 19, any triple, 18, 17, any double, 16, 15, Three in a Bed or 21, 14, 13,
    bull. Each side starts with 32 points and throws three darts a round; the members of a team take turns, one a round.

    Darts in the target are added to the score, doubles and triples with two and three times their number. A visit
    with no dart in the target halves the score; an odd score is rounded up, so it never falls below 1.

    Triples and doubles: any of them, and nobody has to call which. The inner bull is a double (option
    `bull_is_double`). The bull counts 25 and 50 (with `bull` 50/50: 50 and 50).

    Three in a Bed or 21: all three darts in the same number, in any rings, or three scoring darts that make exactly
    21. Both count all their points. Three bulls are a bed (option `three_bulls`).

    Shanghai: when all three darts count and are one single, one double and one triple of one number, the points of
    the visit are doubled. (With `one_number_shanghai` off they may be of different numbers.)

    The highest score after the bull wins. When the lead is shared those who share it throw on, from the 20 again,
    until a round decides (with `tie` = all everybody throws on, and the highest score wins).

    Source: Sacramento Valley Darting Association, Burma Road rules of play, revised April 2024.
    """

    id = "burma_road"
    plan = Plan(
        title="Burma Road",
        targets=("20", "19", "triple", "18", "17", "double", "16", "15", BED_OR_21, "14", "13", "bull"),
        start=32,
    )


def _points(dart: Segment, options: Options) -> int:
    return 50 if options.bull == "50/50" and "bull" in dart.groups else dart.points


def _is_bed(darts: tuple[Segment, ...], options: Options) -> bool:
    numbers = {dart.value for dart in darts if dart.points}
    return (
        len(darts) == 3
        and all(d.points for d in darts)
        and len(numbers) == 1
        and (options.three_bulls or numbers != {25})
    )


def _is_21(darts: tuple[Segment, ...], options: Options) -> bool:
    return len(darts) == 3 and all(d.points for d in darts) and sum(_points(d, options) for d in darts) == 21


def _is_shanghai(hits: tuple[Segment, ...], options: Options) -> bool:
    rings = sorted(dart.multiplier for dart in hits)
    return rings == [1, 2, 3] and (not options.one_number_shanghai or len({dart.value for dart in hits}) == 1)


GAMES = (BurmaRoad(),)
