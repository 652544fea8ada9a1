"""The bull games: nothing but the bull counts, upwards for so many rounds or down to zero."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.checkouts import worth
from engine.finishing import Bull
from engine.game import Advice, Better, Bust, Game, O, Panel, Seating, Step, Turn, put
from engine.games.targets import note_worth, rate, tried
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from engine.tally import UNREAD, Tally
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say


class EagleOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`bull`: what the outer and the inner part count."""

    rounds: Annotated[int, Meta(ge=1, le=100)] = 8
    bull: Bull = "25/50"


class KillOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`start`: the score to bring to zero. `rounds`: the end at the latest."""

    start: Annotated[int, Meta(ge=25, le=1000)] = 200
    rounds: Annotated[int, Meta(ge=1, le=200)] = 30
    bull: Bull = "25/50"


class BullsState(Struct, frozen=True):
    """Scores by side, and what the header said; `start` is what a score begins with."""

    start: int
    rounds: int
    bull: Bull
    scores: tuple[int, ...]


class Bulls(Game[O, BullsState]):
    """The rules of the family; see its games."""

    team_size = range(1, 9)
    sign: ClassVar[int]
    """What a hit does to the score: 1 adds, -1 takes off."""
    factor: ClassVar[int] = 1
    """How many times its worth a hit counts."""

    def dart(self, state: BullsState, segment: Segment, turn: Turn, luck: Luck) -> Step[BullsState]:
        points = self._points(segment, state.bull)
        counts = tried("bull", points > 0)
        if not points:
            return Step(state, counts=counts)
        state = replace(state, scores=put(state.scores, turn.side, state.scores[turn.side] + self.sign * points))
        return Step(state, points=turn.points + points, counts=counts)

    def round_over(self, state: BullsState, turn: Turn, luck: Luck) -> Step[BullsState]:
        if turn.round < state.rounds:
            return Step(state)
        return Step(state, winners=leaders(turn.playing, lambda side: self.sign * state.scores[side]))

    def leading(self, state: BullsState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: self.sign * state.scores[side])

    def score(self, state: BullsState, side: int) -> int:
        return state.scores[side]

    def better(self, options: O) -> Better:
        return "high" if self.sign == 1 else "low"

    def view(self, state: BullsState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple({"hits": rate(tally), "average": tally.average} for tally in turn.tallies)
        board = {"rounds": state.rounds}
        board |= note_worth(turn.darts, lambda dart: self._points(dart, state.bull))
        return Panel("plain", detail, targets=("bull",) if turn.darts_left else (), board=board)

    def advise(self, state: BullsState, turn: Turn, seat: int, skill: Skill) -> Advice:
        return Advice(aim="DB")

    def _points(self, segment: Segment, bull: Bull) -> int:
        return self.factor * worth(segment, bull)[0] if "bull" in segment.groups else 0


class EaglesEye(Bulls[EagleOptions]):
    """Only the bull counts, for eight rounds.

    Every dart in the bull scores: 25 in the outer part, 50 in the inner (with `Bull` 50/50: 50 and 50). Nothing else
    counts.

    After eight rounds (`Rounds`) the highest score wins; equal scores share the win.

    Source: Eagle's Eye as dolfdarts.com prints it; sharing the win on equal scores is a house rule of oche.
    """

    id = "eagles_eye"
    group = "practice"
    options_type = EagleOptions
    sign = 1

    def title(self, options: EagleOptions) -> str:
        return "Eagle's Eye"

    def task(self, state: BullsState, turn: Turn, panel: Panel) -> Sentence:
        if state.bull == "50/50":
            return say(
                "eagles_eye.whole",
                "Hit the bull: it adds 50, anything else nothing; the most points after round {rounds} win",
                rounds=state.rounds,
            )
        return say(
            "eagles_eye.hit",
            "Hit the bull: the outer bull adds 25, the inner 50; the most points after round {rounds} win",
            rounds=state.rounds,
        )

    def setup(self, options: EagleOptions, seating: Seating, layout: Layout, luck: Luck) -> BullsState:
        return BullsState(0, options.rounds, options.bull, (0,) * len(seating.sides))


class KillBull(Bulls[KillOptions]):
    """Down to zero with bulls alone; a visit without a bull starts over.

    Every side starts with 200 points (`Start score`). A dart in the outer bull takes 25 off, in the inner bull 50
    (with `Bull` 50/50: 50 and 50). Nothing else counts.

    After a visit without a bull you are back at the start score and lose all that you have taken off.

    The first side at zero or below wins at once. After 30 rounds (`Rounds`) the lowest score wins; equal scores share
    the win.

    Source: kcapp's Kill Bull; the limit of rounds is a house rule of oche.
    """

    id = "kill_bull"
    group = "practice"
    options_type = KillOptions
    sign = -1

    def title(self, options: KillOptions) -> str:
        return "Kill Bull"

    def task(self, state: BullsState, turn: Turn, panel: Panel) -> Sentence:
        left = state.scores[turn.side]
        if turn.points or left == state.start:
            return say("kill_bull.hit", "Hit the bull: it takes its points off; {left} to go", left=left)
        return say(
            "kill_bull.keep",
            "Hit the bull to take off its points; three misses put you back at {start}; {left} to go",
            start=state.start,
            left=left,
        )

    def reason(self, state: BullsState, turn: Turn, bust: bool) -> Sentence | None:
        return say("kill_bull.none", "No bull: back at {start}", start=state.start) if bust else None

    def setup(self, options: KillOptions, seating: Seating, layout: Layout, luck: Luck) -> BullsState:
        return BullsState(options.start, options.rounds, options.bull, (options.start,) * len(seating.sides))

    def dart(self, state: BullsState, segment: Segment, turn: Turn, luck: Luck) -> Step[BullsState]:
        step = super().dart(state, segment, turn, luck)
        if step.state.scores[turn.side] > 0:
            return step
        zero = replace(step.state, scores=put(step.state.scores, turn.side, 0))
        points = turn.points + state.scores[turn.side]
        return replace(step, state=zero, points=points, ends_visit=True, winners=(turn.side,))

    def visit_over(self, state: BullsState, turn: Turn, luck: Luck) -> Step[BullsState]:
        if turn.points or state.scores[turn.side] == state.start:
            return Step(state)
        return Step(replace(state, scores=put(state.scores, turn.side, state.start)), (Bust(side=turn.side),))

    def result(self, state: BullsState, side: int, tally: Tally) -> int | None:
        """The darts that it took to come to zero."""
        return tally.darts + tally.counts.get(UNREAD, 0) if not state.scores[side] else None


class RobinOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`bull`: whether the outer part counts half of the inner one or as much."""

    rounds: Annotated[int, Meta(ge=1, le=100)] = 10
    bull: Bull = "25/50"


