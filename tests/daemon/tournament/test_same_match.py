"""Which match at a table is the one that was asked for: the same people, game, options and format, by the same ref."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from daemon.tournament.open_tournament import is_same_match
from protocol.match_spec import Format, MatchSpec

WANTED = MatchSpec("501", ("Ann", "Bo"), {"out": "double"}, format=Format(legs=2), ref="abcd1234/final-1/1")
PLAYED = replace(WANTED, game="x01", options={"start": 501, "in": "straight", "out": "double"}, seed="a", rules=1)
PAIRS: dict[str, Any] = {"players": ("Ann", "Al", "Bo", "Bea"), "teams": ((0, 1), (2, 3))}


@pytest.mark.parametrize(
    ("given", "is_same"),
    [
        ({}, True),
        ({"players": ("bo", " Ann")}, True),
        ({"players": ("Ann", "Eve")}, False),
        ({"ref": None}, False),
        ({"ref": "abcd1234/final-1/2"}, False),
        ({"options": {**PLAYED.options, "start": 301}}, False),
        ({"options": {**PLAYED.options, "out": "straight"}}, False),
        ({"game": "cricket", "options": {}}, False),
        ({"format": Format(legs=3)}, False),
        (PAIRS, False),
    ],
)
def test_what_is_played_is_what_was_asked_for(given: dict[str, Any], is_same: bool) -> None:
    assert is_same_match(WANTED, replace(PLAYED, **given)) is is_same


def test_pairs_may_stand_in_any_order_but_not_be_mixed() -> None:
    wanted, played = replace(WANTED, **PAIRS), replace(PLAYED, **PAIRS)
    assert is_same_match(wanted, replace(played, teams=((3, 2), (1, 0))))
    assert not is_same_match(wanted, replace(played, teams=((0, 2), (1, 3))))


def test_an_option_of_each_side_goes_with_its_side() -> None:
    wanted = replace(WANTED, options={"starts": [501, 401]})
    assert is_same_match(wanted, replace(PLAYED, players=("Bo", "Ann"), options={"start": 501, "starts": [401, 501]}))
    assert not is_same_match(wanted, replace(PLAYED, options={"start": 501, "starts": [401, 501]}))
