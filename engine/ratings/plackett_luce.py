"""Plackett–Luce: the rating of players of whom three or more sides play at once, or who play in teams.

It is algorithm 4 of R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for Online Ranking", Journal of Machine
Learning Research 12 (2011). A team is as strong as the sum of its players, and what it gains or loses is shared among
them by how little is known of each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Belief(NamedTuple):
    """How strong a player is, as a normal distribution."""

    mean: float
    deviation: float


START = Belief(25.0, 25.0 / 3)
"""A player of whom nothing is known."""
BETA = 25.0 / 6
"""How much the play of one evening differs from another."""
TAU = 25.0 / 300
"""What is added to a deviation before each match, because players change."""
_LEAST = 0.0001
"""The share of a variance that a match leaves at least."""

Team = tuple[Belief, ...]


def rate_match(teams: Sequence[Team], places: Sequence[int], tau: float = TAU) -> list[Team]:
    """Returns the teams after a match in which they had these places; the lowest is the best, equal ones are shared."""
    before = [tuple(Belief(mean, math.hypot(deviation, tau)) for mean, deviation in team) for team in teams]
    means, variances = _pool(before)
    scale = math.sqrt(math.fsum(variance + BETA**2 for variance in variances))
    highest = max(means)
    strengths = [math.exp((mean - highest) / scale) for mean in means]  # without the highest it might be too large
    left = [sum(each for each, other in zip(strengths, places, strict=True) if other >= place) for place in places]
    rated = []
    for team, variance, strength, place in zip(before, variances, strengths, places, strict=True):
        gain, certainty = 0.0, 0.0
        for rest, other in zip(left, places, strict=True):
            if other <= place:
                chance = strength / rest
                gain -= chance / places.count(other)
                certainty += chance * (1 - chance) / places.count(other)
        gain = (gain + 1 / places.count(place)) * variance / scale
        certainty *= variance / scale**2 * math.sqrt(variance) / scale
        rated.append(tuple(_move(player, variance, gain, certainty) for player in team))
    return rated


def _pool(teams: Sequence[Team]) -> tuple[list[float], list[float]]:
    """The means of the teams, and their variances."""
    means = [math.fsum(player.mean for player in team) for team in teams]
    return means, [math.fsum(player.deviation**2 for player in team) for team in teams]


def _move(player: Belief, variance: float, gain: float, certainty: float) -> Belief:
    share = player.deviation**2 / variance
    return Belief(player.mean + share * gain, player.deviation * math.sqrt(max(1 - share * certainty, _LEAST)))
