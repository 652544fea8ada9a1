"""Shanghai: a number a round, and nothing but that number counts.

The score is the sum of the sheet's cells, and a cell is written with every dart, so that the wall shows what a dart
was worth at once. Whether a visit is a Shanghai is asked once, when it is thrown.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.awards import is_shanghai
from engine.game import Advice, Award, Game, Panel, Preset, Seating, Step, Turn, put
from engine.games.score_sheet import Sheet
from engine.games.targets import beds
from engine.luck import Luck
from engine.ranking import in_contention, leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

_LAST = 20
_WIN = 200
"""The worth of a Shanghai that wins at once, in points, for advice."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers, and what a single, a double and a triple in one visit bring."""

    start: Annotated[int, Meta(ge=1, le=20)] = 1
    rounds: Annotated[int, Meta(ge=1, le=20)] = 7
    shanghai: Literal["wins", "bonus", "off"] = "wins"
    bonus: Annotated[int, Meta(ge=0, le=1000)] = 100
    tie: Literal["share", "hits", "again"] = "share"


class ShanghaiState(Struct, frozen=True):
    """The sheet, a row each number, and by side the darts that have counted.

    `again`: the rounds thrown before this sheet.
    """

    options: Options
    sheet: Sheet
    hits: tuple[int, ...]
    again: int = 0


