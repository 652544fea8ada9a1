"""Marks on the rows of a wall: what every game of the cricket family is played with.

A row is a label of the face ("20", "bull", "double"). What a dart could do on a row is a `Use`; a game only says which
uses a dart has, and takes one of them. The side's marks are what counts; where partners have marks of their own, the
side's are worked out from theirs once, when one changes, so no rule has to know.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Generic, Literal, NamedTuple, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine import awards
from engine.facts import Closed, Fact
from engine.game import Game, Panel, Seating, Step, Turn
from engine.luck import Luck
from engine.ranking import Tie, leaders
from engine.tally import Tally
from engine.tuples import put
from protocol.segment import Segment

NEED = 3
"""So many marks close a row."""
SHORT = {"bull": "B", "double": "D", "triple": "T"}
VALUES = {"bull": 25, "double": 2, "triple": 3, **{str(number): number for number in range(1, 21)}}
"""The least that a mark on a row scores: of a double and a triple, the dart's own points count."""

NOBODY: tuple[int, ...] = ()


class Rules(Struct, frozen=True, forbid_unknown_fields=True):
    """The options that all games with marks have."""

    scoring: Literal["standard", "cut_throat", "no_score"] = "standard"
    spread: Annotated[int, Meta(ge=1, le=1000)] | None = None
    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None
    tie: Tie = "share"


class State(Struct, frozen=True):
    """Marks (0 to 3, by row) and points by side, and the marks of the visit at hand that counted.

    `own` are the marks of each player where partners do not share them, `members` the seats of each side. `eighty` is
    the visit in which a side had first closed 80 % of the rows. Of rows that are hidden, `hidden` are those nobody has
    found, and `tried` all numbers that have been hit. `asked`: the rows that a dart may count for, its player to say.
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

    def standing(self, side: int) -> int:
        """The side's points, as more is better."""
        return -self.points[side] if self.rules.scoring == "cut_throat" else self.points[side]

    def mine(self, turn: Turn, row: int) -> int:
        """The marks that the thrower has in a row; all of them when his side has closed it."""
        of_side = self.marks[turn.side][row]
        return self.own[turn.seat][row] if self.own and of_side < NEED else of_side


class Use(NamedTuple):
    """What a dart does on a row: so many marks towards closing it, so many that score, and so many points to each."""

    row: int
    closing: int
    scoring: int
    points: int
    to: tuple[int, ...]
    closed: bool


