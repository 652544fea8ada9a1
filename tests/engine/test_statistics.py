"""From tallies to the figures that people read: what means nothing is nothing, and levels begin where they should."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.statistics import figures
from engine.tally import Tally
from tests.engine.moves import headers, line_of, moves, record
from tests.engine.test_laws import ALL


def test_without_a_dart_there_are_no_figures() -> None:
    made = figures(Tally())
    assert (made.average, made.ppd, made.first_nine, made.mpr, made.level, made.checkout_rate) == (None,) * 6
    assert (made.legs, made.best_leg, made.high_visit, made.checkouts) == (None,) * 4
    assert (made.value("average"), figures(Tally(), "mpr").value("mpr")) == (None, None)


def test_a_cricket_has_its_figures() -> None:
    counts = {"visits": 10, "marks": 21, "5m": 2, "marks_80": 20, "darts_80": 24}
    made = figures(Tally(points=120, darts=30, nine_points=60, nine_darts=9, counts=counts), "mpr")
    assert (made.mpr, made.value("mpr"), made.more) == (2.1, 2.1, {})
    assert made.average == 12.0, "its points per round"
    assert (made.ppd, made.first_nine, made.tons) == (None, None, {})
    assert made.marks == {"5m": 2}
    assert (made.mpr_80, made.average_80, made.level) == (2.5, None, 8)


def test_a_countdown_has_its_figures() -> None:
    counts = {"at_finish": 7, "finished": 2, "at:D20": 3, "at:D16": 4, "hit:D16": 2, "points_80": 400, "darts_80": 20}
    made = figures(Tally(points=501, darts=27, counts=counts, highs={"finish": 96, "visit": 140}, lows={"leg": 27}))
    assert made.checkouts == (2, 7)
    assert made.checkout_rate == 28.6
    assert list(made.targets.items()) == [("D16", (2, 4)), ("D20", (0, 3))], "the one most thrown at first"
    assert (made.average_80, made.mpr_80, made.level) == (60.0, None, 6)
    assert (made.high_finish, made.high_visit, made.best_leg) == (96, 140, 27)
    assert made.more == {}


def test_what_only_a_game_counts_is_kept_by_its_name() -> None:
    counts = {"visits": 1, "lives_taken": 2, "award:shanghai": 1}
    made = figures(Tally(darts=3, counts=counts, highs={"visit": 9, "streak": 4}, lows={"strokes": 21}))
    assert made.more == {"lives_taken": 2}
    assert made.bests == {"streak": 4, "strokes": 21}


@pytest.mark.parametrize("game", ALL)
@settings(max_examples=5, print_blob=True)
@given(data=st.data())
def test_no_name_that_is_kept_by_target_is_left_among_the_others(game: str, data: st.DataObject) -> None:
    match = record(data.draw(headers(ALL[game])), ALL[game])
    for move in data.draw(moves(40)):
        match.add(line_of(move, match))
    for tally in match.match.position.tallies:
        made = figures(tally, match.game.figure)
        assert not [name for name in (*made.more, *made.bests) if ":" in name]
        assert all(hit <= thrown for hit, thrown in made.targets.values())


def test_hits_and_awards_come_with_the_most_first() -> None:
    made = figures(Tally(darts=6, counts={"award:a": 1, "award:b": 2}, hits={"S1": 1, "T20": 3, "MISS": 2}))
    assert list(made.hits) == ["T20", "MISS", "S1"]
    assert list(made.awards.items()) == [("b", 2), ("a", 1)]


@pytest.mark.parametrize(
    ("points", "level"),
    [
        (0, 1),
        (39.99, 1),
        (40, 2),
        (49.99, 3),
        (50, 4),
        (60, 6),
        (79.99, 9),
        (80, 10),
        (94.99, 12),
        (95, 13),
        (102, 14),
        (115.99, 15),
        (129.99, 17),
        (130, 18),
        (180, 18),
    ],
)
def test_levels_by_points(points: float, level: int) -> None:
    assert figures(Tally(darts=300, counts={"points_80": round(points * 100), "darts_80": 300})).level == level


@pytest.mark.parametrize(
    ("marks", "level"),
    [
        (0, 1),
        (1.29, 1),
        (1.3, 2),
        (1.69, 3),
        (1.7, 4),
        (2.1, 6),
        (2.9, 10),
        (3.49, 12),
        (3.5, 13),
        (4.74, 17),
        (4.75, 18),
    ],
)
def test_levels_by_marks(marks: float, level: int) -> None:
    assert figures(Tally(darts=300, counts={"marks_80": round(marks * 100), "darts_80": 300})).level == level
