"""Plackett–Luce beside `openskill`, an independent library of the same algorithm."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ratings.plackett_luce import START, TAU, Belief, Team, rate_match

BELIEFS = st.builds(Belief, st.floats(-20, 80), st.floats(0.5, 9))
TEAMS = st.lists(st.lists(BELIEFS, min_size=1, max_size=4).map(tuple), min_size=2, max_size=8)
NEW: Team = (START,)


@st.composite
def matches(draw: st.DrawFn) -> tuple[list[Team], list[int]]:
    teams = draw(TEAMS)
    return teams, draw(st.lists(st.integers(1, len(teams)), min_size=len(teams), max_size=len(teams)))


def test_two_new_players() -> None:
    winner, loser = rate_match([NEW, NEW], [1, 2], tau=0)
    assert winner[0] == pytest.approx((27.6352313835, 8.0655063163), abs=1e-6)
    assert loser[0] == pytest.approx((22.3647686165, 8.0655063163), abs=1e-6)
    winner, loser = rate_match([NEW, NEW], [1, 2])
    assert winner[0] == pytest.approx((27.6353894931, 8.0659014135), abs=1e-6)
    assert loser[0] == pytest.approx((22.3646105069, 8.0659014135), abs=1e-6)


def test_four_new_players_in_order() -> None:
    rated = [player for (player,) in rate_match([NEW] * 4, [1, 2, 3, 4], tau=0)]
    means = (27.7950849719, 26.5528249844, 24.6894350031, 20.9626550406)
    assert [player.mean for player in rated] == pytest.approx(means, abs=1e-6)
    deviations = (8.2631607576, 8.1792137049, 8.0837313072, 8.0837313072)
    assert [player.deviation for player in rated] == pytest.approx(deviations, abs=1e-6)


@given(matches(), st.sampled_from([0.0, TAU]))
def test_any_match_of_teams_and_shared_places_beside_openskill(match: tuple[list[Team], list[int]], tau: float) -> None:
    pytest.importorskip("openskill")
    from openskill.models import PlackettLuce

    teams, places = match
    model = PlackettLuce(tau=tau)
    given_teams = [[model.rating(mu=each.mean, sigma=each.deviation) for each in team] for team in teams]
    expected = [
        [(each.mu, each.sigma) for each in team] for team in model.rate(given_teams, ranks=[*map(float, places)])
    ]
    for team, wanted in zip(rate_match(teams, places, tau), expected, strict=True):
        for player, (mean, deviation) in zip(team, wanted, strict=True):
            assert player == pytest.approx((mean, deviation), abs=1e-6)


@given(matches(), st.randoms())
def test_the_order_of_the_teams_does_not_matter(match: tuple[list[Team], list[int]], random: Random) -> None:
    teams, places = match
    order = random.sample(range(len(teams)), len(teams))
    rated = rate_match(teams, places)
    turned = rate_match([teams[n] for n in order], [places[n] for n in order])
    for place, n in enumerate(order):
        for one, other in zip(turned[place], rated[n], strict=True):
            assert one == pytest.approx(other, abs=1e-9)
