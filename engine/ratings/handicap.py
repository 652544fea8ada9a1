"""A fair handicap: the start score of X01 with which the weaker of two has a chance nearest to one half.

The chance is not played out, but worked out from how many visits each needs (engine/ratings/thrower_model.py), so the
same darts always have the same answer. It is that of a leg without a limit of rounds, in which each of the two throws
first as often as the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, zip_longest

from msgspec import Struct

from engine.finishing import least
from engine.ratings.thrower_model import OwnVisit, X01Rule, count_visits, fit_model

_MOST_VISITS = 150
"""A leg that takes more is anybody's."""


class FairStart(Struct, frozen=True):
    """The `starts` of the two, the chance of the first one to win a leg with them, and that without a handicap."""

    starts: tuple[int, int]
    chance: float
    even_chance: float


def find_fair_start(one: Sequence[OwnVisit], other: Sequence[OwnVisit], start: int, rule: X01Rule) -> FairStart:
    """Returns the start scores: the better of the two has `start`, and the other that or less."""
    open_after = [count_visits(fit_model(visits, rule), start, _MOST_VISITS) for visits in (one, other)]
    open_one, open_other = ([by_score[start] for by_score in each] for each in open_after)
    even = _find_chance(open_one, open_other)
    better = 0 if even >= 0.5 else 1
    weaker = open_after[1 - better]
    best = open_other if better else open_one
    chances = {
        score: _find_chance([by_score[score] for by_score in weaker], best)
        for score in range(start, least(rule.out) - 1, -1)
    }
    fair = min(chances, key=lambda score: abs(chances[score] - 0.5))  # of equal ones the highest
    return FairStart(
        starts=(fair, start) if better else (start, fair),
        chance=round(chances[fair] if better else 1 - chances[fair], 3),
        even_chance=round(even, 3),
    )


def _find_chance(mine: Sequence[float], others: Sequence[float]) -> float:
    """The chance to finish first, of the one who has not finished after 0, 1, 2… visits with these chances.

    If neither has after the last one, each may.
    """
    both = [*zip_longest(mine, others, fillvalue=0.0)]
    chance = 0.5 * both[-1][0] * both[-1][1]
    for (before, other_before), (after, other_after) in pairwise(both):
        chance += (before - after) * (other_before + other_after) / 2
    return chance
