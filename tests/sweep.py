"""A sweep over many cases: a few of them with every change, all of them with `make long`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import settings

BOARDS = frozenset(
    "opendarts granboard unicorn darts-connect pikado pydarts-leonardo sdb-bt plain-yatzy plain-ground-round".split()
)
"""One of each kind among the shipped: of its link, its language, its layout, and of what it says twice."""


IS_LONG = settings.get_current_profile_name() == "long"


def many(usual: int, at_length: int) -> int:
    """So many examples with every change, so many with `make long`."""
    return at_length if IS_LONG else usual


def sweep(cases: Iterable[Any], usual: Callable[[Any], bool]) -> list[Any]:  # Any: what pytest.mark.parametrize takes
    """All these cases, marked as long but for the usual ones."""
    return [case if usual(case) else _long(case) for case in cases]


def _long(case: Any) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.long)
