"""Cricket: three marks close a number, more of them score while an opponent has it open.

One game for all ways of scoring and of choosing the numbers; the names that players know are presets. Numbers are drawn
when a visit begins, so the numbers that a visit was thrown at are shown until its darts are pulled.
"""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from engine.game import Panel, Preset, Seating, Step, Turn
from engine.games.cricket_family import Marks
from engine.games.cricket_marks import MarksState, Rules, Use, find_use
from engine.luck import Luck
from protocol.segment import Layout, Segment
from protocol.sentence import Refusal, Sentence, say

_STANDARD: tuple[str, ...] = ("20", "19", "18", "17", "16", "15")
_POOLS = {"random": range(1, 21), "hidden": range(1, 21), "wild_card": range(7, 21), "crazy": range(1, 21)}
_SCORING = {"standard": "", "cut_throat": "Cut-Throat ", "no_score": "No-Score "}
_NUMBERS = {"standard": "", "random": "Random ", "hidden": "Hidden ", "wild_card": "Wild Card ", "crazy": "Crazy "}
_ORDERS = {"free": "", "down": " Top Down", "up": " Bull First"}
_CHANGING = ("hidden", "wild_card", "crazy")
_LABELS = {0: "", 25: "bull", **{number: str(number) for number in range(1, 21)}}


class Options(Rules, frozen=True, forbid_unknown_fields=True):
    """`numbers`, `lock`: which rows there are. `order`: in which they are closed. `team_close`: whose marks count."""

    numbers: Literal["standard", "random", "hidden", "wild_card", "crazy"] = "standard"
    lock: Literal["mark", "closed"] = "mark"
    order: Literal["free", "down", "up"] = "free"
    team_close: Literal["shared", "both", "one"] = "shared"


