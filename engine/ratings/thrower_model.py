"""How many visits a player needs to bring a score to zero, as the player's own visits tell.

Far from the finish, the points of a visit are those of the player's own visits there. In reach of it, where they differ
with what is left, a dart lands as those of a player do who scatters as much as makes these visits most likely to end as
they did (engine/finish_tables.py), and who aims as the game advises. How well somebody scores and how well somebody
finishes are so two things. A few visits prove little: beside them stands what the scoring lets expect.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import mul
from typing import NamedTuple

from engine import finish_tables
from engine.finishing import HIGHEST, Bull, Out, beds, finisher, judge_all, least, unpack_landings
from engine.visits import Landings
from protocol.standard import USUAL

REACH = HIGHEST + 1
"""From the next number on no visit finishes, and none is bust."""
_OWN = 5
"""So many visits of the model are mixed with the player's own."""
_SURE = 1.0
"""How far the finishing of a player is from the scoring, as a standard deviation in steps of the scatters."""
_STEPS = 10
"""Between two scatters."""
_HARDLY = 1e-3
_NOTHING = [1.0, *[0.0] * HIGHEST]
"""The points of the visits of a player who never hits anything: weaker ones than the tables have are between."""


class OwnVisit(NamedTuple):
    """A visit that was thrown: what was left before it, and the points that it took off; 0 if it was bust."""

    left: int
    points: int


class X01Rule(NamedTuple):
    """What ends a leg. The dartboard is the usual one: on a smaller one the same player scatters less."""

    out: Out = "double"
    bull: Bull = "25/50"


Chances = Sequence[float]
"""By what is left after a visit; at 0 the chance that it finished."""


class ThrowerModel(NamedTuple):
    """A player: the chances of the points of a visit far from the finish, and of what each number in reach leaves."""

    scoring: Chances
    finishing: Sequence[Chances]


def fit_model(visits: Iterable[OwnVisit], rule: X01Rule) -> ThrowerModel:
    """Returns the model that is made of these visits."""
    own = [*visits]
    far = [visit.points for visit in own if visit.left > REACH]
    near = [visit for visit in own if visit.left <= REACH]
    scores = far or [visit.points for visit in near]
    scoring_step = _find_step(sum(scores) / len(scores) / 3 if scores else 0.0, rule)
    scoring = _mix([*(_count_scores(scatter, rule) for scatter in finish_tables.SCATTERS), _NOTHING], scoring_step)
    return ThrowerModel(
        scoring=[(_OWN * chance + far.count(points)) / (_OWN + len(far)) for points, chance in enumerate(scoring)],
        finishing=_mix_all(rule, _find_likeliest_step(near, scoring_step, rule)),
    )


def count_visits(model: ThrowerModel, start: int, most: int) -> list[list[float]]:
    """Returns the chances not to have finished after 0, 1, 2… visits, each by the first score, 0 to `start`.

    It ends after `most` visits, or where hardly anything is left.
    """
    backwards = model.scoring[::-1]
    open_after = [0.0, *[1.0] * start]
    found = [open_after]
    in_reach = range(1, min(REACH, start) + 1)
    while len(found) <= most and max(open_after[2:]) > _HARDLY:  # no double leaves 1
        near = [sum(map(mul, model.finishing[left], open_after)) for left in in_reach]
        far = [sum(map(mul, backwards, open_after[left - HIGHEST : left + 1])) for left in range(REACH + 1, start + 1)]
        open_after = [0.0, *near, *far]
        found.append(open_after)
    return found


def _find_step(points_per_dart: float, rule: X01Rule) -> float:
    """The scatter that scores so many points, as a place among the scatters: 1.5 is between the second and third."""
    means = [*(_best_mean(_landings(scatter, rule)) for scatter in finish_tables.SCATTERS), 0.0]
    step, high, low = next((step, *pair) for step, pair in enumerate(pairwise(means)) if points_per_dart >= pair[1])
    return step + min(1.0, max(0.0, (high - points_per_dart) / (high - low)))


