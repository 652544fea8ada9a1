"""`python -m tests.bench.levels`: what each level averages in 501 double out: alone, against its equal, against 80.

Legs are played to the end by the rules and with the advice of the game itself; the sides begin in turn. A level says
the average against an equal: in half of the legs a side is spared the doubles, which take the most darts.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from random import Random
from statistics import fmean
from typing import NamedTuple

from engine.games import expand_preset, game
from engine.levels import sigma_mm
from engine.match import Match
from engine.skill import Skill
from protocol.commands import Next, Throw
from protocol.match_spec import MatchSpec
from simulator.thrower import Thrower

_LEVELS = (20, 45, 70, 95, 110)
_LONGEST = 20_000
"""Inputs of a leg; no player needs so many."""
_NEIGHBOUR = 80


class Sample(NamedTuple):
    """What so many legs came to for the first player: the three-dart average, and its standard error."""

    average: float
    error: float
    legs: int


def sample(sigmas_mm: Sequence[float], legs: int, seed: str) -> Sample:
    """Legs of players with these scatters, who begin in turn. Between equals the darts of all count."""
    counted = range(len(sigmas_mm)) if len(set(sigmas_mm)) == 1 else range(1)
    played = [_play(sigmas_mm, leg, f"{seed}/{leg}", counted) for leg in range(legs)]
    points, darts = (sum(each) for each in zip(*played, strict=True))
    average = 3 * points / darts
    residuals = fmean((3 * got - average * thrown) ** 2 for got, thrown in played)
    return Sample(average, math.sqrt(residuals * legs) / darts, legs)


def _play(sigmas_mm: Sequence[float], leg: int, seed: str, counted: Sequence[int]) -> tuple[int, int]:
    """The points and darts of the counted players in a leg."""
    order = [(leg + place) % len(sigmas_mm) for place in range(len(sigmas_mm))]
    spec = expand_preset(MatchSpec("x01", tuple(f"player {player}" for player in order), seed=seed))
    match = Match(spec, game(spec.game), seed)
    skills = [Skill(match.layout, sigmas_mm[player]) for player in order]
    throwers = [Thrower(skill.sigma_mm, Random(f"{seed}/{place}"), match.layout) for place, skill in enumerate(skills)]
    for line in range(2, _LONGEST):
        position = match.position
        if position.over:
            tallies = [match.position.tallies[order.index(player)] for player in counted]
            return sum(tally.points for tally in tallies), sum(tally.darts for tally in tallies)
        if position.phase == "takeout":
            match.apply(line, Next())
            continue
        seat = position.visit.seat
        aim = match.advice(skills[seat]).aim
        assert aim is not None
        match.apply(line, Throw(throwers[seat].throw(aim).segment.id))
    raise RuntimeError(f"no player finishes 501 with a scatter of {min(sigmas_mm)} mm")


def table_row(level: int, legs: int, seed: str) -> tuple[int, Sample, Sample, Sample]:
    """The level with its samples: alone, against its equal, against level 80."""
    mine, neighbour = sigma_mm(level), sigma_mm(_NEIGHBOUR)
    return (
        level,
        sample((mine,), legs, f"{seed}/{level}/alone"),
        sample((mine, mine), legs, f"{seed}/{level}/equal"),
        sample((mine, neighbour), legs, f"{seed}/{level}/{_NEIGHBOUR}"),
    )


def main() -> None:
    """Prints a line a level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--legs", type=int, default=3000, help="so many for each figure")
    parser.add_argument("--levels", type=int, nargs="+", default=_LEVELS)
    parser.add_argument("--seed", default="levels")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    given = parser.parse_args()
    print("| level | scatter | alone | against its equal | against 80 |\n|---|---|---|---|---|")
    with ProcessPoolExecutor(given.jobs) as pool:
        for level, *found in pool.map(partial(table_row, legs=given.legs, seed=given.seed), given.levels):
            figures = " | ".join(f"{each.average:.1f}" for each in found)
            print(f"| {level} | {sigma_mm(level):.1f} mm | {figures} |", flush=True)


if __name__ == "__main__":
    main()
