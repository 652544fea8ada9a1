"""Hammer Cricket: one number a round, and each dart of a visit is worth more than the one before.

The number of a round is drawn when the round opens; `numbers` has those drawn so far, so the last is the one at play,
and a round that breaks a tie is one more.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from engine import awards
from engine.game import Advice, Game, Panel, Seating, Step, Turn, put
from engine.games.score_sheet import Sheet
from engine.games.targets import BULL, beds
from engine.luck import Luck
from engine.ranking import in_contention, leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

ROUNDS: tuple[int | None, ...] = (20, 19, 18, None, 17, 16, 15, None)
"""None is wild."""
WILD = (*range(12, 21), BULL)
FACTORS = (1, 2, 3)
LAST_FACTORS = (1, 3, 5)
PENALTY = 3


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`masters`: only triples count."""

    masters: bool = False


class HammerState(Struct, frozen=True):
    """The sheet, a row each round; the marks of the leg, by side; the numbers of the rounds up to this one."""

    options: Options
    sheet: Sheet
    marks: tuple[int, ...]
    numbers: tuple[int, ...] = ()


class HammerCricket(Game[Options, HammerState]):
    """One number a round: dart two counts double, dart three triple; no hit costs points.

    Eight rounds, one number each: 20, 19, 18, wild, 17, 16, 15, wild. A wild number is 12 to 20 or the bull. It is
    drawn when its round begins and is the same for all. The bull counts 25, the inner bull 50.

    A dart in the number scores its points: the first dart of a visit once, the second twice, the third three times. In
    the last round the second dart scores three times, the third five times. The members of a team take turns and share
    one score.

    A visit without a dart in the number costs three times that number (75 for the bull). Scores may go below 0.

    With `Triples only` only triples count, and in a wild bull only the inner bull. A visit without one costs the same
    as above.

    After the last round the highest score wins. Leaders who are level throw one more wild round, where darts count as
    in the last round. If the leaders are level after the wild round, the most marks of the leg win (a single is one, a
    double two, a triple three). If these are level too, sides share the win.

    Source: Hammer Cricket as pkk.is prints it, and the manual of Arachnid's Galaxy 3.
    """

    id = "hammer_cricket"
    group = "cricket"
    options_type = Options
    team_size = range(1, 9)

    def title(self, options: Options) -> str:
        return "Hammer Cricket Masters" if options.masters else "Hammer Cricket"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> HammerState:
        count = len(seating.sides)
        return HammerState(options, Sheet.blank(count, len(ROUNDS)), (0,) * count)

    def order(self, state: HammerState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return in_contention(state.sheet.contenders, sides)

    def begin(self, state: HammerState, turn: Turn, luck: Luck) -> Step[HammerState]:
        """The first visit of a round draws its number."""
        if len(state.numbers) == turn.round:
            return Step(state)
        fixed = ROUNDS[turn.round - 1] if turn.round <= len(ROUNDS) else None
        number = fixed or WILD[luck.number("wild", 1, len(WILD))]
        return Step(replace(state, numbers=(*state.numbers, number)))

    def dart(self, state: HammerState, segment: Segment, turn: Turn, luck: Luck) -> Step[HammerState]:
        marks = _marks(segment, state)
        if not marks:
            return Step(state)
        points = turn.points + segment.points * _factor(turn.round, len(turn.darts) - 1)
        sheet = state.sheet.written(turn.side, turn.round - 1, points)
        state = replace(state, sheet=sheet, marks=put(state.marks, turn.side, state.marks[turn.side] + marks))
        return Step(state, points=points, counts={"marks": marks})

    def visit_over(self, state: HammerState, turn: Turn, luck: Luck) -> Step[HammerState]:
        points = turn.points or -PENALTY * state.numbers[-1]
        return Step(replace(state, sheet=state.sheet.written(turn.side, turn.round - 1, points)), points=points)

    def round_over(self, state: HammerState, turn: Turn, luck: Luck) -> Step[HammerState]:
        sheet, best = state.sheet.after(turn, len(ROUNDS), 1, state.sheet.total)
        winners = None if best is None else leaders(best, lambda side: state.marks[side])
        return Step(replace(state, sheet=sheet), winners=winners)

    def leading(self, state: HammerState, sides: tuple[int, ...]) -> tuple[int, ...]:
        """By the points; in the round that is added for those who are level, by the marks too."""
        best = leaders(in_contention(state.sheet.contenders, sides), state.sheet.total)
        return leaders(best, state.marks.__getitem__) if len(state.sheet.cells[0]) > len(ROUNDS) else best

    def score(self, state: HammerState, side: int) -> int:
        return state.sheet.total(side)

    def award(self, state: HammerState, turn: Turn) -> str | None:
        if turn.points <= 0:
            return None
        marks = sum(_marks(dart, state) for dart in turn.darts)
        return awards.of_marks(turn.darts, marks, frozenset({str(state.numbers[-1])}))

    def view(self, state: HammerState, turn: Turn, seat: int | None) -> Panel:
        rows = [_row_label(number, state.numbers[at : at + 1]) for at, number in enumerate(ROUNDS)]
        if len(state.sheet.cells[0]) > len(rows):
            rows.append(_row_label(None, state.numbers[len(rows) :]))
        detail = tuple(
            {"cells": cells, "mpr": tally.per_visit(tally.counts.get("marks", 0))}
            for cells, tally in zip(state.sheet.cells, turn.tallies, strict=True)
        )
        factors = [_factor(turn.round, dart) for dart in range(3)]
        return Panel("sheet", detail, _targets(state, turn), board={"rows": rows, "row": turn.round - 1, "x": factors})

    def task(self, state: HammerState, turn: Turn, panel: Panel) -> Sentence:
        targets, factor = panel.targets, _factor(turn.round, len(turn.darts))
        if turn.points:
            return say(
                "hammer_cricket.more", "Hit {targets}: this dart counts {factor} times", targets=targets, factor=factor
            )
        cost = PENALTY * state.numbers[-1]
        if factor == 1:
            return say("hammer_cricket.first", "Hit {targets}; no hit costs {cost}", targets=targets, cost=cost)
        return say(
            "hammer_cricket.hit",
            "Hit {targets}: this dart counts {factor} times; no hit costs {cost}",
            targets=targets,
            factor=factor,
            cost=cost,
        )

    def reason(self, state: HammerState, turn: Turn, bust: bool) -> Sentence | None:
        return say("hammer_cricket.none", "No hit: {points}", points=turn.points) if turn.points < 0 else None

    def advise(self, state: HammerState, turn: Turn, seat: int, skill: Skill) -> Advice:
        return Advice(aim=_best_aim(state, skill, turn.round, len(turn.darts), turn.points > 0)[0])


def _marks(segment: Segment, state: HammerState) -> int:
    """The marks of a dart in the number of the round; 0 when it does not count."""
    number = state.numbers[-1]
    least = 1 if not state.options.masters else 2 if number == BULL else 3
    return segment.multiplier if segment.value == number and segment.multiplier >= least else 0


def _factor(round: int, dart: int) -> int:
    return (FACTORS if round < len(ROUNDS) else LAST_FACTORS)[dart]


def _row_label(number: int | None, drawn: tuple[int, ...]) -> str:
    """The label of a round's row; that of a wild round has its number once it is drawn."""
    if number is not None:
        return str(number)
    return " ".join(("WILD", *("B" if n == BULL else str(n) for n in drawn)))


def _targets(state: HammerState, turn: Turn) -> tuple[str, ...]:
    if not turn.darts_left or not state.numbers:
        return ()
    number, masters = state.numbers[-1], state.options.masters
    if number == BULL:
        return ("DB",) if masters else ("bull",)
    return (f"T{number}",) if masters else (str(number),)


def _best_aim(state: HammerState, skill: Skill, round: int, dart: int, any_hit: bool) -> tuple[str, float]:
    """The bed to aim this dart at, and the points to expect of it and those after it, the penalty included."""

    def rest(hit: bool) -> float:
        if dart < 2:
            return _best_aim(state, skill, round, dart + 1, hit)[1]
        return 0 if hit else -PENALTY * state.numbers[-1]

    after_hit, after_none = rest(True), rest(any_hit)

    def worth(segment: Segment) -> float:
        counts = _marks(segment, state) > 0
        return segment.points * _factor(round, dart) + after_hit if counts else after_none

    aim = skill.best(worth, among=beds(state.numbers[-1]))
    return aim, skill.worth(aim, worth)


GAMES = (HammerCricket(),)
