"""The same thrower at the faces of Yatzy-Dart and Ground Round: every bed, every label, and darts on a line."""

from __future__ import annotations

from random import Random

import pytest

from protocol.ground_round import hexes
from protocol.layouts import layout
from protocol.segment import UnknownSegment
from simulator.thrower import Thrower

FACES = pytest.mark.parametrize("name", ["yatzy", "ground_round"])


@FACES
def test_a_steady_hand_hits_every_bed(name: str) -> None:
    face = layout(name)
    thrower = Thrower(0.1, Random(1), face)
    for bed in face.areas:
        assert {thrower.throw(bed).segment.id for _ in range(5)} == {bed.id}


@FACES
def test_a_steady_hand_hits_every_label(name: str) -> None:
    face = layout(name)
    thrower = Thrower(0.1, Random(1), face)
    for label in {label for bed in face.areas for label in bed.groups}:
        assert label in thrower.throw(label).segment.groups


@FACES
def test_a_dart_thrown_away_is_the_miss_of_the_face(name: str) -> None:
    face = layout(name)
    assert Thrower(10, Random(1), face).throw(face.miss).segment is face.miss


def test_some_darts_at_hexagons_are_on_a_line() -> None:
    thrower = Thrower(27, Random(5), layout("ground_round"))
    darts = [thrower.throw("0,0") for _ in range(3000)]
    lines = [dart for dart in darts if "line" in dart.segment.groups]
    assert 0.02 < len(lines) / len(darts) < 0.07  # 1.5 mm of line for every 34 mm across
    assert {len(hexes(dart.segment.id)) for dart in lines} == {2, 3}
    assert all(layout("ground_round").landed(dart.x, dart.y) is dart.segment for dart in darts)


@pytest.mark.parametrize(("name", "target"), [("yatzy", "OFF"), ("yatzy", "FOUL"), ("ground_round", "0,0|1,0")])
def test_nobody_aims_at_what_is_no_area(name: str, target: str) -> None:
    with pytest.raises(UnknownSegment, match=r"^nobody can aim at"):
        Thrower(10, Random(1), layout(name)).throw(target)
