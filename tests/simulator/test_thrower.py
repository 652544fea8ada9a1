"""The thrower against the geometry and against the law it claims to follow."""

from __future__ import annotations

import math
from random import Random
from statistics import fmean, stdev

import pytest

from protocol.aiming import aim_point
from protocol.segment import UnknownSegment
from protocol.standard import SOFT_15_INCH, STEEL, standard
from simulator.thrower import Thrower

FACE = standard()


@pytest.mark.parametrize("face", [standard(SOFT_15_INCH), standard(STEEL)], ids=["soft", "steel"])
def test_a_steady_hand_hits_every_bed(face: object) -> None:
    layout = FACE if face is FACE else standard(STEEL)
    thrower = Thrower(0.5, Random(1), layout)
    assert len(layout.areas) == 82
    for bed in layout.areas:
        assert {thrower.throw(bed).segment.id for _ in range(20)} == {bed.id}
        assert thrower.throw(bed.id).segment is bed


def test_an_aim_has_about_the_most_room_its_bed_offers() -> None:
    widest = {"T20": 80, "D20": 79.5, "DB": 80, "SB": 70}
    for segment_id, room in widest.items():
        aim = aim_point(FACE[segment_id])
        assert FACE.at(aim.x, aim.y).id == segment_id
        assert room - 11 <= aim.room <= room + 1
    assert aim_point(FACE["DB"])[:2] == (0, 0)
    assert abs(aim_point(FACE["T20"]).x) <= 1, "a ring is aimed at in its middle, not at one end of it"


def test_the_scatter_has_the_stated_deviation_in_every_direction() -> None:
    thrower = Thrower(27, Random(2), FACE)
    darts = [thrower.throw("DB") for _ in range(20_000)]
    for turn in (0.0, math.pi / 4, math.pi / 2, 1.0):
        along = [dart.x * math.cos(turn) + dart.y * math.sin(turn) for dart in darts]
        assert stdev(along) == pytest.approx(270, rel=0.02)
        assert fmean(along) == pytest.approx(0, abs=6)
    inside = sum(math.hypot(dart.x, dart.y) < 270 for dart in darts) / len(darts)
    assert inside == pytest.approx(1 - math.exp(-0.5), abs=0.01)  # Rayleigh: a circle of one sigma


def test_a_landing_is_where_its_segment_is() -> None:
    thrower = Thrower(65, Random(3), FACE)
    darts = [thrower.throw("T20") for _ in range(500)]
    assert all(FACE.at(dart.x, dart.y) is dart.segment for dart in darts)
    assert {"MISS", "T20"} < {dart.segment.id for dart in darts}


def test_better_players_hit_more() -> None:
    def rate(sigma_mm: float) -> float:
        thrower = Thrower(sigma_mm, Random(4), FACE)
        return sum(thrower.throw("T20").segment.id == "T20" for _ in range(2000)) / 2000

    rates = [rate(sigma_mm) for sigma_mm in (5, 10, 27, 65)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 0.8
    assert rates[-1] < 0.1


def test_a_seed_is_a_match() -> None:
    def throws(seed: int) -> list[object]:
        thrower = Thrower(27, Random(seed), FACE)
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
        ("MISS", {"MISS"}),
    ],
)
def test_a_name_without_a_bed_of_its_own_is_aimed_at_where_there_is_most_room(target: str, beds: set[str]) -> None:
    assert Thrower(0, Random(1), FACE).throw(target).segment.id in beds


def test_any_member_of_a_group_will_do() -> None:
    assert "double" in Thrower(0, Random(1), FACE).throw("double").segment.groups
    assert "triple" in Thrower(0, Random(1), FACE).throw("triple").segment.groups


def test_nobody_can_aim_at_what_is_not_there() -> None:
    with pytest.raises(UnknownSegment, match="T21"):
        Thrower(5, Random(1), FACE).throw("T21")
