"""Gotcha: up to exactly the target, and landing on an opponent's score sends it back to 0.

There is no fact for a side that is sent back. `Claimed` takes its place: the thrower claims the score that was reached,
and the cell names it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine import awards
from engine.checkouts import AimState, find_routes, worth
from engine.finishing import Bull, can_finish
from engine.game import Advice, Bust, Claimed, Game, Panel, Preset, Seating, Step, Turn, put
from engine.games.targets import note_worth
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.finish import Route, Totals
from protocol.segment import Dartboard, Layout, Segment
from protocol.sentence import Sentence, say
from protocol.standard import USUAL


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`overage`: what happens to points above the target. `strike`: when scores are compared."""

    target: Annotated[int, Meta(ge=101, le=901)] = 301
    overage: Literal["bust", "subtract"] = "bust"
    strike: Literal["dart", "visit"] = "dart"
    bull: Bull = "25/50"
    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = 20


class GotchaState(Struct, frozen=True):
    """Scores by side; `before` is the thrower's at the start of the visit. `dartboard` is that of the match."""

    options: Options
    scores: tuple[int, ...]
    dartboard: Dartboard
    before: int = 0


class Gotcha(Game[Options, GotchaState]):
    """Up to exactly 301; landing on an opponent's score sends that opponent back to 0.

    Every side starts at 0 and throws three darts a visit; the members of a team take turns, one a visit. Each dart
    adds what it hits. The first side to reach the target exactly (`Target score`: 301, or 101 to 901) wins at once,
    with any dart.

    Gotcha: if one of your darts makes your score equal to an opponent's, that opponent goes back to 0. A score of 0
    cannot be caught. `Gotcha after each`: with `Visit` scores are compared only at the end of the visit; the game is
    then known as Elimination or Sorry.

    A visit that goes over the target is bust: it ends, its darts count nothing, and the score goes back to what it was
    before the visit. An opponent that an earlier dart of the visit sent back stays at 0. `Points over the target`: with
    `Are taken off` you also lose the points by which you went over, but the score never falls below 0. If the target is
    101, a triple 20 at 90 is 49 too many and leaves 41. A bust catches no opponent. If a bust leaves two sides level,
    the next dart of either side catches the other, even if it misses.

    The bull is 25 and 50 (with `Bull` 50/50 both parts count 50).

    If the darts you have left can reach the target, the hint shows you a way, as in X01. It is worked out for darts
    that scatter by 12 mm.

    After 20 rounds (`Rounds`, or no limit) the highest score wins; equal scores share the win.

    Source: DartsMind's help; points taken off as Arachnid's Black Widow does; Elimination is a house rule of oche.
    """

    id = "gotcha"
    group = "x01"
    options_type = Options
    tons = True
    sides = range(2, 17)
    team_size = range(1, 9)

    def title(self, options: Options) -> str:
        return f"{'Gotcha' if options.strike == 'dart' else 'Elimination'} {options.target}"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> GotchaState:
        return GotchaState(options, (0,) * len(seating.sides), layout.dartboard or USUAL)

    def begin(self, state: GotchaState, turn: Turn, luck: Luck) -> Step[GotchaState]:
        return Step(replace(state, before=state.scores[turn.side]))

    def dart(self, state: GotchaState, segment: Segment, turn: Turn, luck: Luck) -> Step[GotchaState]:
        side, options = turn.side, state.options
        score = state.scores[side] + _points(segment, options)
        if score > options.target:
            over = score - options.target if options.overage == "subtract" else 0
            back = replace(state, scores=put(state.scores, side, max(0, state.before - over)))
            return Step(back, (Bust(side=side),), points=0, ends_visit=True, counts={"busts": 1})
        state, points = replace(state, scores=put(state.scores, side, score)), score - state.before
        if score == options.target:
            return Step(state, points=points, ends_visit=True, winners=(side,))
        return _catch_opponents(state, turn, points) if options.strike == "dart" else Step(state, points=points)

    def totals(self, state: GotchaState, turn: Turn) -> Totals | None:
        return Totals() if state.options.strike == "visit" else None

    def bed_points(self, options: Options, segment: Segment) -> int:
        return _points(segment, options)

    def visit_over(self, state: GotchaState, turn: Turn, luck: Luck) -> Step[GotchaState]:
        options = state.options
        is_bust = state.before + sum(_points(dart, options) for dart in turn.darts) > options.target
        return Step(state) if is_bust or options.strike == "dart" else _catch_opponents(state, turn, turn.points)

    def round_over(self, state: GotchaState, turn: Turn, luck: Luck) -> Step[GotchaState]:
        if turn.round != state.options.rounds:
            return Step(state)
        return Step(state, winners=leaders(turn.playing, lambda side: state.scores[side]))

    def leading(self, state: GotchaState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: state.scores[side])

    def score(self, state: GotchaState, side: int) -> int:
        return state.scores[side]

    def award(self, state: GotchaState, turn: Turn) -> str | None:
        return awards.of_score(turn.darts, turn.points, summed=turn.summed)

    def view(self, state: GotchaState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {
                "left": state.options.target - score,
                "average": tally.average,
                "gotchas": tally.counts.get("gotchas", 0),
                "busts": tally.counts.get("busts", 0),
            }
            for score, tally in zip(state.scores, turn.tallies, strict=True)
        )
        hits = [score - state.scores[turn.side] for score in _catchable_scores(state, turn)]
        routes = _find_ways(state, turn)
        way = routes[0].darts if routes else ()
        catches = [bed for gap in hits for bed in _beds_worth(gap, state.options)[:1]] if turn.darts_left else []
        board = {"target": state.options.target} | note_worth(turn.darts, lambda dart: _points(dart, state.options))
        return Panel(
            "plain", detail, targets=tuple(dict.fromkeys([*way[:1], *catches])), hint=way, board=board, routes=routes
        )

    def task(self, state: GotchaState, turn: Turn, panel: Panel) -> Sentence:
        mine = state.scores[turn.side]
        left = state.options.target - mine
        prey, needed = _find_prey(state, turn)
        if needed and not 0 < len(panel.hint) <= needed:
            caught = [turn.names[side] for side in turn.playing if state.scores[side] == prey]
            return say(
                "gotcha.catch",
                "{left} to go; {gap} more sends {name} back to 0",
                left=left,
                gap=prey - mine,
                name=caught[0],
            )
        if panel.hint:
            return say(
                "gotcha.finish", "{way} makes exactly {target} and wins", target=state.options.target, way=panel.hint
            )
        if state.options.overage == "subtract":
            return say(
                "gotcha.back",
                "Score: {left} to go, exactly; more is taken off",
                left=left,
            )
        return say(
            "gotcha.go",
            "Score: {left} to go, exactly; more is bust",
            left=left,
        )

    def reason(self, state: GotchaState, turn: Turn, bust: bool) -> Sentence | None:
        if not bust:
            return None
        thrown = sum(_points(dart, state.options) for dart in turn.darts)
        left = state.options.target - state.before
        return say("gotcha.bust", "Bust: {thrown} of {left}", thrown=thrown, left=left)

    def advise(self, state: GotchaState, turn: Turn, seat: int, skill: Skill) -> Advice:
        """Where the points, what they cost an opponent, and above all the end are worth most."""
        options, mine, prey = state.options, state.scores[turn.side], _catchable_scores(state, turn)
        counts_now = options.strike == "dart" or turn.darts_left == 1

        def worth(segment: Segment) -> float:
            score = mine + _points(segment, options)
            if score == options.target:
                return 10 * options.target
            if score > options.target:
                over = score - options.target if options.overage == "subtract" else 0
                return state.before - over - mine
            return score - mine + (score if score in prey and counts_now else 0)

        gaps = [options.target - mine, *(score - mine for score in prey)]
        exact = [bed for gap in gaps for bed in _beds_worth(gap, options)]
        singles = [f"S{number}" for number in range(20, 0, -1)]
        beds = dict.fromkeys([*exact[:9], "T20", "T19", "T18", "DB", "SB", *singles])
        return Advice(aim=skill.best(worth, beds))


