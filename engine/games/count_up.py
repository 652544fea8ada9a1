"""Count-Up and Low Ball: every dart adds what it hits. The highest total wins the one, the lowest the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from engine import awards
from engine.checkouts import worth
from engine.finishing import Bull
from engine.game import Better, Panel, Preset, Turn
from engine.games.counting import Counting, CountingState
from engine.ranking import Tie
from engine.tally import Tally
from protocol.finish import Totals
from protocol.segment import Segment
from protocol.sentence import Sentence, say

Rounds = Annotated[int, Meta(ge=1, le=20)]


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`target`: the first to reach it wins, however many rounds that takes."""

    rounds: Rounds = 8
    bull: Bull = "50/50"
    target: Annotated[int, Meta(ge=100, le=1000)] | None = None
    tie: Literal["share", "one_more_round", "one_dart"] = "share"


class CountUp(Counting[Options]):
    """Everything you throw adds up; the highest total after eight rounds wins.

    Every side starts at 0 and throws three darts a round; the members of a team take turns, one a round. Every dart
    scores what it hits: a double twice its number, a triple three times. A miss counts nothing.

    After the last round (`Rounds`: 8, or 1 to 20) the highest total wins. `When level`, sides share the win. With `One
    more round` the sides that share the lead throw further rounds until one of them is ahead; with `One dart` each of
    these rounds is one dart.

    The whole bull counts 50, as on machines (with `Bull` 25/50 its outer part counts 25).

    With a `Target score` (100 to 1000) the rounds are not limited: the first side to reach or pass it wins at once.

    Source: Arachnid's Galaxy 2, Triumph's Cricket Ace 200; the nine-dart shootout is a house rule, after that of kcapp.
    """

    id = "count_up"
    group = "rounds"
    options_type = Options
    tons = True

    def title(self, options: Options) -> str:
        return f"Count-Up {options.target}" if options.target else "Count-Up"

    def rows(self, options: Options) -> tuple[str, ...]:
        return () if options.target else tuple(str(number) for number in range(1, options.rounds + 1))

    def worth(self, options: Options, round: int, segment: Segment) -> int:
        return worth(segment, options.bull)[0]

    def beds(self, options: Options, round: int) -> tuple[str, ...]:
        return (*(f"T{n}" for n in (20, 19, 18, 17, 16, 15, 14, 12, 11, 8, 7)), "I19", "I16", "I11", "I7", "DB", "SB")

    def task(self, state: CountingState[Options], turn: Turn, panel: Panel) -> Sentence:
        if state.options.target:
            left = state.options.target - state.scores[turn.side]
            return say("count_up.target", "Score as much as you can: {left} to go", left=left)
        rounds = state.options.rounds
        if turn.round > rounds:
            return super().task(state, turn, panel)
        return say("count_up.most", "Score high: most points after round {rounds} win", rounds=rounds)

    def totals(self, state: CountingState[Options], turn: Turn) -> Totals | None:
        return Totals()

    def bed_points(self, options: Options, segment: Segment) -> int:
        return worth(segment, options.bull)[0]

    def throws_on(self, options: Options) -> bool:
        return options.tie != "share"

    def darts(self, state: CountingState[Options], turn: Turn) -> int:
        options = state.options
        is_extra = options.target is None and turn.round > options.rounds
        return 1 if is_extra and options.tie == "one_dart" else 3

    def better(self, options: Options) -> Better | None:
        return None if options.target else super().better(options)

    def has_won(self, options: Options, score: int) -> bool:
        return options.target is not None and score >= options.target

    def figures(self, tally: Tally) -> Mapping[str, float]:
        return {**super().figures(tally), "ppd": tally.ppd}

    def award(self, state: CountingState[Options], turn: Turn) -> str | None:
        return awards.of_score(turn.darts, turn.points, summed=turn.summed)


class LowOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`miss`: what a dart without a score costs."""

    rounds: Rounds = 8
    bull: Bull = "50/50"
    miss: Annotated[int, Meta(ge=0, le=180)] = 60
    tie: Tie = "share"


class LowBall(Counting[LowOptions]):
    """Everything adds up, and a miss costs 60; the lowest total after eight rounds wins.

    Every side starts at 0 and throws three darts a round; the members of a team take turns, one a round. Every dart
    adds what it hits, a double twice its number and a triple three times. The best bed is the single 1.

    A dart that scores nothing adds 60 (`Penalty for a miss`: 0 to 180). This includes a dart that misses the board, a
    bounce-out that the board did not see, and a dart that you do not throw.

    After the last round (`Rounds`: 8, or 1 to 20) the lowest total wins. `When level`, sides share the win. With `One
    more round` the sides that share the lead throw further rounds until one of them is ahead.

    The whole bull counts 50, as on machines (with `Bull` 25/50 its outer part counts 25).

    Source: a house rule of oche, after Unders of the BullShooter EDB400, where a miss costs 60.
    """

    id = "low_ball"
    group = "rounds"
    options_type = LowOptions
    good = -1

    def title(self, options: LowOptions) -> str:
        return "Low Ball"

    def rows(self, options: LowOptions) -> tuple[str, ...]:
        return tuple(str(number) for number in range(1, options.rounds + 1))

    def worth(self, options: LowOptions, round: int, segment: Segment) -> int:
        return worth(segment, options.bull)[0] or options.miss

    def beds(self, options: LowOptions, round: int) -> tuple[str, ...]:
        return (*(f"O{number}" for number in (1, 2, 3, 4)), *(f"I{number}" for number in range(1, 21)), "SB")

    def task(self, state: CountingState[LowOptions], turn: Turn, panel: Panel) -> Sentence:
        if state.options.miss:
            return say("low_ball.low", "Score low, a miss adds {miss}: lowest wins", miss=state.options.miss)
        return say("low_ball.none", "Score low: lowest total wins")

    def throws_on(self, options: LowOptions) -> bool:
        return options.tie == "one_more_round"

    def figures(self, tally: Tally) -> Mapping[str, float]:
        return {"average": tally.average}

    def award(self, state: CountingState[LowOptions], turn: Turn) -> str | None:
        """No award: high points are bad here."""
        return None


GAMES = (CountUp(), LowBall())
PRESETS = (
    Preset("high_score", "count_up", {"rounds": 7}, "Count-Up over seven rounds."),
    Preset(
        "nine_dart_shootout",
        "count_up",
        {"rounds": 3, "tie": "one_more_round"},
        "The most points with nine darts; level leaders throw three more.",
    ),
)
