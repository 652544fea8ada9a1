"""How to finish: the easiest route for what remains, the darts in hand, the rules of the leg and the player's doubles.

A search over all routes of up to three darts, not a table typed in: any in, out or bull rule gives its own
answers, and a number that cannot be finished has none. "Easiest" is a price a dart: a single is cheap, a triple dear,
the last dart wants one of the doubles players like, and the bull comes last. At the same price the big number comes
first, as players throw it. A favourite double takes the price of a single off its route; it never costs a dart more.
Straight out needs no double: there the fewest darts come first, and no double is liked.

A player who never misses follows the route of the solver. For all others the number of darts that they will still need
is worked out once for each scatter and out rule, from small numbers to large ones, and every dart is aimed where the
fewest are to be expected after it. So a weak player takes the fat side of the board, keeps away from a bust, and
prefers a double that leaves another double after a miss inside, without a rule for any of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from engine.skill import Skill
from protocol.segment import Segment
from protocol.sentence import Sentence, say

Out = Literal["straight", "double", "master"]
Bull = Literal["25/50", "50/50"]

_LIKED = (20, 16, 18, 12, 10, 8, 14, 4, 6, 2)
"""Doubles in the order players like to be left with."""


_Way = tuple[int, tuple[str, ...]]
"""A price and the segment ids of a route."""
_MOST = 3
"""The darts of a visit."""
_DEAREST = 60
"""The most that a dart takes off."""
_CHEAPEST = 100
"""The least price of a dart that is not the last one."""


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


class Bed(NamedTuple):
    """Where a dart can score, with its worth under the rule for the bull."""

    id: str
    points: int
    multiplier: int
    number: int


@cache
def beds(bull: Bull) -> tuple[Bed, ...]:
    """Every bed, those with most points first."""
    rings = (("S", 1), ("D", 2), ("T", 3))
    found = [Bed(f"{ring}{n}", n * times, times, n) for ring, times in rings for n in range(20, 0, -1)]
    fat = bull == "50/50"
    found += [Bed("SB", 50 if fat else 25, 2 if fat else 1, 25), Bed("DB", 50, 2, 25)]
    return tuple(sorted(found, key=lambda bed: -bed.points))


def worth(segment: Segment, bull: Bull) -> tuple[int, int]:
    """Points and multiplier of a dart under the rule for the bull."""
    return (50, 2) if bull == "50/50" and segment.value == 25 else (segment.points, segment.multiplier)


def closes(multiplier: int, rule: Out) -> bool:
    """May a dart of this multiplier be the last (or, for an in rule, the first) one?"""
    return rule == "straight" or multiplier == 2 or (rule == "master" and multiplier == 3)


def least(out: Out) -> int:
    """The least that may be left: no double takes 1."""
    return 1 if out == "straight" else 2


@lru_cache(maxsize=4096)
def route(
    remaining: int, darts: int, out: Out = "double", bull: Bull = "25/50", favourites: tuple[int, ...] = ()
) -> tuple[str, ...]:
    """The easiest way from `remaining` to exactly 0 with at most so many darts, as segment ids; () if there is none.

    `favourites` are the doubles that a player likes (25: the bull), the dearest first.
    """
    if favourites:
        darts = len(route(remaining, darts, out, bull))
    return _easiest(remaining, range(1, darts + 1), out, bull, favourites)


def find_approach(remaining: int, out: Out, bull: Bull, favourites: tuple[int, ...] = ()) -> tuple[str, ...]:
    """The easiest way out for a dart that is not to be the last one: it, and at most a visit after it; () if none."""
    return _easiest(remaining, range(2, _MOST + 2), out, bull, favourites)


def _easiest(remaining: int, darts: range, out: Out, bull: Bull, favourites: tuple[int, ...]) -> tuple[str, ...]:
    """The easiest way of so many darts."""
    found: _Way | None = None
    for n in darts:
        if found is not None and (out == "straight" or found[0] <= _CHEAPEST * (n - 1)):
            break  # more darts cannot be easier
        way = _best(remaining, n, out, bull, favourites if out != "straight" else ())
        if way is not None and (found is None or way[0] < found[0]):
            found = way
    return found[1] if found is not None else ()


@lru_cache(maxsize=16384)  # favourites are free to choose; a match of many people fits
def _best(remaining: int, darts: int, out: Out, bull: Bull, favourites: tuple[int, ...]) -> _Way | None:
    """The cheapest route of exactly so many darts."""
    if darts == 1:
        return _last_darts(out, bull, favourites).get(remaining)
    if remaining > _DEAREST * darts:
        return None
    ways: list[_Way] = []
    for points, (price, ids) in _first_darts(bull).items():
        rest = _best(remaining - points, darts - 1, out, bull, favourites) if points < remaining else None
        if rest is not None:
            ways.append((price + rest[0], ids + rest[1]))
    return min(ways, key=_by_price, default=None)


@cache
def _first_darts(bull: Bull) -> dict[int, _Way]:
    """The cheapest dart of each worth that is not the last one, those with most points first."""
    return _cheapest((bed.points, (_price(bed), (bed.id,))) for bed in beds(bull))


@lru_cache(maxsize=256)
def _last_darts(out: Out, bull: Bull, favourites: tuple[int, ...]) -> dict[int, _Way]:
    """The cheapest last dart of each worth."""
    lasts = (bed for bed in beds(bull) if closes(bed.multiplier, out))
    return _cheapest((bed.points, (_last_price(bed, out, favourites), (bed.id,))) for bed in lasts)


def _cheapest(darts: Iterable[tuple[int, _Way]]) -> dict[int, _Way]:
    found: dict[int, _Way] = {}
    for points, way in darts:
        found[points] = min(found.get(points, way), way, key=_by_price)
    return found


def _by_price(way: _Way) -> int:
    return way[0]


def _price(bed: Bed) -> int:
    if bed.number == 25:
        return 170 if bed.id == "SB" else 240
    return {1: 100, 2: 220, 3: 180}[bed.multiplier] + 2 * (20 - bed.number)


def _last_price(bed: Bed, out: Out, favourites: tuple[int, ...]) -> int:
    if bed.multiplier == 2 and bed.number in favourites:
        return 4 * favourites.index(bed.number)
    if bed.number == 25:
        return 260 if bed.id == "DB" else 170
    if bed.multiplier == 2 and out != "straight":
        return 100 + 4 * (_LIKED.index(bed.number) if bed.number in _LIKED else 12)
    return {1: 90, 2: 170, 3: 180}[bed.multiplier] + 20 - bed.number


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


def describe(at: AimState) -> Sentence:
    """What to do with the next dart, in one sentence."""
    if at.to_open is not None:
        if at.to_open == "master":
            return say("x01.open_master", "Hit a double or a triple to start: nothing counts before")
        return say("x01.open_double", "Hit a double to start: nothing counts before")
    if at.frozen:
        return say("x01.frozen", "Do not go out: your partner has too much left")
    if way := hint(at):
        if at.out == "double":
            return say("x01.out_double", "Finish on a double: {targets}", targets=way)
        if at.out == "master":
            return say("x01.out_master", "Finish on a double or a triple: {targets}", targets=way)
        return say("x01.out_straight", "Finish: {targets}", targets=way)
    if at.out == "double":
        return say("x01.down_double", "Bring {left} down to exactly 0, the last dart in a double", left=at.remaining)
    if at.out == "master":
        return say(
            "x01.down_master", "Bring {left} down to exactly 0, the last in a double or triple", left=at.remaining
        )
    return say("x01.down_straight", "Bring {left} down to exactly 0", left=at.remaining)


def explain_bust(at: AimState, darts: tuple[Segment, ...], is_open: bool = True) -> Sentence:
    """Why these darts are bust. With `is_open` False the visit began before the score was opened."""
    left = at.before
    for dart in darts:
        points, multiplier = worth(dart, at.bull)
        is_open = is_open or (points > 0 and closes(multiplier, at.to_open or "double"))
        left -= points if is_open else 0
    if left < 0:
        return say("x01.bust_over", "Bust: {thrown} of {left}", thrown=at.before - left, left=at.before)
    if left > 0:
        return say("x01.bust_left", "Bust: left {left}, and no dart finishes that", left=left)
    if at.frozen:
        return say("x01.bust_frozen", "Bust: the partner has too much left")
    if at.out == "master":
        return say("x01.bust_master", "Bust: the last dart was no double and no triple")
    return say("x01.bust_double", "Bust: the last dart was no double")


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
    way = hint(at) or find_approach(at.remaining, at.out, at.bull, at.favourites)
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
