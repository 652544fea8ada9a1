"""The counter of calls that change something on the disk: at one of them it kills, or fails it. See faults.c."""

from __future__ import annotations

import mmap
import os
import struct
from pathlib import Path

_COUNTER = struct.Struct("@6l512s")
_CALL_BYTES, _MOST_CALLS = 128, 4096
"""As `struct counter` in faults.c, which has the calls behind that."""
_IS_ON, _COUNT, _TARGET, _FAULT, _GROUP, _IS_HIT = range(6)
KILL = 0
"""Instead of the number of an error."""


class Counter:
    """The counter of this process, which was started with OCHE_COUNTER, and of those that it starts."""

    def __init__(self, folder: Path) -> None:
        """Counts calls on what is in this folder."""
        file = os.open(os.environ["OCHE_COUNTER"], os.O_RDWR)
        self._shared = mmap.mmap(file, 0)
        os.close(file)
        self._numbers = memoryview(self._shared)[: 6 * struct.calcsize("l")].cast("l")
        self._folder = os.fsencode(folder.resolve())

    @staticmethod
    def make_file(path: Path) -> None:
        """For OCHE_COUNTER."""
        path.write_bytes(bytes(_COUNTER.size + _CALL_BYTES * _MOST_CALLS))

    def begin(self, target: int, fault: int, group: int) -> None:
        """Counts from now on. `fault` is the number of an error, or KILL for all processes of the group."""
        self._numbers[_IS_ON] = 0
        self._shared[: _COUNTER.size] = _COUNTER.pack(0, 0, target, fault, group, 0, self._folder)
        self._numbers[_IS_ON] = 1

    def end(self) -> None:
        """Counts no more."""
        self._numbers[_IS_ON] = 0

    def pause(self) -> bool:
        """Counts no more for the moment; whether it did."""
        was_on, self._numbers[_IS_ON] = self.is_on, 0
        return was_on

    def go_on(self, was_on: bool) -> None:
        """Counts again, if it did before `pause`."""
        self._numbers[_IS_ON] = was_on

    @property
    def is_on(self) -> bool:
        """Whether it counts."""
        return bool(self._numbers[_IS_ON])

    def kill_with(self, group: int) -> None:
        """Has the kill be one of these processes."""
        self._numbers[_GROUP] = group

    @property
    def is_hit(self) -> bool:
        """Whether the call came that was meant."""
        return bool(self._numbers[_IS_HIT])

    @property
    def count(self) -> int:
        """Of the calls since the beginning."""
        return self._numbers[_COUNT]

    @property
    def calls(self) -> list[str]:
        """Each with the file that it was for."""
        starts = range(_COUNTER.size, len(self._shared), _CALL_BYTES)[: self.count]
        return [os.fsdecode(self._shared[start : start + _CALL_BYTES].partition(b"\0")[0]) for start in starts]

    @property
    def hit(self) -> str:
        """The call that was meant."""
        return self.calls[self._numbers[_TARGET] - 1]
