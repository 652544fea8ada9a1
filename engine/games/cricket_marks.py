"""Marks on rows: what every game of the cricket family is played with.

A row is a group of the layout ("20", "bull", "double"). What a dart could do on a row is a `Use`; a game only says
which uses a dart has, and takes one of them. The marks of the side decide. Where partners have marks of their own,
those of the side are worked out from theirs whenever one changes, so no other rule has to know.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from msgspec import Meta, Struct, defstruct
from msgspec.structs import asdict, replace

from engine.game import Closed, Fact, Step, Turn, put
from engine.ranking import Tie
from protocol.segment import Segment

VALUES = {"bull": 25, "double": 2, "triple": 3, "bed": 3, **{str(number): number for number in range(1, 21)}}
"""The least that a mark on a row scores: of a double, a triple and a bed the points of the darts themselves count."""

WonByOthers = Literal["at_once", "next_round", "next_visit"]
"""When a side is done that another's dart has made the winner of the leg or of a place.

In a new match `at_once`. The others are in matches that were begun under older rules: with `next_round` a side that has
its place throws on in the running round, and may get a second one; with `next_visit` it is also found only when the
next visit opens.
"""
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

    @property
    def won_by_others(self) -> WonByOthers:
        """When a side is done that another's dart has made the winner of the leg or of a place.

        Options of older matches have a field of this name, which stands in its place: see `make_older`.
        """
        return "at_once"


R = TypeVar("R", bound=Rules)


class MarksState(Struct, frozen=True):
    """Marks (0 to `need`, by row) and points by side, and the marks of the current visit that counted.

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


def make_older(options: R, won_by_others: WonByOthers) -> R:
    """The options as they were before the rules were changed: an option more, which no new match has."""
    made: R = _make_older_type(type(options))(**asdict(options), won_by_others=won_by_others)
    return made


@cache
def _make_older_type(kind: type[Rules]) -> Any:  # Any: a subclass of it that is made here
    extra = [("won_by_others", WonByOthers)]
    return defstruct(f"Older{kind.__name__}", extra, bases=(kind,), frozen=True, kw_only=True)


def find_use(state: MarksState, turn: Turn, row: int, marks: int, value: int) -> Use | None:
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


def apply_use(state: MarksState, turn: Turn, using: Use) -> Step[MarksState]:
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
    if not won and using.to not in (_NO_SIDES, (side,)) and state.rules.won_by_others != "next_visit":
        won = find_winners(state, playing)  # points given to a rival may have made a third side the lowest
    state, over = rank_winners(state, won, turn)
    is_done = side in (state.ranks if state.rules.won_by_others == "at_once" else won)
    return Step(
        state,
        facts,
        points=turn.points + worth,
        ends_visit=is_done or over is not None,
        winners=over,
        counts={"marks": counted},
    )


def rank_winners(state: MarksState, won: tuple[int, ...], turn: Turn) -> tuple[MarksState, tuple[int, ...] | None]:
    """The state with the places of these sides, and the winners of the leg once it is over.

    Without `places` the first who have won end it. With it, those behind them may have a place by that as well, and it
    is over when one side is left.
    """
    if not state.rules.places:
        return state, won or None
    while won:
        state = replace(state, ranks=(*state.ranks, *won))
        won = find_winners(state, state.rivals(turn)) if len(state.rivals(turn)) > 1 else ()
    left = state.rivals(turn)
    if not state.ranks or len(left) > 1:
        return state, None
    return replace(state, ranks=(*state.ranks, *left)), state.ranks[:1]


def has_won(state: MarksState, side: int, playing: tuple[int, ...]) -> bool:
    """Whether the side has closed all rows and no other has better points."""
    if min(state.marks[side]) < state.need:
        return False
    return all(state.standing(side) >= state.standing(other) for other in playing)


def find_winners(state: MarksState, playing: tuple[int, ...]) -> tuple[int, ...]:
    """The sides that have won as it stands; () while none has."""
    return tuple(side for side in playing if has_won(state, side, playing))