def _find_ways(state: GotchaState, turn: Turn) -> tuple[Route, ...]:
    """The ways to the target with the darts in hand, the one to take first; as those out of X01 with any last dart."""
    options = state.options
    left, before = options.target - state.scores[turn.side], options.target - state.before
    aim = AimState(left, before, turn.darts_left, "straight", options.bull, dartboard=state.dartboard)
    return find_routes(aim)


def _points(segment: Segment, options: Options) -> int:
    return worth(segment, options.bull)[0]


def _catchable_scores(state: GotchaState, turn: Turn) -> tuple[int, ...]:
    """The scores of opponents that the thrower could still come to, those nearest to the target first."""
    side = turn.side
    ahead = {state.scores[s] for s in turn.playing if s != side and state.scores[s] > state.scores[side]}
    return tuple(sorted(ahead, reverse=True))


def _find_prey(state: GotchaState, turn: Turn) -> tuple[int, int]:
    """The nearest score of an opponent that the darts in hand can come to, and how many it takes; 0 where none is."""
    bull, mine = state.options.bull, state.scores[turn.side]
    for prey in reversed(_catchable_scores(state, turn)):
        for darts in range(1, turn.darts_left + 1):
            if can_finish(prey - mine, darts, "straight", bull):
                return prey, darts
    return 0, 0


def _catch_opponents(state: GotchaState, turn: Turn, points: int) -> Step[GotchaState]:
    """The thrower's score, taken from every other side that has it."""
    score = state.scores[turn.side]
    caught = [side for side in turn.playing if side != turn.side and state.scores[side] == score > 0]
    if not caught:
        return Step(state, points=points)
    scores = tuple(0 if side in caught else had for side, had in enumerate(state.scores))
    fact = Claimed(side=turn.side, cell=str(score))
    return Step(replace(state, scores=scores), (fact,), points=points, counts={"gotchas": len(caught)})


def _beds_worth(points: int, options: Options) -> list[str]:
    """The beds that are worth so many points, the widest first."""
    beds = [f"S{points}"] if 1 <= points <= 20 else []
    if options.bull == "25/50" and points == 25:
        beds.append("SB")
    if points == 50:
        beds.append("DB")
    if points % 2 == 0 and 2 <= points <= 40:
        beds.append(f"D{points // 2}")
    if points % 3 == 0 and 3 <= points <= 60:
        beds.append(f"T{points // 3}")
    return beds


GAMES = (Gotcha(),)
PRESETS = (Preset("elimination", "gotcha", {"strike": "visit"}, "Gotcha, with scores compared after the visit only."),)
