"""The X01 family: from a start score down to exactly zero. Where to aim is in engine/checkouts.py.

A side has one score, or each of its players has one (option `shared`): `scores` is then indexed by player, and the
player at the oche says which of them a dart counts on.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from engine import awards, checkouts
from engine.checkouts import (
    AimState,
    aim,
    count_aim,
    count_finish,
    count_total,
    describe_tally,
    find_totals,
    worth,
)
from engine.finishing import USUAL_MM, can_finish, closes, list_opening_totals
from engine.game import Advice, Bust, Game, Panel, Preset, Prompt, Seating, Step, Turn, put, say
from engine.games.x01_options import Options, fit_options
from engine.games.x01_sentences import say_deciding, say_frozen
from engine.games.x01_state import Through, X01State
from engine.luck import Luck
from engine.ranking import in_contention, leaders
from engine.skill import Skill
from protocol.commands import Total, refuse
from protocol.finish import Totals
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence
from protocol.standard import USUAL

_MUCH = 1501
"""So much is left where only points count."""


class X01(Game[Options, X01State]):
    """Score down from 501, 301 or another start score to exactly zero.

    Every side starts at the same score (`Start score`: 501, or 101 to 1501) and throws three darts a visit. What a dart
    hits is taken off. The first side to reach exactly zero wins the leg. A `Handicap` gives each side a start score of
    its own (2 to 1501, in the order of the sides).

    `Out`: the last dart must be a double (the inner bull is one); with `Master` a double or a triple, with `Straight`
    any dart will do. A visit is bust if it would leave less than zero, zero without a legal last dart, or 1 with double
    or master out. The score then goes back to what it was before the visit, and the visit ends.

    `In`: with `Double` nothing counts until you have hit a double, with `Master` a double or a triple; the dart that
    opens your score counts already. If the visit that opened it is bust, you have to open it again; with `Open again
    after a bust` off it stays open.

    The bull counts 25 and 50. With `Bull` 50/50 both parts count 50, and both are doubles.

    `Finish`: with `Equal turns` the round in which a side goes out is played to its end. If several sides go out in
    the same round, the one that needed the fewest darts in its visit wins. With a limit of `Rounds` the lowest score
    wins after the last one. `When level`: sides that are level share the win; with `One more round` they play another
    round until one is ahead. If they are level because they all went out, they play on from their scores before that
    visit.

    With `Deciding visit` nobody has won after the last round, even if one side is ahead: each side throws one more
    visit. A side that goes out in this visit wins at once. Otherwise the side with less left wins, and sides that are
    level throw another visit. With `Highest visit` each side throws one more visit too, but only the points of that
    visit decide: nothing is taken off, and the most points win. With either, sides that go out in the same round with
    equally many darts play on as with `One more round`.

    With `Play on for places` the first side out wins, and the others play on for their places for as long as two are
    left. With a limit of rounds, those still playing get their places by their scores.

    With `Split the 11`, for double or master out, a visit that leaves 1 is not bust. From 1 you go out only with a dart
    that splits the 11: it sticks between the two digits of that number on the number ring. No board can see this, so
    you are asked after a miss; without an answer it was a miss. Bots never split it.

    Partners share a score and throw in turn. With `Shared score` off each player has a separate score, and a side wins
    when the first of its players goes out. A round is still one visit of each side, not of each player. With a limit of
    rounds, the average of what a side's players have left is compared; it is shown beside the scores (average left).

    `Freeze`, for two teams of two with separate scores: you must not go out while your partner has more left than both
    opponents together. If you do, your side loses the leg with `Loses the leg`; with `Is bust` only your visit is bust.

    In the statistics a bust counts the darts that were thrown; with `Bust counts as three darts` it always counts
    three. `Dart with 50 left is at a finish` says when a dart thrown with 50 left counts as a dart at a finish: with
    `Always` every time, with `With the last dart` only as the last dart of a visit, with `Never` not at all. A dart
    that finishes always counts.

    The hint considers the routes with the best chance to finish in this visit, or at most one percentage point less. Of
    these it shows the one that takes the fewest visits on average; misses and busts are included. If no finish is
    possible, the hint shows what leaves one. `Scatter of each player` is how far a player's darts scatter, in mm (12 if
    nothing is known; 8 is a very good player, 27 a fair one). The hint ends on one of a player's `Favourite doubles` if
    that costs less than one in a hundred finishes.

    Source: manuals (Arachnid, Klarfit), WMDA, GranDarts, Autodarts; Split the 11 and others are house rules of oche.
    """

    id = "x01"
    group = "x01"
    options_type = Options
    tons = True
    aside = frozenset({"doubles", "scatter", "bull_at_finish", "bust_counts_3"})
    by_side = frozenset({"starts"})
    by_player = frozenset({"doubles", "scatter"})
    team_size = range(1, 9)

    def title(self, options: Options) -> str:
        return str(options.start) if options.freeze == "off" else f"Freeze {options.start}"

    def resolve(self, options: Options, seating: Seating) -> Options:
        return fit_options(options, seating)

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> X01State:
        sides = seating.sides
        indices = tuple((index,) if options.shared else side.seats for index, side in enumerate(sides))
        start = dict(enumerate(options.starts or (options.start,) * len(sides)))
        starts = {index: start[side] for side, taken in enumerate(indices) for index in taken}
        scores = tuple(starts[index] for index in sorted(starts))
        return X01State(
            options,
            starts=scores,
            scores=scores,
            opened=(options.enter == "straight",) * len(scores),
            score_indices=indices,
            contenders=tuple(range(len(sides))),
            thrown=(0,) * len(sides),
            dartboard=layout.dartboard or USUAL,
            names=() if options.freeze == "off" else seating.players,
        )

    def order(self, state: X01State, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return in_contention(state.contenders, tuple(side for side in sides if side not in state.ranks) or sides)

    def begin(self, state: X01State, turn: Turn, luck: Luck) -> Step[X01State]:
        if state.ranks and len(state.left(turn)) <= 1:
            return _close_places(state, turn)
        mine = state.score_index(turn)
        before = state.scores[mine], state.opened[mine]
        if state.options.shared:
            return Step(replace(state, before=before))
        thrown = put(state.thrown, turn.side, state.thrown[turn.side] + 1)
        return Step(replace(state, before=before, at=turn.side, thrown=thrown))

    def dart(self, state: X01State, segment: Segment, turn: Turn, luck: Luck) -> Step[X01State]:
        options, mine = state.options, state.score_index(turn)
        points, multiplier = worth(segment, options.bull)
        if state.deciding:
            return _add_deciding(state, turn, points)
        if options.split_11 and state.scores[mine] == 1 and not points:
            return Step(replace(state, asked=True), counts={} if state.is_frozen(turn) else {"at_finish": 1})
        if not state.opened[mine]:
            if not (points and closes(multiplier, options.enter)):
                return Step(state)
            state = replace(state, opened=put(state.opened, mine, True))
        remaining = state.scores[mine]
        left = remaining - points
        frozen = state.is_frozen(turn)
        is_out = left == 0 and closes(multiplier, options.leave)
        if is_out and not frozen:
            return self._check_out(state, turn, self._count_out(state, turn))
        how = options.leave, options.bull, options.bull_at_finish
        counts = {} if frozen else count_aim(remaining, *how, is_last=not turn.darts_left)
        return self._take_off(state, points, is_out, turn, counts)

    def totals(self, state: X01State, turn: Turn) -> Totals | None:
        options = state.options
        if state.deciding:
            return Totals()
        if options.split_11:  # a miss asks whether it was one
            return None
        mine = state.score_index(turn)
        how = options.leave, options.bull, state.enter(mine), state.is_frozen(turn)
        return find_totals(state.scores[mine], turn.darts_left, *how)

    def bed_points(self, options: Options, segment: Segment) -> int:
        return worth(segment, options.bull)[0]

    def total(self, state: X01State, total: Total, turn: Turn, luck: Luck) -> Step[X01State]:
        """The last dart of a total that comes to exactly zero is taken to be a legal one, where there is a way."""
        options, mine, darts = state.options, state.score_index(turn), total.darts or turn.thrown
        if state.deciding:
            return _add_deciding(state, turn, total.points)
        if total.bust:
            return self._bust(state, turn, count_total(total, False, state.before[0]))
        how = options.leave, options.bull, state.enter(mine)
        if not state.opened[mine]:
            if total.points not in list_opening_totals(darts, options.enter, options.bull):
                raise refuse(
                    "refused.no_opening",
                    "{total} cannot be scored with so many darts, counted from the one that opens: {darts}",
                    total=total.points,
                    darts=darts,
                )
            if not total.points:
                return Step(state)
            state = replace(state, opened=put(state.opened, mine, True))
        is_out = total.points == state.scores[mine]
        if is_out and not can_finish(total.points, darts, *how):
            if can_finish(total.points, darts + turn.darts_left, *how):
                raise refuse(
                    "refused.no_finish",
                    "{total} cannot be finished with so many darts: {darts}",
                    total=total.points,
                    darts=darts,
                )
            is_out = False
        frozen = state.is_frozen(turn)
        counts = {} if frozen else count_total(total, is_out, state.before[0])
        if is_out and not frozen:
            return self._check_out(state, turn, counts)
        return self._take_off(state, total.points, is_out, turn, counts)

    def _take_off(
        self, state: X01State, points: int, is_out: bool, turn: Turn, counts: Mapping[str, int]
    ) -> Step[X01State]:
        """The step of darts that do not check out: these points off, or a bust; `is_out` in a game that is frozen."""
        mine = state.score_index(turn)
        left = state.scores[mine] - points
        if left >= state.least():
            state = replace(state, scores=put(state.scores, mine, left))
            return Step(state, points=state.before[0] - left, counts=counts)
        return self._bust(state, turn, counts, is_out)

    def _bust(self, state: X01State, turn: Turn, counts: Mapping[str, int], is_out: bool = False) -> Step[X01State]:
        """The step of darts that are bust; `is_out` as in `_take_off`."""
        options = state.options
        lost = is_out and options.freeze == "lose"  # a partner is out too soon
        return Step(
            state.back(state.score_index(turn), state.before, reopen=options.reopen_after_bust),
            (Bust(side=turn.side),),
            points=0,
            ends_visit=True,
            winners=(1 - turn.side,) if lost else None,
            counts=counts,
            unthrown=turn.darts_left if options.bust_counts_3 else 0,
        )

    def _count_out(self, state: X01State, turn: Turn) -> Mapping[str, int]:
        """What the last dart counts for, which is a legal one."""
        remaining, options = state.scores[state.score_index(turn)], state.options
        return count_finish(remaining, turn.darts[-1], options.leave, options.bull, state.before[0])

    def _check_out(self, state: X01State, turn: Turn, counts: Mapping[str, int]) -> Step[X01State]:
        """The step of a legal last dart: the end of the leg, or of this side's part in it."""
        options, mine, checkout = state.options, state.score_index(turn), state.before[0]
        step = Step(
            replace(state, scores=put(state.scores, mine, 0), asked=False),
            points=checkout,
            ends_visit=True,
            winners=(turn.side,) if options.finish == "first" else None,
            counts=counts,
            highs={"finish": checkout},
        )
        if options.places:
            ranked = _close_places(replace(step.state, ranks=(*state.ranks, turn.side)), turn)
            return replace(step, state=ranked.state, winners=ranked.winners)
        through = (*state.through, Through(turn.side, turn.thrown, mine, state.before))
        return replace(step, state=replace(step.state, through=through))

    def has_prompts(self, options: Options) -> bool:
        return options.split_11

    def prompts(self, state: X01State, turn: Turn) -> tuple[Prompt, ...]:
        if not state.asked:
            return ()
        text = say("prompt.x01_split", "Does the dart split the 11?").text
        return (Prompt(turn.prompt_id("split", len(turn.darts)), turn.seat, text, ("no", "yes"), default="no"),)

    def decide(self, state: X01State, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[X01State]:
        if answer == "no":
            return Step(replace(state, asked=False))
        if state.is_frozen(turn):
            return self._bust(replace(state, asked=False), turn, {}, is_out=True)
        return self._check_out(state, turn, self._count_out(state, turn))

    def visit_over(self, state: X01State, turn: Turn, luck: Luck) -> Step[X01State]:
        """Counts points and darts for the 80 % average: until the first side has taken off four fifths."""
        winners = None
        if state.ranks:
            closed = _close_places(state, turn)
            state, winners = closed.state, closed.winners
        if state.cut:
            return Step(state, winners=winners)
        mine = state.score_index(turn)
        cut = 5 * state.scores[mine] <= state.starts[mine]
        darts = (3 if state.options.bust_counts_3 and not turn.points else turn.thrown) - turn.unread
        counts = {"points_80": turn.points, "darts_80": darts}
        return Step(replace(state, cut=True) if cut else state, winners=winners, counts=counts)

    def round_over(self, state: X01State, turn: Turn, luck: Luck) -> Step[X01State]:
        options = state.options
        through = {out.side: out for out in state.through if out.side in turn.playing}
        if through:
            best = leaders(sorted(through), lambda side: -through[side].darts)
        elif state.deciding:
            best = leaders(in_contention(state.contenders, turn.playing), state.deciding.__getitem__)
            zeros = (0,) * len(state.deciding)
            return Step(replace(state, contenders=best, deciding=zeros), winners=best if len(best) <= 1 else None)
        elif options.rounds is not None and turn.round >= options.rounds + (options.tie == "deciding_visit"):
            if options.tie == "highest_visit":
                return Step(replace(state, deciding=(0,) * len(state.score_indices)))
            left = state.left(turn)
            best = state.ranks[:1] or leaders(in_contention(state.contenders, left), lambda side: -state.average(side))
            if options.places and (len(best) <= 1 or options.tie == "share"):
                return Step(replace(state, ranks=(*state.ranks, *sorted(left, key=state.average))), winners=best)
        else:
            return Step(replace(state, through=()) if state.through else state)
        if len(best) <= 1 or options.tie == "share":
            return Step(state, winners=best)
        for out in through.values():
            state = state.back(out.mine, out.before)
        return Step(replace(state, contenders=best, through=()))

    def award(self, state: X01State, turn: Turn) -> str | None:
        is_out = state.scores[state.score_index(turn)] == 0
        if is_out and state.is_perfect(turn):
            return "nine_darter"
        return awards.of_score(turn.darts, turn.points, is_out, turn.summed) if turn.points else None

    def ranks(self, state: X01State) -> tuple[int, ...] | None:
        return state.ranks if state.options.places else None

    def leading(self, state: X01State, sides: tuple[int, ...]) -> tuple[int, ...]:
        """By what decides a leg: the darts of those who are out in this round, the points of visits that decide."""
        if through := {out.side: out.darts for out in state.through if out.side in sides}:
            return leaders(sorted(through), lambda side: -through[side])
        there = in_contention(state.contenders, sides)
        if state.deciding:
            return leaders(there, state.deciding.__getitem__)
        return leaders(there, lambda side: -state.average(side))

    def finish_wins(self, options: Options) -> bool:
        return options.finish == "first"  # with equal turns another may be out in fewer darts

    def leg_length(self, state: X01State, side: int) -> int | None:
        return state.starts[side] if state.options.shared and not state.deciding else None

    def score(self, state: X01State, side: int) -> int:
        """The score of a side; of partners with separate scores, that of the partner who throws now or next."""
        indices = state.score_indices[side]
        return state.scores[indices[(state.thrown[side] - (side == state.at)) % len(indices)]]

    def view(self, state: X01State, turn: Turn, seat: int | None) -> Panel:
        details = [describe_tally(tally) for tally in turn.tallies]
        for side, (about, indices) in enumerate(zip(details, state.score_indices, strict=True)):
            if len(indices) > 1:
                about["scores"] = [state.scores[index] for index in indices]
                if state.options.rounds is not None:
                    about["average_left"] = round(state.average(side), 2)
        return checkouts.show(tuple(details), _stand(state, turn))

    def task(self, state: X01State, turn: Turn, panel: Panel) -> Sentence:
        if state.deciding:
            return say_deciding(state, turn)
        if state.options.split_11 and state.scores[state.score_index(turn)] == 1:
            return say("x01.split", "Split the 11: a dart between its two digits wins")
        if state.names and state.opened[state.score_index(turn)]:
            return say_frozen(state, turn, panel.hint)
        return checkouts.describe(_stand(state, turn))

    def reason(self, state: X01State, turn: Turn, bust: bool) -> Sentence | None:
        at = _stand(state, turn)._replace(to_open=state.options.enter)
        return checkouts.explain_bust(at, turn.darts, is_open=state.before[1]) if bust else None

    def advise(self, state: X01State, turn: Turn, seat: int, skill: Skill) -> Advice:
        if not state.deciding and state.options.split_11 and state.scores[state.score_index(turn)] == 1:
            return Advice(answer="no") if state.asked else Advice(aim="MISS")
        return Advice(aim=aim(_stand(state, turn), skill))


def _add_deciding(state: X01State, turn: Turn, points: int) -> Step[X01State]:
    """The step of darts that score in a visit which decides; what is left stays as it is."""
    made = put(state.deciding, turn.side, state.deciding[turn.side] + points)
    return Step(replace(state, deciding=made), points=made[turn.side])


def _close_places(state: X01State, turn: Turn) -> Step[X01State]:
    """The step to the last place once one side at most is left; the first side that was out has won the leg."""
    left = state.left(turn)
    if len(left) > 1:
        return Step(state)
    return Step(replace(state, ranks=(*state.ranks, *left)), winners=state.ranks[:1])


def _stand(state: X01State, turn: Turn) -> AimState:
    """What advice depends on; in a visit that decides by its points there is nothing to finish."""
    options, mine = state.options, state.score_index(turn)
    liked = options.doubles[turn.seat] if options.doubles else ()
    to_open = None if state.opened[mine] else options.enter
    scatter = options.scatter[turn.seat] if options.scatter else USUAL_MM
    at = AimState(
        state.scores[mine],
        state.before[0],
        turn.darts_left,
        options.leave,
        options.bull,
        liked,
        to_open,
        state.is_frozen(turn),
        scatter,
        state.dartboard,
    )
    return at._replace(remaining=_MUCH, before=_MUCH, to_open=None, frozen=False) if state.deciding else at


_STARTS = (101, 201, 301, 401, 501, 601, 701, 801, 901, 1001, 1101, 1501)
_TILES = {501: 1, 301: 2}
"""The places of those that have a tile in the lobby."""
# What can be read of soft-tip machines: points per dart are points by "the number of actual darts thrown", for a bull
# of 50 and straight out (rezotek.com/FRT/front/reglamentos_dardos10_pb.htm), "used, not passed" (NDA, ndadarts.com).
# Nowhere does a bust count three, so their presets leave `bust_counts_3` off.
_LIMITS = {301: 10, 501: 15, 701: 15, 901: 20, 1101: 20, 1501: 20}
"""How many rounds soft-tip machines give a start score."""

GAMES = (X01(),)
PRESETS = (
    *(
        Preset(str(start), "x01", {"start": start}, f"{start} straight in, double out.", _TILES.get(start))
        for start in _STARTS
    ),
    *(
        Preset(
            f"soft_{start}",
            "x01",
            {"start": start, "out": "straight", "bull": "50/50", "rounds": rounds},
            f"{start} as soft-tip machines play it: straight out, bull 50, {rounds} rounds.",
        )
        for start, rounds in _LIMITS.items()
    ),
    *(
        Preset(f"master_{start}", "x01", {"start": start, "out": "master"}, f"{start} out on a double or a triple.")
        for start in (301, 501, 701)
    ),
    Preset("double_in_301", "x01", {"start": 301, "in": "double"}, "301 double in, double out."),
    Preset("master_in_501", "x01", {"start": 501, "in": "master", "out": "master"}, "501 master in, master out."),
    Preset(
        "freeze_301",
        "x01",
        {"start": 301, "shared": False, "freeze": "lose"},
        "301 for two pairs: going out while the partner has too much left loses.",
    ),
    Preset("quickie_301", "x01", {"start": 301, "rounds": 10}, "301 over at most ten rounds; the lowest score wins."),
    Preset("quickie_501", "x01", {"start": 501, "rounds": 10}, "501 over at most ten rounds; the lowest score wins."),
    Preset(
        "equal_501",
        "x01",
        {"start": 501, "finish": "equal_turns", "tie": "one_more_round"},
        "501 with equal turns: the round is played to its end, and level sides throw on.",
    ),
)
