"""Football: the bull takes the ball, and doubles are goals."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Claimed, Game, Panel, Seating, Step, Turn, put
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`bull`: what takes the ball."""

    goals: Annotated[int, Meta(ge=1, le=20)] = 10
    bull: Literal["any", "inner"] = "any"
    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None


class FootballState(Struct, frozen=True):
    """Goals by side, the side that has the ball, and whether it had it when the visit began."""

    options: Options
    goals: tuple[int, ...]
    holder: int | None = None
    had: bool = False


class Football(Game[Options, FootballState]):
    """The bull takes the ball; with the ball every double is a goal. First to ten goals wins.

    Two sides throw three darts a visit in turn; the members of a team take turns, one a visit. At first no side has the
    ball. A dart in the bull takes it, and that side keeps it until the other side hits the bull. `Bull that takes the
    ball`: with `Inner` only the inner bull takes it.

    While a side has the ball, every double it hits is a goal. The inner bull counts as a double, so it is a goal too
    for a side that already has the ball. The dart that takes the ball is never a goal. Doubles without the ball count
    nothing.

    The first side to score ten goals (`Goals`: 10, or 1 to 20) wins. With a limit of `Rounds` the most goals win after
    the last one; equal goals share the win. If one side leaves, the other wins.

    Source: Soccer as mostdartgames.com prints it; the inner bull for the ball as sportsdefinitions.com does.
    """

    id = "football"
    group = "races"
    options_type = Options
    sides = range(2, 3)
    team_size = range(1, 9)
    alone_wins = True

    def title(self, options: Options) -> str:
        return "Football"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> FootballState:
        return FootballState(options, (0,) * len(seating.sides))

    def begin(self, state: FootballState, turn: Turn, luck: Luck) -> Step[FootballState]:
        return Step(replace(state, had=state.holder == turn.side))

    def dart(self, state: FootballState, segment: Segment, turn: Turn, luck: Luck) -> Step[FootballState]:
        side = turn.side
        if state.holder != side:
            if not _takes_ball(segment, state.options):
                return Step(state)
            return Step(replace(state, holder=side), (Claimed(side=side, cell="ball"),), counts={"balls": 1})
        if "double" not in segment.groups:
            return Step(state)
        state = replace(state, goals=put(state.goals, side, state.goals[side] + 1))
        won = state.goals[side] == state.options.goals
        return Step(state, points=turn.points + 1, ends_visit=won, winners=(side,) if won else None)

    def round_over(self, state: FootballState, turn: Turn, luck: Luck) -> Step[FootballState]:
        if turn.round != state.options.rounds:
            return Step(state)
        return Step(state, winners=leaders(turn.playing, lambda side: state.goals[side]))

    def score(self, state: FootballState, side: int) -> int:
        return state.goals[side]

    def award(self, state: FootballState, turn: Turn) -> str | None:
        """A hat trick is three goals in one visit."""
        return "hat_trick" if turn.points == 3 else None

    def view(self, state: FootballState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"ball": side == state.holder, "goals_a_visit": tally.average, "balls_won": tally.counts.get("balls", 0)}
            for side, tally in enumerate(turn.tallies)
        )
        wanted = "double" if state.holder == turn.side else "bull" if state.options.bull == "any" else "DB"
        board = {"to_win": state.options.goals, "unit": "goals", "notes": _note_darts(state, turn)}
        return Panel("plain", detail, targets=(wanted,) if turn.darts_left else (), board=board)

    def task(self, state: FootballState, turn: Turn, panel: Panel) -> Sentence:
        if state.holder == turn.side:
            left = state.options.goals - state.goals[turn.side]
            return say("football.goal", "You have the ball: every double is a goal; goals to go: {left}", left=left)
        return say("football.ball", "Hit {targets} to get the ball: then every double is a goal", targets=panel.targets)

    def advise(self, state: FootballState, turn: Turn, seat: int, skill: Skill) -> Advice:
        if state.holder != turn.side:
            return Advice(aim=skill.best(lambda segment: _takes_ball(segment, state.options), ("DB", "SB")))
        doubles = ("D20", *(f"D{number}" for number in range(19, 0, -1)), "DB")
        return Advice(aim=skill.best(lambda segment: "double" in segment.groups, doubles))


def _note_darts(state: FootballState, turn: Turn) -> list[int | str]:
    """What each dart of the visit brought: a goal, the ball, or nothing."""
    notes: list[int | str] = []
    has = state.had
    for dart in turn.darts:
        takes = not has and _takes_ball(dart, state.options)
        notes.append("ball" if takes else int(has and "double" in dart.groups))
        has = has or takes
    return notes


def _takes_ball(segment: Segment, options: Options) -> bool:
    return "bull" in segment.groups and (options.bull == "any" or "double" in segment.groups)


GAMES = (Football(),)
