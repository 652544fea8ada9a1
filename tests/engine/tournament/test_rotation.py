"""Berger tables as FIDE prints them, and their laws for other sizes."""

from __future__ import annotations

from itertools import combinations

import pytest

from engine.tournament.rotation import deal_snake, list_rounds

PUBLISHED = {
    4: "1-4 2-3 | 4-3 1-2 | 2-4 3-1",
    6: "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1",
    8: "1-8 2-7 3-6 4-5 | 8-5 6-4 7-3 1-2 | 2-8 3-1 4-7 5-6 | 8-6 7-5 1-4 2-3 | "
    "3-8 4-2 5-1 6-7 | 8-7 1-6 2-5 3-4 | 4-8 5-3 6-2 7-1",
}


@pytest.mark.parametrize("count", PUBLISHED)
def test_the_rounds_are_the_published_tables(count: int) -> None:
    written = " | ".join(" ".join(f"{a}-{b}" for a, b in pairs) for pairs in list_rounds(count))
    assert written == PUBLISHED[count]


@pytest.mark.parametrize("count", [*range(2, 34), 63, 64])
def test_each_pair_meets_once_and_everyone_plays_once_a_round(count: int) -> None:
    rounds = list_rounds(count)
    played = [pair for pairs in rounds for pair in pairs if 0 not in pair]
    assert sorted(tuple(sorted(pair)) for pair in played) == list(combinations(range(1, count + 1), 2))
    for pairs in rounds:
        assert sorted(place for pair in pairs for place in pair) == list(range(1 - count % 2, count + 1))
    begun = [sum(first == place for first, _ in played) for place in range(1, count + 1)]
    assert max(begun) - min(begun) <= 1


def test_of_two_meetings_each_begins_one() -> None:
    rounds = list_rounds(5, twice=True)
    played = [pair for pairs in rounds for pair in pairs if 0 not in pair]
    assert len(rounds) == 10
    assert sorted(played) == sorted((a, b) for a in range(1, 6) for b in range(1, 6) if a != b)


@pytest.mark.parametrize("count", [0, 1])
def test_nobody_meets_no_one(count: int) -> None:
    assert list_rounds(count) == (() if count == 0 else (((1, 0),),))


def test_the_snake_turns_at_the_last_group() -> None:
    assert deal_snake("ABCDEFGHI", 4) == (("A", "H", "I"), ("B", "G"), ("C", "F"), ("D", "E"))