class Shanghai(Game[Options, ShanghaiState]):
    """One number a round: only that number counts, and a Shanghai wins at once.

    In the first round only the 1 counts, in the second only the 2, and so on. A single scores the number, a double
    twice the number, a triple three times. After the last round the highest score wins; sides with equal scores share
    the win.

    `When level`: with `Most hits` the side with more darts in the numbers wins; only sides with equally many share the
    win. With `All numbers again` the sides that are level throw at all the numbers again, from 0, until one is ahead.

    The `First number` is 1 unless you change it. `Rounds` says how many numbers are played (7, 9 or 20 are usual); no
    number comes after the 20.

    A Shanghai is a single, a double and a triple of the round's number in one visit, in any order. `A Shanghai`: with
    `Wins` it wins the leg at once. With `Bonus` it adds as many points as `Bonus for a Shanghai` says. With `Off` it
    scores only what its darts hit.

    Source: DartsMind; 1 to 9 shakespeare-dartists-hannover.de; from 5, 10 or 15 a house rule, after Triumph.
    """

    id = "shanghai"
    group = "rounds"
    tile = 6
    options_type = Options
    team_size = range(1, 9)
    notes_all_darts = True

    def title(self, options: Options) -> str:
        return "Shanghai"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> ShanghaiState:
        count = len(seating.sides)
        return ShanghaiState(options, Sheet.blank(count, len(_numbers(options))), hits=(0,) * count)

    def order(self, state: ShanghaiState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return in_contention(state.sheet.contenders, sides)

    def dart(self, state: ShanghaiState, segment: Segment, turn: Turn, luck: Luck) -> Step[ShanghaiState]:
        hits = _hits(state, turn)
        points = sum(dart.points for dart in hits)
        is_hit = segment.value == _number(state, turn)
        counts = {"on_target": 1} if is_hit else {}
        if is_hit:
            state = replace(state, hits=put(state.hits, turn.side, state.hits[turn.side] + 1))
        return Step(_write_row(state, turn, points), points=points, counts=counts)

    def visit_over(self, state: ShanghaiState, turn: Turn, luck: Luck) -> Step[ShanghaiState]:
        if not is_shanghai(_hits(state, turn)):
            return Step(state)
        facts = (Award(side=turn.side, award="shanghai", great=True),)
        if state.options.shanghai == "wins":
            return Step(state, facts, winners=(turn.side,))
        points = turn.points + state.options.bonus * (state.options.shanghai == "bonus")
        return Step(_write_row(state, turn, points), facts, points=points)

    def round_over(self, state: ShanghaiState, turn: Turn, luck: Luck) -> Step[ShanghaiState]:
        numbers, tie = _numbers(state.options), state.options.tie
        if turn.round - state.again < len(numbers):
            return Step(state)
        level = leaders(in_contention(state.sheet.contenders, turn.playing), state.sheet.total)
        if tie == "hits":
            level = leaders(level, lambda side: state.hits[side])
        if len(level) == 1 or tie != "again":
            return Step(state, winners=level)
        blank = replace(Sheet.blank(len(state.hits), len(numbers)), contenders=level)
        return Step(replace(state, sheet=blank, again=turn.round))

    def leading(self, state: ShanghaiState, sides: tuple[int, ...]) -> tuple[int, ...]:
        level = leaders(in_contention(state.sheet.contenders, sides), state.sheet.total)
        return leaders(level, lambda side: state.hits[side]) if state.options.tie == "hits" else level

    def score(self, state: ShanghaiState, side: int) -> int:
        return state.sheet.total(side)

    def view(self, state: ShanghaiState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {
                "cells": cells,
                "average": tally.average,
                "on_target": tally.counts.get("on_target", 0),
                "shanghais": tally.counts.get("award:shanghai", 0),
            }
            for cells, tally in zip(state.sheet.cells, turn.tallies, strict=True)
        )
        rows = [str(number) for number in _numbers(state.options)]
        targets = (str(_number(state, turn)),) if turn.darts_left else ()
        return Panel("sheet", detail, targets=targets, board={"rows": rows, "row": _row(state, turn)})

    def task(self, state: ShanghaiState, turn: Turn, panel: Panel) -> Sentence:
        number, mode = str(_number(state, turn)), state.options.shanghai
        if mode == "wins":
            return say(
                "shanghai.wins", "Hit {target}; a single, a double and a triple of it win at once", target=number
            )
        if mode == "bonus":
            return say(
                "shanghai.bonus",
                "Hit {target}; a single, a double and a triple of it add {bonus}",
                target=number,
                bonus=state.options.bonus,
            )
        return say("shanghai.hit", "Hit {target}: nothing else counts", target=number)

    def advise(self, state: ShanghaiState, turn: Turn, seat: int, skill: Skill) -> Advice:
        """The bed with the best of points and the way to a Shanghai; the nearer that is, the more it counts."""
        number = _number(state, turn)
        brings = {"wins": _WIN, "bonus": state.options.bonus, "off": 0}[state.options.shanghai]
        hopes = brings * (1.0, 0.25, 0.0625)[turn.darts_left - 1]
        rings = [dart.multiplier for dart in _hits(state, turn)]
        is_on = len(set(rings)) == len(turn.darts)

        def worth(segment: Segment) -> float:
            if segment.value != number:
                return 0.0
            return segment.points + (hopes if is_on and segment.multiplier not in rings else 0.0)

        return Advice(aim=skill.best(worth, among=beds(number)))


def _numbers(options: Options) -> range:
    return range(options.start, min(options.start + options.rounds, _LAST + 1))


def _number(state: ShanghaiState, turn: Turn) -> int:
    return state.options.start + _row(state, turn)


def _row(state: ShanghaiState, turn: Turn) -> int:
    """The index of the number of this round; at the end of a round that is thrown again, still that of its last."""
    return turn.round - 1 - state.again if turn.round > state.again else len(_numbers(state.options)) - 1


def _hits(state: ShanghaiState, turn: Turn) -> tuple[Segment, ...]:
    """The darts of this visit that count."""
    return tuple(dart for dart in turn.darts if dart.value == _number(state, turn))


def _write_row(state: ShanghaiState, turn: Turn, points: int) -> ShanghaiState:
    return replace(state, sheet=state.sheet.written(turn.side, _row(state, turn), points))


GAMES = (Shanghai(),)
PRESETS = (
    Preset("shanghai_9", "shanghai", {"rounds": 9}, "Shanghai from the 1 to the 9."),
    Preset("shanghai_20", "shanghai", {"rounds": 20}, "Shanghai all the way from the 1 to the 20."),
    *(
        Preset(f"shanghai_from_{n}", "shanghai", {"start": n, "rounds": 20}, f"Shanghai from the {n} to the 20.")
        for n in (5, 10, 15)
    ),
)
