"""Which segment to ask for next: pure weighing of what a press may tell.

Predicted for each fit is the pair of line numbers that will come, as far as they are known; where the predictions
differ the press tells fits apart. A press that meets lines not met before is worth something too, for in the end all
must be met. As long as both kinds of mats are possible, no single is asked for by a name that one of them has not; of
a person who knows beds by place, at least not before all else is told.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Self

from protocol.learning.candidates import Cell, Evidence, Pattern, PatternFit
from protocol.learning.finding import BullAnswers
from protocol.standard import NUMBERS

_NEW_LINE_BITS = 3.0
"""What meeting a new line is worth: that is what most presses are needed for."""
_RIVAL = 0.25
"""How much a fit counts for each point it costs more than the best."""
_TWICE = 2


class ExplainedFit(NamedTuple):
    """A fit, and how it explains the answers for the bulls."""

    fit: PatternFit
    bulls: BullAnswers
    cost: int

    @classmethod
    def of(cls, fit: PatternFit, answers: Sequence[Evidence], pressed: Mapping[str, Counter[Cell]]) -> Self:
        """Returns the fit, explained. A bull that is elsewhere costs 1 in all, as such boards exist."""
        bulls = BullAnswers(fit.pattern, *fit.lines(answers), pressed)
        return cls(fit, bulls, (fit.cost or 0) + len(bulls.odd))

    @property
    def unmet(self) -> tuple[frozenset[int], frozenset[int]]:
        """The rows and columns that were not met yet."""
        return self.fit.pattern.rows - set(self.bulls.rows), self.fit.pattern.cols - set(self.bulls.cols)


class Choice(NamedTuple):
    """A press, and the bits by which it is expected to tell fits apart.

    `is_plain`: every board has a segment of that name.
    """

    segment: str
    bits: float
    is_plain: bool


class _Weighed(NamedTuple):
    """What is asked of a fit for each segment, some hundred times: its numbers of lines, and what is new to it."""

    places: Mapping[str, Cell]
    rows: Mapping[int, int]
    cols: Mapping[int, int]
    new_rows: Mapping[int, float]
    new_cols: Mapping[int, float]
    weight: float

    @classmethod
    def of(cls, view: ExplainedFit, least: int) -> Self:
        """The fit, which counts by how little more than the least it costs.

        An unmet line is worth 1 on the axis that has more of them, less on the other.
        """
        rows, cols = view.unmet
        weight = _RIVAL ** (view.cost - least)
        each = weight / max(1, len(rows), len(cols))
        new_rows, new_cols = dict.fromkeys(rows, len(rows) * each), dict.fromkeys(cols, len(cols) * each)
        return cls(view.fit.pattern.places, view.bulls.rows, view.bulls.cols, new_rows, new_cols, weight)


def choose_press(
    best: Sequence[ExplainedFit],
    near: Sequence[ExplainedFit],
    answers: Sequence[Evidence],
    silent: Collection[str],
    *,
    halves: bool = True,
) -> Choice | None:
    """The best press; None when none tells the fits apart or meets a new line.

    `near` are the fits to be told apart, `best` the cheapest of them; `silent` are segments not to be asked for.
    Without `halves`, inner and outer singles are asked for only if no fit is without them.
    """
    asked = {said.segment for said in answers} | set(silent)
    weighed = [_Weighed.of(view, best[0].cost) for view in near]
    chosen: tuple[tuple[float, int, int], Choice] | None = None
    for rings, is_plain in _offers(best, near, halves=halves):
        is_decisive = False
        for segment in (f"{ring}{number}" for number in NUMBERS for ring in rings):
            if segment in asked:
                continue
            outcomes: dict[tuple[int | None, int | None], float] = {}
            gain = 0.0
            for places, rows, cols, new_row, new_col, weight in weighed:
                place = places.get(segment)
                if place is not None:  # else it tells nothing about this one
                    row, col = place
                    outcome = (rows.get(row), cols.get(col))
                    outcomes[outcome] = outcomes.get(outcome, 0.0) + weight
                    gain += new_row.get(row, 0.0) + new_col.get(col, 0.0)
            if not outcomes:
                continue
            bits = _entropy(outcomes.values())
            worth = bits + _NEW_LINE_BITS * gain / sum(outcomes.values())
            rank = (round(worth, 6), _ease(segment), _spread(segment, answers))
            is_decisive = is_decisive or sum(1 for share in outcomes.values() if share >= 1) > 1
            if worth > 0 and (chosen is None or rank > chosen[0]):
                chosen = (rank, Choice(segment, bits, is_plain))
        if chosen is not None and (is_decisive or len(best) == 1 or not answers):
            break
    return None if chosen is None else chosen[1]


def find_doubtful(best: Sequence[ExplainedFit], answers: Sequence[Evidence]) -> str | None:
    """The segment whose answer most of these fits call wrong, unless they believe another answer for it."""
    votes: Counter[str] = Counter()
    for view in best:
        wrong = view.fit.wrong(answers)
        believed = {said.segment for said in answers if said not in wrong}
        votes.update({said.segment for said in wrong} - believed)
    if not votes:
        return None
    order = [said.segment for said in answers]
    return max(votes, key=lambda segment: (votes[segment], order.index(segment)))


def find_unsure(view: ExplainedFit, answers: Sequence[Evidence], silent: Collection[str]) -> str | None:
    """A press on a line whose number is doubtful; None if there is none.

    A number misread for one that no line has contradicts nothing. But most boards count their lines without a gap, and
    rows and columns from one number: where they do not, the lowest and the highest of an axis are believed only when
    they came twice.
    """
    if not has_gap(view):
        return None
    wrong = view.fit.wrong(answers)
    places = view.fit.pattern.places
    # Where singles are two beds, S4 was either of them: that tells no line.
    told = [(s, places[s.segment]) for s in answers if s not in wrong and s.segment in places]
    for axis, (lines, used) in enumerate(
        [(view.bulls.rows, view.fit.pattern.rows), (view.bulls.cols, view.fit.pattern.cols)]
    ):
        numbers = set(lines.values())
        for line, number in lines.items():
            if line in used and number in (min(numbers), max(numbers)):
                there = [said for said, place in told if place[axis] == line]
                press = _on_line(view.fit.pattern, axis, line, {s.segment for s in there} | set(silent))
                if sum(said.times for said in there) < _TWICE and press is not None:
                    return press
    return None


def _on_line(pattern: Pattern, axis: int, line: int, but: Collection[str]) -> str | None:
    """The easiest segment on this row (axis 0) or column (axis 1), but for these."""
    there = [
        segment
        for segment, place in pattern.places.items()
        if place[axis] == line and segment not in but and (pattern.is_split or segment[0] in "SDT")
    ]
    return max(there, key=_ease, default=None)


def has_gap(view: ExplainedFit) -> bool:
    """Whether the line numbers have gaps, as if lines were not met yet. Most boards count both axes from one number."""
    rows, cols = (set(lines.values()) for lines in (view.bulls.rows, view.bulls.cols))
    return min(rows) != min(cols) or any(max(axis) - min(axis) + 1 != len(axis) for axis in (rows, cols))


def _offers(best: Sequence[ExplainedFit], near: Sequence[ExplainedFit], *, halves: bool) -> list[tuple[str, bool]]:
    """The rings to ask for, and whether every board has them by that name.

    The later ones are for when the earlier ones do not tell the best fits apart.
    """
    trusted = best if best[0].cost == 0 else near  # an answer was wrong, perhaps the latest
    kinds = {view.fit.pattern.is_split for view in trusted}
    if len(kinds) == 2:
        return [("DT", True), ("OI", False) if halves else ("S", True)]
    if True in kinds:
        return [("OIDT", True)]
    return [("SDT", True), ("OI", False)] if halves and _is_any_split(near) else [("SDT", True)]


def _is_any_split(views: Iterable[ExplainedFit]) -> bool:
    return any(view.fit.pattern.is_split for view in views)


def _entropy(weights: Iterable[float]) -> float:
    parts = list(weights)
    total = sum(parts)
    return -sum(part / total * math.log2(part / total) for part in parts)


def _ease(segment: str) -> int:
    """How easy a segment is to press, by the size of its bed."""
    return {"S": 3, "O": 3, "I": 2, "D": 1, "T": 0}[segment[0]]


def _spread(segment: str, answers: Sequence[Evidence]) -> int:
    """How far it is from all numbers that were pressed: far away, a neighbour pressed by mistake shows."""
    place = NUMBERS.index(int(segment[1:]))
    gaps = (abs(place - NUMBERS.index(int(said.segment[1:]))) for said in answers)
    return min((min(gap, 20 - gap) for gap in gaps), default=0)
