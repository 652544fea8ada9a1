"""Where to aim on every layout: in the bed, and as far from its borders as it allows."""

from __future__ import annotations

import math
import re

import pytest

from protocol.aiming import aim_at, aim_point
from protocol.layouts import find_layout, list_layouts
from protocol.segment import Layout, UnknownSegment
from protocol.standard import standard

LAYOUT = standard()


@pytest.mark.parametrize("name", list_layouts())
def test_an_aim_is_in_its_bed_with_the_room_it_says(name: str) -> None:
    layout = find_layout(name)
    for bed in layout.areas:
        x, y, room = aim_point(bed)
        assert layout.at(x, y) is bed
        assert room > 0
        for turn in range(16):
            angle = turn * math.pi / 8
            dx, dy = (room - 1) * math.cos(angle), (room - 1) * math.sin(angle)
            assert layout.at(x + dx, y + dy) is bed, (bed, angle)


@pytest.mark.parametrize("name", list_layouts())
def test_no_point_of_a_grid_has_clearly_more_room(name: str) -> None:
    layout = find_layout(name)
    for bed in layout.areas[:: max(1, len(layout.areas) // 6)]:
        xs, ys = ([point[axis] for ring in bed.outline for point in ring] for axis in (0, 1))
        step = max(max(xs) - min(xs), max(ys) - min(ys)) / 12
        room = aim_point(bed).room
        for i in range(13):
            for j in range(13):
                x, y = min(xs) + i * step, min(ys) + j * step
                assert not clear(layout, bed.id, x, y, room + 15), (bed, x, y)


def clear(layout: Layout, bed: str, x: float, y: float, radius: float) -> bool:
    """Does a disc of this radius lie in the bed, as far as its rim tells?"""
    rim = ((x + radius * math.cos(a * math.pi / 18), y + radius * math.sin(a * math.pi / 18)) for a in range(36))
    return layout.at(x, y).id == bed and all(layout.at(*point).id == bed for point in rim)


def test_a_merged_single_is_aimed_at_in_its_wider_half() -> None:
    assert LAYOUT.at(*aim_at(LAYOUT, "S20")[:2]).id == "O20"
    assert aim_at(LAYOUT, "S20") == aim_at(LAYOUT, "O20")


def test_the_middle_of_the_bull_is_the_middle() -> None:
    assert aim_at(LAYOUT, "DB")[:2] == aim_at(LAYOUT, "bull")[:2] == (0, 0)


@pytest.mark.parametrize(
    ("layout", "target"),
    [
        *(("standard", target) for target in ("T21", "", "treble")),
        *(("yatzy", "OFF"), ("yatzy", "FOUL"), ("ground_round", "0,0|1,0")),
    ],
)
def test_aiming_at_a_bed_without_area_is_refused(layout: str, target: str) -> None:
    with pytest.raises(UnknownSegment, match=rf"^{re.escape(repr(target))} is not a target: "):
        aim_at(find_layout(layout), target)
