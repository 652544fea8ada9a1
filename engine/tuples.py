"""The one thing frozen states do all the time: the same tuple with another value in one place."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def put(values: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    """`values` with `value` at index `at`."""
    return (*values[:at], value, *values[at + 1 :])
