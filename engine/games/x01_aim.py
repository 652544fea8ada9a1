"""Where to aim when a number has to come down to zero: for X01, and for the drills that practise its last darts.

A player who never misses follows the route of the solver. For all others the number of darts that they will still need
is worked out once for each scatter and out rule, from small numbers to large ones, and every dart is aimed where the
fewest are to be expected after it. So a weak player takes the fat side of the board, keeps away from a bust, and
prefers a double that leaves another double after a miss inside, without a rule for any of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from engine.checkouts import Bull, Out, closes, least, route, towards, worth
from engine.skill import Skill

_AIMS = (
    *(f"T{n}" for n in range(20, 14, -1)),
    *(f"D{n}" for n in range(20, 0, -1)),
    *(f"S{n}" for n in range(20, 0, -1)),
    "DB",
    "SB",
)
"""The beds to aim at. Of equal ones the first is chosen: the triple before its single."""
_FAR = 240
"""From here on only points count: no dart leaves a number that can be finished in one visit."""
_NEVER = 1000.0
"""The darts to charge for a checkout that loses the leg."""


class AimState(NamedTuple):
    """What the next dart depends on.

    `before` remained at the start of the visit and remains again after a bust. `darts_left` are those of the visit,
    this one included. `to_open` is the rule of the dart that must open first (None: it is open). A `frozen` player
    must not go out.
    """

    remaining: int
    before: int
    darts_left: int
    out: Out
    bull: Bull
    favourites: tuple[int, ...] = ()
    to_open: Out | None = None
    frozen: bool = False


def hint(at: AimState) -> tuple[str, ...]:
    """The route out, where there is one with the darts in hand."""
    if at.to_open is not None or at.frozen:
        return ()
    return route(at.remaining, at.darts_left, at.out, at.bull, at.favourites)


def aim(at: AimState, skill: Skill | None = None) -> str:
    """The bed for the next dart; without a `skill`, for a player who never misses."""
    return _fewest_darts_aim(at, skill) if skill and skill.sigma_mm else _route_aim(at)


def targets(at: AimState) -> tuple[str, ...]:
    """What to light: the bed to aim at, or all that open."""
    if not at.darts_left:
        return ()
    if at.to_open is None:
        return (_route_aim(at),)
    return ("double", "triple") if at.to_open == "master" else ("double",)


def _route_aim(at: AimState) -> str:
    """At the route out; else at what leaves an easy one for the next visit; far away at points."""
    if at.to_open is not None:
        return _opening(at)
    way = hint(at) or towards(at.remaining, at.out, at.bull, at.favourites)
    if way:
        return way[0]
    if at.remaining > 61:
        return "T20"
    return "S20" if at.frozen and at.remaining == 1 else "S1"


def _opening(at: AimState) -> str:
    """The biggest bed that opens and is not bust."""
    for ring, times in (("T", 3), ("D", 2)) if at.to_open == "master" else (("D", 2),):
        for number in range(20, 0, -1):
            left = at.remaining - number * times
            if left >= least(at.out) or (left == 0 and closes(times, at.out)):
                return f"{ring}{number}"
    return "D1"


def _fewest_darts_aim(at: AimState, skill: Skill) -> str:
    """The bed after which the fewest darts are needed, on average."""
    plan = _plan(skill, at.out, at.bull)
    wait = plan.to_open(at.to_open) if at.to_open is not None else 0.0

    def needed(points: int, multiplier: int) -> float:
        if at.to_open is not None and not (points and closes(multiplier, at.to_open)):
            return plan.needed(at.remaining) + wait
        left = at.remaining - points
        if left == 0 and closes(multiplier, at.out):
            return _NEVER if at.frozen else 0.0
        if left < least(at.out):
            return plan.needed(at.before) + at.darts_left - 1
        return plan.needed(left)

    return min(_AIMS, key=lambda bed: plan.average(bed, needed))


class _Plan:
    """How many darts a player of this skill needs from each number, under one rule for the last dart."""

    def __init__(self, skill: Skill, out: Out, bull: Bull) -> None:
        self._landings = {bed: _landings(skill, bed, bull) for bed in _AIMS}
        self._out = out
        self._pace = max(self.average(bed, lambda points, _: points) for bed in _AIMS)
        self._needed = [0.0, math.inf][: least(out)]
        for remaining in range(least(out), _FAR + 1):
            self._needed.append(min(self._darts_aiming_at(bed, remaining) for bed in _AIMS))

    def needed(self, remaining: int) -> float:
        """The expected number of darts still needed."""
        if remaining <= _FAR:
            return self._needed[remaining]
        return self._needed[_FAR] + (remaining - _FAR) / self._pace

    def to_open(self, rule: Out) -> float:
        """The expected number of darts until one opens the score."""
        chance = max(self.average(bed, lambda points, times: bool(points) and closes(times, rule)) for bed in _AIMS)
        return 1 / chance if chance else math.inf

    def average(self, bed: str, of: Callable[[int, int], float]) -> float:
        """The average of `of(points, multiplier)` for a dart aimed at this bed."""
        return sum(share * of(points, multiplier) for points, multiplier, share in self._landings[bed])

    def _darts_aiming_at(self, bed: str, remaining: int) -> float:
        """The darts from here when this bed is aimed at until it changes something.

        A bust gives back what the visit had, which is not known here: it leaves things as they are and costs a dart.
        """
        darts, stays = 1.0, 0.0
        for points, multiplier, share in self._landings[bed]:
            left = remaining - points
            if left == remaining:
                stays += share
            elif left >= least(self._out):
                darts += share * self._needed[left]
            elif left or not closes(multiplier, self._out):
                stays += share
                darts += share
        return darts / (1 - stays) if stays < 1 else math.inf


@lru_cache(maxsize=16)
def _plan(skill: Skill, out: Out, bull: Bull) -> _Plan:
    return _Plan(skill, out, bull)


def _landings(skill: Skill, bed: str, bull: Bull) -> tuple[tuple[int, int, float], ...]:
    """The outcomes of a dart aimed at this bed: points, multiplier and share."""
    found: dict[tuple[int, int], float] = {}
    for segment, share in skill.chances(bed):
        found[worth(segment, bull)] = found.get(worth(segment, bull), 0.0) + share
    return tuple((*came_to, share) for came_to, share in found.items())
