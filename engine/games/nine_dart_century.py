"""Nine-Dart Century: nine darts that make 100, or come nearest to it without going over."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.checkouts import worth
from engine.finishing import Bull
from engine.game import Advice, Bust, Game, Panel, Seating, Step, Turn, put
from engine.games.score_sheet import Sheet
from engine.games.targets import note_worth
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.finish import Totals
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

_TOO_MUCH = 1000
"""What going over costs, in points: more than coming short ever does."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`target`: what to come near to, in so many `rounds` of three darts."""

    target: Annotated[int, Meta(ge=20, le=1000)] = 100
    rounds: Annotated[int, Meta(ge=1, le=20)] = 3
    bull: Bull = "25/50"


class CenturyState(Struct, frozen=True):
    """Totals by side; the sheet has a row for each round."""

    options: Options
    scores: tuple[int, ...]
    sheet: Sheet


class NineDartCentury(Game[Options, CenturyState]):
    """Nine darts to make 100: the nearest score wins, and more than 100 is bust.

    Every side starts at 0 and throws three rounds of three darts (`Rounds`: 3, or 1 to 20). The members of a team take
    turns, one round each. Every dart adds what it hits. The target is 100 (`Target score`: 20 to 1000).

    A side that goes over the target is bust: its visit ends, and it throws no more. After the last round the side
    nearest to the target without going over wins; sides that are equally near share the win. If all sides are over, the
    one that is least over wins.

    The bull counts 25 and 50; with `Bull` 50/50 both parts count 50.

    Source: the manual of the BullShooter EDB400 (Nine-Dart Century).
    """

    id = "nine_dart_century"
    group = "rounds"
    options_type = Options
    team_size = range(1, 9)

    def title(self, options: Options) -> str:
        return "Nine-Dart Century"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> CenturyState:
        count = len(seating.sides)
        return CenturyState(options, (0,) * count, Sheet.blank(count, options.rounds))

    def order(self, state: CenturyState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(side for side in sides if not _is_over(state, side)) or sides

    def dart(self, state: CenturyState, segment: Segment, turn: Turn, luck: Luck) -> Step[CenturyState]:
        side, points = turn.side, worth(segment, state.options.bull)[0]
        state = replace(
            state,
            scores=put(state.scores, side, state.scores[side] + points),
            sheet=state.sheet.written(side, turn.round - 1, turn.points + points),
        )
        over = _is_over(state, side)
        facts = (Bust(side=side),) if over else ()
        return Step(state, facts, points=turn.points + points, ends_visit=over, counts={"busts": int(over)})

    def totals(self, state: CenturyState, turn: Turn) -> Totals | None:
        return Totals()

    def bed_points(self, options: Options, segment: Segment) -> int:
        return worth(segment, options.bull)[0]

    def round_over(self, state: CenturyState, turn: Turn, luck: Luck) -> Step[CenturyState]:
        there = turn.playing
        if turn.round < state.options.rounds and not all(_is_over(state, side) for side in there):
            return Step(state)
        return Step(state, winners=self.leading(state, there))

    def leading(self, state: CenturyState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: _rank(state, side))

    def score(self, state: CenturyState, side: int) -> int:
        return state.scores[side]

    def view(self, state: CenturyState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"cells": cells, "left": max(0, state.options.target - score), "average": tally.average}
            for cells, score, tally in zip(state.sheet.cells, state.scores, turn.tallies, strict=True)
        )
        rows = tuple(str(row) for row in range(1, state.options.rounds + 1))
        board = {"rows": rows, "row": turn.round - 1, "target": state.options.target}
        board |= note_worth(turn.darts, lambda dart: worth(dart, state.options.bull)[0])
        return Panel("sheet", detail, board=board)

    def task(self, state: CenturyState, turn: Turn, panel: Panel) -> Sentence:
        left = state.options.target - state.scores[turn.side]
        if not left:
            return say(
                "nine_dart_century.there",
                "You have exactly {target}: press Next, or throw past the board; any hit is bust",
                target=state.options.target,
            )
        return say(
            "nine_dart_century.left",
            "Come as close to {target} as you can without going over: {left} to go, darts left: {darts}",
            left=left,
            target=state.options.target,
            darts=_darts_left(state, turn),
        )

    def reason(self, state: CenturyState, turn: Turn, bust: bool) -> Sentence | None:
        over = state.scores[turn.side] - state.options.target
        return say("nine_dart_century.bust", "Bust: {over} too many", over=over) if over > 0 else None

    def advise(self, state: CenturyState, turn: Turn, seat: int, skill: Skill) -> Advice:
        """The bed that leaves the share of the rest that the darts to come should make."""
        left, darts = state.options.target - state.scores[turn.side], _darts_left(state, turn)
        if not left:
            return Advice(aim="MISS")
        wanted = left * (darts - 1) / darts

        def rest(segment: Segment) -> float:
            after = left - worth(segment, state.options.bull)[0]
            return -abs(after - wanted) if after >= 0 else -_TOO_MUCH

        share = round(left / darts)
        singles = [f"O{number}" for number in range(max(1, min(20, share) - 3), min(20, share + 3) + 1)]
        high = ["T20", "T19", "T18", "T17", "SB", "DB"] if share > 20 else []
        return Advice(aim=skill.best(rest, [*singles, *high]))


def _rank(state: CenturyState, side: int) -> tuple[bool, int]:
    """The highest is the best: as near to the target as possible, and not over it."""
    over, score = _is_over(state, side), state.scores[side]
    return not over, -score if over else score


def _is_over(state: CenturyState, side: int) -> bool:
    return state.scores[side] > state.options.target


def _darts_left(state: CenturyState, turn: Turn) -> int:
    """The darts that the side has left in the leg."""
    return turn.darts_left + 3 * (state.options.rounds - turn.round)


GAMES = (NineDartCentury(),)
