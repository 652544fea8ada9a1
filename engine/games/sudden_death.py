"""Sudden Death: the lowest visit of each round is out.

The sides that throw in a round are the whole state, so a tie needs no rule of its own: it is a round of those who are
level. Visits are kept until the next round opens, to be shown.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from engine import awards
from engine.game import Advice, Eliminated, Fact, Game, Panel, Seating, Step, Turn, put
from engine.games.survival import MOST_POINTS, aim_at_points, last_in, scored
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.finish import Totals
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """Which sides throw again when several are level at the bottom."""

    tie: Literal["tied", "all"] = "tied"


class SuddenDeathState(Struct, frozen=True):
    """`visits`: the points of each side in this round (None: not thrown); `throwing`: the sides compared."""

    options: Options
    visits: tuple[int | None, ...]
    throwing: tuple[int, ...]
    gone: frozenset[int] = frozenset()
    round: int = 0


class SuddenDeath(Game[Options, SuddenDeathState]):
    """In every round the side with the lowest visit goes out; the last side left wins.

    Every side throws one visit a round, and the side with the lowest goes out. The bull counts 25 and 50. The wall
    shows the visit of this round.

    `When level`: if several sides share the lowest visit, only they throw again, until one of them is the lowest; the
    others wait. With `All throw again` the whole round is repeated.

    The last side left wins. The members of a team take turns, one round each. A side that leaves the match is out, and
    its visit is not compared; if that leaves only one side to compare, no other side goes out in this round. When all
    others have left, the last one wins at once.

    Source: Sudden Death as mostdartgames.com prints it; which side goes out when level is a house rule of oche.
    """

    id = "sudden_death"
    group = "lives"
    options_type = Options
    tons = True
    sides = range(2, 17)
    team_size = range(1, 9)
    alone_wins = True

    def title(self, options: Options) -> str:
        return "Sudden Death"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> SuddenDeathState:
        everybody = tuple(range(len(seating.sides)))
        return SuddenDeathState(options, (None,) * len(everybody), everybody)

    def order(self, state: SuddenDeathState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        """The sides that are level throw again by themselves, unless the others have left."""
        tied = tuple(side for side in sides if side in state.throwing)
        return tied if len(tied) > 1 else sides

    def begin(self, state: SuddenDeathState, turn: Turn, luck: Luck) -> Step[SuddenDeathState]:
        if turn.round > state.round:
            state = replace(state, visits=(None,) * len(state.visits), round=turn.round)
        return Step(state, winners=last_in(state.gone, turn))

    def dart(self, state: SuddenDeathState, segment: Segment, turn: Turn, luck: Luck) -> Step[SuddenDeathState]:
        total = scored(turn)
        return Step(replace(state, visits=put(state.visits, turn.side, total)), points=total)

    def totals(self, state: SuddenDeathState, turn: Turn) -> Totals | None:
        return Totals()

    def visit_over(self, state: SuddenDeathState, turn: Turn, luck: Luck) -> Step[SuddenDeathState]:
        return Step(state, winners=last_in(state.gone, turn))

    def round_over(self, state: SuddenDeathState, turn: Turn, luck: Luck) -> Step[SuddenDeathState]:
        left = tuple(side for side in turn.playing if side not in state.gone)
        thrown = self._visits(state, left)
        lowest = leaders(thrown, lambda side: -thrown[side])
        facts: tuple[Fact, ...] = ()
        if len(thrown) < 2:
            state = replace(state, throwing=left)
        elif len(lowest) == 1:
            facts = (Eliminated(side=lowest[0]),)
            state = replace(state, gone=state.gone | {*lowest}, throwing=tuple(s for s in left if s not in lowest))
        else:
            state = replace(state, throwing=lowest if state.options.tie == "tied" else tuple(thrown))
        return Step(state, facts, winners=last_in(state.gone, turn))

    def out(self, state: SuddenDeathState) -> frozenset[int]:
        return state.gone

    def score(self, state: SuddenDeathState, side: int) -> int:
        return state.visits[side] or 0

    def award(self, state: SuddenDeathState, turn: Turn) -> str | None:
        return awards.of_score(turn.darts, turn.points, summed=turn.summed)

    def view(self, state: SuddenDeathState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"lives": int(side not in state.gone), "visit": visit, "average": turn.tallies[side].average}
            for side, visit in enumerate(state.visits)
        )
        board: dict[str, Any] = {"lives": 1, "throwing": list(state.throwing), "total": scored(turn)}  # Any: JSON
        board["notes"] = [dart.points for dart in turn.darts]
        return Panel("lives", detail, board=board)

    def task(self, state: SuddenDeathState, turn: Turn, panel: Panel) -> Sentence:
        others = self._visits(state, tuple(side for side in turn.playing if side != turn.side))
        if not others:
            return say("sudden_death.first", "Score as much as you can: the lowest visit of the round is out")
        least = min(others.values())
        if turn.points > least:
            return say("sudden_death.safe", "You are no longer the lowest: score more")
        if turn.points + MOST_POINTS * turn.darts_left <= least:
            return say(
                "sudden_death.beyond",
                "More than {least} is out of reach: score more, because the lowest visit of the round is out",
                least=least,
            )
        return say("sudden_death.beat", "Score more than {least}: the lowest visit of the round is out", least=least)

    def advise(self, state: SuddenDeathState, turn: Turn, seat: int, skill: Skill) -> Advice:
        others = self._visits(state, tuple(side for side in turn.playing if side != turn.side))
        needed = min(others.values(), default=-1) + 1
        return Advice(aim=aim_at_points(turn, needed, skill))

    def _visits(self, state: SuddenDeathState, sides: tuple[int, ...]) -> dict[int, int]:
        """The visits of this round, of those of these sides that have thrown."""
        return {side: visit for side in sides if (visit := state.visits[side]) is not None}


GAMES = (SuddenDeath(),)
