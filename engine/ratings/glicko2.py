"""Glicko-2: the rating of two who play each other, by Mark E. Glickman: "Example of the Glicko-2 system", 2013.

All games of a period are rated at once, each by what the two were rated before it, so their order does not matter.

The paper has ten to fifteen games in a period, and no bounds. After dozens on one evening, another that ends the other
way round would raise the volatility and the ratings without end: so they have bounds here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

TAU = 0.5
"""How much the volatility may change; the paper advises 0.3 to 1.2."""
_SCALE = 173.7178
_MIDDLE = 1500.0
_PRECISION = 1e-6
MOST_VOLATILITY = 0.1
LOWEST, HIGHEST = 0.0, 3000.0
"""Of ratings."""
MOST_CHANGE = 700.0
"""By which a period moves a rating."""


class Rating(NamedTuple):
    """How strong a player is: in 19 of 20 cases within two deviations of the rating.

    `volatility` is how much the rating is to be expected to change.
    """

    rating: float
    deviation: float
    volatility: float


START = Rating(_MIDDLE, 350.0, 0.06)
"""A player of whom nothing is known; nobody is known less."""


class Outcome(NamedTuple):
    """A game against a player of this rating: 1 won, 0.5 drawn, 0 lost."""

    other: Rating
    score: float


def rate_period(own: Rating, outcomes: Iterable[Outcome], tau: float = TAU) -> Rating:
    """Returns the rating after a period with these games; without any it is `rest_for(own, 1)`."""
    games = [_weigh(own, each) for each in outcomes]
    if not games:
        return rest_for(own, 1)
    variance = 1 / math.fsum(slope**2 * expected * (1 - expected) for slope, expected, _ in games)
    gain = math.fsum(slope * (score - expected) for slope, expected, score in games)
    deviation = own.deviation / _SCALE
    volatility = min(_find_volatility(own.volatility, deviation, variance, variance * gain, tau), MOST_VOLATILITY)
    before = deviation**2 + volatility**2
    after = 1 / math.sqrt(1 / before + 1 / variance)
    change = max(-MOST_CHANGE, min(MOST_CHANGE, _SCALE * after**2 * gain))
    rating = max(LOWEST, min(HIGHEST, own.rating + change))
    return Rating(rating, min(_SCALE * after, START.deviation), volatility)


def rest_for(own: Rating, periods: int) -> Rating:
    """Returns the rating after so many periods without a game: as high, and less certain."""
    deviation = math.sqrt(own.deviation**2 + periods * (_SCALE * own.volatility) ** 2)
    return own._replace(deviation=min(deviation, START.deviation))


def _weigh(own: Rating, outcome: Outcome) -> tuple[float, float, float]:
    """The weight of a game (g in the paper), the score that was expected of it (E), and the one that it had."""
    other = outcome.other
    slope = _slope(other.deviation / _SCALE)
    return slope, _logistic(slope * (own.rating - other.rating) / _SCALE), outcome.score


def _slope(deviation: float) -> float:
    return 1 / math.sqrt(1 + 3 * deviation**2 / math.pi**2)


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def _find_volatility(before: float, deviation: float, variance: float, change: float, tau: float) -> float:
    """The volatility after the period: the zero of f in the paper, by the Illinois method."""
    start = math.log(before**2)

    def f(x: float) -> float:
        grown = deviation**2 + variance + math.exp(x)
        return math.exp(x) * (change**2 - grown) / (2 * grown**2) - (x - start) / tau**2

    low = start
    surplus = change**2 - deviation**2 - variance
    if surplus > 0:
        high = math.log(surplus)
    else:
        steps = 1
        while f(start - steps * tau) < 0:
            steps += 1
        high = start - steps * tau
    at_low, at_high = f(low), f(high)
    while abs(high - low) > _PRECISION:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = f(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return math.exp(low / 2)
