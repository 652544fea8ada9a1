"""The rules that the cricket family shares, and where to aim for marks.

A game of the family says which uses a dart has (cricket_marks.py).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic

from msgspec.structs import replace

from engine import awards
from engine.game import Advice, Game, Panel, Seating, Step, Turn
from engine.games.cricket_marks import (
    VALUES,
    MarksState,
    R,
    Use,
    apply_use,
    find_use,
    find_winners,
    make_older,
    rank_winners,
)
from engine.games.targets import legend, shorten_label
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from engine.tally import Tally
from protocol.finish import Purpose
from protocol.segment import Segment
from protocol.sentence import Refusal, Sentence, say

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


class Marks(Game[R, MarksState], Generic[R]):
    """The rules of the family; see its games."""

    team_size = range(1, 9)
    figure = "mpr"
    rules = 3
    shows_advice = True

    @abstractmethod
    def uses(self, state: MarksState, segment: Segment, turn: Turn) -> tuple[Use, ...]:
        """The uses of this dart, of which its player may choose one."""

    def resolve(self, options: R, seating: Seating) -> R:
        if options.spread is not None and options.scoring != "standard":
            raise Refusal(
                say("cricket.refuse_spread", "a spread only works where points are good: choose scoring standard")
            )
        if options.won_by_others != "at_once" and len(seating.sides) < 3:  # where it makes no difference
            return self.options_type(**{name: getattr(options, name) for name in self.options_type.__struct_fields__})
        return options

    def resolve_older(self, options: R, rules: int) -> R | None:
        if rules == 1 and options.scoring == "cut_throat":
            return make_older(options, "next_visit")
        return make_older(options, "next_round") if options.places else options

    def begin(self, state: MarksState, turn: Turn, luck: Luck) -> Step[MarksState]:
        """When a side has left, another one may have won by that."""
        if state.in_visit or state.asked:
            state = replace(state, in_visit=0, asked=())
        state, over = rank_winners(state, find_winners(state, state.rivals(turn)), turn)
        return Step(state, winners=over)

    def order(self, state: MarksState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        """Without those that have their place, also where older rules let them throw on in the running round."""
        return tuple(side for side in sides if side not in state.ranks) or sides

    def passed_over(self, state: MarksState) -> frozenset[int]:
        return frozenset(state.ranks) if state.rules.won_by_others == "at_once" else frozenset()

    def dart(self, state: MarksState, segment: Segment, turn: Turn, luck: Luck) -> Step[MarksState]:
        uses = self.uses(state, segment, turn) if segment.multiplier else ()
        if len(uses) > 1:
            return Step(replace(state, asked=tuple(state.rows[one.row] for one in uses)))
        return apply_use(state, turn, uses[0]) if uses else Step(state)

    def visit_over(self, state: MarksState, turn: Turn, luck: Luck) -> Step[MarksState]:
        counts = {f"{state.in_visit}m": 1} if 5 <= state.in_visit <= 9 else {}
        if state.eighty in (None, turn.visit):
            counts |= {"marks_80": state.in_visit, "darts_80": len(turn.darts) - turn.unread}
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

    def leading(self, state: MarksState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: (state.standing(side), sum(state.marks[side])))

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
        board: dict[str, Any] = {"rows": rows, "need": state.need, "legend": legend(rows)}  # Any: JSON
        if state.rules.scoring == "no_score":
            board["unit"] = "marks"
        return Panel("marks", detail, targets, board=board)

    def task(self, state: MarksState, turn: Turn, panel: Panel) -> Sentence:
        mine = [label for label in panel.targets if state.mine(turn, state.rows.index(label)) < state.need]
        score = tuple(label for label in panel.targets if label not in mine)
        if state.hidden:
            return say("cricket.find", "Find the hidden numbers among 1 to 20: three marks close one")
        if not panel.targets:
            return say("cricket.none", "Nothing counts for you now")
        if len(mine) == len(state.rows):
            return _say_first(state)
        if not score and state.need == 1:
            return say("cricket.close_hit", "Close {targets}, with one hit each", targets=tuple(mine))
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
        return Advice(aim=aim, purpose=find_purpose(state, turn, self.uses(state, skill.layout[aim], turn)))

    def targets(self, state: MarksState, turn: Turn) -> tuple[str, ...]:
        """The rows on which a mark would count now, as groups of the layout."""
        known = ((row, label) for row, label in enumerate(state.rows) if label not in state.hidden)
        return tuple(label for row, label in known if find_use(state, turn, row, 1, VALUES[label]))


def _say_first(state: MarksState) -> Sentence:
    """The task of a side for which every row is open."""
    need = state.need
    if state.rules.scoring == "cut_throat":
        if need == 1:
            return say(
                "cricket.give_hit",
                "Close all numbers with one hit each; more marks give the others points, and the fewest win",
            )
        return say(
            "cricket.begin_give",
            "Close all numbers with {need} marks each; more marks give the others points, and the fewest win",
            need=need,
        )
    if need == 1:
        return say("cricket.begin_hit", "Close all numbers with one hit each")
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


def find_purpose(state: MarksState, turn: Turn, uses: tuple[Use, ...]) -> Purpose | None:
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
