"""`python -m tests.bench.levels`: what each level averages in 501 double out: alone, against its equal, against 80.

Legs are played to the end by the rules and with the advice of the game itself; the sides begin in turn. A level says
the average against an equal: in half of the legs a side is spared the doubles, which take the most darts. `--dartboard`
names the dartboard. `--measure` finds the scatter of each level there instead, as engine/levels.py has it.
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
from protocol.match_spec import LEVELS, MatchSpec
from protocol.segment import Dartboard
from protocol.standard import DARTBOARDS, USUAL
from simulator.thrower import Thrower

_LEVELS = (20, 45, 70, 95, 110)
_LONGEST = 20_000
"""Inputs of a leg; no player needs so many."""
_NEIGHBOUR = 80
_TABLE = range(LEVELS[0], LEVELS[-1] + 1, 5)
"""The levels of which engine/levels.py has the scatter."""
_FAR = 0.03
"""Two scatters, as logarithms, that lie further apart than chance moves an average."""
_POWERS = (-1.5, -0.4)
"""The powers of the scatter that an average may fall with."""


class Sample(NamedTuple):
    """What so many legs came to for the first player: the three-dart average, and its standard error."""

    average: float
    error: float
    legs: int


def sample(sigmas_mm: Sequence[float], legs: int, seed: str, dartboard: Dartboard = USUAL) -> Sample:
    """Legs of players with these scatters, who begin in turn. Between equals the darts of all count."""
    counted = range(len(sigmas_mm)) if len(set(sigmas_mm)) == 1 else range(1)
    played = [_play(sigmas_mm, leg, f"{seed}/{leg}", counted, dartboard) for leg in range(legs)]
    points, darts = (sum(each) for each in zip(*played, strict=True))
    average = 3 * points / darts
    residuals = fmean((3 * got - average * thrown) ** 2 for got, thrown in played)
    return Sample(average, math.sqrt(residuals * legs) / darts, legs)


def _play(
    sigmas_mm: Sequence[float], leg: int, seed: str, counted: Sequence[int], dartboard: Dartboard
) -> tuple[int, int]:
    """The points and darts of the counted players in a leg."""
    order = [(leg + place) % len(sigmas_mm) for place in range(len(sigmas_mm))]
    players = tuple(f"player {player}" for player in order)
    spec = expand_preset(MatchSpec("x01", players, seed=seed, dartboard=dartboard))
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


def table_row(level: int, legs: int, seed: str, dartboard: Dartboard) -> tuple[int, Sample, Sample, Sample]:
    """The level with its samples: alone, against its equal, against level 80."""
    mine, neighbour = sigma_mm(level, dartboard), sigma_mm(_NEIGHBOUR, dartboard)
    return (
        level,
        sample((mine,), legs, f"{seed}/{level}/alone", dartboard),
        sample((mine, mine), legs, f"{seed}/{level}/equal", dartboard),
        sample((mine, neighbour), legs, f"{seed}/{level}/{_NEIGHBOUR}", dartboard),
    )


def measure(level: int, dartboard: Dartboard, legs: int, seed: str) -> float:
    """The scatter in mm with which two players average this on that dartboard. The same legs give the same again.

    An average falls with a power of the scatter, which is found as well; the last step takes all legs.
    """
    scatter, power = sigma_mm(level), -0.75
    before: tuple[float, float] | None = None
    for count in (legs // 10, legs // 10, legs // 4, legs):
        average = sample((scatter, scatter), count, f"{seed}/{dartboard}/{level}/{count}", dartboard).average
        if before is not None and abs(step := math.log(scatter / before[0])) > _FAR:
            power = min(max(math.log(average / before[1]) / step, _POWERS[0]), _POWERS[1])
        before = scatter, average
        scatter *= (level / average) ** (1 / power)
    return round(scatter, 2)


def _print_scatters(dartboard: Dartboard, levels: Sequence[int], legs: int, seed: str, jobs: int) -> None:
    """Prints the scatter of each level, as engine/levels.py has it."""
    with ProcessPoolExecutor(jobs) as pool:
        found = pool.map(partial(measure, dartboard=dartboard, legs=legs, seed=seed), levels)
        for level, scatter in zip(levels, found, strict=True):
            print(f"        {level}: {scatter},", flush=True)


def main() -> None:
    """Prints a line a level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--legs", type=int, default=3000, help="so many for each figure")
    parser.add_argument("--levels", type=int, nargs="+")
    parser.add_argument("--seed", default="levels")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--dartboard", choices=DARTBOARDS, default=USUAL)
    parser.add_argument("--measure", action="store_true", help="the scatter that each level has there; a long time")
    given = parser.parse_args()
    if given.measure:
        _print_scatters(given.dartboard, given.levels or _TABLE, given.legs, given.seed, given.jobs)
        return
    print("| level | scatter | alone | against its equal | against 80 |\n|---|---|---|---|---|")
    with ProcessPoolExecutor(given.jobs) as pool:
        row = partial(table_row, legs=given.legs, seed=given.seed, dartboard=given.dartboard)
        for level, *found in pool.map(row, given.levels or _LEVELS):
            figures = " | ".join(f"{each.average:.1f}" for each in found)
            print(f"| {level} | {sigma_mm(level, given.dartboard):.1f} mm | {figures} |", flush=True)


if __name__ == "__main__":
    main()