class Cricket(Marks[Options]):
    """Close 20 to 15 and the bull with three marks each, and score on what others have open.

    Seven rows: 20, 19, 18, 17, 16, 15 and the bull. A single is one mark, a double two, a triple three; the outer bull
    one, the inner bull two. Three marks close a row for your side. Each further mark scores the number (the bull 25)
    while an opponent still has the row open. If you hold two marks, a triple closes the row with one mark and scores
    with the other two. You win when you have closed all seven rows and no opponent has more points.

    `Scoring`: with `Cut throat` your points go to every opponent who has the row open, and you win when you have
    closed all rows and no opponent has fewer points. With `No score` there are no points: the first side to close all
    rows wins, and the large number on the screen counts the marks.

    `Numbers`: with `Random` six numbers of 1 to 20 are drawn for each leg. With `Hidden` you do not see them: a number
    appears when it is first hit, and that hit counts; the bull is always in play. With `Wild card` six numbers of 7 to
    20 are drawn, and after every visit the rows without any mark get new numbers; `Crazy` is the same with 1 to 20.
    `Row changes its number until`: with `It is closed` a row keeps its marks and goes on changing its number until a
    side has closed it. The numbers never change during a visit.

    `Order`: with `Down` each side must close the rows from the top (20) down, the bull last; with `Up` the bull first,
    then from the bottom (15) up. You can always score on a row that you have closed. With random numbers, top and
    bottom are the highest and the lowest of them. Numbers that are hidden or change have no order.

    `Largest lead`: no side may lead the lowest opponent by more than this many points; a mark that would go beyond it
    does not count. Machines use 200, in team games 400. It is for `Standard` scoring only.

    The members of a team share their marks. `Closing in teams`: with `Both partners` each player has separate marks,
    and the points are shared; a row is closed for the side, and can score, only when all partners have closed it. With
    `One for all` a row is closed for all partners when one of them has closed it. Both need teams, and `Both partners`
    needs teams of the same size: a larger team would have more to close.

    `Marks`: how many close a row, usually 3. `Marks for the inner bull`: with `One` either part of the bull is one
    mark.

    `Play on for places`: the side that would have won takes first place, and the others play on as long as two are
    left. If the rounds run out, the others take their places by points, then by marks.

    With a limit of `Rounds` (machines: 15 or 20) the better points win after the last one; if these are level, the
    most marks in the rows win. `When level` in both, sides share the win; with `One more round` all sides throw
    another round until one is ahead.

    For the marks per round (mpr) and for awards, only marks that close or score count. mpr_80 leaves out the visits
    after the one in which a side first had six rows closed.

    Source: Arachnid's Galaxy 2 and 3, dartboards.com, dolfdarts.com; hidden, crazy, new team are house rules of oche.
    """

    id = "cricket"
    group = "cricket"
    tile = 3
    options_type = Options

    def title(self, options: Options) -> str:
        team = "" if options.team_close == "shared" else "Team "
        return f"{_SCORING[options.scoring]}{team}{_NUMBERS[options.numbers]}Cricket{_ORDERS[options.order]}"

    def resolve(self, options: Options, seating: Seating) -> Options:
        if options.order != "free" and options.numbers in _CHANGING:
            raise Refusal(
                say(
                    "cricket.refuse_order",
                    "order {order} needs numbers standard or random, not {value}",
                    order=options.order,
                    value=options.numbers,
                )
            )
        sizes = {len(side.seats) for side in seating.sides}
        if options.team_close != "shared" and sizes == {1}:
            raise Refusal(
                say(
                    "cricket.refuse_teams",
                    "team_close {value} is for teams, and everyone plays alone here: make teams of two or "
                    "more, or leave it at shared",
                    value=options.team_close,
                )
            )
        if options.team_close == "both" and len(sizes) > 1:
            raise Refusal(
                say(
                    "cricket.refuse_sizes",
                    "team_close both needs teams of equal size: even them out, or choose shared or one",
                )
            )
        return super().resolve(options, seating)

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> MarksState:
        count, numbers = len(seating.sides), _STANDARD
        if options.numbers != "standard":
            numbers = _draw_numbers(options, frozenset(), 6, luck)
        shared = options.team_close == "shared"
        none = (0,) * (len(numbers) + 1)
        return MarksState(
            options,
            (*numbers, "bull"),
            (none,) * count,
            (0,) * count,
            team_close=options.team_close,
            own=() if shared else (none,) * len(seating.players),
            members=() if shared else tuple(side.seats for side in seating.sides),
            hidden=frozenset(numbers) if options.numbers == "hidden" else frozenset(),
        )

    def begin(self, state: MarksState, turn: Turn, luck: Luck) -> Step[MarksState]:
        options = _options(state)
        if options.numbers not in ("wild_card", "crazy"):
            return super().begin(state, turn, luck)
        kept = [row for row in range(len(state.rows)) if state.rows[row] == "bull" or _is_locked(state, row)]
        labels = frozenset(state.rows[row] for row in kept)
        fresh = iter(_draw_numbers(options, labels, len(state.rows) - len(kept), luck))
        rows = tuple(label if row in kept else next(fresh) for row, label in enumerate(state.rows))
        return super().begin(replace(state, rows=rows), turn, luck)

    def dart(self, state: MarksState, segment: Segment, turn: Turn, luck: Luck) -> Step[MarksState]:
        label = _LABELS[segment.value]
        if state.hidden and label not in state.tried and label.isdigit():
            state = replace(state, hidden=state.hidden - {label}, tried=state.tried | {label})
        return super().dart(state, segment, turn, luck)

    def uses(self, state: MarksState, segment: Segment, turn: Turn) -> tuple[Use, ...]:
        label = _LABELS[segment.value]
        if label not in state.rows:
            return ()
        row = state.rows.index(label)
        if not _is_its_turn(state, turn, row):
            return ()
        using = find_use(state, turn, row, state.marks_of(segment), segment.value)
        return (using,) if using else ()

    def task(self, state: MarksState, turn: Turn, panel: Panel) -> Sentence:
        """Also says that the numbers change: for each leg, or as long as any of them does."""
        options, need = _options(state), state.need
        if options.numbers == "random" and not any(map(any, state.marks)):
            if need == 1:
                return say("cricket.drawn_hit", "Close these numbers with one hit each; every leg draws new ones")
            return say(
                "cricket.drawn", "Close these numbers with {need} marks each; every leg draws new ones", need=need
            )
        is_changing = not all(label == "bull" or _is_locked(state, row) for row, label in enumerate(state.rows))
        if options.numbers not in ("wild_card", "crazy") or not is_changing or not panel.targets:
            return super().task(state, turn, panel)
        closed = tuple(label for label in panel.targets if state.mine(turn, state.rows.index(label)) == need)
        todo = say("cricket.close_open", "Close the numbers with {need} marks each", need=need)
        if closed and options.scoring == "cut_throat":
            todo = say("cricket.or_give", "Close numbers, or give points on {score}", score=closed)
        elif closed:
            todo = say("cricket.or_score", "Close numbers, or score on {score}", score=closed)
        elif need == 1:
            todo = say("cricket.open_hit", "Close the numbers with one hit each")
        if options.lock == "closed":
            return say("cricket.change_open", "{task}; open numbers change after every visit", task=todo)
        return say("cricket.change", "{task}; numbers without marks change after every visit", task=todo)

    def view(self, state: MarksState, turn: Turn, seat: int | None) -> Panel:
        panel = super().view(state, turn, seat)
        if _options(state).numbers != "hidden":
            return panel
        in_vain = sorted(int(label) for label in state.tried - frozenset(state.rows))
        return replace(panel, board={**panel.board, "in_vain": in_vain})

    def targets(self, state: MarksState, turn: Turn) -> tuple[str, ...]:
        found = super().targets(state, turn)
        return tuple(label for label in found if _is_its_turn(state, turn, state.rows.index(label)))