class RobinHood(Bulls[RobinOptions]):
    """Ten rounds at the bull: 100 for the outer part, 200 for the inner.

    Every dart in the outer bull adds 100, in the inner one 200. Nothing else counts. (`Bull` has the same names as in
    other games: with 25/50 the outer part counts half as much as the inner, with 50/50 both count 200.)

    After ten rounds (`Rounds`) the highest score wins; equal scores share the win.

    Source: a house rule of oche, after the Robin Hood of coin-operated Galaxy machines.
    """

    id = "robin_hood"
    group = "practice"
    options_type = RobinOptions
    sign = 1
    factor = 4

    def title(self, options: RobinOptions) -> str:
        return "Robin Hood"

    def setup(self, options: RobinOptions, seating: Seating, layout: Layout, luck: Luck) -> BullsState:
        return BullsState(0, options.rounds, options.bull, (0,) * len(seating.sides))

    def task(self, state: BullsState, turn: Turn, panel: Panel) -> Sentence:
        if state.bull == "50/50":
            return say(
                "robin_hood.whole",
                "Hit the bull: it adds 200, anything else nothing; the most points after round {rounds} win",
                rounds=state.rounds,
            )
        return say(
            "robin_hood.hit",
            "Hit the bull: the outer bull adds 100, the inner 200; the most points after round {rounds} win",
            rounds=state.rounds,
        )


GAMES = (EaglesEye(), KillBull(), RobinHood())
