"""What is to be done is never what the darts in hand cannot do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.records import Record, header

CASES: list[tuple[str, dict[str, Any], str, str]] = [
    ("knockout", {}, "T20 T20 S20 / MISS MISS", "140 is out of reach: this visit costs a life"),
    ("knockout", {}, "T20 T20 S20 / T20 S20", "Score 60 more to have 140, or lose a life"),
    ("knockout", {}, "T20 T20 S20 / T20 S19", "140 is out of reach: this visit costs a life"),
    ("knockout", {"tie_loses": True}, "T20 T20 T20 /", "181 is out of reach: this visit costs a life"),
    (
        "sudden_death",
        {},
        "T20 T20 T20 /",
        "More than 180 is out of reach: score more, because the lowest visit of the round is out",
    ),
    ("sudden_death", {}, "T20 T20 S1 / S2 T20", "Score more than 121: the lowest visit of the round is out"),
    (
        "sudden_death",
        {},
        "T20 T20 S1 / S1 S1",
        "More than 121 is out of reach: score more, because the lowest visit of the round is out",
    ),
    ("all_fives", {"end": "exact"}, "T20 T20 T20 / / T20 S20", "More would go over 51: no points"),
    ("a1_drill", {}, "MISS", "Two darts in 20 make one hit; hits to close it: 5"),
    ("a1_drill", {}, "MISS MISS", "No hit in 20 any more in this visit; hits to close it: 5"),
    (
        "halve_it",
        {"targets": ["41"]},
        "S20 S1",
        "Score exactly 41 with three darts, 20 to go; else your score is halved",
    ),
    ("halve_it", {"targets": ["41"]}, "S9 S9", "This visit can no longer make it: your score will be halved"),
    ("halve_it", {"targets": ["41"]}, "MISS", "This visit can no longer make it: your score will be halved"),
    ("halve_it", {"targets": ["41"]}, "MISS T7", "This visit can no longer make it: your score will be halved"),
    ("fifteen_contracts", {}, "/ " * 4 + "T20", "This visit can no longer make it: your score will be halved"),
    ("halve_it", {"targets": ["3C"]}, "S20 S18", "This visit can no longer make it: your score will be halved"),
    ("halve_it", {"targets": ["H"]}, "S20 S1", "This visit can no longer make it: your score will be halved"),
    (
        "checkout_121",
        {},
        "MISS MISS MISS / MISS MISS MISS / MISS",
        "121 cannot be checked out with the remaining darts",
    ),
    (
        "nine_dart_century",
        {},
        "DB DB",
        "You have exactly 100: press Next, or throw past the board; any hit is bust",
    ),
]


@pytest.mark.parametrize(("game", "options", "darts", "task"), CASES)
def test_a_task_can_be_done_with_the_darts_in_hand(game: str, options: dict[str, Any], darts: str, task: str) -> None:
    people = ("Ann",) if game == "checkout_121" else ("Ann", "Bo")
    given = Record(header(game, people, options=options))
    given.play(darts)
    assert given.state["phase"] == "throwing"
    assert given.state["task"]["text"] == task
