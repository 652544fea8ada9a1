"""What a skill says of a throw, and that a level plays what it is called: held against darts that are thrown."""

from __future__ import annotations

import math
from random import Random

import pytest

from engine.levels import sigma_mm
from engine.skill import Skill
from protocol.aiming import aim_at
from protocol.layouts import find_layout, list_layouts
from protocol.match_spec import LEVELS
from protocol.segment import Dartboard, Layout, Segment, UnknownSegment
from protocol.standard import DARTBOARDS, STEEL, standard
from simulator.thrower import Thrower
from tests.bench.levels import sample

LAYOUT = standard()


def points(segment: Segment) -> float:
    return segment.points


@pytest.mark.parametrize("sigma_mm", [0, 1, 8, 27, 65, 500])
@pytest.mark.parametrize("name", list_layouts())
def test_every_dart_lands_somewhere_once(name: str, sigma_mm: float) -> None:
    layout = find_layout(name)
    skill = Skill(layout, sigma_mm)
    for bed in layout.areas[:: max(1, len(layout.areas) // 20)]:
        chances = skill.chances(bed.id)
        assert sum(share for _, share in chances) == pytest.approx(1)
        assert all(share > 0 for _, share in chances)
        assert len({segment.id for segment, _ in chances}) == len(chances)


def test_a_player_without_scatter_hits_the_aim() -> None:
    skill = Skill(LAYOUT)
    for segment in LAYOUT.segments:
        assert skill.chances(segment.id) == ((segment, 1.0),)
    assert skill.best(points) == "T20"
    with pytest.raises(UnknownSegment):
        skill.chances("T21")


@pytest.mark.parametrize("sigma_mm", [4, 15, 40])
@pytest.mark.parametrize("aim", ["T20", "D16", "S20", "DB"])
def test_the_chances_are_those_of_darts_that_are_thrown(aim: str, sigma_mm: float) -> None:
    """Within the error of the sample, and of the few hundred points that a skill makes do with."""
    count = 5000
    thrower = Thrower(sigma_mm, Random(f"{aim} {sigma_mm}"), LAYOUT)
    thrown: dict[str, int] = {}
    for _ in range(count):
        landed = thrower.throw(aim).segment.id
        thrown[landed] = thrown.get(landed, 0) + 1
    chances = {segment.id: share for segment, share in Skill(LAYOUT, sigma_mm).chances(aim)}
    for bed in {*thrown, *chances}:
        share = thrown.get(bed, 0) / count
        error = math.sqrt(share * (1 - share) / count)
        assert chances.get(bed, 0.0) == pytest.approx(share, abs=3 * error + 0.02), bed


@pytest.mark.parametrize("layout", [standard(), standard(STEEL)], ids=["soft", "steel"])
def test_most_points_are_where_they_are_known_to_be(layout: Layout) -> None:
    """Tibshirani, Price and Taylor: the best spot wanders from T20 over the T19 to the middle, a little left of it."""
    among = [bed.id for bed in layout.areas if bed.id[0] in "TI" or bed.value == 25]
    best = {sigma_mm: Skill(layout, sigma_mm).best(points, among) for sigma_mm in (5, 12, 27, 60, 100)}
    assert best[5] == best[12] == "T20"
    assert best[27] == "T19"
    for wide_mm in (60, 100):
        aim = aim_at(layout, best[wide_mm])
        assert best[wide_mm][0] in "ISD"
        assert aim.x <= 0
        assert layout.at(aim.x, aim.y).multiplier < 3


def test_who_scatters_more_makes_less() -> None:
    worth = [
        skill.worth(skill.best(points, ("T20", "T19", "I7", "DB")), points)
        for skill in (Skill(LAYOUT, s) for s in (1, 10, 30, 60))
    ]
    assert worth == sorted(worth, reverse=True)
    assert worth[0] == pytest.approx(60)


def test_the_first_of_equals_is_taken_and_only_what_was_asked_for() -> None:
    skill = Skill(LAYOUT, 20)
    assert skill.best(lambda segment: 1.0, ["D7", "T3", "DB"]) == "D7"
    assert skill.best(points, ["D1", "O1", "I2"]) in ("D1", "O1", "I2")
    assert skill.best(lambda segment: segment.id == "DB", ["T20", "DB", "SB"]) == "DB"


def test_a_worth_may_be_a_loss() -> None:
    """Ten points for the 20, minus ten for its neighbours: a player who scatters keeps to the wide half of the bed."""

    def of(segment: Segment) -> float:
        return 10 if "20" in segment.groups else -10 if segment.value in (1, 5) else 0

    assert Skill(LAYOUT, 25).best(of) in ("O20", "D20", "T20")
    assert Skill(LAYOUT, 25).worth("O20", of) > 0 > Skill(LAYOUT, 25).worth("I1", of)


def test_two_who_throw_as_well_on_the_same_layout_are_the_same() -> None:
    assert Skill(LAYOUT, 20) == Skill(LAYOUT, 20.0)
    assert len({Skill(LAYOUT, 20), Skill(LAYOUT, 20.0), Skill(LAYOUT, 30), Skill(find_layout("ground_round"), 20)}) == 3


@pytest.mark.slow
@pytest.mark.parametrize("dartboard", DARTBOARDS)
def test_a_level_averages_what_it_says_against_an_equal(dartboard: Dartboard) -> None:
    average, error, _ = sample((sigma_mm(60, dartboard),) * 2, 50, "legs of 60", dartboard)
    assert error < 0.06 * 60, "a sample that could not tell a level from others says nothing"
    assert abs(average - 60) <= 3 * error


@pytest.mark.long
@pytest.mark.parametrize("dartboard", DARTBOARDS)
@pytest.mark.parametrize("level", [20, 45, 70, 95, 110])
def test_a_level_averages_the_same_over_many_legs(level: int, dartboard: Dartboard) -> None:
    found = sample((sigma_mm(level, dartboard),) * 2, 3000, f"many legs of {level}", dartboard)
    assert found.average == pytest.approx(level, abs=1.5)


@pytest.mark.parametrize("dartboard", DARTBOARDS)
def test_a_higher_level_scatters_less(dartboard: Dartboard) -> None:
    scatters = [sigma_mm(level, dartboard) for level in LEVELS]
    assert scatters == sorted(scatters, reverse=True)
    assert len(set(scatters)) == len(LEVELS) == 91


def test_a_level_scatters_less_where_the_rings_are_narrower() -> None:
    for level in LEVELS:
        assert sigma_mm(level) > sigma_mm(level, "soft_13.2") > sigma_mm(level, "steel"), level
    assert sigma_mm(45, None) == sigma_mm(45), "on another layout as on the usual dartboard"


@pytest.mark.parametrize("level", [19.9, 110.1, 0, -45, float("nan")])
def test_there_is_no_such_level(level: float) -> None:
    with pytest.raises(ValueError, match="levels go from 20 to 110"):
        sigma_mm(level)
