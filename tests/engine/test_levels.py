"""A level plays what it is called: legs of 501 double out, played out, against the name, within their own error."""

from __future__ import annotations

import pytest

from engine.levels import LEVELS, sigma_mm
from tests.bench.levels import sample
from tests.sweep import sweep


@pytest.mark.parametrize(
    ("level", "legs"), sweep([(30, 40), (45, 60), (63, 80), (100, 80)], lambda case: case[0] == 63)
)
def test_a_level_averages_what_it_says(level: int, legs: int) -> None:
    average, error, _ = sample(sigma_mm(level), legs, f"legs of {level}")
    assert error < 0.06 * level, "a sample that could not tell a level from others says nothing"
    assert abs(average - level) <= 3 * error


@pytest.mark.long
@pytest.mark.parametrize("level", LEVELS[::10])
def test_a_level_averages_the_same_over_many_legs(level: int) -> None:
    average, error, _ = sample(sigma_mm(level), 1000, f"many legs of {level}")
    assert abs(average - level) <= 3 * error


def test_a_higher_level_scatters_less() -> None:
    scatters = [sigma_mm(level) for level in LEVELS]
    assert scatters == sorted(scatters, reverse=True)
    assert len(set(scatters)) == len(LEVELS) == 91


@pytest.mark.parametrize("level", [19.9, 110.1, 0, -45, float("nan")])
def test_there_is_no_such_level(level: float) -> None:
    with pytest.raises(ValueError, match="levels go from 20 to 110"):
        sigma_mm(level)
