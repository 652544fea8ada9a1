"""The advice of X01 against the visits that a leg still takes, worked out too plainly to be wrong."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from engine import finish_tables
from engine.checkouts import AimState, find_routes
from engine.finishing import AIMS, HIGHEST, Bull, Finisher, Out, finisher
from engine.skill import Skill
from protocol.segment import Dartboard
from protocol.standard import DARTBOARDS, SOFT_15_INCH, STEEL, Radii, standard
from tests.engine.records import Record, header
from tests.sweep import sweep

NEARLY, ALIKE = 0.01, 0.002
"""What the advice may cost of the chance in this visit; and how exactly the tables know the visits."""


class Plain:
    """A leg by its visits: from each number, the fewest that are to be expected, by trying every dart at every bed.

    A visit of three darts, a bust gives it back. What is guessed of a number is put in until it comes out again.
    """

    def __init__(self, radii: Radii, sigma_mm: float, out: Out, bull: Bull) -> None:
        layout = standard(radii)
        self.lowest = 1 if out == "straight" else 2
        self.ends = {"straight": (1, 2, 3), "double": (2,), "master": (2, 3)}[out]
        self.landings: dict[str, list[tuple[int, int, float]]] = {}
        self.worth: dict[str, tuple[int, int]] = {}
        for aim in AIMS:
            if bull == "50/50" and aim == "SB":
                continue
            name = "SB" if bull == "50/50" and aim == "DB" else aim
            found: dict[tuple[int, int], float] = {}
            for dart, share in Skill(layout, sigma_mm, finish_tables.WHOLE).chances(aim):
                fat = bull == "50/50" and dart.value == 25
                worth = (50, 2) if fat else (dart.points, dart.multiplier)
                found[worth] = found.get(worth, 0.0) + share
            self.landings[name] = [(*worth, share) for worth, share in found.items()]
            fat = bull == "50/50" and aim == "DB"
            self.worth[name] = (50, 2) if fat else (layout[aim].points, layout[aim].multiplier)
        self.known: dict[tuple[int, int], float] = {}
        self.needed = [0.0] * self.lowest
        last = {points for points, times in self.worth.values() if times in self.ends}
        self.finishable: list[set[int]] = [set(), last]
        for _ in range(2):
            longer = {left + points for left in self.finishable[-1] for points, _ in self.worth.values()}
            self.finishable.append(self.finishable[-1] | longer)

    def solve(self, highest: int) -> None:
        for number in range(self.lowest, highest + 1):
            self.needed.append(self.needed[-1] + 1)
            change = 1.0
            while change > 1e-5:
                visits = 1 + min(self.visits(number, 3, number).values())
                change, self.needed[number] = abs(visits - self.needed[number]), visits

    def visits(self, remaining: int, darts: int, before: int) -> dict[str, float]:
        """The visits after this one, by the bed that its next dart is aimed at."""
        known: dict[tuple[int, int], float] = {}

        def after(left: int, in_hand: int, multiplier: int) -> float:
            if left == 0 and multiplier in self.ends:
                return 0.0
            if left < self.lowest:
                return self.needed[before]
            if in_hand == 0:
                return self.needed[left]
            if (left, in_hand) not in known:
                known[left, in_hand] = min(aiming_at(bed, left, in_hand) for bed in self.landings)
            return known[left, in_hand]

        def aiming_at(bed: str, left: int, in_hand: int) -> float:
            return sum(share * after(left - points, in_hand - 1, times) for points, times, share in self.landings[bed])

        return {bed: aiming_at(bed, remaining, darts) for bed in self.landings}

    def chances(self, remaining: int, darts: int) -> dict[str, float]:
        """The chance to finish in this visit, by the bed that a route begins with."""
        beds = [bed for bed in self.landings if self.leads(bed, remaining, darts)]
        return {bed: self.chance(bed, remaining, darts) for bed in beds}

    def chance(self, bed: str, remaining: int, darts: int) -> float:
        """The same of one bed."""
        chance = 0.0
        for points, times, share in self.landings[bed]:
            if remaining == points:
                chance += share * (times in self.ends)
            elif remaining - points >= self.lowest:
                chance += share * self.best(remaining - points, darts - 1)
        return chance

    def best(self, remaining: int, darts: int) -> float:
        """The chance when every dart is aimed at the best bed."""
        if darts and (remaining, darts) not in self.known:
            self.known[remaining, darts] = max(self.chances(remaining, darts).values(), default=0.0)
        return self.known.get((remaining, darts), 0.0)

    def leads(self, bed: str, remaining: int, darts: int) -> bool:
        """Whether so many darts can finish that begin with a hit of this bed."""
        points, times = self.worth[bed]
        return times in self.ends if points == remaining else remaining - points in self.finishable[darts - 1]


def check(plain: Plain, advice: Finisher, remaining: int, darts: int, before: int) -> None:
    """Of the ways that are near the best chance, the advice has the fewest visits."""
    chances = plain.chances(remaining, darts)
    routes = advice.routes(remaining, darts, before=before)
    assert bool(routes) == bool(chances)
    if routes:
        first, best, visits = routes[0].darts[0], max(chances.values()), plain.visits(remaining, darts, before)
        assert chances[first] > best - NEARLY - 0.0001, (remaining, darts, before)
        fewest = min(visits[bed] for bed, chance in chances.items() if chance >= best - NEARLY + 0.0001)
        assert visits[first] < fewest + ALIKE, (remaining, darts, before, first)


FACES = {radii: name for name, radii in DARTBOARDS.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("radii", "sigma_mm", "out", "bull", "highest"),
    sweep(
        [
            *product(FACES, (8.0, 12.0, 18.0), get_args(Out), get_args(Bull), (48,)),
            (STEEL, 12.0, "double", "25/50", 32),
            (STEEL, 12.0, "double", "25/50", 170),
        ],
        lambda case: case == (STEEL, 12.0, "double", "25/50", 32),
    ),
)
def test_the_advice_has_the_fewest_visits_of_the_ways_near_the_best_chance(
    radii: Radii, sigma_mm: float, out: Out, bull: Bull, highest: int
) -> None:
    plain, advice = Plain(radii, sigma_mm, out, bull), finisher(sigma_mm, out, bull, FACES[radii])
    plain.solve(highest)
    for before in range(plain.lowest, highest + 1):
        check(plain, advice, before, 3, before)
    for before, scored in product((21, 32, min(48, highest)), (0, 1, 7, 16)):
        check(plain, advice, before - scored, 2, before)
        check(plain, advice, max(plain.lowest, before - scored - 5), 1, before)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("radii", "sigma_mm", "out", "bull"),
    sweep(
        product(FACES, (8.0, 12.0, 18.0), get_args(Out), get_args(Bull)),
        lambda case: case == (SOFT_15_INCH, 12.0, "double", "25/50"),
    ),
)
def test_who_follows_the_hints_finishes_about_as_often_as_can_be(
    radii: Radii, sigma_mm: float, out: Out, bull: Bull
) -> None:
    plain, advice = Plain(radii, sigma_mm, out, bull), finisher(sigma_mm, out, bull, FACES[radii])
    followed = [[0.0] * (HIGHEST + 1) for _ in range(4)]
    lost = []
    for darts, remaining in product((1, 2, 3), range(plain.lowest, HIGHEST + 1)):
        routes = advice.routes(remaining, darts)
        if not routes:
            continue
        first, best = routes[0].darts[0], plain.best(remaining, darts)
        for points, times, share in plain.landings[first]:
            left = remaining - points
            if left == 0 and times in plain.ends:
                followed[darts][remaining] += share
            elif left >= plain.lowest:
                followed[darts][remaining] += share * followed[darts - 1][left]
        assert abs(routes[0].chance / 100 - plain.chance(first, remaining, darts)) < 0.001
        assert all(route.chance <= 100 * best + 0.1 for route in routes)
        assert routes[0].chance >= 100 * best - 1.1
        lost.append(best - followed[darts][remaining])
    assert max(lost) < 0.02
    assert sum(lost) / len(lost) < 0.002


@pytest.mark.parametrize("dartboard", ["soft_15.5", "steel"])
@pytest.mark.parametrize(
    ("sigma_mm", "remaining", "way"),
    [
        (12.0, 13, "S5 D4"),
        (12.0, 15, "S7 D4"),
        (12.0, 21, "S5 D8"),
        (12.0, 23, "S7 D8"),
        (12.0, 29, "S13 D8"),
        (12.0, 39, "S7 D16"),
        (8.0, 31, "S15 D8"),
    ],
)
def test_odd_numbers_leave_the_doubles_that_players_know(
    sigma_mm: float, remaining: int, way: str, dartboard: Dartboard
) -> None:
    routes = finisher(sigma_mm, "double", "25/50", dartboard).routes(remaining, 3)
    assert " ".join(routes[0].darts) == way


def test_every_dartboard_has_its_own_chances() -> None:
    """A soft one of 13.2 inches is as wide as a steel one, but its rings are wider."""
    states = [Record(header(dartboard=name, options={"start": 101})).state for name in DARTBOARDS]
    chances = [state["routes"][0]["chance"] for state in states]
    assert chances[0] > chances[1] > chances[2], chances
    drills = [Record(header("random_checkout", dartboard=name)).state["routes"] for name in DARTBOARDS]
    assert drills[0] != drills[1] != drills[2] != drills[0]


@pytest.mark.slow
def test_what_a_bust_leads_back_to_is_looked_at() -> None:
    """The same number, with the same darts, after visits that began elsewhere."""
    advice = finisher(18.0, "double", "25/50", "steel")
    found = {
        (remaining, advice.routes(remaining, 2, before=before)[0].darts)
        for remaining in range(2, 60)
        for before in range(remaining, remaining + 60)
    }
    assert len(found) > 58


def test_a_favourite_is_applied_after_it() -> None:
    advice = finisher(12.0, "double", "25/50", "steel")
    assert advice.routes(21, 3)[0].darts == ("S5", "D8")
    assert advice.routes(21, 3, (4,))[0].darts == ("S13", "D4")
    for remaining in range(2, 171):  # whoever likes what is advised anyway, is advised that
        for route in advice.routes(remaining, 3)[:1]:
            last = route.darts[-1]
            liked = advice.routes(remaining, 3, (25 if last == "DB" else int(last[1:]),))[0]
            assert (liked.darts, liked.favourite) == (route.darts, True)


def test_the_hint_of_a_match_is_the_first_route_though_another_may_have_a_higher_chance() -> None:
    routes = find_routes(AimState(21, 21, 3, "double", "25/50", dartboard="steel"))
    assert routes[0].darts == ("S5", "D8")
    assert max(route.chance for route in routes) > routes[0].chance
