"""A kernel that fails one call which changes something on the disk, or kills the process there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import pytest

_CALLS = ("rename", "replace", "mkdir", "rmdir", "unlink", "fsync", "open")


class Killed(BaseException):
    """This process is gone: it makes no call any more, not to clean up either."""


class _Listing(list[os.DirEntry[str]]):
    """What is in a folder, as os.scandir gives it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


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
    """The call of this count fails with this number of an error; None: the process is killed before it.

    Folders are listed by name: on a disk the order is any, and another on each.
    """
    calls = FailingCalls(fails_at, number)
    with pytest.MonkeyPatch.context() as patch:
        for name in _CALLS:
            patch.setattr(os, name, _wrap(calls, name, getattr(os, name)))
        patch.setattr(os, "scandir", _list_by_name(os.scandir))
        yield calls


def _wrap(calls: FailingCalls, name: str, real: Callable[..., Any]) -> Callable[..., Any]:  # Any: as the kernel's are
    def call(*arguments: Any, **named: Any) -> Any:
        if name != "open" or arguments[1] & os.O_CREAT:
            calls.check()
        return real(*arguments, **named)

    return call


def _list_by_name(real: Callable[..., Any]) -> Callable[..., _Listing]:  # Any: as the kernel's is
    def scandir(*arguments: Any) -> _Listing:
        with real(*arguments) as found:
            return _Listing(sorted(found, key=lambda entry: entry.name))

    return scandir
