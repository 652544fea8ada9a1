"""The latest raw traffic of a board, kept in memory while the daemon runs, for a report of what went wrong.

It is a recording as `oche capture` makes it, with a bound: older lines go when a newer one needs their place, so a
board that floods costs no more than any other. Nothing is written to a disk. A board that sends photographs may show
people: of what comes from it only the length is kept.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec.structs import replace

from drivers.address import Address
from drivers.capture import CaptureLine, TrafficLog, make_header

MOST_LINES = 2000
MOST_CHARACTERS = 256 * 1024
"""Of hex, two for each byte."""


class RecentTraffic(TrafficLog):
    """The latest lines of what a recording of these links would have. `has_camera`: the board sends photographs."""

    def __init__(self, clock: Callable[[], int] = time.monotonic_ns, *, has_camera: bool = False) -> None:
        super().__init__(clock)
        self._has_camera = has_camera
        self._lines: deque[CaptureLine] = deque()
        self._characters = 0
        self.copy: Callable[[CaptureLine], None] | None = None
        """Called with each line as well, while a recording is made; must not raise."""

    def encode(self, address: Address, version: str, profile: str) -> bytes:
        """Returns what is kept as a recording, whose first line was at its start."""
        first_ms = self._lines[0].ms if self._lines else self._count_ms()
        started = datetime.now(UTC) - timedelta(milliseconds=self._count_ms() - first_ms)
        lines = [replace(line, ms=line.ms - first_ms) for line in self._lines]
        header = make_header(address, started, version, profile)
        return b"".join(msgspec.json.encode(line) + b"\n" for line in (header, *lines))

    def write_received(self, data: bytes) -> None:
        """Writes a chunk from the board; of one with a camera its length, for a photograph begins anywhere in it."""
        if self._has_camera:
            self._write(CaptureLine(ms=self._count_ms(), left_out=len(data)))
        else:
            super().write_received(data)

    def _write(self, line: CaptureLine) -> None:
        if self.copy is not None:
            self.copy(line)
        self._lines.append(line)
        self._characters += len(line.in_ or line.out or "")
        while len(self._lines) > MOST_LINES or self._characters > MOST_CHARACTERS:
            gone = self._lines.popleft()
            self._characters -= len(gone.in_ or gone.out or "")
