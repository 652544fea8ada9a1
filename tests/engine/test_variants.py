"""Like is compared with like: what is played is told by its rules, and hardly two games by the same name."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import fields

from engine.games import GAMES, PRESETS, game, variant
from engine.options import read_options
from tests.engine.records import Record, header


def played(name: str, **options: Any) -> str:  # Any: JSON
    chosen = game(name)
    given = {**PRESETS[name].options, **options} if name in PRESETS else options
    return variant(chosen, read_options(chosen, given))


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_what_it_is(preset: str) -> None:
    assert played(preset) == preset


@pytest.mark.parametrize("name", GAMES)
def test_a_game_as_it_comes_is_itself(name: str) -> None:
    assert played(name) == ("501" if name == "x01" else name)


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("x01", {"start": 301}, "301"),
        ("501", {"out": "master"}, "master_501"),
        ("x01", {"start": 170, "out": "master"}, "x01 (start 170, out master)"),
        ("x01", {"doubles": [[20], [16, 8]], "bull_at_finish": "never", "bust_counts_3": True}, "501"),
        ("x01", {"starts": [301, 501]}, "x01 (starts 301 501)"),
        ("gotcha", {"rounds": None}, "gotcha (rounds none)"),
        ("golf_18", {"scoring": "maker", "playoff": 3}, "golf (holes 18, scoring maker, playoff 3)"),
        ("dards", {"cards": "manual"}, "dards"),
    ],
)
def test_options_make_a_variant(name: str, options: dict[str, Any], told: str) -> None:
    assert played(name, **options) == told


def test_what_is_filled_in_for_these_people_is_no_other_variant() -> None:
    preset = Record(header("freeze_301", players=["Ann", "Bo", "Cy", "Dee"], teams=[[0, 1], [2, 3]]))
    alone = Record(header("d20_elimination", players=["Ann"]))
    assert [variant(each.game, each.match.options) for each in (preset, alone)] == ["freeze_301", "d20_elimination"]


@pytest.mark.parametrize("name", GAMES)
def test_what_is_put_aside_is_an_option(name: str) -> None:
    chosen = GAMES[name]
    assert chosen.aside <= {field.encode_name for field in fields(chosen.options_type)}
