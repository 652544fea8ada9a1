"""Those who are level throw on by themselves; when they leave, the win stays with those who are still there."""

from __future__ import annotations

from typing import Any

import pytest

from engine.ranking import in_contention
from tests.engine.records import Record, header

ON = {"tie": "one_more_round"}
LEVEL: list[tuple[str, dict[str, Any], str]] = [  # Any: JSON
    ("hammer_cricket", {}, "T20 / T20 / /" + " / / /" * 7),
    ("count_up", {"rounds": 1, **ON}, "T20 / T20 / /"),
    ("low_ball", {"rounds": 1, **ON}, "S1 S1 S1 / S1 S1 S1 / /"),
    ("baseball", {"innings": 1}, "T1 / T1 / /"),
    ("golf", {"holes": 1, "scoring": "maker", "playoff": 3}, "T1 / T1 / /"),
    ("halve_it", ON, "/ / / " * 8 + "SB / SB / /"),
    ("burma_road", {}, "/ / / " * 11 + "SB / SB / /"),
    ("x01", {"start": 101, "rounds": 1, **ON}, "T20 / T20 / /"),
]
"""A game with its options, and what leaves Ann and Bo level before Cy after the last round."""


def level(game: str, options: dict[str, Any], darts: str, *players: str) -> Record:  # Any: JSON
    given = Record(header(game, players, options=options))
    given.play(darts)
    assert not given.match.position.over
    assert given.state["turn"]["side"] == 0
    return given


@pytest.mark.parametrize(("game", "options", "darts"), LEVEL, ids=[game for game, *_ in LEVEL])
def test_when_those_who_are_level_have_left_the_best_of_the_others_wins(
    game: str, options: dict[str, Any], darts: str
) -> None:
    given = level(game, options, darts, "Ann", "Bo", "Cy")
    given.play({"retire": 0}, {"retire": 1})
    for _ in range(4):
        if not given.match.position.over:
            given.play("/")
    assert given.state["winners"] == [2]


@pytest.mark.parametrize(("game", "options", "darts"), LEVEL, ids=[game for game, *_ in LEVEL])
def test_when_one_of_them_has_left_the_other_wins(game: str, options: dict[str, Any], darts: str) -> None:
    given = level(game, options, darts, "Ann", "Bo", "Cy")
    given.play({"retire": 0})
    assert given.state["turn"]["side"] == 1
    given.play("/")
    assert given.state["winners"] == [1]


def test_who_is_in_contention() -> None:
    assert in_contention((2, 0), (0, 1, 2)) == (0, 2)
    assert in_contention((2, 0), (1, 2)) == (2,)
    assert in_contention((2, 0), (1, 3)) == (1, 3)
