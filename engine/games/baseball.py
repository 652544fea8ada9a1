"""Baseball: an inning is a number, and a run is a mark on it.

Runs are marks and not points, so a triple of the 1 is worth as much as one of the 9. A tie is played off at the bull,
and a limit ends it: two players who never miss would throw there for ever.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Game, Panel, Preset, Seating, Step, Turn
from engine.games.score_sheet import Sheet
from engine.games.targets import beds, legend, note_worth, shorten_label
from engine.luck import Luck
from engine.ranking import in_contention, leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`extra_innings`: how many at most are played when the lead is shared, and `extra` where."""

    innings: Annotated[int, Meta(ge=1, le=20)] = 9
    extra_innings: Annotated[int, Meta(ge=0, le=20)] = 9
    extra: Literal["bull", "next"] = "bull"


class BaseballState(Struct, frozen=True):
    """The sheet, a row each inning."""

    options: Options
    sheet: Sheet


class Baseball(Game[Options, BaseballState]):
    """Nine innings at the numbers 1 to 9: a single is one run, a double two, a triple three.

    In the first inning only the 1 counts, in the second only the 2, and so on. The number only says where to throw,
    not what a hit is worth. Nine runs are the most an inning can bring. The most runs after the last inning win.

    `Innings`: the number of innings, usually nine or six.

    Sides that share the lead after the last inning play extra innings at the bull: the outer bull is one run, the inner
    two. As soon as a side leads after an extra inning, it wins. `Most extra innings` says how many there are at
    most; after that the win is shared. With 0 a tie is shared at once. `Targets of extra innings`: with `Next numbers`
    they are played at the numbers that follow, the 10 first, and at the bull after the 20.

    Source: Baseball as sfdl.org prints it; six innings and extra innings at numbers are house rules of oche.
    """

    id = "baseball"
    group = "rounds"
    options_type = Options
    team_size = range(1, 9)
    notes_all_darts = True

    def title(self, options: Options) -> str:
        return "Baseball"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> BaseballState:
        return BaseballState(options, Sheet.blank(len(seating.sides), options.innings))

    def order(self, state: BaseballState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return in_contention(state.sheet.contenders, sides)

    def dart(self, state: BaseballState, segment: Segment, turn: Turn, luck: Luck) -> Step[BaseballState]:
        target = _target(state, turn.round)
        runs = sum(dart.multiplier for dart in turn.darts if target in dart.groups)
        sheet = state.sheet.written(turn.side, turn.round - 1, runs)
        return Step(replace(state, sheet=sheet), points=runs, highs={"inning": runs})

    def round_over(self, state: BaseballState, turn: Turn, luck: Luck) -> Step[BaseballState]:
        options, sheet = state.options, state.sheet
        sheet, winners = sheet.after(turn, options.innings, options.extra_innings, sheet.total)
        return Step(replace(state, sheet=sheet), winners=winners)

    def leading(self, state: BaseballState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(in_contention(state.sheet.contenders, sides), state.sheet.total)

    def score(self, state: BaseballState, side: int) -> int:
        return state.sheet.total(side)

    def view(self, state: BaseballState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"cells": cells, "best_inning": tally.highs.get("inning", 0)}
            for cells, tally in zip(state.sheet.cells, turn.tallies, strict=True)
        )
        rows = [shorten_label(_target(state, row + 1)) for row in range(len(state.sheet.cells[0]))]
        target = _target(state, turn.round)
        board = {"rows": rows, "row": turn.round - 1, "legend": legend(rows), "unit": "runs"}
        board |= note_worth(turn.darts, lambda dart: dart.multiplier * (target in dart.groups))
        return Panel("sheet", detail, targets=(target,) if turn.darts_left else (), board=board)

    def task(self, state: BaseballState, turn: Turn, panel: Panel) -> Sentence:
        target = _target(state, turn.round)
        if target == "bull":
            return say("baseball.bull", "Hit the bull: the outer part is 1 run, the inner 2")
        return say("baseball.hit", "Hit {target}: a single is 1 run, a double 2, a triple 3", target=target)

    def advise(self, state: BaseballState, turn: Turn, seat: int, skill: Skill) -> Advice:
        target = _target(state, turn.round)
        return Advice(aim=skill.best(lambda landed: landed.multiplier * (target in landed.groups), beds(target)))


def _target(state: BaseballState, round: int) -> str:
    """The label of an inning's target."""
    last = state.options.innings if state.options.extra == "bull" else 20
    return str(round) if round <= last else "bull"


GAMES = (Baseball(),)
PRESETS = (Preset("baseball_6", "baseball", {"innings": 6}, "Baseball of six innings."),)
