"""The tables of classes: whole, rising, and one checked by the other."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.ratings.classes import DARTSLIVE_80, DARTSLIVE_100, PHOENIX, TABLES, ClassTable, rate_player


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.id)
def test_a_table_rises_from_zero_and_names_all_classes(table: ClassTable) -> None:
    assert len(table.points) == len(table.marks) == (30 if table is PHOENIX else 18)
    for limits in (table.points, table.marks):
        assert limits[0] == 0
        assert all(one < other for one, other in pairwise(limits))
    assert next(iter(table.names)) == 1
    assert all(table.name(number) for number in range(1, len(table.points) + 1))
    assert table.source


def test_without_the_end_of_a_leg_each_limit_is_five_points_and_a_quarter_of_a_mark_higher() -> None:
    for high, low in zip(DARTSLIVE_80.points[1:], DARTSLIVE_100.points[1:], strict=True):
        assert high - low == pytest.approx(5)
    for high, low in zip(DARTSLIVE_80.marks[1:], DARTSLIVE_100.marks[1:], strict=True):
        assert high - low == pytest.approx(0.25)


def test_players_between_the_limits() -> None:
    assert DARTSLIVE_80.find(points=100.2) == 13
    assert DARTSLIVE_80.name(13) == "AA"
    assert [DARTSLIVE_80.find(points=points) for points in (0, 39.99, 40, 129.99, 130, 180)] == [1, 1, 2, 17, 18, 18]
    assert [PHOENIX.find(marks=marks) for marks in (0, 1.09, 1.1, 5.99, 6)] == [1, 1, 2, 29, 30]
    assert PHOENIX.find(points=3 * 12.0) == 3
    assert [PHOENIX.name(number) for number in (1, 3, 4, 16, 17, 24, 25, 30)] == (
        ["N", "C", "CC", "A", "AA", "AAA", "MASTER", "GM"]
    )
    assert PHOENIX.find() is None


def test_the_published_example_of_a_player_rating() -> None:
    assert rate_player(ppd=23.54, mpr=2.15) == 45.04
