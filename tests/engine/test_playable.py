"""Sensible people bring every game to its end: what `advise` says leads somewhere, for the good and for the bad."""

from __future__ import annotations

import pytest

from engine.games import GAMES, PRESETS, game
from tests.engine.people import PAIRS, play

MOST = 2000
ALL = sorted({*GAMES, *PRESETS})
FOR_PAIRS = {"freeze_301", "team_cricket", "new_team_cricket"}


def least(name: str) -> int:
    """As few players as it takes, but two where two can play."""
    sides = game(name).sides
    return 2 if 2 in sides else sides[0]


@pytest.mark.parametrize("name", GAMES)
def test_good_players_finish(name: str) -> None:
    assert play(name, 12, "oche", MOST, least(name)).position.over


@pytest.mark.long
@pytest.mark.parametrize("sigma_mm", [8, 40])  # two who never miss could tie for ever
@pytest.mark.parametrize("name", ALL)
def test_everybody_finishes(name: str, sigma_mm: float) -> None:
    in_pairs = name in FOR_PAIRS
    for seed in "ab":
        players, teams = (4, PAIRS) if in_pairs else (least(name), None)
        assert play(name, sigma_mm, seed, 10 * MOST, players, teams).position.over
