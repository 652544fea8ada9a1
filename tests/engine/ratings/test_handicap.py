"""Fair start scores beside legs that are really thrown: from such legs they are found, and with them legs are fair."""

from __future__ import annotations

from random import Random

import pytest

from engine.finishing import finisher
from engine.levels import sigma_mm
from engine.ratings.handicap import find_fair_start
from engine.ratings.thrower_model import OwnVisit, X01Rule, count_visits, fit_model
from protocol.layouts import find_layout
from simulator.thrower import Thrower
from tests.sweep import sweep

RULE = X01Rule()
START = 301


def throw_legs(level: float, legs: int, seed: int, start: int = START) -> tuple[list[OwnVisit], list[int]]:
    """The visits of so many legs, double out, and how many each leg took."""
    sigma = sigma_mm(level)
    thrower, advice = Thrower(sigma, Random(seed), find_layout("standard")), finisher(sigma)
    visits, counts = [], []
    for _ in range(legs):
        left, count = start, 0
        while left:
            before, count = left, count + 1
            for _ in range(3):
                hit = thrower.throw(advice.aim(left)).segment
                left -= hit.points
                if left == 0 and hit.multiplier == 2:
                    break
                if left < 2:
                    left = before
                    break
            visits.append(OwnVisit(before, before - left))
        counts.append(count)
    return visits, counts


@pytest.mark.parametrize("level", sweep([35, 50, 70], lambda level: level == 50))
def test_the_model_needs_as_many_visits_as_the_player(level: float) -> None:
    visits, counts = throw_legs(level, 200, seed=1)
    open_after = count_visits(fit_model(visits, RULE), START, 200)
    expected = sum(by_score[START] for by_score in open_after)
    assert expected == pytest.approx(sum(counts) / len(counts), rel=0.08)


@pytest.mark.parametrize(("one", "other"), sweep([(60, 45), (45, 60), (40, 50)], lambda levels: levels == (60, 45)))
def test_with_the_start_scores_that_are_found_each_wins_half_of_the_legs(one: float, other: float) -> None:
    fair = find_fair_start(throw_legs(one, 150, seed=2)[0], throw_legs(other, 150, seed=3)[0], START, RULE)
    _, counts = throw_legs(one, 400, seed=4, start=fair.starts[0])
    _, others = throw_legs(other, 400, seed=5, start=fair.starts[1])
    wins = sum((mine < his) + (mine == his) / 2 for mine in counts for his in others) / len(counts) / len(others)
    assert wins == pytest.approx(0.5, abs=0.08)
    assert fair.chance == pytest.approx(0.5, abs=0.02)
    assert (fair.even_chance > 0.5) == (one > other) == (fair.starts[1] < START == fair.starts[0])


def test_the_other_way_round_it_is_the_same_and_equal_players_have_none() -> None:
    one, other = throw_legs(50, 30, seed=6)[0], throw_legs(40, 30, seed=7)[0]
    fair, turned = find_fair_start(one, other, START, RULE), find_fair_start(other, one, START, RULE)
    assert turned.starts == fair.starts[::-1]
    assert turned.chance == pytest.approx(1 - fair.chance, abs=0.0011)
    assert turned.even_chance == pytest.approx(1 - fair.even_chance, abs=0.0011)
    even = find_fair_start(one, one, START, RULE)
    assert (even.starts, even.chance, even.even_chance) == ((START, START), 0.5, 0.5)


def test_a_good_finisher_who_scores_the_same_is_the_better() -> None:
    scoring = [OwnVisit(301, 60), OwnVisit(241, 60)] * 8
    good = [*scoring, *[OwnVisit(121, 81), OwnVisit(40, 40)] * 8]
    bad = [*scoring, *[OwnVisit(121, 81), *[OwnVisit(40, 0)] * 4, OwnVisit(40, 40)] * 8]
    fair = find_fair_start(good, bad, START, RULE)
    assert fair.even_chance > 0.7
    assert fair.starts[1] < START


@pytest.mark.slow
@pytest.mark.parametrize("rule", [X01Rule("straight", "50/50"), X01Rule("master", "50/50"), X01Rule("double", "50/50")])
def test_chances_are_whole_under_every_rule(rule: X01Rule) -> None:
    visits = throw_legs(45, 5, seed=8)[0]
    model = fit_model(visits, rule)
    assert sum(model.scoring) == pytest.approx(1)
    assert all(sum(row) == pytest.approx(1) for row in model.finishing)
    assert find_fair_start(visits, [OwnVisit(START, 0)] * 30, START, rule).starts[0] == START
