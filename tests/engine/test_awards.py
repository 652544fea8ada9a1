"""The awards in the order of machines, each with a visit that would fit another one too; and one a visit."""

from __future__ import annotations

import pytest

from engine.awards import of_beds, of_marks, of_score
from protocol.facts import Award
from protocol.segment import Segment
from protocol.standard import standard
from tests.engine.records import Record, header

CRICKET = frozenset({"15", "16", "17", "18", "19", "20"})


def darts(text: str) -> tuple[Segment, ...]:
    return tuple(standard()[word] for word in text.split())


def scored(text: str) -> int:
    return sum(dart.points for dart in darts(text))


@pytest.mark.parametrize(
    ("visit", "award"),
    [
        ("DB DB DB", "three_in_the_black"),  # three bulls and a low ton, too
        ("SB DB DB", "hat_trick"),  # 125 is a low ton, too
        ("SB SB SB", "hat_trick"),
        ("T20 T20 T20", "180"),  # three in a bed, and more than a high ton
        ("T19 T19 T19", "three_in_a_bed"),  # 171 is a high ton, too
        ("T7 T7 T7", "three_in_a_bed"),
        ("T20 T20 T18", "high_ton"),
        ("T20 T20 O20", "low_ton"),
        ("T20 T17 S20", "low_ton"),
        ("D20 D20 D20", "low_ton"),  # one bed, but no triple
        ("S20 S20 S20", None),
        ("T20 S20 S19", None),
        ("T20 T20", None),
        ("SB SB", None),
    ],
)
def test_by_the_score(visit: str, award: str | None) -> None:
    assert of_score(darts(visit), scored(visit)) == award


@pytest.mark.parametrize(("points", "award"), [(99, None), (100, "low_ton"), (150, "low_ton"), (151, "high_ton")])
def test_where_a_ton_begins_to_be_high(points: int, award: str | None) -> None:
    assert of_score(darts("T20 S20 S19"), points) == award


@pytest.mark.parametrize(
    ("visit", "award"),
    [
        ("T20 D20", "high_out"),  # the only one that two darts can have
        ("T20 S20 D10", "low_ton"),  # a high out, too
        ("T20 T20 D20", "high_ton"),
        ("DB DB DB", "three_in_the_black"),
        ("S20 D20", None),
    ],
)
def test_an_out_of_a_hundred_comes_last(visit: str, award: str | None) -> None:
    assert of_score(darts(visit), scored(visit), is_out=True) == award


@pytest.mark.parametrize(
    ("visit", "marks", "award"),
    [
        ("DB DB DB", 6, "three_in_the_black"),
        ("SB SB DB", 4, "hat_trick"),
        ("T20 T20 T20", 9, "180"),  # nine marks, too
        ("T17 T17 T17", 9, "three_in_a_bed"),  # nine marks, too
        ("T20 T19 T18", 9, "white_horse"),  # nine marks, too
        ("T17 T17 T15", 9, "nine_mark"),  # two of one number are no white horse
        ("T20 T19 T14", 6, "six_mark"),  # nor is a triple of no number in play
        ("T20 T19 D18", 8, "eight_mark"),
        ("T20 T19 S18", 7, "seven_mark"),
        ("T20 D19 S18", 6, "six_mark"),
        ("T20 S19 S18", 5, "five_mark"),
        ("D20 S19 S18", 4, None),
        ("T20 T19", 6, None),
    ],
)
def test_by_the_marks(visit: str, marks: int, award: str | None) -> None:
    assert of_marks(darts(visit), marks, CRICKET) == award


def test_beds_alone_know_no_ton() -> None:
    assert of_beds(darts("T20 T20 T19")) is None


def test_it_is_told_once_and_counted() -> None:
    given = Record(header())
    told = [given.add({"throw": "T20"}).facts for _ in range(3)]
    awards = [fact for facts in told for fact in facts if isinstance(fact, Award)]
    assert awards == [Award(side=0, award="180", great=True)]
    assert given.match.position.tallies[0].counts["award:180"] == 1
