"""Glicko-2 beside the worked example of its paper, and what must be so for any matches."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ratings.glicko2 import (
    HIGHEST,
    LOWEST,
    MOST_CHANGE,
    MOST_VOLATILITY,
    START,
    Outcome,
    Rating,
    rate_period,
    rest_for,
)

RATINGS = st.builds(
    Rating, st.floats(500, 2500), st.floats(30, START.deviation), st.floats(0.03, 0.1, exclude_min=True)
)
OUTCOMES = st.lists(st.builds(Outcome, RATINGS, st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=8)


def test_the_example_of_the_paper() -> None:
    games = [
        Outcome(Rating(1400, 30, 0.06), 1),
        Outcome(Rating(1550, 100, 0.06), 0),
        Outcome(Rating(1700, 300, 0.06), 0),
    ]
    rated = rate_period(Rating(1500, 200, 0.06), games, tau=0.5)
    assert rated.rating == pytest.approx(1464.06, abs=0.02)
    assert rated.deviation == pytest.approx(151.52, abs=0.02)
    assert rated.volatility == pytest.approx(0.05999, abs=0.00002)
    assert rated == pytest.approx((1464.0507, 151.5165, 0.0599960), abs=1e-4)


def test_a_period_without_a_game_makes_a_rating_less_certain_and_never_less_than_nothing_known() -> None:
    known = Rating(1600, 50, 0.06)
    assert rest_for(known, 1) == rate_period(known, [])
    assert rest_for(known, 1).deviation == pytest.approx(math.hypot(50, 0.06 * 173.7178))
    assert rest_for(rest_for(known, 3), 4).deviation == pytest.approx(rest_for(known, 7).deviation)
    assert rest_for(known, 100_000) == Rating(1600, START.deviation, 0.06)
    assert rest_for(known, 0) == known


@given(RATINGS, OUTCOMES, st.randoms())
def test_the_order_in_a_period_does_not_matter(own: Rating, games: list[Outcome], random: Random) -> None:
    rated = rate_period(own, games)
    random.shuffle(games)
    assert rate_period(own, games) == pytest.approx(rated, abs=1e-9)


@given(RATINGS, OUTCOMES)
def test_a_better_score_never_costs_and_games_tell_more(own: Rating, games: list[Outcome]) -> None:
    rated = rate_period(own, games)
    better = rate_period(own, [game._replace(score=1.0) for game in games])
    assert better.rating >= rated.rating - 1e-6
    assert rated.deviation <= math.hypot(own.deviation, 173.7178 * rated.volatility) + 1e-9


@given(RATINGS)
def test_two_equal_players_who_draw_keep_their_rating(own: Rating) -> None:
    assert rate_period(own, [Outcome(own, 0.5)]).rating == pytest.approx(own.rating)


@pytest.mark.parametrize("games", [1, 10, 20, 30, 60, 300])
def test_ratings_stay_within_bounds_however_days_with_many_games_end(games: int) -> None:
    one, other = START, START
    for day in range(40):
        won = float(day % 2)
        one, other = (
            rate_period(one, [Outcome(other, won)] * games),
            rate_period(other, [Outcome(one, 1 - won)] * games),
        )
        for each in (one, other):
            assert abs(each.rating - START.rating) < 700
            assert 0 < each.volatility <= MOST_VOLATILITY


@given(
    st.lists(
        st.tuples(st.floats(LOWEST, HIGHEST), st.floats(20, 350), st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 99)),
        min_size=1,
        max_size=6,
    ),
    st.floats(LOWEST, HIGHEST),
    st.floats(20, 350),
)
def test_every_period_has_a_rating(
    days: list[tuple[float, float, float, int]], rating: float, deviation: float
) -> None:
    own = Rating(rating, deviation, 0.06)
    outcomes = [
        Outcome(Rating(other, certainty, 0.06), won) for other, certainty, won, count in days for _ in range(count)
    ]
    after = rate_period(own, outcomes)
    assert LOWEST <= after.rating <= HIGHEST
    assert abs(after.rating - rating) <= MOST_CHANGE + 1e-6
    assert 0 < after.deviation <= START.deviation