def use(state: State, turn: Turn, row: int, marks: int, value: int) -> Use | None:
    """What so many marks, worth so much each, do on a row; None when nothing."""
    rules, side = state.rules, turn.side
    mine = state.mine(turn, row)
    closing = min(marks, NEED - mine)
    of_side = _of_side(state, turn, row, mine + closing)
    scoring, to = 0, NOBODY
    if marks > closing and of_side == NEED and rules.scoring != "no_score":
        to = tuple(other for other in turn.playing if other != side and state.marks[other][row] < NEED)
        scoring = marks - closing if to else 0
        if rules.spread is not None and scoring:
            lowest = min(state.points[other] for other in turn.playing if other != side)
            room = lowest + rules.spread - state.points[side]
            scoring = min(scoring, max(room, 0) // value)
    if not closing and not scoring:
        return None
    whose = to if rules.scoring == "cut_throat" else (side,)
    return Use(row, closing, scoring, scoring * value, whose if scoring else NOBODY, of_side == NEED)


def _of_side(state: State, turn: Turn, row: int, mine: int) -> int:
    """The side's marks in a row when the thrower has so many."""
    if not state.own or state.marks[turn.side][row] == NEED:
        return mine
    all_of_them = (mine, *(state.own[seat][row] for seat in state.members[turn.side] if seat != turn.seat))
    return min(all_of_them) if state.team_close == "both" else max(all_of_them)


def take(state: State, turn: Turn, using: Use) -> Step[State]:
    """The dart is used like that."""
    side, row = turn.side, using.row
    facts: tuple[Fact, ...] = ()
    marks, own, points, eighty = state.marks, state.own, state.points, state.eighty
    if using.closing:
        mine = state.mine(turn, row) + using.closing
        if using.closed:
            facts = (Closed(side=side, target=state.rows[row]),)
        marks = put(marks, side, put(marks[side], row, _of_side(state, turn, row, mine)))
        if own:
            own = put(own, turn.seat, put(own[turn.seat], row, mine))
        if eighty is None and 5 * marks[side].count(NEED) >= 4 * len(state.rows):
            eighty = turn.visit
    for other in using.to:
        points = put(points, other, points[other] + using.points)
    counted = using.closing + using.scoring
    worth = counted if state.rules.scoring == "no_score" else using.points * len(using.to)
    state = replace(
        state, marks=marks, own=own, points=points, eighty=eighty, in_visit=state.in_visit + counted, asked=()
    )
    won = has_won(state, side, turn.playing)
    return Step(
        state,
        facts,
        points=turn.points + worth,
        ends_visit=won,
        winners=(side,) if won else None,
        counts={"marks": counted},
    )


def has_won(state: State, side: int, playing: tuple[int, ...]) -> bool:
    """Has the side closed everything, and is nobody better in points?"""
    if min(state.marks[side]) < NEED:
        return False
    return all(state.standing(side) >= state.standing(other) for other in playing)


R = TypeVar("R", bound=Rules)


class Marks(Game[R, State], Generic[R]):
    """The rules of the family; see its games."""

    team_size = range(1, 9)
    figure = "mpr"

    @abstractmethod
    def uses(self, state: State, segment: Segment, turn: Turn) -> tuple[Use, ...]:
        """What this dart can do, of which its player may choose one."""

    def resolve(self, options: R, seating: Seating) -> R:
        if options.spread is not None and options.scoring != "standard":
            raise ValueError("a spread is for games in which points are good: scoring standard")
        return options

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        """When the one who stood in the way has left, somebody may have won already."""
        if state.in_visit or state.asked:
            state = replace(state, in_visit=0, asked=())
        won = tuple(side for side in turn.playing if has_won(state, side, turn.playing))
        return Step(state, winners=won or None)

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        uses = self.uses(state, segment, turn) if segment.multiplier else ()
        if len(uses) > 1:
            return Step(replace(state, asked=tuple(state.rows[one.row] for one in uses)))
        return take(state, turn, uses[0]) if uses else Step(state)

    def visit_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        counts = {f"{state.in_visit}m": 1} if 5 <= state.in_visit <= 9 else {}
        if state.eighty in (None, turn.visit):
            counts |= {"marks_80": state.in_visit, "darts_80": len(turn.darts)}
        return Step(state, counts=counts)

    def round_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        """At the limit points decide, then marks."""
        rules = state.rules
        if rules.rounds is None or turn.round < rules.rounds:
            return Step(state)
        best = leaders(turn.playing, lambda side: (state.standing(side), sum(state.marks[side])))
        return Step(state, winners=None if len(best) > 1 and rules.tie == "one_more_round" else best)

    def award(self, state: State, turn: Turn) -> str | None:
        numbers = frozenset(state.rows) - state.hidden
        return awards.of_marks(turn.darts, state.in_visit, numbers) if state.in_visit else None

    def score(self, state: State, side: int) -> int:
        return sum(state.marks[side]) if state.rules.scoring == "no_score" else state.points[side]

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
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
        rows = ["?" if label in state.hidden else SHORT.get(label, label) for label in state.rows]
        targets = self.targets(state, turn) if turn.darts_left else ()
        return Panel("marks", detail, targets, board={"rows": rows, "need": NEED})

    def targets(self, state: State, turn: Turn) -> tuple[str, ...]:
        """The rows on which a mark would count now."""
        known = ((row, label) for row, label in enumerate(state.rows) if label not in state.hidden)
        return tuple(label for row, label in known if use(state, turn, row, 1, VALUES[label]))


def _mpr_80(tally: Tally) -> float:
    darts = tally.counts.get("darts_80", 0)
    return round(3 * tally.counts["marks_80"] / darts, 2) if darts else 0.0
