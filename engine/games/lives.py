"""Games of lives: a bad visit loses one, and the last side with any left wins.

Knockout, Legs and the Overs of home boards have one rule, a visit compared with a mark, so they are presets of one
game. Nine Lives is a race that one side may run alone.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from engine import awards
from engine.game import Advice, Fact, Game, Panel, Preset, Reason, Seating, Step, Turn, put
from engine.games.survival import MOST_POINTS, Lives, aim_at_points, last_in, lose, scored
from engine.games.targets import beds, legend, rate, shorten_label, tried
from engine.luck import Luck
from engine.skill import Skill
from protocol.finish import Totals
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say


class MarkOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`mark`: what a visit is compared with; `tie_loses`: it must be higher."""

    lives: Lives = 3
    mark: Literal["last", "best", "own"] = "last"
    tie_loses: bool = False


class KnockoutState(Struct, frozen=True):
    """Lives left, and the mark of each side's next visit (None: none yet). `lost`: what the current visit needed and
    did not have, which cost a life.
    """

    options: MarkOptions
    lives: tuple[int, ...]
    marks: tuple[int | None, ...]
    lost: int | None = None


class Knockout(Game[MarkOptions, KnockoutState]):
    """Score at least as much as the visit before yours, or lose a life; the last side left wins.

    Every side has three lives (`Lives`: 1 to 9). A visit scores what its darts hit; the bull counts 25 and 50. Each
    visit has a mark to reach: if it scores less, the side loses a life. A visit equal to the mark is safe; with `Equal
    visit costs a life` it costs a life too, so the side must beat the mark. The first visit has no mark and is safe.

    `Visit to beat`: with `The visit before` the mark is the visit thrown just before, whether good or bad, even if it
    was the last visit of a side that is now out. With `The best visit` the mark is the best visit of the leg so far;
    only a better visit replaces it. With `Your own visit before` the mark of each side is its own previous visit.

    A side without lives is out and is skipped. The last side left wins. The members of a team share its lives and take
    turns. A side that leaves the match is out; a visit that it has not finished sets no mark. When only one side is
    left, it wins.

    Source: kcapp (Knockout), chinadart.com (Legs), BullShooter EDB400 (Overs); the best visit is a house rule of oche.
    """

    id = "knockout"
    group = "lives"
    options_type = MarkOptions
    tons = True
    sides = range(2, 17)
    team_size = range(1, 9)
    alone_wins = True

    def title(self, options: MarkOptions) -> str:
        if not options.tie_loses:
            return "Knockout"
        return "Legs" if options.mark == "last" else "Overs"

    def setup(self, options: MarkOptions, seating: Seating, layout: Layout, luck: Luck) -> KnockoutState:
        count = len(seating.sides)
        return KnockoutState(options, (options.lives,) * count, (None,) * count)

    def begin(self, state: KnockoutState, turn: Turn, luck: Luck) -> Step[KnockoutState]:
        state = state if state.lost is None else replace(state, lost=None)
        return Step(state, winners=last_in(self.out(state), turn))

    def dart(self, state: KnockoutState, segment: Segment, turn: Turn, luck: Luck) -> Step[KnockoutState]:
        return Step(state, points=scored(turn))

    def totals(self, state: KnockoutState, turn: Turn) -> Totals | None:
        return Totals()

    def visit_over(self, state: KnockoutState, turn: Turn, luck: Luck) -> Step[KnockoutState]:
        alone = last_in(self.out(state), turn)
        if alone is not None:  # the others are out or have left, and nothing is lost any more
            return Step(state, winners=alone)
        side, total = turn.side, scored(turn)
        facts: tuple[Fact, ...] = ()
        need = self._points_needed(state, side)
        if total < need:
            state = replace(state, lives=put(state.lives, side, state.lives[side] - 1), lost=need)
            facts = lose(side, 1, state.lives[side])
        mark = max(total, state.marks[side] or 0) if state.options.mark == "best" else total
        marks = put(state.marks, side, mark) if state.options.mark == "own" else (mark,) * len(state.marks)
        return Step(replace(state, marks=marks), facts, winners=last_in(self.out(state), turn))

    def out(self, state: KnockoutState) -> frozenset[int]:
        return frozenset(side for side, lives in enumerate(state.lives) if not lives)

    def score(self, state: KnockoutState, side: int) -> int:
        return state.lives[side]

    def award(self, state: KnockoutState, turn: Turn) -> str | None:
        return awards.of_score(turn.darts, turn.points, summed=turn.summed)

    def view(self, state: KnockoutState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"lives": lives, "mark": mark, "average": tally.average}
            for lives, mark, tally in zip(state.lives, state.marks, turn.tallies, strict=True)
        )
        board: dict[str, Any] = {"lives": state.options.lives, "mark": state.marks[turn.side]}  # Any: JSON
        board |= {"total": scored(turn), "notes": [dart.points for dart in turn.darts], "unit": "lives"}
        return Panel("lives", detail, board=board)

    def task(self, state: KnockoutState, turn: Turn, panel: Panel) -> Sentence:
        need = self._points_needed(state, turn.side)
        more = need - turn.points
        if not need:
            return say("knockout.first", "Score as much as you can: there is nothing to beat yet")
        if more <= 0:
            return say("knockout.safe", "You are safe: score more, to make it hard to beat")
        if more > MOST_POINTS * turn.darts_left:
            return say("knockout.beyond", "{need} is out of reach: this visit costs a life", need=need)
        if not turn.darts:
            return say("knockout.beat", "Score at least {need} with three darts, or lose a life", need=need)
        return say("knockout.more", "Score {more} more to have {need}, or lose a life", more=more, need=need)

    def reason(self, state: KnockoutState, turn: Turn, bust: bool) -> Reason | None:
        if state.lost is None:
            return None
        said = say("knockout.lost", "A life lost: {points} of {need}", points=turn.points, need=state.lost)
        return Reason(said, "life_lost")

    def advise(self, state: KnockoutState, turn: Turn, seat: int, skill: Skill) -> Advice:
        return Advice(aim=aim_at_points(turn, self._points_needed(state, turn.side), skill))

    def _points_needed(self, state: KnockoutState, side: int) -> int:
        """The points that a visit of this side needs to be safe."""
        mark = state.marks[side]
        return 0 if mark is None else mark + state.options.tie_loses


class NineOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`lives` at the start; `bull`: the last step after the 20."""

    lives: Lives = 3
    bull: bool = False


class NineLivesState(Struct, frozen=True):
    """Lives left and steps done, by side. `alone`: there is one side, and it plays against its lives only."""

    options: NineOptions
    lives: tuple[int, ...]
    at: tuple[int, ...]
    alone: bool

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps, as groups of the layout."""
        return (*map(str, range(1, 21)), *(("bull",) if self.options.bull else ()))


class NineLives(Game[NineOptions, NineLivesState]):
    """Round the clock with three lives: a visit without a hit costs one.

    Every side hits the numbers from 1 to 20 in order; with `Bull at the end` the bull comes after the 20. Any ring of
    the number counts and is one step. After a hit the remaining darts go for the next number. A visit without a step
    costs one of the side's three lives (`Lives`: 1 to 9). A side without lives is out.

    The first side to take the last step wins at once. So does the last side left. A side that plays alone wins if it
    takes the last step before its lives are gone. In a match of several legs a lost leg is followed by the next, until
    enough legs are won or the match is stopped. The members of a team share its lives and its steps, and take turns.
    The wall shows how many steps each side has taken.

    Source: Nine Lives as mostdartgames.com prints it.
    """

    id = "nine_lives"
    group = "lives"
    options_type = NineOptions
    team_size = range(1, 9)
    alone_wins = True

    def title(self, options: NineOptions) -> str:
        return "Nine Lives"

    def setup(self, options: NineOptions, seating: Seating, layout: Layout, luck: Luck) -> NineLivesState:
        count = len(seating.sides)
        return NineLivesState(options, (options.lives,) * count, (0,) * count, count == 1)

    def begin(self, state: NineLivesState, turn: Turn, luck: Luck) -> Step[NineLivesState]:
        return Step(state, winners=self._winners(state, turn))

    def dart(self, state: NineLivesState, segment: Segment, turn: Turn, luck: Luck) -> Step[NineLivesState]:
        side, at = turn.side, state.at[turn.side]
        hit = state.steps[at] in segment.groups
        counts = tried(state.steps[at], hit)
        if not hit:
            return Step(state, counts=counts)
        state = replace(state, at=put(state.at, side, at + 1))
        is_last = at + 1 == len(state.steps)
        return Step(state, points=turn.points + 1, winners=(side,) if is_last else None, counts=counts)

    def visit_over(self, state: NineLivesState, turn: Turn, luck: Luck) -> Step[NineLivesState]:
        alone = self._winners(state, turn)
        if turn.points or alone is not None:  # nothing is lost when the others are out or have left
            return Step(state, winners=alone)
        side = turn.side
        state = replace(state, lives=put(state.lives, side, state.lives[side] - 1))
        return Step(state, lose(side, 1, state.lives[side]), winners=self._winners(state, turn))

    def out(self, state: NineLivesState) -> frozenset[int]:
        return frozenset(side for side, lives in enumerate(state.lives) if not lives)

    def score(self, state: NineLivesState, side: int) -> int:
        return state.at[side]

    def view(self, state: NineLivesState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"at": at, "lives": lives, "hits": rate(tally)}
            for at, lives, tally in zip(state.at, state.lives, turn.tallies, strict=True)
        )
        steps = [*map(shorten_label, state.steps)]
        board = {"steps": steps, "lives": state.options.lives, "legend": legend(steps), "unit": "steps"}
        ahead = state.steps[state.at[turn.side] :][: min(1, turn.darts_left)]
        return Panel("track", detail, targets=ahead, board=board)

    def task(self, state: NineLivesState, turn: Turn, panel: Panel) -> Sentence:
        targets = panel.targets
        if turn.points:
            return say("nine_lives.next", "Hit {targets}, the next number: this visit is safe", targets=targets)
        return say("nine_lives.hit", "Hit {targets} with one of three darts, or lose a life", targets=targets)

    def reason(self, state: NineLivesState, turn: Turn, bust: bool) -> Reason | None:
        if turn.points or self._winners(state, turn) is not None:
            return None
        said = say("nine_lives.lost", "A life lost: no hit")
        return Reason(said, "life_lost")

    def advise(self, state: NineLivesState, turn: Turn, seat: int, skill: Skill) -> Advice:
        target = state.steps[state.at[turn.side]]
        return Advice(aim=skill.best(lambda segment: target in segment.groups, among=beds(target)))

    def _winners(self, state: NineLivesState, turn: Turn) -> tuple[int, ...] | None:
        winners = last_in(self.out(state), turn)
        return None if state.alone and winners else winners


GAMES = (Knockout(), NineLives())
PRESETS = (
    Preset("legs", "knockout", {"tie_loses": True}, "Beat the visit before yours, or lose one of three legs."),
    Preset("overs", "knockout", {"tie_loses": True, "mark": "own"}, "Beat your own previous visit, or lose a life."),
    Preset(
        "overs_leader", "knockout", {"tie_loses": True, "mark": "best"}, "Beat the best visit so far, or lose a life."
    ),
)
