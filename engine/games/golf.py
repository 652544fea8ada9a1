"""Golf: a hole is a number, and the fewest strokes win.

How darts become strokes is one function a scoring (`_strokes`); all of them are asked again with every dart, so the
wall shows what stands. Where the last dart counts, a player may stop after any: that is a question which does not
block, and its answer ends the visit. A hole in one cannot be bettered, so it ends the visit by itself.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine import awards
from engine.game import Advice, Award, Game, Panel, Preset, Prompt, Seating, Step, Turn
from engine.games.score_sheet import Sheet
from engine.games.targets import beds
from engine.luck import Luck
from engine.ranking import in_contention, leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

Scoring = Literal["classic", "maker", "hole_out"]
_MISSED = 5
_MARKS = 3
"""Marks that hole out."""
_NUMBERS = 20
_TROUBLE = 0.01
"""What another dart costs in strokes, for advice alone: without it players would throw darts that gain nothing."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`limit`: the most darts at one hole in `hole_out`; `playoff`: the most holes when the lead is shared."""

    holes: Annotated[int, Meta(ge=1, le=18)] = 9
    scoring: Scoring = "classic"
    limit: Annotated[int, Meta(ge=3, le=30)] = 9
    playoff: Annotated[int, Meta(ge=0, le=18)] = 0


class GolfState(Struct, frozen=True):
    """The sheet, a row each hole."""

    options: Options
    sheet: Sheet


