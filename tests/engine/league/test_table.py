"""The tables of a season: a published one, the points and inputs, and the law that the order of arrival is nothing."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.league.check import check_input
from engine.league.results import PlayedFor, PlayedSide
from engine.league.table import make_season_view
from protocol.commands import IllegalInput
from protocol.season import (
    Deduct,
    EnterResult,
    FixtureView,
    Forfeit,
    Postpone,
    SeasonInput,
    SeasonPoints,
    SeasonRow,
    SeasonSpec,
    Withdraw,
)
from tests.engine.league.seasons import SLOTS, find, make_season, number, play, swap

GRAND_SLAM = [
    ("Smith", "Ratajski", (5, 4)),
    ("Smith", "Girvan", (5, 2)),
    ("Ratajski", "Girvan", (5, 1)),
    ("Wade", "Smith", (5, 1)),
    ("Wade", "Girvan", (5, 2)),
    ("Ratajski", "Wade", (5, 4)),
]


def rows(spec: SeasonSpec, found: list[PlayedFor], *inputs: SeasonInput) -> dict[str, SeasonRow]:
    return {row.side: row for row in make_season_view(spec, number(*inputs), found).divisions[0].rows}


def show(spec: SeasonSpec, fixture: str, found: list[PlayedFor], *inputs: SeasonInput) -> FixtureView:
    fixtures = make_season_view(spec, number(*inputs), found).divisions[0].fixtures
    return next(each for each in fixtures if each.id == fixture)


def list_played(spec: SeasonSpec) -> list[PlayedFor]:
    """Group A of the Grand Slam 2023, at home as the season has it."""
    played = []
    for one, other, legs in GRAND_SLAM:
        try:
            played.append(play(spec, one, other, legs))
        except StopIteration:
            played.append(play(spec, other, one, legs[::-1]))
    return played


@pytest.mark.parametrize("is_turned", [False, True])
def test_group_a_of_the_grand_slam_2023_from_records(is_turned: bool) -> None:
    spec = make_season("Smith", "Ratajski", "Girvan", "Wade", twice=False, promoted=2, relegated=1)
    played = list_played(spec)
    view = make_season_view(spec, [], swap(played) if is_turned else played)
    told = [(row.place, row.side, row.points, row.legs[0] - row.legs[1], row.mark) for row in view.divisions[0].rows]
    assert told == [
        (1, "Wade", 4, 6, "promoted"),
        (2, "Ratajski", 4, 4, "promoted"),
        (3, "Smith", 4, 0, None),
        (4, "Girvan", 0, -10, "relegated"),
    ]
    assert {each.status for each in view.divisions[0].fixtures} == {"played"}


def test_the_table_is_the_same_by_hand() -> None:
    spec = make_season("Smith", "Ratajski", "Girvan", "Wade", twice=False)
    played = list_played(spec)
    by_hand = [EnterResult(each.record.removesuffix("-1"), (each.sides[0].legs, each.sides[1].legs)) for each in played]
    one, other = make_season_view(spec, [], played), make_season_view(spec, number(*by_hand), [])
    told = [[(row.place, row.side, row.points, row.legs) for row in each.divisions[0].rows] for each in (one, other)]
    assert told[0] == told[1]


@given(st.integers(0, 1000), st.integers(3, 6))
def test_the_order_in_which_records_come_is_nothing(seed: int, size: int) -> None:
    chance = random.Random(seed)
    names = "ABCDEF"[:size]
    spec = make_season(*names, points=SeasonPoints(3, 1, 0, leg=1, close=1, clean=1), tie_breaks=("direct", "lots"))
    played = []
    for one, other in combinations(names, 2):
        for home, away in ((one, other), (other, one)):
            for attempt in range(1, chance.randint(1, 3)):
                legs = chance.randint(0, 3), chance.randint(0, 3)
                begun = f"2026-09-0{chance.randint(1, 9)}"
                played.append(play(spec, home, away, legs, attempt=attempt, begun=begun, turned=chance.random() < 0.5))
    view = make_season_view(spec, [], played)
    again = [*played, *chance.sample(played, len(played) // 2)]  # some come twice
    chance.shuffle(again)
    assert make_season_view(spec, [], again) == view


def test_the_latest_attempt_counts_whenever_it_was_played() -> None:
    spec = make_season("Ann", "Bo")
    first = play(spec, "Ann", "Bo", (2, 0), attempt=1, begun="2026-09-02")
    second = play(spec, "Ann", "Bo", (0, 2), attempt=2, begun="2026-09-01")
    assert show(spec, find(spec, "Ann", "Bo").id, [second, first]).score == (0, 2)


def test_points_are_data() -> None:
    points = SeasonPoints(win=3, draw=1, loss=0, leg=1, clean=5, close=2, close_by=1)
    spec = make_season("Ann", "Bo", "Cy", twice=False, points=points)
    day_one, day_two, day_three = (
        play(spec, "Ann", "Bo", (3, 0)), play(spec, "Bo", "Cy", (3, 2)), play(spec, "Cy", "Ann", (2, 2)),
    )  # fmt: skip
    found = rows(spec, [day_one, day_two, day_three])
    assert {name: (row.points, row.bonus) for name, row in found.items()} == {
        "Ann": (3 + 1 + 3 + 5 + 2, 3 + 5 + 2),
        "Bo": (3 + 3, 3),
        "Cy": (1 + 2 + 2 + 2, 2 + 2 + 2),
    }


def test_deducted_points_move_a_side_down() -> None:
    spec = make_season("Ann", "Bo", twice=False)
    played = [play(spec, "Ann", "Bo", (3, 0))]
    assert rows(spec, played)["Ann"].place == 1
    found = rows(spec, played, Deduct("ann", 2, "no score sheet"), Deduct("Ann", 1))
    assert (found["Ann"].points, found["Ann"].deducted, found["Ann"].place) == (-1, 3, 2)


def test_a_match_that_is_given_away_is_won_but_not_played() -> None:
    spec = make_season("Ann", "Bo", points=SeasonPoints(2, 1, 0, leg=1, forfeit=1, forfeit_legs=3))
    fixture = find(spec, "Ann", "Bo").id
    found = rows(spec, [play(spec, "Ann", "Bo", (0, 3))], Forfeit(fixture, "away"))
    assert (found["Ann"].played, found["Ann"].won, found["Ann"].points, found["Ann"].legs) == (0, 1, 2, (3, 0))
    assert (found["Bo"].lost, found["Bo"].points, found["Bo"].deducted) == (1, -1, 1)
    both = rows(spec, [], Forfeit(fixture, "both"))
    assert [(row.won, row.lost, row.points) for row in both.values()] == [(0, 0, -1)] * 2
    assert show(spec, fixture, [], Forfeit(fixture, "away"), EnterResult(fixture, (1, 3))).status == "played"


def test_what_is_entered_by_hand_counts_before_a_record() -> None:
    spec = make_season("Ann", "Bo")
    fixture = find(spec, "Ann", "Bo").id
    found = show(spec, fixture, [play(spec, "Ann", "Bo", (3, 0))], EnterResult(fixture, (1, 3)))
    assert (found.score, found.by_hand) == ((1, 3), True)


def test_a_postponed_match_has_another_date() -> None:
    spec = make_season("Ann", "Bo", days=("2026-09-01", "2026-09-08"))
    fixture = find(spec, "Ann", "Bo").id
    assert (show(spec, fixture, []).date, show(spec, fixture, []).postponed) == ("2026-09-01", False)
    moved = show(spec, fixture, [], Postpone(fixture, "2026-09-03"))
    assert (moved.date, moved.postponed) == ("2026-09-03", True)


def test_a_team_match_is_the_sum_of_its_slots_and_counts_when_all_are_played() -> None:
    spec = make_season("Bell", "Crown", slots=SLOTS)
    fixture = find(spec, "Bell", "Crown").id
    parts = [
        play(spec, "Bell", "Crown", (2, 1), part="/1"),
        play(spec, "Bell", "Crown", (2, 0), part="/2", turned=True),
        play(spec, "Bell", "Crown", (0, 2), part="/3"),
    ]
    assert show(spec, fixture, []).status == "open"
    half = show(spec, fixture, parts[:2])
    assert (half.status, half.score) == ("playing", (2, 0))
    assert rows(spec, parts[:2])["Bell"].played == 0
    whole = show(spec, fixture, parts)
    assert (whole.status, whole.score) == ("played", (2, 2))
    assert rows(spec, parts)["Bell"].drawn == 1
    corrected = show(spec, fixture, parts, EnterResult(fixture, (2, 1), slot=3))
    assert (corrected.score, corrected.by_hand) == ((4, 0), True)


def test_a_team_is_known_by_its_name_though_substitutes_play() -> None:
    spec = make_season("Bell", "Crown", slots=SLOTS[:1])
    played = play(spec, "Bell", "Crown", (2, 1), part="/1")
    sides = tuple(
        PlayedSide(side.title, frozenset({"somebody"}), side.won, side.legs) for side in reversed(played.sides)
    )
    other = PlayedFor(played.tournament, played.match, 1, "", "r", sides)
    assert show(spec, find(spec, "Bell", "Crown").id, [other]).score == (1, 0)


def test_a_record_of_people_whom_nobody_knows_is_shown_and_counts_nowhere() -> None:
    spec = make_season("Ann", "Bo")
    fixture = find(spec, "Ann", "Bo")
    sides = (PlayedSide("", frozenset({"x"}), True, 2), PlayedSide("", frozenset({"y"}), False, 0))
    found = show(spec, fixture.id, [PlayedFor(fixture.tournament, fixture.match, 1, "", "lost", sides)])
    assert (found.status, found.unclear) == ("open", ("lost",))


def test_of_a_forgotten_player_the_other_one_tells_who_won() -> None:
    spec = make_season("Ann", "Bo")
    fixture = find(spec, "Ann", "Bo")
    sides = (PlayedSide("", frozenset({"bo"}), False, 1), PlayedSide("", frozenset(), True, 2))
    assert show(spec, fixture.id, [PlayedFor(fixture.tournament, fixture.match, 1, "", "r", sides)]).score == (2, 1)


def test_who_withdraws_early_is_struck_and_late_gives_the_rest_away() -> None:
    spec = make_season("Ann", "Bo", "Cy", points=SeasonPoints(forfeit_legs=2))
    early = [play(spec, "Ann", "Bo", (3, 0))]
    found = rows(spec, early, Withdraw("Ann"))
    assert found["Bo"].lost == 0
    assert found["Ann"].withdrawn
    late = [*early, play(spec, "Bo", "Ann", (3, 0))]
    found = rows(spec, late, Withdraw("Ann"))
    assert (found["Bo"].won, found["Bo"].lost, found["Cy"].won, found["Cy"].played) == (1, 1, 2, 0)
    both = make_season_view(spec, number(Withdraw("Ann"), Withdraw("Cy")), late).divisions[0]
    between = [each.status for each in both.fixtures if {each.home, each.away} == {"Ann", "Cy"}]
    assert between == ["annulled", "annulled"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Forfeit("1-9-1", "home"), "this season has no fixture 1-9-1: it is DIVISION-DAY-NUMBER, such as 1-3-2"),
        (Deduct("Zoe", 1), "no side of this season is called Zoe"),
        (EnterResult("1-1-1", (9, 9)), "a match of this season is worth 4 points in all"),
        (EnterResult("1-1-1", (1, 0), slot=4), "a match of this season has 3 slots"),
    ],
)
def test_an_input_that_makes_no_sense_is_refused(given: SeasonInput, said: str) -> None:
    with pytest.raises(IllegalInput) as error:
        check_input(make_season("Bell", "Crown", slots=SLOTS), given)
    assert str(error.value) == said