def _options(state: MarksState) -> Options:
    assert isinstance(state.rules, Options)
    return state.rules


def _draw_numbers(options: Options, without: frozenset[str], count: int, luck: Luck) -> tuple[str, ...]:
    """So many other numbers, the highest first; hidden ones in random order, since their order would give them away."""
    pool = [number for number in _POOLS[options.numbers] if str(number) not in without]
    numbers = luck.shuffled("numbers", pool)[:count] if count else ()
    return tuple(map(str, numbers if options.numbers == "hidden" else sorted(numbers, reverse=True)))


def _is_locked(state: MarksState, row: int) -> bool:
    """Whether this row keeps its number."""
    if _options(state).lock == "closed":
        return any(marks[row] == state.need for marks in state.marks)
    return any(marks[row] for marks in (*state.marks, *state.own))


def _is_its_turn(state: MarksState, turn: Turn, row: int) -> bool:
    """Whether the thrower may mark this row: where there is an order, those before it must be closed."""
    order = _options(state).order
    if order == "free":
        return True
    before = range(row) if order == "down" else range(row + 1, len(state.rows))
    return all(state.mine(turn, other) == state.need for other in before)


GAMES = (Cricket(),)
PRESETS = (
    Preset("cut_throat", "cricket", {"scoring": "cut_throat"}, "Cricket in which your points go to your opponents."),
    Preset("no_score_cricket", "cricket", {"scoring": "no_score"}, "Cricket without points: close all rows to win."),
    Preset("random_cricket", "cricket", {"numbers": "random"}, "Cricket on six numbers drawn from 1 to 20."),
    Preset("hidden_cricket", "cricket", {"numbers": "hidden"}, "Cricket on six numbers, each hidden until it is hit."),
    Preset("wild_card", "cricket", {"numbers": "wild_card", "spread": 200}, "Unmarked numbers change every visit."),
    Preset("crazy_cricket", "cricket", {"numbers": "crazy", "spread": 200}, "Wild Card with all numbers from 1 to 20."),
    Preset("team_cricket", "cricket", {"team_close": "both", "spread": 400}, "Both partners must close a number."),
    Preset("new_team_cricket", "cricket", {"team_close": "one", "spread": 400}, "One partner closes for both."),
    Preset("cricket_200", "cricket", {"spread": 200}, "Cricket with a lead of at most 200 points."),
    Preset("cricket_down", "cricket", {"order": "down"}, "Cricket closed in order, from 20 down to the bull."),
    Preset("cricket_up", "cricket", {"order": "up"}, "Cricket closed in order, the bull first, then from 15 up."),
)