def _best_mean(landings: Landings) -> float:
    return max(sum(hit.points * hit.share for hit in hits) for hits in landings.values())


def _find_likeliest_step(near: Sequence[OwnVisit], expected: float, rule: X01Rule) -> float:
    """The place among the scatters by which these visits are most likely to have finished or not."""
    tables = [_make_finishing(scatter, rule) for scatter in finish_tables.SCATTERS]
    chances = [*([row[0] for row in table] for table in tables), [0.0] * (REACH + 1)]
    ends = [(visit.left, visit.points == visit.left) for visit in near]

    def weigh(step: float) -> float:
        low, part = _split(step)
        weight = -(((step - expected) / _SURE) ** 2) / 2
        for left, has_finished in ends:
            chance = chances[low][left] * (1 - part) + chances[low + 1][left] * part
            weight += math.log(max(chance if has_finished else 1 - chance, 1e-9))
        return weight

    return max((step / _STEPS for step in range((len(chances) - 1) * _STEPS)), key=weigh)


def _mix_all(rule: X01Rule, step: float) -> list[Chances]:
    tables = [_make_finishing(scatter, rule) for scatter in finish_tables.SCATTERS]
    return [
        _mix([*rows, [*[0.0] * left, 1.0]], step) if left else rows[0]
        for left, rows in enumerate(zip(*tables, strict=True))
    ]


def _mix(rows: Sequence[Chances], step: float) -> list[float]:
    """The chances between two rows: one for each scatter, and that of a player who never hits anything."""
    low, part = _split(step)
    return [one * (1 - part) + other * part for one, other in zip(rows[low], rows[low + 1], strict=True)]


def _split(step: float) -> tuple[int, float]:
    low = min(int(step), len(finish_tables.SCATTERS) - 1)
    return low, step - low


def _landings(scatter: float, rule: X01Rule) -> Landings:
    hits = unpack_landings(finish_tables.TABLES[f"{USUAL} {scatter}"], finish_tables.WHOLE)
    return judge_all(hits, rule.out, rule.bull)


@lru_cache(maxsize=32)
def _count_scores(scatter: float, rule: X01Rule) -> Chances:
    """The chances of the points of a visit whose three darts only score."""
    landings = _landings(scatter, rule)
    hits = max(landings.values(), key=lambda hits: sum(hit.points * hit.share for hit in hits))
    chances = [1.0]
    for _ in range(3):
        more = [0.0] * (HIGHEST + 1)
        for points, chance in enumerate(chances):
            for hit in hits if chance else ():
                more[points + hit.points] += chance * hit.share
        chances = more
    return chances


@lru_cache(maxsize=32)
def _make_finishing(scatter: float, rule: X01Rule) -> Sequence[Chances]:
    """For each number in reach, the chances of what a visit leaves, each dart at the bed that is advised there."""
    landings = _landings(scatter, rule)
    advice = finisher(scatter, rule.out, rule.bull)
    known = {bed.id for bed in beds(rule.bull)}
    aims = [landings[aim if (aim := advice.aim(left)) in known else "SB"] for left in range(REACH + 1)]
    lowest = least(rule.out)
    table: list[Chances] = [[1.0]]
    for before in range(1, REACH + 1):
        ended = [0.0] * (before + 1)
        standing = {before: 1.0}
        for _ in range(3):
            after: dict[int, float] = {}
            for left, chance in standing.items():
                for hit in aims[left]:
                    rest, share = left - hit.points, chance * hit.share
                    if rest == 0 and hit.closes:
                        ended[0] += share
                    elif rest < lowest:
                        ended[before] += share  # bust
                    else:
                        after[rest] = after.get(rest, 0.0) + share
            standing = after
        for left, chance in standing.items():
            ended[left] += chance
        table.append(ended)
    return table
