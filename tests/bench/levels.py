"""`python -m tests.bench.levels`: what each level averages in 501 double out, and how far off its name that is.

Legs are played to their end, alone, by the rules and with the advice of the game itself. What follows the table is the
scatter that would average each level, read off between its neighbours; engine/levels.py holds what more runs leave as
it is.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from statistics import fmean, stdev
from typing import NamedTuple

from engine.levels import sigma_mm
from protocol.match_spec import LEVELS
from tests.engine.side_by_side import play_out

_LONGEST = 20_000
"""Inputs of a leg; no player needs so many."""
_START = 501


class Sample(NamedTuple):
    """What so many legs came to: the three-dart average, and its standard error."""

    average: float
    error: float
    legs: int


def sample(sigma_mm: float, legs: int, seed: str) -> Sample:
    """Legs of a player with this scatter."""
    darts = [_darts(sigma_mm, f"{seed}/{leg}") for leg in range(legs)]
    average = 3 * _START / fmean(darts)
    return Sample(average, average * stdev(darts) / fmean(darts) / math.sqrt(legs), legs)


def _darts(sigma_mm: float, seed: str) -> int:
    match = play_out("x01", sigma_mm, seed, _LONGEST, players=1)
    if not match.position.over:
        raise RuntimeError(f"no player finishes 501 with a scatter of {sigma_mm} mm")
    return match.position.tallies[0].darts


def _level(level: int, legs: int, seed: str) -> Sample:
    return sample(sigma_mm(level), legs, f"{seed}/{level}")


def _fitting(level: int, found: Sequence[tuple[float, float]]) -> float:
    """The scatter that averages this level, on a curve through averages and scatters."""
    points = sorted(found)
    pairs = list(pairwise(points))
    (low, wide), (high, narrow) = next((pair for pair in pairs if level <= pair[1][0]), pairs[-1])
    return math.exp(math.log(wide) + math.log(narrow / wide) * (level - low) / (high - low))


def main() -> None:
    """Prints a line a level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--legs", type=int, default=1000, help="so many for each level")
    parser.add_argument("--step", type=int, default=10, help="only every so many levels")
    parser.add_argument("--seed", default="levels")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    given = parser.parse_args()
    levels = LEVELS[:: given.step]
    print(f"{'level':>5}{'sigma mm':>10}{'average':>9}{'error':>7}{'off':>7}{'legs':>7}")
    found = []
    with ProcessPoolExecutor(given.jobs) as pool:
        for level, got in zip(levels, pool.map(partial(_level, legs=given.legs, seed=given.seed), levels), strict=True):
            found.append((got.average, sigma_mm(level)))
            off = (got.average - level) / got.error
            print(
                f"{level:5}{sigma_mm(level):10.2f}{got.average:9.2f}{got.error:7.2f}{off:+7.1f}{got.legs:7}", flush=True
            )
    print("\n" + "\n".join(f"    {level}: {_fitting(level, found):.2f}," for level in levels))


if __name__ == "__main__":
    main()
