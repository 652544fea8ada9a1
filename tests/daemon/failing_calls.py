"""A kernel that fails one call which changes something on the disk, or kills the process there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_CALLS = ("rename", "replace", "mkdir", "rmdir", "unlink", "fsync", "open")


class Killed(BaseException):
    """This process is gone: it makes no call any more, not to clean up either."""


class FailingCalls:
    """What has been called; `count` are the calls that change something."""

    def __init__(self, fails_at: int, number: int | None) -> None:
        self.count = 0
        self._fails_at = fails_at
        self._number = number

    def check(self) -> None:
        """Notes one call. Raises OSError where it is to fail, Killed from there on where there is no number."""
        self.count += 1
        if self._number is None and self.count >= self._fails_at:
            raise Killed
        if self._number is not None and self.count == self._fails_at:
            raise OSError(self._number, os.strerror(self._number))


@contextmanager
def fail_call(fails_at: int, number: int | None) -> Iterator[FailingCalls]:
    """The call of this count fails with this number of an error; None: the process is killed before it."""
    calls = FailingCalls(fails_at, number)
    with pytest.MonkeyPatch.context() as patch:
        for name in _CALLS:
            patch.setattr(os, name, _wrap(calls, name, getattr(os, name)))
        yield calls


def _wrap(calls: FailingCalls, name: str, real: Callable[..., Any]) -> Callable[..., Any]:  # Any: as the kernel's are
    def call(*arguments: Any, **named: Any) -> Any:
        if name != "open" or arguments[1] & os.O_CREAT:
            calls.check()
        return real(*arguments, **named)

    return call
