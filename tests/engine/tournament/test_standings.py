"""Tables that were published, and each tie-break by itself."""

from __future__ import annotations

import pytest

from engine.tournament.fixtures import Outcome
from engine.tournament.standings import make_rows
from protocol.tournament import Points, TieBreak

GRAND_SLAM: tuple[TieBreak, ...] = ("leg_difference", "direct")


def play(*results: str) -> list[Outcome]:
    """Outcomes such as `1 5-4 2`: side 1 beat side 2 by five legs to four."""
    played = []
    for result in results:
        one, score, other = result.split()
        legs = tuple(map(int, score.split("-")))
        winner = None if legs[0] == legs[1] else int(one if legs[0] > legs[1] else other)
        played.append(Outcome((int(one), int(other)), winner, (legs[0], legs[1])))
    return played


def places(
    outcomes: list[Outcome], *tie_breaks: TieBreak, byes: tuple[int, ...] = (), points: Points | None = None
) -> dict[int, int]:
    entrants = sorted({side for each in outcomes for side in each.sides})
    rows = make_rows(entrants, outcomes, points or Points(), tie_breaks, byes=byes, seed="pub")
    return {row.entrant: row.place for row in rows}


SMITH, RATAJSKI, GIRVAN, WADE = 11, 12, 13, 14
GROUP_A = play("11 5-4 12", "11 5-2 13", "12 5-1 13", "14 5-1 11", "14 5-2 13", "12 5-4 14")


@pytest.mark.parametrize("tie_breaks", [GRAND_SLAM, ("direct", "level_leg_difference"), ("direct", "leg_difference")])
def test_group_a_of_the_grand_slam_2023(tie_breaks: tuple[TieBreak, ...]) -> None:
    rows = make_rows([SMITH, RATAJSKI, GIRVAN, WADE], GROUP_A, Points(), tie_breaks)
    told = [(row.place, row.entrant, row.points, row.legs[0] - row.legs[1]) for row in rows]
    assert told == [(1, WADE, 4, 6), (2, RATAJSKI, 4, 4), (3, SMITH, 4, 0), (4, GIRVAN, 0, -10)]
    assert [(row.played, row.won, row.drawn, row.lost) for row in rows] == [(3, 2, 0, 1)] * 3 + [(3, 0, 0, 3)]


def test_what_nothing_separates_shares_a_place_and_the_next_is_left_out() -> None:
    assert places(GROUP_A, "direct") == {SMITH: 1, RATAJSKI: 1, WADE: 1, GIRVAN: 4}


def test_two_that_are_level_are_separated_by_their_own_match() -> None:
    outcomes = play("1 2-3 2", "2 0-3 3", "1 3-0 3", "3 3-0 4", "1 3-0 4", "2 3-0 4")
    assert places(outcomes, "leg_difference") == {1: 1, 2: 3, 3: 2, 4: 4}
    outcomes = play("1 3-2 2", "2 3-0 3", "3 3-2 1", "4 3-0 1", "2 3-0 4", "4 3-0 3")
    assert places(outcomes, "direct") == {2: 1, 4: 2, 3: 3, 1: 4}


def test_matches_between_some_of_those_that_are_level_decide_nothing() -> None:
    """1 has beaten 2, but neither has met 3."""
    outcomes = play("1 3-0 2", "2 3-0 4", "3 3-0 5", "6 3-0 1")
    assert places(outcomes, "direct")[1] == places(outcomes, "direct")[2] == places(outcomes, "direct")[3]


@pytest.mark.parametrize(
    ("tie_break", "order"),
    [("leg_difference", [3, 1, 2]), ("legs_won", [1, 2, 3]), ("wins", [2, 1, 3]), ("average", [2, 3, 1])],
)
def test_each_tie_break_looks_at_its_own_number(tie_break: TieBreak, order: list[int]) -> None:
    outcomes = [
        Outcome((1, 4), 1, (9, 7), (100, 90), (9, 9)),
        Outcome((1, 5), None, (5, 5), (100, 90), (9, 9)),
        Outcome((2, 4), 2, (4, 3), (180, 90), (9, 9)),
        Outcome((2, 5), 2, (4, 3), (180, 90), (9, 9)),
        Outcome((2, 6), 6, (4, 5), (180, 90), (9, 9)),
        Outcome((3, 4), 3, (3, 0), (120, 90), (9, 9)),
        Outcome((3, 5), None, (2, 2), (120, 90), (9, 9)),
    ]
    found = places(outcomes, tie_break, points=Points(win=2, draw=2))
    assert sorted([1, 2, 3], key=found.__getitem__) == order


def test_the_points_of_the_opponents_count_without_those_of_a_bye() -> None:
    outcomes = play("1 3-0 2", "3 3-0 4", "1 0-3 3", "2 3-0 5", "4 0-3 2")
    rows = make_rows(range(1, 6), outcomes, Points(), ["opponents"], byes=[5])
    assert {row.entrant: row.points for row in rows} == {1: 2, 2: 4, 3: 4, 4: 0, 5: 2}
    assert [row.entrant for row in rows] == [2, 3, 1, 5, 4]


def test_a_bye_is_worth_a_win_and_is_not_played() -> None:
    rows = {row.entrant: row for row in make_rows([1, 2, 3], play("1 3-0 2"), Points(win=3), [], byes=[3])}
    assert (rows[3].points, rows[3].won, rows[3].played, rows[3].average) == (3, 1, 0, None)
    assert rows[3].place == rows[1].place == 1


def test_a_walkover_is_won_and_counts_in_no_average() -> None:
    outcomes = [
        Outcome((1, 2), 1, (3, 0), (501, 300), (15, 15)),
        Outcome((1, 3), 1, points=(60, 0), darts=(3, 0), walkover=True),
    ]
    rows = {row.entrant: row for row in make_rows([1, 2, 3], outcomes, Points(), [])}
    assert (rows[1].points, rows[1].won, rows[1].played) == (4, 2, 1)
    assert rows[1].average == pytest.approx(100.2)
    assert (rows[3].lost, rows[3].played, rows[3].average) == (1, 0, None)


def test_the_matches_of_a_side_that_is_not_there_are_struck() -> None:
    rows = make_rows([SMITH, RATAJSKI, WADE], GROUP_A, Points(), GRAND_SLAM)
    assert [(row.entrant, row.points, row.played) for row in rows] == [(WADE, 2, 2), (RATAJSKI, 2, 2), (SMITH, 2, 2)]


def test_lots_separate_all_and_are_drawn_from_the_seed() -> None:
    drawn = [[row.entrant for row in make_rows(range(2, 10), [], Points(), ["lots"], seed=s)] for s in "aab"]
    assert drawn[0] == drawn[1] != drawn[2]
    assert {row.place for row in make_rows(range(2, 10), [], Points(), ["lots"])} == set(range(1, 9))
