"""English Cricket: one side bats and makes runs, the other bowls at the bull for wickets; then they change places.

The innings are of one side each. When the side that throws second ends an innings, that side also begins the next one,
so the order of the rounds turns; when the side that throws first ends it, the order is right as it is.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Game, Panel, Seating, Step, Turn, put
from engine.games.survival import aim_at_points
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`above`: only points above it are runs. `strays`: stray darts cost. `off_board`: the runs for a bowler's dart
    that misses the board. `rounds`: the limit of an innings.
    """

    wickets: Annotated[int, Meta(ge=1, le=20)] = 10
    above: Annotated[int, Meta(ge=0, le=120)] = 40
    first: Literal["batter", "bowler"] = "batter"
    strays: bool = False
    off_board: Annotated[int, Meta(ge=0, le=100)] = 0
    rounds: Annotated[int, Meta(ge=1, le=200)] = 30


class EnglishState(Struct, frozen=True):
    """Runs by side, and the innings: who bats (None before the first visit), the wickets left, and its visits so far.

    `turned`: the rounds now begin with the other side.
    """

    options: Options
    runs: tuple[int, int]
    wickets: int
    innings: int = 1
    batter: int | None = None
    visits: int = 0
    turned: bool = False


class EnglishCricket(Game[Options, EnglishState]):
    """One side bats, the other bowls at the bull for ten wickets; then they swap. Most runs win.

    Two sides play, alone or in teams whose members take turns. Each throws three darts a visit, the batter first (with
    `Bowler` as `First to throw` the bowler).

    The batter's three darts score what they hit, but only points above 40 are runs (`Runs for points above`): 38 points
    make no run, 60 make 20. The bowler takes wickets at the bull: one for the outer part, two for the inner. When all
    ten wickets are taken (`Wickets`: 1 to 20), the innings is over at once and the sides swap. An innings ends after 30
    visits of each side at the latest (`Rounds`).

    With `Stray darts help the other side` a bowler's dart in a triple, an outer single or a double gives its points to
    the batter as runs. A batter's dart in the bull scores nothing and takes one or two of the batter's own wickets. If
    a board cannot tell the two singles of a number apart, no single of the bowler is a stray dart.

    `Runs for a dart off the board` (0 to 100; leagues give 20 or 50): the batter gets this many runs for each dart of
    the bowler that misses the board, and for each dart that the bowler does not throw.

    After both innings the most runs win; equal runs share the win. If one side leaves, the other wins.

    Source: English Cricket as diddleforthemiddle.com prints it; the stray darts as thepublicansguide.com does.
    """

    id = "english_cricket"
    group = "cricket"
    options_type = Options
    sides = range(2, 3)
    team_size = range(1, 9)
    alone_wins = True

    def title(self, options: Options) -> str:
        return "English Cricket"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> EnglishState:
        return EnglishState(options, (0, 0), options.wickets)

    def order(self, state: EnglishState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return sides[::-1] if state.turned else sides

    def begin(self, state: EnglishState, turn: Turn, luck: Luck) -> Step[EnglishState]:
        if state.batter is not None:
            return Step(state)
        return Step(replace(state, batter=turn.side if state.options.first == "batter" else 1 - turn.side))

    def dart(self, state: EnglishState, segment: Segment, turn: Turn, luck: Luck) -> Step[EnglishState]:
        if turn.side == state.batter:
            return self._bat(state, segment, turn)
        return self._bowl(state, segment, turn)

    def _bat(self, state: EnglishState, segment: Segment, turn: Turn) -> Step[EnglishState]:
        made = max(0, _batted(state, turn) - state.options.above)
        state = _with_runs(state, turn.side, made - turn.points)
        counts = {"batting": 1}
        taken = min(state.wickets, _wickets(segment)) if state.options.strays else 0
        state = replace(state, wickets=state.wickets - taken)
        return Step(state, points=made, ends_visit=not state.wickets, counts=counts)

    def _bowl(self, state: EnglishState, segment: Segment, turn: Turn) -> Step[EnglishState]:
        if "bull" in segment.groups:
            taken = min(state.wickets, _wickets(segment))
            state = replace(state, wickets=state.wickets - taken)
            return Step(state, ends_visit=not state.wickets, counts={"wickets": taken, "bowling": 1})
        if state.options.strays and segment.groups & {"triple", "double", "outer"}:
            state = _with_runs(state, 1 - turn.side, segment.points)
        elif not segment.points:
            state = _with_runs(state, 1 - turn.side, state.options.off_board)
        return Step(state, counts={"bowling": 1})

    def visit_over(self, state: EnglishState, turn: Turn, luck: Luck) -> Step[EnglishState]:
        state = replace(state, visits=state.visits + 1)
        if state.wickets and state.visits < 2 * state.options.rounds:
            return Step(state)
        if state.innings == 2:
            return Step(state, winners=leaders(turn.playing, lambda side: state.runs[side]))
        batter = 1 - (state.batter or 0)
        begins = batter if state.options.first == "batter" else 1 - batter
        wickets = state.options.wickets
        return Step(replace(state, innings=2, batter=batter, wickets=wickets, visits=0, turned=turn.side == begins))

    def dart_counts(self, state: EnglishState, segment: Segment, turn: Turn, step: Step[EnglishState]) -> bool:
        """The batter's darts count together, so all that score do."""
        is_bull = "bull" in segment.groups
        if turn.side == state.batter:
            return segment.points > 0 and not (state.options.strays and is_bull)
        return is_bull or step.state.runs != state.runs

    def score(self, state: EnglishState, side: int) -> int:
        return state.runs[side]

    def view(self, state: EnglishState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {
                "role": "batter" if side == state.batter else "bowler",
                **({} if side == state.batter else {"wickets_taken": state.options.wickets - state.wickets}),
            }
            for side in range(len(state.runs))
        )
        has_turned = state.innings == 2 and not state.visits and not turn.darts_left
        bowls = (turn.side != state.batter) != has_turned
        board: dict[str, Any] = {"innings": state.innings, "wickets": state.wickets, "unit": "runs"}  # Any: JSON
        board["notes"] = [_wickets(dart) if bowls else dart.points for dart in turn.darts]
        board["total"] = sum(map(_wickets, turn.darts)) if bowls else _batted(state, turn)
        return Panel("plain", detail, targets=("bull",) if bowls and turn.darts_left else (), board=board)

    def task(self, state: EnglishState, turn: Turn, panel: Panel) -> Sentence:
        if turn.side != state.batter:
            return say(
                "english_cricket.bowl",
                "Hit the bull to take wickets (outer 1, inner 2), still to take: {left}",
                left=state.wickets,
            )
        missing = state.options.above - _batted(state, turn)
        if missing > 0:
            return say(
                "english_cricket.bat",
                "Score high: {missing} more, then every point is a run",
                missing=missing,
            )
        return say("english_cricket.run", "Score high: every point is a run now")

    def advise(self, state: EnglishState, turn: Turn, seat: int, skill: Skill) -> Advice:
        if turn.side == state.batter:
            return Advice(aim=aim_at_points(turn, 0, skill))
        return Advice(aim=skill.best(lambda segment: segment.multiplier * ("bull" in segment.groups), ("DB", "SB")))


def _wickets(dart: Segment) -> int:
    """The wickets that a dart of the bowler takes."""
    return dart.multiplier if "bull" in dart.groups else 0


def _batted(state: EnglishState, turn: Turn) -> int:
    """The points of the batter's darts in this visit."""
    return sum(dart.points for dart in turn.darts if not (state.options.strays and "bull" in dart.groups))


def _with_runs(state: EnglishState, side: int, more: int) -> EnglishState:
    first, second = put(state.runs, side, state.runs[side] + more)
    return replace(state, runs=(first, second))


GAMES = (EnglishCricket(),)
