"""How many cannot be paired, against the trying of all ways."""

from __future__ import annotations

from functools import cache
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from engine.tournament.matching import Graph, list_bits


def count_left_by_trying(allowed: list[int]) -> int:
    @cache
    def fewest(some: int) -> int:
        if not some:
            return 0
        one = (some & -some).bit_length() - 1
        rest = some & ~(1 << one)
        paired = [fewest(rest & ~(1 << other)) for other in list_bits(allowed[one] & rest)]
        return min([*paired, 1 + fewest(rest)])

    return fewest((1 << len(allowed)) - 1)


@given(st.integers(0, 12), st.floats(0.05, 0.7), st.randoms(use_true_random=False))
def test_no_more_are_left_than_must_be(count: int, density: float, random: Random) -> None:
    allowed = [0] * count
    for one in range(count):
        for other in range(one):
            if random.random() < density:
                allowed[one] |= 1 << other
                allowed[other] |= 1 << one
    assert Graph(allowed).count_left((1 << count) - 1) == count_left_by_trying(allowed)


def test_circles_within_circles_are_seen_through() -> None:
    """Two triangles joined by a path, whose middle pair has to be given up."""
    edges = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (5, 7)]
    allowed = [0] * 8
    for one, other in edges:
        allowed[one] |= 1 << other
        allowed[other] |= 1 << one
    graph = Graph(allowed)
    assert graph.can_pair(0b11111111)
    assert graph.count_left(0b11110111) == 1
    assert not graph.can_pair(0b11100111)
