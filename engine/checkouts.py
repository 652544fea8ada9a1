"""How a leg of X01 is finished: routes for displays, an aim for each dart, the sentences and the figures.

Displays show the routes of engine/finishing.py. A simulated player who never misses follows them. For all others the
number of darts that they will still need is worked out once for each scatter and out rule, from small numbers to large
ones, and every dart is aimed where the fewest are to be expected after it. So a weak player takes the fat side of the
board, keeps away from a bust, and prefers a double that leaves another double after a miss inside, without a rule for
any of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

from msgspec import UNSET

from engine.finishing import (
    FAR,
    USUAL_MM,
    Bull,
    Finisher,
    Out,
    beds,
    can_finish,
    closes,
    finisher,
    least,
    list_opening_totals,
    name_last_dart,
)
from engine.game import Panel
from engine.skill import Skill
from engine.tally import Tally, name_attempts, name_hits
from protocol.commands import Total
from protocol.finish import Leave, Route, Totals
from protocol.segment import TOTAL, Dartboard, Segment
from protocol.sentence import Sentence, say
from protocol.standard import USUAL

_AIMS = (
    *(f"T{n}" for n in range(20, 14, -1)),
    *(f"D{n}" for n in range(20, 0, -1)),
    *(f"S{n}" for n in range(20, 0, -1)),
    "DB",
    "SB",
)
"""The beds that a player who misses aims at. Of equal ones the first is chosen: the triple before its single."""
_HIGHEST_DART = 60
_EASY, _IN_REACH = 60, 110
"""What a single and a double finish, and what two darts do: a sentence says how to leave no more than that."""
_NEVER = 1000.0
"""The darts to charge for a checkout that loses the leg."""

Fifty = Literal["always", "third", "never"]
_NONE: Mapping[str, int] = {}


def worth(segment: Segment, bull: Bull) -> tuple[int, int]:
    """Points and multiplier of a dart under the rule for the bull."""
    return (50, 2) if bull == "50/50" and segment.value == 25 else (segment.points, segment.multiplier)


@cache
def _finishing_double(remaining: int, out: Out, bull: Bull) -> str | None:
    """The id of the double that finishes; "" for a finish that is no double, None where one dart cannot finish."""
    last = name_last_dart(remaining, out, bull)
    return last if last is None or last.startswith("D") else ""


@cache
def count_aim(remaining: int, out: Out, bull: Bull, fifty: Fifty = "always", is_last: bool = True) -> Mapping[str, int]:
    """The counts of a dart thrown with so much remaining: one at a finish, and at which double.

    `fifty`: whether a dart at 50 is one at a finish always, only as the visit's last (`third`), or never.
    """
    double = _finishing_double(remaining, out, bull)
    if double is None or (remaining == 50 and (fifty == "never" or (fifty == "third" and not is_last))):
        return _NONE
    return {"at_finish": 1, name_attempts(double): 1} if double else {"at_finish": 1}


def count_finish(remaining: int, dart: Segment, out: Out, bull: Bull, checkout: int) -> Mapping[str, int]:
    """The counts of the dart that finishes; `checkout` is the points of its visit."""
    double = _finishing_double(remaining, out, bull)
    is_hit = double == ("DB" if worth(dart, bull) == (50, 2) else dart.id)
    return {
        **count_aim(remaining, out, bull),
        "finished": 1,
        **({name_hits(double): 1} if double and is_hit else {}),
        **({"100+ out": 1} if checkout >= 100 else {}),
    }


def count_total(total: Total, is_out: bool, checkout: int) -> Mapping[str, int]:
    """The counts of darts whose points were entered together: at which double they were thrown is not known."""
    if not is_out:
        return {"at_finish": total.at_finish} if total.at_finish else _NONE
    more = {"100+ out": 1} if checkout >= 100 else {}
    return {"at_finish": max(1, total.at_finish or 0), "finished": 1, **more}


@cache
def find_totals(
    remaining: int, darts: int, out: Out, bull: Bull, enter: Out = "straight", frozen: bool = False
) -> Totals:
    """What a total of so many darts may be with so much remaining; `enter` is the in rule of a score not open yet."""
    ways = range(1, darts + 1)
    bust = next((fewest for fewest in ways if _can_bust(remaining, fewest, out, bull, enter, frozen)), UNSET)
    for fewest in ways:
        if not frozen and can_finish(remaining, fewest, out, bull, enter):
            before = list_opening_totals(darts - 1, enter, bull)
            aimed = (
                each for each in before if can_finish(remaining - each, 1, out, bull, "straight" if each else enter)
            )
            return Totals(remaining, fewest, min(aimed), bust)
    return Totals(bust=bust)


def _can_bust(remaining: int, darts: int, out: Out, bull: Bull, enter: Out, frozen: bool) -> bool:
    """Can the last of so many darts leave less than may be left, or nothing though it may not finish?"""
    return remaining - 60 * darts < least(out) and any(
        left < least(out) and (left != 0 or frozen or not closes(bed.multiplier, out))
        for total in sorted(list_opening_totals(darts - 1, enter, bull), reverse=True)  # a high one soon tells
        if remaining - total >= least(out)
        for bed in beds(bull)
        if total or closes(bed.multiplier, enter)
        for left in [remaining - total - bed.points]
    )


def describe_tally(tally: Tally, has_legs: bool = True) -> dict[str, Any]:  # Any: JSON
    """The figures of a side as its `detail`; those without a value are left out, and best legs without `has_legs`."""
    more = {
        "ppd": tally.ppd if tally.darts else None,
        "high_finish": tally.highs.get("finish"),
        "180s": tally.counts.get("180"),
        "best_leg": tally.lows.get("leg") if has_legs else None,
    }
    return {
        "average": tally.average,
        "first_nine": tally.first_nine,
        "darts": tally.darts,
        "checkouts": [tally.counts.get("finished", 0), tally.counts.get("at_finish", 0)],
        **{name: value for name, value in more.items() if value is not None},
    }


class AimState(NamedTuple):
    """What the next dart depends on.

    `before` remained at the start of the visit and remains again after a bust. `darts_left` are those of the visit,
    this one included. `to_open` is the rule of the dart that must open first (None: it is open). A `frozen` player
    must not go out. `scatter_mm` is how far the player's darts scatter on this `dartboard`.
    """

    remaining: int
    before: int
    darts_left: int
    out: Out
    bull: Bull
    favourites: tuple[int, ...] = ()
    to_open: Out | None = None
    frozen: bool = False
    scatter_mm: float = USUAL_MM
    dartboard: Dartboard = USUAL

    @property
    def finisher(self) -> Finisher:
        """The chances of this player."""
        return finisher(self.scatter_mm, self.out, self.bull, self.dartboard)


def find_routes(at: AimState) -> tuple[Route, ...]:
    """At most three ways out with the darts in hand, the one to take first."""
    if at.to_open is not None or at.frozen:
        return ()
    is_safe = at.remaining - at.darts_left * _HIGHEST_DART >= least(at.out)  # no bust: what was before does not matter
    return _find_routes(at._replace(before=0) if is_safe else at)


@lru_cache(maxsize=4096)
def _find_routes(at: AimState) -> tuple[Route, ...]:
    return at.finisher.routes(at.remaining, at.darts_left, at.favourites, at.before)


def find_leave(at: AimState) -> Leave | None:
    """What leaves a finish for the next visit, where the darts in hand cannot finish."""
    if not at.darts_left or at.to_open is not None or at.frozen or find_routes(at):
        return None
    return _find_leave(at._replace(before=0))


@lru_cache(maxsize=4096)
def _find_leave(at: AimState) -> Leave | None:
    return at.finisher.leave(at.remaining, at.darts_left, at.favourites)


def hint(at: AimState) -> tuple[str, ...]:
    """The route out, where there is one with the darts in hand."""
    return next((route.darts for route in find_routes(at)), ())


def show(detail: tuple[Mapping[str, Any], ...], at: AimState) -> Panel:  # Any: JSON
    """What a screen shows of an X01 leg."""
    routes = find_routes(at)
    way = routes[0].darts if routes else ()
    return Panel("x01", detail, targets(at), way, routes=routes, leave=find_leave(at))


def describe(at: AimState) -> Sentence:
    """What to do with the next dart, in one sentence."""
    if at.to_open is not None:
        if at.to_open == "master":
            return say("x01.open_master", "Hit a double or triple to start")
        return say("x01.open_double", "Hit a double to start")
    if way := hint(at):
        if at.out == "double":
            return say("x01.out_double", "Finish on a double: {targets}", targets=way)
        if at.out == "master":
            return say("x01.out_master", "Finish on a double or a triple: {targets}", targets=way)
        return say("x01.out_straight", "Finish: {targets}", targets=way)
    leave = find_leave(at)
    if leave and leave.left <= (_IN_REACH if at.darts_left == 1 else _EASY):
        return say("x01.leave", "{targets} leaves {left}", targets=leave.darts, left=leave.left)
    if at.out == "double":
        return say("x01.down_double", "Get {left} to 0 on a double", left=at.remaining)
    if at.out == "master":
        return say("x01.down_master", "Get {left} to 0 on a double or triple", left=at.remaining)
    return say("x01.down_straight", "Get {left} to exactly 0", left=at.remaining)


def explain_bust(at: AimState, darts: tuple[Segment, ...], is_open: bool = True) -> Sentence:
    """Why these darts are bust. With `is_open` False the visit began before the score was opened."""
    if darts[-1].id == TOTAL and not darts[-1].points:
        return say("x01.bust_total", "Bust: this visit does not count")
    left = at.before
    for dart in darts:
        points, multiplier = worth(dart, at.bull)
        is_open = is_open or dart.id == TOTAL or (points > 0 and closes(multiplier, at.to_open or "double"))
        left -= points if is_open else 0
    if left < 0:
        return say("x01.bust_over", "Bust: {thrown} of {left}", thrown=at.before - left, left=at.before)
    if left > 0:
        return say("x01.bust_left", "Bust: {left} left, and no dart finishes that", left=left)
    if at.frozen:
        return say("x01.bust_frozen", "Bust: your partner has too much left")
    if at.out == "master":
        return say("x01.bust_master", "Bust: the last dart was not a double or triple")
    return say("x01.bust_double", "Bust: the last dart was not a double")


def aim(at: AimState, skill: Skill | None = None) -> str:
    """The bed for the next dart; without a `skill`, for a player who never misses."""
    if not skill or not skill.sigma_mm:
        return _route_aim(at)
    is_safe = at.remaining - _HIGHEST_DART >= least(at.out)  # where nothing is bust, the visit does not matter
    return _fewest_darts_aim(at._replace(before=at.remaining, darts_left=1) if is_safe else at, skill)


def targets(at: AimState) -> tuple[str, ...]:
    """What to light: the bed to aim at, or all that open."""
    if not at.darts_left:
        return ()
    if at.to_open is None:
        return (_route_aim(at),)
    return ("double", "triple") if at.to_open == "master" else ("double",)


def _route_aim(at: AimState) -> str:
    """At the route out; else at what leaves a finish for the next visit; far away at points."""
    if at.to_open is not None:
        return _opening(at)
    if at.frozen:
        return at.finisher.approach(at.remaining) if at.remaining <= FAR else "T20"
    if way := hint(at):
        return way[0]
    leave = find_leave(at)
    return leave.darts[0] if leave else at.finisher.aim(at.remaining)


def _opening(at: AimState) -> str:
    """The biggest bed that opens and is not bust."""
    for ring, times in (("T", 3), ("D", 2)) if at.to_open == "master" else (("D", 2),):
        for number in range(20, 0, -1):
            left = at.remaining - number * times
            if left >= least(at.out) or (left == 0 and closes(times, at.out)):
                return f"{ring}{number}"
    return "D1"


@lru_cache(maxsize=16384)
def _fewest_darts_aim(at: AimState, skill: Skill) -> str:
    """The bed after which the fewest darts are needed, on average."""
    darts = count_darts(at, skill)
    return min(darts, key=lambda bed: darts[bed])


def count_darts(at: AimState, skill: Skill) -> dict[str, float]:
    """How many more darts a player of this skill needs on average after one aimed at each bed."""
    plan = _plan(skill, at.out, at.bull)
    wait = plan.to_open(at.to_open) if at.to_open is not None else 0.0

    @cache  # many beds land in the same ones
    def needed(points: int, multiplier: int) -> float:
        if at.to_open is not None and not (points and closes(multiplier, at.to_open)):
            return plan.needed(at.remaining) + wait
        left = at.remaining - points
        if left == 0 and closes(multiplier, at.out):
            return _NEVER if at.frozen else 0.0
        if left < least(at.out):
            return plan.needed(at.before) + at.darts_left - 1
        return plan.needed(left)

    return {bed: plan.average(bed, needed) for bed in _AIMS}


class _Plan:
    """How many darts a player of this skill needs from each number, under one rule for the last dart."""

    def __init__(self, skill: Skill, out: Out, bull: Bull) -> None:
        self._landings = {bed: _landings(skill, bed, bull) for bed in _AIMS}
        self._out = out
        self._pace = max(self.average(bed, lambda points, _: points) for bed in _AIMS)
        self._needed = [0.0, math.inf][: least(out)]
        for remaining in range(least(out), FAR + 1):
            self._needed.append(min(self._darts_aiming_at(bed, remaining) for bed in _AIMS))

    def needed(self, remaining: int) -> float:
        """The expected number of darts still needed."""
        if remaining <= FAR:
            return self._needed[remaining]
        return self._needed[FAR] + (remaining - FAR) / self._pace

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
