"""Levels: how far the darts of a player scatter, named by the average that follows.

A level is the three-dart average in 501 double out over legs played to their end, on the usual full-size electronic
board (15.5 inches, `protocol.standard.SOFT_15_INCH`), by a player who aims as the game advises for that scatter. On
another layout, and in another game, the scatter is the same, and the average depends on the layout.
"""

from __future__ import annotations

from itertools import pairwise

from protocol.match_spec import LEVELS

_SIGMAS_MM = {
    20: 68.89,
    25: 55.03,
    30: 45.81,
    35: 38.04,
    40: 32.18,
    45: 27.62,
    50: 24.37,
    55: 21.88,
    60: 19.87,
    65: 18.17,
    70: 16.85,
    75: 15.7,
    80: 14.64,
    85: 13.67,
    90: 12.8,
    95: 11.98,
    100: 11.22,
    105: 10.5,
    110: 9.81,
}
"""Level and scatter, as `python -m tests.bench.levels` finds them; between two of them a straight line will do."""


def sigma_mm(level: float) -> float:
    """The standard deviation, in mm in each direction, of the darts of a player of this level. Raises ValueError."""
    for (low, wide), (high, narrow) in pairwise(_SIGMAS_MM.items()):
        if low <= level <= high:
            return wide + (narrow - wide) * (level - low) / (high - low)
    raise ValueError(f"there is no level {level}: levels go from {LEVELS[0]} to {LEVELS[-1]}")
