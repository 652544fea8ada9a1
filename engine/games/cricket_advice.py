"""What a sensible player aims at where marks are to be made: his own rows first, points when he needs them.

Worth is counted in points, more or less: a mark that closes is worth its row's number and a bit, more where an opponent
is scoring on that row, and points are worth having as far as they are needed to get in front.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.game import Turn
from engine.games.cricket_marks import NEED, State, Use
from engine.skill import Skill
from protocol.segment import Segment

_MARK = {"bull": 35.0, "double": 45.0, "triple": 65.0, **{str(number): number + 10.0 for number in range(1, 21)}}
_DENIED = 1.3
"""So much more is a mark worth on a row that an opponent has closed."""
_AHEAD = 20
"""A lead of so much is enough."""
_NEEDED, _SPARE = 1.5, 0.1
"""What a point is worth that is needed to get in front, and one that is not."""


def worth(state: State, turn: Turn, using: Use) -> float:
    """How good it is to use a dart like that."""
    label = state.rows[using.row]
    opponents = [side for side in turn.playing if side != turn.side]
    open_to_them = any(state.marks[side][using.row] == NEED for side in opponents)
    value = using.closing * _MARK[label] * (_DENIED if open_to_them else 1.0)
    if not using.points:
        return value
    rivals = using.to if state.rules.scoring == "cut_throat" else opponents
    gaps = [state.standing(side) - state.standing(turn.side) + _AHEAD for side in rivals]
    if state.rules.scoring != "cut_throat":
        gaps = [max(gaps)]
    return value + sum(_points(using.points, gap) for gap in gaps)


def _points(points: int, gap: int) -> float:
    needed = min(points, max(gap, 0))
    return needed * _NEEDED + (points - needed) * _SPARE


def best(uses: Callable[[Segment], tuple[Use, ...]], state: State, turn: Turn, skill: Skill) -> str:
    """Where to aim, among the beds of the rows that still count; where rows are hidden, at numbers not yet tried."""
    untried = [number for number in range(20, 0, -1) if state.hidden and str(number) not in state.tried]

    def value(segment: Segment) -> float:
        if segment.value in untried:
            return segment.multiplier * _MARK[str(segment.value)] * len(state.hidden) / len(untried)
        return max((worth(state, turn, using) for using in uses(segment)), default=0.0)

    numbers = [label for label in state.rows if label.isdigit() and label not in state.hidden]
    numbers += [str(number) for number in untried]
    rings = [f"{ring}{number}" for ring in _rings(state) for number in numbers]
    return skill.best(value, among=[*rings, "DB", "SB"])


def _rings(state: State) -> str:
    """The beds of a number worth aiming at. Many numbers are told apart by their triples alone, which is enough."""
    if "double" in state.rows:
        return "TD"
    return "T" if state.hidden else "TO"
