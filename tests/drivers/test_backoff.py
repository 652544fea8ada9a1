"""The law of waiting: soon at first, never longer than the cap, never all at once."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from drivers.backoff import Backoff

backoffs = st.builds(lambda first, factor: Backoff(first, first * factor), st.floats(0.01, 10), st.floats(1, 1000))


@given(backoffs, st.integers(1, 10**6), st.integers())
def test_a_wait_is_at_most_a_quarter_below_its_bound(backoff: Backoff, failures: int, seed: int) -> None:
    bound = min(backoff.most_s, backoff.first_s * 2 ** min(failures - 1, 60))
    assert 0.75 * bound <= backoff.delay_s(failures, Random(seed)) <= bound


@given(backoffs, st.integers(1, 10**6), st.integers())
def test_the_same_chance_never_waits_less_after_more_failures(backoff: Backoff, failures: int, seed: int) -> None:
    assert backoff.delay_s(failures, Random(seed)) <= backoff.delay_s(failures + 1, Random(seed))


@given(st.integers(1, 100))
def test_two_boards_do_not_wait_alike(failures: int) -> None:
    random = Random(1)
    assert len({Backoff().delay_s(failures, random) for _ in range(50)}) > 40


def test_the_first_wait_is_short_and_the_last_a_minute() -> None:
    assert 0.375 <= Backoff().delay_s(1, Random(3)) <= 0.5
    assert 45 <= Backoff().delay_s(10**9, Random(3)) <= 60
