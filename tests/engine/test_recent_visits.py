"""A state has the latest visits of the leg, right after every undo, redo and correction, and no more than so many."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engine.match import Match
from tests.engine.records import Record, header

START = 501
MOST, MOST_OF_SIDE = 24, 12


def list_closed(match: Match) -> list[list[dict[str, Any]]]:  # Any: JSON
    """What each side has thrown and left in this leg of X01, played again from the first dart."""
    found: list[list[dict[str, Any]]] = [[] for _ in match.seating.sides]
    now = match.position.visit
    for visit in match.list_visits()[:-1]:
        if (visit.set, visit.leg) != (now.set, now.leg):
            continue
        past = found[visit.side]
        points = 0 if visit.bust else visit.points
        score = (past[-1]["score"] if past else START) - points
        past.append({"points": visit.points, "score": score} | ({"bust": True} if visit.bust else {}))
    return found


def shown(given: Record) -> list[list[dict[str, Any]]]:  # Any: JSON
    return [side["visits"] for side in given.state["sides"]]


@pytest.mark.parametrize("players", [["Ann", "Bo"], ["Ann", "Bo", "Cy", "Di", "Ed"]])
def test_the_visits_of_this_leg_are_those_that_count(players: list[str]) -> None:
    given = Record(header("x01", tuple(players), format={"legs": 2}))
    assert shown(given) == [[] for _ in players]
    for inputs in (
        ("T20 T20 T20 /", {"total": 26}, "/", "T19 /"),
        ({"undo": True}, {"undo": True}, {"redo": True}),
        ({"amend": 2, "throw": "S20"},),
        ("/", *["T20 /"] * 17),
        ({"undo": True},) * 3,
        ("/", *["T20 /"] * 3),
    ):
        given.play(*inputs)
        assert shown(given) == list_closed(given.match)


def test_a_new_leg_has_none_and_undo_brings_the_old_ones_back() -> None:
    given = Record(header("x01", ("Ann", "Bo"), format={"legs": 2}))
    given.play("T20 T20 T20 /", "S1 /", "T20 T20 T20 /", "S1 /", "T20 T19 D12")
    kept = shown(given)
    assert [len(visits) for visits in kept] == [2, 2]
    given.play("/")
    assert shown(given) == [[], []]
    given.play({"undo": True})
    assert shown(given) == kept


def test_a_long_match_shows_no_more_and_the_latest() -> None:
    given = Record(header("count_up", ("Ann", "Bo"), options={"rounds": 20}))
    for number in range(38):
        given.play(f"S{number % 20 + 1} /")
        visits = shown(given)
        assert sum(map(len, visits)) == min(MOST, number + 1)
        assert max(map(len, visits)) <= MOST_OF_SIDE
        assert visits[number % 2][-1]["points"] == number % 20 + 1
    assert len(msgspec.json.encode(given.state)) < 4096


def test_a_game_that_needs_the_bed_of_each_dart_has_none() -> None:
    assert all("visits" not in side for side in Record(header("cricket", ("Ann", "Bo"))).state["sides"])
