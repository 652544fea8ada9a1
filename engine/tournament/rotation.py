"""Who meets whom in which round of a table where all meet, and how entrants are dealt to groups.

The rounds are FIDE's Berger tables (handbook C.05), because the first of a pair throws first there: each place begins
half of its matches, give or take one. A table is made of one rule, so none is stored: the last place stands still, and
the others turn by half of the places from round to round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def list_rounds(count: int, *, twice: bool = False) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The pairs of each round, of places from 1 to `count`; each pair of places meets once.

    The first of a pair throws first. With an odd `count`, one place a round is paired with 0: it rests. With `twice`,
    all rounds follow once more with the pairs turned round.
    """
    places = count + count % 2
    if places < 2:
        return ()
    turning = places - 1
    rounds = []
    for number in range(turning):
        start = number * (places // 2) % turning
        fixed = (places, start + 1) if number % 2 else (start + 1, places)
        pairs = [((start + step) % turning + 1, (start - step) % turning + 1) for step in range(1, places // 2)]
        rounds.append(tuple(_empty(pair, count) for pair in (fixed, *pairs)))
    again = [tuple((second, first) for first, second in pairs) for pairs in rounds] if twice else []
    return (*rounds, *again)


def _empty(pair: tuple[int, int], count: int) -> tuple[int, int]:
    """The pair, with 0 for a place that is not there."""
    first, second = pair
    return first if first <= count else 0, second if second <= count else 0


def deal_snake(entrants: Sequence[T], groups: int) -> tuple[tuple[T, ...], ...]:
    """The entrants of each group, dealt from the strongest on: to the last group, then back to the first, and so on."""
    dealt: list[list[T]] = [[] for _ in range(groups)]
    for number, entrant in enumerate(entrants):
        turn, at = divmod(number, groups)
        dealt[groups - 1 - at if turn % 2 else at].append(entrant)
    return tuple(map(tuple, dealt))
