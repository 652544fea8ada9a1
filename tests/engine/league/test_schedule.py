"""The fixtures of a season: their laws for all sizes, and the match days as tournaments that can be played."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.league.check import check_season, is_same_schedule
from engine.league.match_day import make_match_day
from engine.league.schedule import list_fixtures, list_rests
from engine.tournament.journal import TournamentJournal
from engine.tournament.match_header import make_header
from protocol.commands import IllegalInput
from protocol.season import Division, SeasonSide, SeasonSpec
from protocol.tournament import SetTables
from tests.engine.league.seasons import SLOTS, find, make_season

sizes = st.integers(2, 32)
NAMES = [f"Side {number}" for number in range(1, 33)]


@given(sizes)
def test_every_pair_meets_once_at_each_side(size: int) -> None:
    spec = make_season(*NAMES[:size])
    met = [(each.home, each.away) for each in list_fixtures(spec)]
    assert sorted(met) == sorted((a, b) for a in range(1, size + 1) for b in range(1, size + 1) if a != b)


@given(sizes)
def test_everyone_plays_once_a_day_or_rests(size: int) -> None:
    spec = make_season(*NAMES[:size])
    rests = list_rests(spec.divisions[0], twice=True)
    fixtures = list_fixtures(spec)
    assert len(rests) == 2 * (size - 1 + size % 2)
    for day, resting in enumerate(rests, 1):
        playing = [place for each in fixtures if each.day == day for place in (each.home, each.away)]
        names = [NAMES[place - 1] for place in playing] + ([resting.name] if resting else [])
        assert sorted(names) == sorted(NAMES[:size])


@given(sizes)
def test_home_and_away_differ_by_one_at_most_in_a_half_and_not_at_all_in_a_season(size: int) -> None:
    spec = make_season(*NAMES[:size])
    fixtures = list_fixtures(spec)
    half = max(each.day for each in fixtures) // 2
    for last, most in ((half, 1), (2 * half, 0)):
        played = [each for each in fixtures if each.day <= last]
        home, away = Counter(each.home for each in played), Counter(each.away for each in played)
        assert all(abs(home[place] - away[place]) <= most for place in range(1, size + 1))


@given(sizes)
def test_the_second_half_is_the_first_with_the_sides_turned_round(size: int) -> None:
    fixtures = list_fixtures(make_season(*NAMES[:size]))
    half = max(each.day for each in fixtures) // 2
    first = [(each.day, each.home, each.away) for each in fixtures if each.day <= half]
    second = [(each.day - half, each.away, each.home) for each in fixtures if each.day > half]
    assert first == second


@given(sizes)
def test_each_fixture_and_each_day_is_a_tournament_of_its_own(size: int) -> None:
    fixtures = list_fixtures(make_season(*NAMES[:size]))
    own, days = {each.tournament for each in fixtures}, {each.day_tournament for each in fixtures}
    assert len(own) == len(fixtures)
    assert len(days) == max(each.day for each in fixtures)
    assert not own & days


def open_day(spec: SeasonSpec, day: int, number: int | None = None) -> TournamentJournal:
    fixtures = [each for each in list_fixtures(spec) if each.day == day and number in (None, each.number)]
    _, made, inputs = make_match_day(spec, fixtures)
    journal = TournamentJournal(made)
    for each in inputs:
        journal.apply(0, "organiser", each)
    return journal


def test_the_home_side_of_a_fixture_throws_first_in_every_other_slot() -> None:
    spec = make_season("Bell", "Crown", "Swan", slots=SLOTS)
    fixture = find(spec, "Crown", "Swan")
    tournament = open_day(spec, fixture.day, fixture.number).tournament
    assert [*tournament.list_matches()] == ["round-1-1/1", "round-1-1/2", "round-1-1/3"]
    header = make_header(tournament, "round-1-1/3", "r")
    assert header.players == ("Crown 1", "Crown 2", "Swan 1", "Swan 2")
    assert header.team_names == ("Crown", "Swan")


@pytest.mark.parametrize("size", [4, 5, 8])
def test_all_fixtures_of_a_day_are_one_tournament(size: int) -> None:
    spec = make_season(*NAMES[:size])
    for day in (1, 2):
        tournament = open_day(spec, day).tournament
        wanted = [each for each in list_fixtures(spec) if each.day == day]
        assert [*tournament.list_matches()] == [each.day_match for each in wanted]
        for each in wanted:
            people = tournament.find_people(each.day_match)
            assert people == ((NAMES[each.home - 1],), (NAMES[each.away - 1],))


def test_a_home_table_is_that_of_its_fixture() -> None:
    sides = (SeasonSide("Bell", table="bell"), SeasonSide("Crown"))
    spec = make_season("Bell", "Crown")
    spec = SeasonSpec(spec.id, spec.name, spec.begins, spec.ends, (Division("One", sides),))
    *_, inputs = make_match_day(spec, list_fixtures(spec)[:1])
    assert [each.tables[0].name for each in inputs if isinstance(each, SetTables)] == ["bell"]
    *_, inputs = make_match_day(spec, list_fixtures(spec)[1:])
    assert not [each for each in inputs if isinstance(each, SetTables)]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (make_season("Ann", "ann"), "the side ann is there twice"),
        (make_season("Ann", "Bo", promoted=2, relegated=1), "One has fewer sides than go up and down"),
        (
            make_season("Ann", "Bo", days=("2026-09-01",)),
            "the season has 2 match days, and days has 1 dates: add the others",
        ),
        (
            make_season("Ann", "Bo", days=("2026-09-08", "2026-09-01")),
            "the dates in days must follow each other, each of them once",
        ),
        (
            make_season("Ann", "Bo", days=("2026-09-08", "2027-01-01")),
            "the match days must be from 2026-09-01 to 2026-12-31",
        ),
        (make_season("Ann", "Bo", tie_breaks=("wins", "wins")), "each tie-break can be named only once"),
    ],
)
def test_a_season_that_contradicts_itself_is_refused(spec: SeasonSpec, said: str) -> None:
    with pytest.raises(IllegalInput) as error:
        check_season(spec)
    assert str(error.value) == said


def test_a_roster_has_as_many_people_as_the_slots_need() -> None:
    spec = make_season("Bell", "Crown", slots=SLOTS)
    check_season(spec)
    short = (SeasonSide("Bell", ("Ann",)), spec.divisions[0].sides[1])
    with pytest.raises(IllegalInput, match="Bell has 1 people, and the slots need 2"):
        check_season(
            SeasonSpec(spec.id, spec.name, spec.begins, spec.ends, (Division("One", short),), slots=spec.slots)
        )


def test_other_sides_or_another_order_are_another_schedule() -> None:
    spec = make_season("Ann", "Bo", "Cy")
    assert is_same_schedule(spec, make_season("Ann", "Bo", "Cy", tie_breaks=("wins",), promoted=1))
    assert not is_same_schedule(spec, make_season("Ann", "Cy", "Bo"))
    assert not is_same_schedule(spec, make_season("Ann", "Bo", "Cy", twice=False))
