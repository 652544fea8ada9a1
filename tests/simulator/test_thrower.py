"""The thrower against the geometry of every layout, and against the law it claims to follow."""

from __future__ import annotations

import math
from random import Random
from statistics import fmean, stdev

import pytest

from protocol.ground_round import hexes
from protocol.layouts import find_layout
from protocol.segment import Layout
from protocol.standard import STEEL, standard
from simulator.thrower import Thrower

LAYOUT = standard()
LAYOUTS = pytest.mark.parametrize(
    "layout", [LAYOUT, standard(STEEL), find_layout("yatzy"), find_layout("ground_round")]
)


def test_the_scatter_has_the_stated_deviation_in_every_direction() -> None:
    thrower = Thrower(27, Random(2), LAYOUT)
    darts = [thrower.throw("DB") for _ in range(20_000)]
    for turn in (0.0, math.pi / 4, math.pi / 2, 1.0):
        along = [dart.x * math.cos(turn) + dart.y * math.sin(turn) for dart in darts]
        assert stdev(along) == pytest.approx(270, rel=0.02)
        assert fmean(along) == pytest.approx(0, abs=6)
    inside = sum(math.hypot(dart.x, dart.y) < 270 for dart in darts) / len(darts)
    assert inside == pytest.approx(1 - math.exp(-0.5), abs=0.01)  # Rayleigh: a circle of one sigma


def test_a_landing_is_where_its_segment_is() -> None:
    thrower = Thrower(65, Random(3), LAYOUT)
    darts = [thrower.throw("T20") for _ in range(500)]
    assert all(LAYOUT.at(dart.x, dart.y) is dart.segment for dart in darts)
    assert {"MISS", "T20"} < {dart.segment.id for dart in darts}


def test_better_players_hit_more() -> None:
    def rate(sigma_mm: float) -> float:
        thrower = Thrower(sigma_mm, Random(4), LAYOUT)
        return sum(thrower.throw("T20").segment.id == "T20" for _ in range(2000)) / 2000

    rates = [rate(sigma_mm) for sigma_mm in (5, 10, 27, 65)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 0.8
    assert rates[-1] < 0.1


def test_a_seed_is_a_match() -> None:
    def throws(seed: int) -> list[object]:
        thrower = Thrower(27, Random(seed), LAYOUT)
        return [thrower.throw(target) for target in ("T20", "D16", "20", "bull")]

    assert throws(9) == throws(9)
    assert throws(9) != throws(10)


@pytest.mark.parametrize(
    ("target", "beds"),
    [
        ("S20", {"O20", "I20"}),
        ("20", {"O20", "I20"}),
        ("bull", {"DB"}),
        ("7", {"O7", "I7"}),
    ],
)
def test_a_name_without_an_own_bed_is_aimed_at_the_widest_part(target: str, beds: set[str]) -> None:
    assert Thrower(0, Random(1), LAYOUT).throw(target).segment.id in beds


@LAYOUTS
def test_a_steady_hand_hits_every_bed_and_every_label(layout: Layout) -> None:
    for bed in layout.areas:
        assert {Thrower(0.1, Random(turn), layout).throw(bed).segment.id for turn in range(5)} == {bed.id}
    thrower = Thrower(0.1, Random(1), layout)
    for label in {label for bed in layout.areas for label in bed.groups}:
        assert label in thrower.throw(label).segment.groups


@LAYOUTS
def test_a_dart_thrown_away_is_the_miss_of_the_layout(layout: Layout) -> None:
    assert Thrower(10, Random(1), layout).throw(layout.miss).segment is layout.miss


def test_some_darts_at_hexagons_are_on_a_line() -> None:
    thrower = Thrower(27, Random(5), find_layout("ground_round"))
    darts = [thrower.throw("0,0") for _ in range(3000)]
    lines = [dart for dart in darts if "line" in dart.segment.groups]
    assert 0.02 < len(lines) / len(darts) < 0.07  # 1.5 mm of line for every 34 mm across
    assert {len(hexes(dart.segment.id)) for dart in lines} == {2, 3}
    assert all(find_layout("ground_round").landed(dart.x, dart.y) is dart.segment for dart in darts)
