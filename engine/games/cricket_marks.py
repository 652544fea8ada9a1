"""Marks on rows: what every game of the cricket family is played with, and where to aim for them.

A row is a group of the layout ("20", "bull", "double"). What a dart could do on a row is a `Use`; a game only says
which uses a dart has, and takes one of them. The marks of the side decide. Where partners have marks of their own,
those of the side are worked out from theirs whenever one changes, so no other rule has to know.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Generic, Literal, NamedTuple, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine import awards
from engine.facts import Closed, Fact
from engine.game import Advice, Game, Panel, Seating, Step, Turn
from engine.games.targets import legend, shorten_label
from engine.luck import Luck
from engine.ranking import Tie, leaders
from engine.skill import Skill
from engine.tally import Tally
from engine.tuples import put
from protocol.finish import Purpose
from protocol.segment import Segment
from protocol.sentence import Refusal, Sentence, say

VALUES = {"bull": 25, "double": 2, "triple": 3, "bed": 3, **{str(number): number for number in range(1, 21)}}
"""The least that a mark on a row scores: of a double, a triple and a bed the points of the darts themselves count."""

_MARK = {
    "bull": 35.0,
    "double": 45.0,
    "triple": 65.0,
    "bed": 150.0,
    **{str(number): number + 10.0 for number in range(1, 21)},
}
"""What a mark that closes is worth to an aim, in about points."""
_OPENS = 1.1
"""The factor of marks that close a row on which opponents can be scored on then."""
_CATCH_UP, _LEAD, _AHEAD = 2.5, 1.5, 30
"""The worth of a point needed to draw level, and of one for a lead of so many; others are worth nothing."""

_NO_SIDES: tuple[int, ...] = ()


class Rules(Struct, frozen=True, forbid_unknown_fields=True):
    """The options that all games with marks have."""

    scoring: Literal["standard", "cut_throat", "no_score"] = "standard"
    spread: Annotated[int, Meta(ge=1, le=1000)] | None = None
    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None
    tie: Tie = "share"
    marks: Annotated[int, Meta(ge=1, le=9)] = 3
    bull_marks: Literal["split", "one"] = "split"
    places: bool = False


class MarksState(Struct, frozen=True):
    """Marks (0 to `need`, by row) and points by side, and the marks of the visit at hand that counted.

    `own` are the marks of each player where partners do not share them, `members` the seats of each side. `eighty`
    is the visit in which a side had first closed 80 % of the rows. Of rows that are hidden, `hidden` are those not
    found yet, and `tried` all numbers that have been hit. `asked`: the rows that the latest dart may count for,
    when its player has to choose. `before`: marks and points when the visit began, in Wild Mouse. `ranks` are the
    sides that have their place already, the first of them the winner.
    """

    rules: Rules
    rows: tuple[str, ...]
    marks: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]
    in_visit: int = 0
    eighty: int | None = None
    team_close: Literal["shared", "both", "one"] = "shared"
    own: tuple[tuple[int, ...], ...] = ()
    members: tuple[tuple[int, ...], ...] = ()
    hidden: frozenset[str] = frozenset()
    tried: frozenset[str] = frozenset()
    asked: tuple[str, ...] = ()
    before: tuple[tuple[tuple[int, ...], ...], tuple[int, ...]] | None = None
    ranks: tuple[int, ...] = ()

    @property
    def need(self) -> int:
        """Marks that close a row."""
        return self.rules.marks

    def rivals(self, turn: Turn) -> tuple[int, ...]:
        """The sides that still play for a place, the thrower among them."""
        if not self.ranks:
            return turn.playing
        return tuple(side for side in turn.playing if side not in self.ranks)

    def marks_of(self, segment: Segment) -> int:
        """The marks of a dart in a number or the bull."""
        return 1 if segment.value == 25 and self.rules.bull_marks == "one" else segment.multiplier

    def standing(self, side: int) -> int:
        """The points of the side, turned so that more is better."""
        return -self.points[side] if self.rules.scoring == "cut_throat" else self.points[side]

    def mine(self, turn: Turn, row: int) -> int:
        """The marks of the thrower in a row; as many as the side has once it has closed the row."""
        of_side = self.marks[turn.side][row]
        return self.own[turn.seat][row] if self.own and of_side < self.need else of_side


class Use(NamedTuple):
    """What a dart does on a row: marks towards closing it, marks that score, and the points of each side in `to`."""

    row: int
    closing: int
    scoring: int
    points: int
    to: tuple[int, ...]
    closed: bool


def use(state: MarksState, turn: Turn, row: int, marks: int, value: int) -> Use | None:
    """What so many marks, worth `value` points each, do on a row; None when they do nothing."""
    rules, side, need = state.rules, turn.side, state.need
    mine = state.mine(turn, row)
    closing = min(marks, need - mine)
    of_side = _marks_of_side(state, turn, row, mine + closing)
    scoring, to = 0, _NO_SIDES
    if marks > closing and of_side == need and rules.scoring != "no_score":
        to = tuple(other for other in state.rivals(turn) if other != side and state.marks[other][row] < need)
        scoring = marks - closing if to else 0
        if rules.spread is not None and scoring:
            lowest = min(state.points[other] for other in state.rivals(turn) if other != side)
            room = lowest + rules.spread - state.points[side]
            scoring = min(scoring, max(room, 0) // value)
    if not closing and not scoring:
        return None
    whose = to if rules.scoring == "cut_throat" else (side,)
    return Use(row, closing, scoring, scoring * value, whose if scoring else _NO_SIDES, of_side == need)


def _marks_of_side(state: MarksState, turn: Turn, row: int, mine: int) -> int:
    """The marks of the side in a row when the thrower has `mine`."""
    if not state.own or state.marks[turn.side][row] == state.need:
        return mine
    all_of_them = (mine, *(state.own[seat][row] for seat in state.members[turn.side] if seat != turn.seat))
    return min(all_of_them) if state.team_close == "both" else max(all_of_them)


def take(state: MarksState, turn: Turn, using: Use) -> Step[MarksState]:
    """The step in which the latest dart is used like that."""
    side, row = turn.side, using.row
    facts: tuple[Fact, ...] = ()
    marks, own, points, eighty = state.marks, state.own, state.points, state.eighty
    if using.closing:
        mine = state.mine(turn, row) + using.closing
        if using.closed:
            facts = (Closed(side=side, target=state.rows[row]),)
        marks = put(marks, side, put(marks[side], row, _marks_of_side(state, turn, row, mine)))
        if own:
            own = put(own, turn.seat, put(own[turn.seat], row, mine))
        if eighty is None and 5 * marks[side].count(state.need) >= 4 * len(state.rows):
            eighty = turn.visit
    for other in using.to:
        points = put(points, other, points[other] + using.points)
    counted = using.closing + using.scoring
    worth = counted if state.rules.scoring == "no_score" else using.points * len(using.to)
    state = replace(
        state, marks=marks, own=own, points=points, eighty=eighty, in_visit=state.in_visit + counted, asked=()
    )
    playing = state.rivals(turn)
    won: tuple[int, ...] = (side,) if has_won(state, side, playing) else ()
    if not won and using.to not in (_NO_SIDES, (side,)):
        won = winners(state, playing)  # points given to a rival may have made a third side the lowest
    state, over = place(state, won, turn)
    return Step(
        state,
        facts,
        points=turn.points + worth,
        ends_visit=side in won or over is not None,
        winners=over,
        counts={"marks": counted},
    )


def place(state: MarksState, won: tuple[int, ...], turn: Turn) -> tuple[MarksState, tuple[int, ...] | None]:
    """The state with the places of these sides, and the winners of the leg once it is over.

    Without `places` the first who have won end it. With it, those behind them may have a place by that as well, and it
    is over when one side is left.
    """
    if not state.rules.places:
        return state, won or None
    while won:
        state = replace(state, ranks=(*state.ranks, *won))
        won = winners(state, state.rivals(turn)) if len(state.rivals(turn)) > 1 else ()
    left = state.rivals(turn)
    if not state.ranks or len(left) > 1:
        return state, None
    return replace(state, ranks=(*state.ranks, *left)), state.ranks[:1]


def has_won(state: MarksState, side: int, playing: tuple[int, ...]) -> bool:
    """Whether the side has closed all rows and no other has better points."""
    if min(state.marks[side]) < state.need:
        return False
    return all(state.standing(side) >= state.standing(other) for other in playing)


def winners(state: MarksState, playing: tuple[int, ...]) -> tuple[int, ...]:
    """The sides that have won as it stands; () while none has."""
    return tuple(side for side in playing if has_won(state, side, playing))


R = TypeVar("R", bound=Rules)


class Marks(Game[R, MarksState], Generic[R]):
    """The rules of the family; see its games."""

    team_size = range(1, 9)
    figure = "mpr"
    rules = 2
    shows_advice = True

    @abstractmethod
    def uses(self, state: MarksState, segment: Segment, turn: Turn) -> tuple[Use, ...]:
        """The uses of this dart, of which its player may choose one."""

    def resolve(self, options: R, seating: Seating) -> R:
        if options.spread is not None and options.scoring != "standard":
            raise Refusal(
                say("cricket.refuse_spread", "a spread is for games in which points are good: scoring standard")
            )
        return options

    def begin(self, state: MarksState, turn: Turn, luck: Luck) -> Step[MarksState]:
        """When a side has left, another one may have won by that."""
        if state.in_visit or state.asked:
            state = replace(state, in_visit=0, asked=())
        state, over = place(state, winners(state, state.rivals(turn)), turn)
        return Step(state, winners=over)

    def order(self, state: MarksState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(side for side in sides if side not in state.ranks) or sides

    def dart(self, state: MarksState, segment: Segment, turn: Turn, luck: Luck) -> Step[MarksState]:
        uses = self.uses(state, segment, turn) if segment.multiplier else ()
        if len(uses) > 1:
            return Step(replace(state, asked=tuple(state.rows[one.row] for one in uses)))
        return take(state, turn, uses[0]) if uses else Step(state)

    def visit_over(self, state: MarksState, turn: Turn, luck: Luck) -> Step[MarksState]:
        counts = {f"{state.in_visit}m": 1} if 5 <= state.in_visit <= 9 else {}
        if state.eighty in (None, turn.visit):
            counts |= {"marks_80": state.in_visit, "darts_80": len(turn.darts)}
        return Step(state, counts=counts)

    def round_over(self, state: MarksState, turn: Turn, luck: Luck) -> Step[MarksState]:
        """At the limit points decide, then marks."""
        rules = state.rules
        if rules.rounds is None or turn.round < rules.rounds:
            return Step(state)

        def rank(side: int) -> tuple[int, int]:
            return state.standing(side), sum(state.marks[side])

        left = state.rivals(turn)
        best = state.ranks[:1] or leaders(left, rank)
        if len(best) > 1 and rules.tie == "one_more_round":
            return Step(state)
        if rules.places:
            state = replace(state, ranks=(*state.ranks, *sorted(left, key=rank, reverse=True)))
        return Step(state, winners=best)

    def ranks(self, state: MarksState) -> tuple[int, ...] | None:
        return state.ranks if state.rules.places else None

    def award(self, state: MarksState, turn: Turn) -> str | None:
        numbers = frozenset(state.rows) - state.hidden
        return awards.of_marks(turn.darts, state.in_visit, numbers) if state.in_visit else None

    def dart_counts(self, state: MarksState, segment: Segment, turn: Turn, step: Step[MarksState]) -> bool:
        """One that closes or scores, now or when it is asked for what; not one that only shows what was hidden."""
        return bool(step.counts.get("marks") or step.state.asked)

    def score(self, state: MarksState, side: int) -> int:
        return sum(state.marks[side]) if state.rules.scoring == "no_score" else state.points[side]

    def view(self, state: MarksState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {
                "marks": state.marks[side],
                **({"own": [state.own[member] for member in state.members[side]]} if state.own else {}),
                "mpr": tally.per_visit(tally.counts.get("marks", 0)),
                "mpr_80": _mpr_80(tally),
                "high_marks": [tally.counts.get(f"{count}m", 0) for count in range(5, 10)],
            }
            for side, tally in enumerate(turn.tallies)
        )
        rows = ["?" if label in state.hidden else shorten_label(label) for label in state.rows]
        targets = self.targets(state, turn) if turn.darts_left else ()
        return Panel("marks", detail, targets, board={"rows": rows, "need": state.need, "legend": legend(rows)})

    def task(self, state: MarksState, turn: Turn, panel: Panel) -> Sentence:
        mine = [label for label in panel.targets if state.mine(turn, state.rows.index(label)) < state.need]
        score = tuple(label for label in panel.targets if label not in mine)
        if state.hidden:
            return say("cricket.find", "Find the hidden numbers among 1 to 20: three marks close one")
        if not panel.targets:
            return say("cricket.none", "Nothing counts for you now")
        if len(mine) == len(state.rows):
            return _say_first(state)
        if not score and state.need != 3:
            return say(
                "cricket.close_marks", "Close {targets}, with {need} marks each", targets=tuple(mine), need=state.need
            )
        if not score:
            return say("cricket.close", "Close {targets}, with three marks each", targets=tuple(mine))
        if state.rules.scoring == "cut_throat":
            if not mine:
                return say("cricket.give", "Give the others points: {targets}", targets=score)
            return say(
                "cricket.close_give", "Close {targets}; give points on {score}", targets=tuple(mine), score=score
            )
        if not mine:
            return say("cricket.score", "All is closed: score on {targets}", targets=score)
        return say("cricket.close_score", "Close {targets}; score on {score}", targets=tuple(mine), score=score)

    def advise(self, state: MarksState, turn: Turn, seat: int, skill: Skill) -> Advice:
        """The best bed of the rows that still count; where rows are hidden, of the numbers not tried as well."""
        untried = [number for number in range(20, 0, -1) if state.hidden and str(number) not in state.tried]

        def value(segment: Segment) -> float:
            if segment.value in untried:
                return state.marks_of(segment) * _MARK[str(segment.value)] * len(state.hidden) / len(untried)
            return max((value_of(state, turn, using) for using in self.uses(state, segment, turn)), default=0.0)

        numbers = [label for label in state.rows if label.isdigit() and label not in state.hidden]
        numbers += [str(number) for number in untried]
        rings = [f"{ring}{number}" for ring in _rings(state) for number in numbers]
        aim = skill.best(value, among=[*rings, "DB", "SB"])
        return Advice(aim=aim, purpose=_purpose(state, turn, self.uses(state, skill.layout[aim], turn)))

    def targets(self, state: MarksState, turn: Turn) -> tuple[str, ...]:
        """The rows on which a mark would count now, as groups of the layout."""
        known = ((row, label) for row, label in enumerate(state.rows) if label not in state.hidden)
        return tuple(label for row, label in known if use(state, turn, row, 1, VALUES[label]))


def _say_first(state: MarksState) -> Sentence:
    """The task of a side for which every row is open."""
    need = state.need
    if state.rules.scoring == "cut_throat":
        return say(
            "cricket.begin_give",
            "Close all numbers with {need} marks each; more marks give the others points, and the fewest win",
            need=need,
        )
    if need != 3:
        return say(
            "cricket.begin_marks", "Close all numbers with {need} marks each: single 1, double 2, triple 3", need=need
        )
    return say("cricket.begin", "Close all numbers with three marks each: single 1, double 2, triple 3")


def _mpr_80(tally: Tally) -> float:
    darts = tally.counts.get("darts_80", 0)
    return round(3 * tally.counts["marks_80"] / darts, 2) if darts else 0.0


def value_of(state: MarksState, turn: Turn, using: Use) -> float:
    """How good this use is for the thrower, in about points: what it closes, and points as far as they are needed."""
    return _worth_of_closing(state, turn, using) + _worth_of_points(state, turn, using)


def _worth_of_closing(state: MarksState, turn: Turn, using: Use) -> float:
    is_scored = using.closed and state.rules.scoring != "no_score"
    opens = is_scored and any(state.marks[side][using.row] < state.need for side in _opponents(state, turn))
    return using.closing * _MARK[state.rows[using.row]] * (_OPENS if opens else 1.0)


def _worth_of_points(state: MarksState, turn: Turn, using: Use) -> float:
    """As far as the best opponent is not far behind; of those that are given, the mean over all opponents."""
    if not using.points:
        return 0.0
    is_given, mine, worth = state.rules.scoring == "cut_throat", state.standing(turn.side), 0.0
    theirs = [state.standing(side) for side in (using.to if is_given else _opponents(state, turn))]
    for other in theirs if is_given else [max(theirs)]:
        level = min(using.points, max(other - mine, 0))
        ahead = min(using.points, max(other - mine + _AHEAD, 0)) - level
        worth += level * _CATCH_UP + ahead * _LEAD
    return worth / len(_opponents(state, turn)) if is_given else worth


def _opponents(state: MarksState, turn: Turn) -> list[int]:
    return [side for side in state.rivals(turn) if side != turn.side]


def _purpose(state: MarksState, turn: Turn, uses: tuple[Use, ...]) -> Purpose | None:
    """What a dart in the bed that is advised is for; None where that is a number which may be hidden."""
    best = max(uses, key=lambda using: value_of(state, turn, using), default=None)
    if best is None or state.rows[best.row] in state.hidden:
        return None
    if _worth_of_points(state, turn, best) > _worth_of_closing(state, turn, best):
        return "attack" if state.rules.scoring == "cut_throat" else "score"
    has_closed = any(state.marks[side][best.row] == state.need for side in _opponents(state, turn))
    return "defend" if has_closed and state.rules.scoring != "no_score" else "close"


def _rings(state: MarksState) -> str:
    """The beds of a number worth aiming at. Many numbers are told apart by their triples alone, which is enough."""
    if "double" in state.rows:
        return "TD"
    return "T" if state.hidden else "TO"
