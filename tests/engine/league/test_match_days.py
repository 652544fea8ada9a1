"""What organisers enter at match days, beside the records of their matches and what is entered in the season."""

from __future__ import annotations

import pytest

from engine.league.results import GivenResult, PlayedFor
from engine.league.table import make_season_view
from protocol.season import DivisionView, EnterResult, FixtureView, Forfeit, SeasonInput, SeasonPoints, SeasonSpec
from tests.engine.league.seasons import SLOTS, find, make_season, number, play


def give(
    spec: SeasonSpec,
    home: str,
    away: str,
    legs: tuple[int, int],
    *,
    winner: int | None = None,
    part: str = "",
    is_whole_day: bool = False,
    is_turned: bool = False,
    walkover: bool = False,
    void: int = 0,
) -> GivenResult:
    """This result, of the home side first; `winner` is the place of a side, by default of that with more legs."""
    fixture = find(spec, home, away)
    entrants = fixture.day_entrants if is_whole_day else fixture.entrants
    won = (None if legs[0] == legs[1] else legs[1] > legs[0]) if winner is None else winner
    return GivenResult(
        fixture.day_tournament if is_whole_day else fixture.tournament,
        f"{fixture.day_match if is_whole_day else fixture.match}{part}",
        entrants[::-1] if is_turned else entrants,
        None if won is None else entrants[won],
        legs[::-1] if is_turned else legs,
        walkover=walkover,
        void=void,
    )


def judge(
    spec: SeasonSpec, given: list[GivenResult], found: list[PlayedFor] | None = None, *inputs: SeasonInput
) -> tuple[DivisionView, FixtureView]:
    """The division, and the first fixture in which Ann (or the Bell) is at home."""
    (division,) = make_season_view(spec, number(*inputs), found or [], given).divisions
    first = find(spec, *_NAMES[bool(spec.slots)])
    return division, next(each for each in division.fixtures if each.id == first.id)


_NAMES = {False: ("Ann", "Bo"), True: ("Bell", "Crown")}


def list_points(division: DivisionView) -> dict[str, int]:
    return {row.side: row.points for row in division.rows}


@pytest.mark.parametrize("is_whole_day", [False, True])
@pytest.mark.parametrize("is_turned", [False, True])
def test_a_result_of_a_match_day_counts_before_the_record(is_whole_day: bool, is_turned: bool) -> None:
    spec = make_season("Ann", "Bo", "Cy", "Di")
    given = give(spec, "Ann", "Bo", (3, 1), is_whole_day=is_whole_day, is_turned=is_turned)
    division, fixture = judge(spec, [given], [play(spec, "Ann", "Bo", (0, 3))])
    assert (fixture.status, fixture.score, fixture.by_hand) == ("played", (3, 1), True)
    assert list_points(division) == {"Ann": 2, "Bo": 0, "Cy": 0, "Di": 0}


def test_what_is_entered_in_the_season_counts_before_the_match_day() -> None:
    spec = make_season("Ann", "Bo")
    name, given = find(spec, "Ann", "Bo").id, [give(spec, "Ann", "Bo", (3, 1))]
    assert judge(spec, given, [], EnterResult(name, (0, 3)))[1].score == (0, 3)
    assert judge(spec, given, [], Forfeit(name, "home"))[1].status == "forfeit"


def test_a_match_that_is_given_away_at_the_match_day_is_as_one_that_is_in_the_season() -> None:
    spec = make_season("Ann", "Bo", points=SeasonPoints(forfeit=1, forfeit_legs=4))
    division, fixture = judge(spec, [give(spec, "Ann", "Bo", (0, 0), winner=1, walkover=True)])
    in_season, other = judge(spec, [], [], Forfeit(find(spec, "Ann", "Bo").id, "home"))
    assert division.rows == in_season.rows
    assert (fixture.status, fixture.score) == (other.status, other.score) == ("forfeit", (0, 4))


def test_a_result_that_was_taken_back_leaves_the_later_attempts_of_a_board() -> None:
    spec = make_season("Ann", "Bo")
    first, second = play(spec, "Ann", "Bo", (3, 0)), play(spec, "Ann", "Bo", (0, 3), attempt=2)
    void = give(spec, "Ann", "Bo", (0, 0), void=1)
    assert judge(spec, [void], [first])[1].status == "open"
    assert judge(spec, [void], [second, first])[1].score == (0, 3)


def test_of_other_sides_than_those_of_the_fixture_nothing_counts() -> None:
    spec = make_season("Ann", "Bo")
    fixture = find(spec, "Ann", "Bo")
    other = GivenResult(fixture.tournament, fixture.match, (2, 5), 5, (0, 3))
    assert judge(spec, [other])[1].status == "open"


def test_a_slot_of_a_team_match_is_entered_or_given_away() -> None:
    spec = make_season("Bell", "Crown", slots=SLOTS)
    played = [play(spec, "Bell", "Crown", (2, 0), part="/1")]
    given = [
        give(spec, "Bell", "Crown", (0, 2), part="/2"),
        give(spec, "Bell", "Crown", (0, 0), winner=0, part="/3", walkover=True),
    ]
    assert judge(spec, given[:1], played)[1].status == "playing"
    _, fixture = judge(spec, given, played)
    assert (fixture.status, fixture.score, fixture.by_hand) == ("played", (3, 1), True)


def test_a_slot_that_is_entered_in_the_season_counts_before_the_whole_result_of_the_match_day() -> None:
    spec = make_season("Bell", "Crown", slots=SLOTS)
    name, whole = find(spec, "Bell", "Crown").id, give(spec, "Bell", "Crown", (1, 3))
    parts = [give(spec, "Bell", "Crown", (2, 0), part=f"/{slot}") for slot in (1, 3)]
    second = EnterResult(name, (2, 0), 2)
    assert judge(spec, [whole], [], second)[1].score == (1, 3), "nobody knows the other slots"
    assert judge(spec, [whole, *parts], [])[1].score == (1, 3)
    assert judge(spec, [whole, *parts], [], second)[1].score == (4, 0)
