"""Levels: how far the darts of a player scatter, named by the average that follows.

A level is the three-dart average in matches of 501 double out against an equal, by a player who aims as the game
advises for that scatter. So the same level scatters less on a dartboard with narrower rings. In a match each ends half
of the legs; alone, ending every leg, the average is lower. In another game the scatter is the same, and so it is on
another layout, where it is that of the usual dartboard.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

from protocol.match_spec import LEVELS
from protocol.segment import Dartboard
from protocol.standard import USUAL

_SIGMAS_MM: Mapping[Dartboard, Mapping[int, float]] = {
    "soft_15.5": {
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
    },
    "soft_13.2": {
        20: 68.43,
        25: 52.97,
        30: 41.62,
        35: 33.28,
        40: 27.47,
        45: 22.94,
        50: 20.05,
        55: 17.83,
        60: 16.08,
        65: 14.72,
        70: 13.44,
        75: 12.4,
        80: 11.47,
        85: 10.63,
        90: 9.87,
        95: 9.14,
        100: 8.45,
        105: 7.78,
        110: 7.27,
    },
    "steel": {
        20: 60.71,
        25: 46.87,
        30: 37.74,
        35: 30.47,
        40: 24.97,
        45: 21.06,
        50: 18.44,
        55: 16.31,
        60: 14.78,
        65: 13.35,
        70: 12.3,
        75: 11.18,
        80: 10.24,
        85: 9.4,
        90: 8.64,
        95: 7.92,
        100: 7.22,
        105: 6.59,
        110: 6.04,
    },
}
"""Level and scatter, as `python -m tests.bench.levels --measure --dartboard steel` finds it, and so for the others.
Between two a straight line will do."""


def find_level(deviation_mm: float, dartboard: Dartboard | None = USUAL) -> int:
    """The level of which the darts scatter most nearly so, in mm in each direction."""
    return min(LEVELS, key=lambda level: abs(math.log(sigma_mm(level, dartboard) / deviation_mm)))


def sigma_mm(level: float, dartboard: Dartboard | None = USUAL) -> float:
    """The standard deviation, in mm in each direction, of the darts of a player of this level. Raises ValueError.

    `dartboard` is that of the layout played on; None: a layout that has no such thing.
    """
    for (low, wide), (high, narrow) in pairwise(_SIGMAS_MM[dartboard or USUAL].items()):
        if low <= level <= high:
            return wide + (narrow - wide) * (level - low) / (high - low)
    raise ValueError(f"there is no level {level}: levels go from {LEVELS[0]} to {LEVELS[-1]}")
