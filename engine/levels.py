"""Levels: how far the darts of a player scatter, named by the average that follows.

A level is the three-dart average in matches of 501 double out against an equal, on the usual full-size electronic board
(15.5 inches, `protocol.standard.SOFT_15_INCH`), by a player who aims as the game advises for that scatter. In a match
each ends half of the legs; alone, ending every leg, the average is lower. On another layout, and in another game, the
scatter is the same, and the average depends on the layout.
"""

from __future__ import annotations

from itertools import pairwise

from protocol.match_spec import LEVELS

_SIGMAS_MM = {
    20: 89.43,
    25: 73.42,
    30: 56.71,
    35: 47.2,
    40: 38.3,
    45: 31.6,
    50: 27.12,
    55: 23.75,
    60: 21.32,
    65: 19.3,
    70: 17.78,
    75: 16.53,
    80: 15.43,
    85: 14.42,
    90: 13.52,
    95: 12.68,
    100: 11.89,
    105: 11.15,
    110: 10.43,
}
"""Level and scatter: `python -m tests.bench.levels` shows what they come to. Between two a straight line will do."""


def sigma_mm(level: float) -> float:
    """The standard deviation, in mm in each direction, of the darts of a player of this level. Raises ValueError."""
    for (low, wide), (high, narrow) in pairwise(_SIGMAS_MM.items()):
        if low <= level <= high:
            return wide + (narrow - wide) * (level - low) / (high - low)
    raise ValueError(f"there is no level {level}: levels go from {LEVELS[0]} to {LEVELS[-1]}")
