"""The X01 family: from a start score down to exactly zero.

What only some houses play is in x01_options.py, the scores in x01_state.py, where to aim in x01_aim.py.
"""

from __future__ import annotations

from msgspec.structs import replace

from engine import awards
from engine.checkouts import closes, least, worth
from engine.facts import Bust
from engine.game import Advice, Game, Panel, Seating, Step, Turn
from engine.games.x01_aim import Stand, aim, hint, targets
from engine.games.x01_figures import aimed, detail, finished
from engine.games.x01_options import VARIANTS, Options, fitting
from engine.games.x01_state import State, Through
from engine.luck import Luck
from engine.ranking import in_contention, leaders
from engine.skill import Skill
from engine.tuples import put
from protocol.segment import Layout, Segment


class X01(Game[Options, State]):
    """From a start score down to exactly zero: 501, 301 and their relatives.

    Every side starts at the same score (option `start`: 501, or 101 to 1501) and throws three darts a visit. What a
    dart hits is taken off. Whoever brings the score to exactly zero wins the leg. As a handicap `starts` gives each
    side a score of its own to start from (2 to 1501, in the order of the sides).

    Out: the last dart must be a double (the inner bull is one); with `master` a double or a triple, with `straight`
    anything. A visit is bust when it would leave less than zero, exactly zero without a legal last dart, or one where
    a double or master out needs two; the score then goes back to what it was before the visit, and the visit is over.

    In: with `double` or `master` nothing counts until that has been hit; the dart that opens counts. A bust in the
    visit that opened closes the score again; with `reopen_after_bust` off it stays open.

    The bull is 25 and 50. With `bull` 50/50 both parts are worth 50 and both are doubles.

    With `finish` = equal_turns the round in which somebody goes out is played to its end. Of several who are out in it
    the one with the fewest darts in that visit wins. With a limit of `rounds` the lowest score wins after the last
    one. Who is level then shares the win; with `tie` = one_more_round those who are level play another round until one
    is ahead, after a finish from what they had before it.

    Partners share a score and throw in turn. With `shared` off each has a score of his own and the side wins with the
    first of them who goes out. A round still is one visit of each side, not of each player. A limit of `rounds` then
    compares what a side's players have left on average, which is shown beside the scores (average left).

    Freeze, for two teams of two, each player with his own score: nobody may go out while his partner has more left
    than both opponents together. Who brings his score to zero all the same loses the leg with `freeze` = lose; with
    `freeze` = bust the visit is bust.

    Figures: a bust counts the darts that were thrown, with `bust_counts_3` always three. A dart at 50 counts as one
    at a finish; with `bull_at_finish` = third only the last dart of a visit does, with never none, unless it hits.
    `doubles` are the favourite doubles of each player, in the order of the players: the route shown as a hint ends on
    one of them where that costs no dart more than the usual route. The usual route is the easiest, not the shortest:
    50 with three darts is S18 D16. With `straight` out, which needs no double, it is the shortest.

    Source: the rules common to leagues and machines (WDF, NDA); the freeze rule of the NDA and of home boards.
    """

    id = "x01"
    options_type = Options
    tons = True
    aside = frozenset({"doubles", "bull_at_finish", "bust_counts_3"})
    by_side = frozenset({"starts"})
    by_player = frozenset({"doubles"})
    team_size = range(1, 9)

    def title(self, options: Options) -> str:
        return str(options.start) if options.freeze == "off" else f"Freeze {options.start}"

    def resolve(self, options: Options, seating: Seating) -> Options:
        return fitting(options, seating)

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        sides = seating.sides
        places = tuple((index,) if options.shared else side.seats for index, side in enumerate(sides))
        start = dict(enumerate(options.starts or (options.start,) * len(sides)))
        starts = {place: start[side] for side, taken in enumerate(places) for place in taken}
        scores = tuple(starts[place] for place in sorted(starts))
        return State(
            options,
            starts=scores,
            scores=scores,
            opened=(options.enter == "straight",) * len(scores),
            places=places,
            contenders=tuple(range(len(sides))),
            thrown=(0,) * len(sides),
        )

    def order(self, state: State, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return in_contention(state.contenders, sides)

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        mine = state.mine(turn)
        before = state.scores[mine], state.opened[mine]
        if state.options.shared:
            return Step(replace(state, before=before))
        thrown = put(state.thrown, turn.side, state.thrown[turn.side] + 1)
        return Step(replace(state, before=before, at=turn.side, thrown=thrown))

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        options, mine = state.options, state.mine(turn)
        points, multiplier = worth(segment, options.bull)
        if not state.opened[mine]:
            if not (points and closes(multiplier, options.enter)):
                return Step(state)
            state = replace(state, opened=put(state.opened, mine, True))
        remaining = state.scores[mine]
        left = remaining - points
        frozen = state.is_frozen(turn)
        is_out = left == 0 and closes(multiplier, options.leave)
        if is_out and not frozen:
            return self._out(state, segment, turn)
        how = options.leave, options.bull, options.bull_at_finish
        counts = {} if frozen else aimed(remaining, *how, is_last=not turn.darts_left)
        if left >= least(options.leave):
            state = replace(state, scores=put(state.scores, mine, left))
            return Step(state, points=state.before[0] - left, counts=counts)
        lost = is_out and options.freeze == "lose"
        return Step(
            state.back(mine, state.before, reopen=options.reopen_after_bust),
            (Bust(side=turn.side),),
            points=0,
            ends_visit=True,
            winners=(1 - turn.side,) if lost else None,
            counts=counts,
            unthrown=turn.darts_left if options.bust_counts_3 else 0,
        )

    def _out(self, state: State, segment: Segment, turn: Turn) -> Step[State]:
        """A legal last dart: the end of the leg, or of this side's part in it."""
        options, mine, checkout = state.options, state.mine(turn), state.before[0]
        through = (*state.through, Through(turn.side, len(turn.darts), mine, state.before))
        return Step(
            replace(state, scores=put(state.scores, mine, 0), through=through),
            points=checkout,
            ends_visit=True,
            winners=(turn.side,) if options.finish == "first" else None,
            counts=finished(state.scores[mine], segment, options.leave, options.bull, checkout),
            highs={"finish": checkout},
        )

    def visit_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        """Counts what machines rate players by: what is thrown until the first has taken off four fifths."""
        if state.cut:
            return Step(state)
        mine = state.mine(turn)
        cut = 5 * state.scores[mine] <= state.starts[mine]
        darts = 3 if state.options.bust_counts_3 and not turn.points else len(turn.darts)
        counts = {"points_80": turn.points, "darts_80": darts}
        return Step(replace(state, cut=True) if cut else state, counts=counts)

    def round_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        options = state.options
        through = {out.side: out for out in state.through if out.side in turn.playing}
        if through:
            best = leaders(sorted(through), lambda side: -through[side].darts)
        elif options.rounds is not None and turn.round >= options.rounds:
            best = leaders(in_contention(state.contenders, turn.playing), lambda side: -state.average(side))
        else:
            return Step(replace(state, through=()) if state.through else state)
        if len(best) <= 1 or options.tie == "share":
            return Step(state, winners=best)
        for out in through.values():
            state = state.back(out.mine, out.before)
        return Step(replace(state, contenders=best, through=()))

    def award(self, state: State, turn: Turn) -> str | None:
        is_out = state.scores[state.mine(turn)] == 0
        return awards.of_score(turn.darts, turn.points, is_out) if turn.points else None

    def score(self, state: State, side: int) -> int:
        """A side's, or its player's who is at the oche or throws next."""
        places = state.places[side]
        return state.scores[places[(state.thrown[side] - (side == state.at)) % len(places)]]

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        details = [detail(tally) for tally in turn.tallies]
        for side, (about, places) in enumerate(zip(details, state.places, strict=True)):
            if len(places) > 1:
                about["scores"] = [state.scores[place] for place in places]
                if state.options.rounds is not None:
                    about["average_left"] = round(state.average(side), 2)
        at = _stand(state, turn)
        return Panel("x01", tuple(details), targets=targets(at), hint=hint(at))

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        return Advice(aim=aim(_stand(state, turn), skill)) if turn.darts_left else Advice()


def _stand(state: State, turn: Turn) -> Stand:
    options, mine = state.options, state.mine(turn)
    liked = options.doubles[turn.seat] if options.doubles else ()
    to_open = None if state.opened[mine] else options.enter
    left, before = state.scores[mine], state.before[0]
    return Stand(left, before, turn.darts_left, options.leave, options.bull, liked, to_open, state.is_frozen(turn))


GAMES = (X01(),)
PRESETS = VARIANTS