class Golf(Game[Options, GolfState]):
    """One hole a round, at the numbers from 1 on: the fewest strokes win.

    You play holes 1 to 9, or as many as `Holes` says (18 is the full round). Throw at the number of the hole.
    `Scoring` says how the strokes are counted:

    `Classic`: the last dart thrown counts. A double is 1 stroke, a triple 2, the inner single (between the bull and
    the triple) 3, the outer single 4, anything else 5. If a board cannot tell the two singles apart, both are outer
    ones. You may stop after any dart: answer the question on a phone or on the page, or press the board's button for
    the next player. If your last dart missed the board, enter the miss before you press that button. (A "next" that is
    sent from anywhere else is no such answer: the darts not thrown count as misses, and the last of them counts.)

    `Maker`: the best of your three darts counts. A triple is 1 stroke, a double 2, a single 3, anything else 5.

    `Hole out`: you throw until the hole has three marks; a single is one mark, a double two, a triple three. Every dart
    is a stroke. After `Most darts per hole` you give the hole up, and that number is your strokes. If you end the visit
    early, you give the hole up too.

    A hole in one ends the visit. Equal scores share the win. With `Play-off holes` above 0 the leaders throw on among
    themselves at the next numbers (after the 20 comes the 1 again), until a hole decides or they have played that
    many.

    Source: Golf as dcsdl.co.uk prints it (Classic), Franklin's manual (Hole out); Maker is a house rule of oche.
    """

    id = "golf"
    group = "rounds"
    options_type = Options
    team_size = range(1, 9)

    def title(self, options: Options) -> str:
        return "Golf"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> GolfState:
        return GolfState(options, Sheet.blank(len(seating.sides), options.holes))

    def order(self, state: GolfState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return in_contention(state.sheet.contenders, sides)

    def dart(self, state: GolfState, segment: Segment, turn: Turn, luck: Luck) -> Step[GolfState]:
        hole, scoring = _number(turn.round), state.options.scoring
        strokes = _strokes(scoring, hole, turn.darts)
        state = replace(state, sheet=state.sheet.written(turn.side, turn.round - 1, strokes))
        if scoring != "hole_out":
            return Step(state, points=strokes, ends_visit=strokes == 1)
        is_done = _marks(hole, turn.darts) >= _MARKS or len(turn.darts) >= state.options.limit
        return Step(state, points=strokes, ends_visit=is_done, extra_darts=int(not turn.darts_left and not is_done))

    def visit_over(self, state: GolfState, turn: Turn, luck: Luck) -> Step[GolfState]:
        if turn.points != 1:
            return Step(state, counts={"holes": 1})
        return Step(state, (Award(side=turn.side, award="hole_in_one", great=True),), counts={"holes": 1})

    def award(self, state: GolfState, turn: Turn) -> str | None:
        """Three in a bed, but only in the number of the hole."""
        return awards.of_beds(turn.darts) if all(d.value == _number(turn.round) for d in turn.darts) else None

    def prompts(self, state: GolfState, turn: Turn) -> tuple[Prompt, ...]:
        if state.options.scoring != "classic" or not turn.darts or not turn.darts_left:
            return ()
        text, stands = say("prompt.golf_stop", "Stop here?").text, {"stop": turn.points}
        prompt_id = turn.prompt_id("stop")
        return (Prompt(prompt_id, turn.seat, text, ("stop",), None, stands, "stop", blocking=False, ends_visit=True),)

    def decide(self, state: GolfState, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[GolfState]:
        return Step(state, ends_visit=True)

    def round_over(self, state: GolfState, turn: Turn, luck: Luck) -> Step[GolfState]:
        options, sheet = state.options, state.sheet
        sheet, winners = sheet.after(turn, options.holes, options.playoff, lambda side: -sheet.total(side))
        return Step(replace(state, sheet=sheet), winners=winners)

    def dart_counts(self, state: GolfState, segment: Segment, turn: Turn, step: Step[GolfState]) -> bool:
        return segment.value == _number(turn.round)

    def leading(self, state: GolfState, sides: tuple[int, ...]) -> tuple[int, ...]:
        """On the holes that all of them have played: who has played fewer has fewer strokes."""
        there = in_contention(state.sheet.contenders, sides)
        return leaders(there, lambda side: state.sheet.open_total(side, there) - state.sheet.total(side))

    def score(self, state: GolfState, side: int) -> int:
        return state.sheet.total(side)

    def view(self, state: GolfState, turn: Turn, seat: int | None) -> Panel:
        open_hole = {turn.side: turn.points} if turn.darts_left else {}
        strokes = [tally.points - open_hole.get(side, 0) for side, tally in enumerate(turn.tallies)]
        detail = tuple(
            {
                "cells": cells,
                "per_hole": round(made / tally.counts["holes"], 2) if "holes" in tally.counts else None,
                "holes_in_one": tally.counts.get("award:hole_in_one", 0),
            }
            for cells, tally, made in zip(state.sheet.cells, turn.tallies, strokes, strict=True)
        )
        hole, scoring = _number(turn.round), state.options.scoring
        rows = [str(_number(row + 1)) for row in range(len(state.sheet.cells[0]))]
        targets = (str(hole),) if turn.darts_left else ()
        board: dict[str, Any] = {"rows": rows, "row": turn.round - 1, "unit": "strokes"}  # Any: JSON
        count = _marks if scoring == "hole_out" else partial(_strokes, scoring)
        board["notes"] = [count(hole, (dart,)) for dart in turn.darts]
        if scoring == "classic":
            board["split_singles"] = True
        return Panel("sheet", detail, targets=targets, board=board)

    def task(self, state: GolfState, turn: Turn, panel: Panel) -> Sentence:
        hole = _number(turn.round)
        match state.options.scoring:
            case "classic" if turn.darts:
                if turn.points == _MISSED:
                    return say(
                        "golf.worst",
                        "Hole {target}: throw at {target} again; now {points} strokes, the worst, and fewest win",
                        points=turn.points,
                        target=hole,
                    )
                return say(
                    "golf.again",
                    "Stop with {points} strokes, or throw at {target} again: your last dart counts",
                    points=turn.points,
                    target=hole,
                )
            case "classic":
                return say(
                    "golf.classic",
                    "Hit {target}: double 1, triple 2, inner 3, outer 4, else 5; fewest win",
                    target=hole,
                )
            case "maker":
                return say(
                    "golf.maker",
                    "Hit {target}: triple 1, double 2, single 3, else 5; best dart counts, fewest win",
                    target=hole,
                )
        left = _MARKS - _marks(hole, turn.darts)
        return say(
            "golf.hole_out",
            "Hit {target}: marks to go {left} (double 2, triple 3); fewest darts win",
            target=hole,
            left=left,
        )

    def advise(self, state: GolfState, turn: Turn, seat: int, skill: Skill) -> Advice:
        """The aim with the fewest strokes to expect; to stop where throwing on would not be better."""
        hole, scoring = _number(turn.round), state.options.scoring
        if scoring == "classic":
            aim, strokes = _best_aim(hole, turn.darts_left, skill)
            return Advice(aim, "stop" if turn.darts and turn.points <= strokes else None)
        if scoring == "maker":
            return Advice(aim=skill.best(lambda dart: -_strokes(scoring, hole, (*turn.darts, dart)), beds(hole)))
        return Advice(aim=skill.best(lambda dart: min(_MARKS, _marks(hole, (*turn.darts, dart))), beds(hole)))


def _number(round: int) -> int:
    """The number of a hole; a playoff may come to the 1 again."""
    return (round - 1) % _NUMBERS + 1


def _strokes(scoring: Scoring, hole: int, darts: tuple[Segment, ...]) -> int:
    """The strokes of these darts of a visit so far."""
    if scoring == "hole_out":
        return len(darts)
    if scoring == "maker":
        return min((_MARKS + 1 - dart.multiplier for dart in darts if dart.value == hole), default=_MISSED)
    last = darts[-1]
    if last.value != hole:
        return _MISSED
    return 3 if "inner" in last.groups else {2: 1, 3: 2}.get(last.multiplier, 4)


def _marks(hole: int, darts: tuple[Segment, ...]) -> int:
    return sum(dart.multiplier for dart in darts if dart.value == hole)


def _best_aim(hole: int, darts: int, skill: Skill) -> tuple[str, float]:
    """Where to aim with so many darts left in the classic scoring, and the strokes to expect, stopping in time."""
    after = _best_aim(hole, darts - 1, skill)[1] + _TROUBLE if darts > 1 else _MISSED

    def better(dart: Segment) -> float:
        return -min(_strokes("classic", hole, (dart,)), after)

    aim = skill.best(better, beds(hole))
    return aim, -skill.worth(aim, better)


GAMES = (Golf(),)
PRESETS = (
    Preset("golf_18", "golf", {"holes": 18}, "The full round of 18 holes; the last dart counts."),
    Preset("golf_maker", "golf", {"scoring": "maker"}, "Nine holes; the best of three darts counts."),
    Preset("golf_hole_out", "golf", {"scoring": "hole_out"}, "Nine holes; throw until a hole has three marks."),
)
