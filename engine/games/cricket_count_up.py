"""Cricket Count-Up: practice for cricket, counted in points."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine import awards
from engine.game import Advice, Game, Panel, Seating, Step, Turn, put
from engine.luck import Luck
from engine.ranking import Tie, leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

_TARGETS = {20: "20", 19: "19", 18: "18", 17: "17", 16: "16", 15: "15", 25: "bull"}
"""The label of each number, in the order of the rounds."""
_AIMS = tuple(f"{ring}{number}" for ring in "TO" for number in (20, 19, 18, 17, 16, 15))


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`rounds`: visits of each side. `order`: one target a round, or all in each. `tie`: what level sides do."""

    rounds: Annotated[int, Meta(ge=1, le=100)] = 8
    order: Literal["down", "free"] = "down"
    tie: Tie = "share"


class CricketCountUpState(Struct, frozen=True):
    """Points by side."""

    options: Options
    points: tuple[int, ...]

    def targets(self, turn: Turn) -> tuple[int, ...]:
        """The numbers that count in this round, 25 for the bull."""
        if self.options.order == "free" or turn.round > len(_TARGETS):
            return tuple(_TARGETS)
        return (tuple(_TARGETS)[turn.round - 1],)


class CricketCountUp(Game[Options, CricketCountUpState]):
    """Score points on the cricket numbers: one target a round, and all of them in the eighth.

    The targets are 20, 19, 18, 17, 16, 15 and the bull, one for each round; in round 8 all of them count. A hit scores
    its points: a double twice its number, a triple three times, the bull 25 and 50. Everything else scores nothing.
    The highest score after 8 rounds (`Rounds`) wins. If you play more rounds, all targets count in these too.

    `Order`: with `Free` all seven targets count in every round. This is a house rule.

    `When level`, sides share the win; with `One more round` all sides throw another round until one is ahead.

    The marks per round (mpr) count every hit that scores: a single one, a double two, a triple three.

    Source: a house rule of oche, after the Cricket Count-Up of DARTSLIVE machines.
    """

    id = "cricket_count_up"
    group = "cricket"
    options_type = Options
    tons = True
    rules = 2
    team_size = range(1, 9)

    def title(self, options: Options) -> str:
        return "Cricket Count-Up"

    def resolve_older(self, options: Options, rules: int) -> Options:
        return replace(options, order="free")

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> CricketCountUpState:
        return CricketCountUpState(options, (0,) * len(seating.sides))

    def dart(self, state: CricketCountUpState, segment: Segment, turn: Turn, luck: Luck) -> Step[CricketCountUpState]:
        if segment.value not in state.targets(turn):
            return Step(state)
        points = put(state.points, turn.side, state.points[turn.side] + segment.points)
        counts = {"marks": segment.multiplier}
        return Step(replace(state, points=points), points=turn.points + segment.points, counts=counts)

    def round_over(self, state: CricketCountUpState, turn: Turn, luck: Luck) -> Step[CricketCountUpState]:
        best = leaders(turn.playing, lambda side: state.points[side])
        over = turn.round >= state.options.rounds and (len(best) == 1 or state.options.tie == "share")
        return Step(state, winners=best if over else None)

    def award(self, state: CricketCountUpState, turn: Turn) -> str | None:
        return awards.of_score(turn.darts, turn.points) if turn.points else None

    def leading(self, state: CricketCountUpState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: state.points[side])

    def score(self, state: CricketCountUpState, side: int) -> int:
        return state.points[side]

    def view(self, state: CricketCountUpState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"average": tally.average, "mpr": tally.per_visit(tally.counts.get("marks", 0))} for tally in turn.tallies
        )
        targets = tuple(_TARGETS[number] for number in state.targets(turn)) if turn.darts_left else ()
        return Panel("plain", detail, targets, board={"rounds": state.options.rounds})

    def task(self, state: CricketCountUpState, turn: Turn, panel: Panel) -> Sentence:
        if len(panel.targets) == 1:
            return say(
                "cricket_count_up.target",
                "Hit {targets}, as often as you can: each dart adds its points, nothing else scores",
                targets=panel.targets,
            )
        return say(
            "cricket_count_up.hit",
            "Hit any of 20 to 15 or the bull, as often as you like: each dart adds its points, nothing else scores",
        )

    def advise(self, state: CricketCountUpState, turn: Turn, seat: int, skill: Skill) -> Advice:
        targets = state.targets(turn)

        def worth(segment: Segment) -> float:
            return segment.points if segment.value in targets else 0.0

        return Advice(aim=skill.best(worth, among=(*_AIMS, "DB", "SB")))


GAMES = (CricketCountUp(),)
