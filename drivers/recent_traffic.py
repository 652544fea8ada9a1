"""The latest raw traffic of a board, kept in memory while the daemon runs, for a report of what went wrong.

It is a recording as `oche capture` makes it, with a bound: older lines go when a newer one needs their place, so a
board that floods costs no more than any other. Chunks are kept as they came, and put into lines when a report asks for
them, because this is on the way of every dart. Nothing is written to a disk. A board that sends photographs may show
people: of what comes from it only the length is kept.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from drivers.address import Address
from drivers.capture import CaptureLine, TrafficLog, make_header

MOST_LINES = 2000
MOST_BYTES = 128 * 1024
"""Of the board and to it, in all lines."""


class _Chunk(Struct, frozen=True):
    ms: int
    data: bytes
    is_sent: bool = False

    def make_line(self) -> CaptureLine:
        text = self.data.hex()
        return CaptureLine(ms=self.ms, out=text) if self.is_sent else CaptureLine(ms=self.ms, in_=text)


class RecentTraffic(TrafficLog):
    """The latest lines of what a recording of these links would have. `has_camera`: the board sends photographs."""

    def __init__(self, clock: Callable[[], int] = time.monotonic_ns, *, has_camera: bool = False) -> None:
        super().__init__(clock)
        self._has_camera = has_camera
        self._kept: deque[_Chunk | CaptureLine] = deque()
        self._bytes = 0
        self._copy: Callable[[CaptureLine], None] | None = None

    def copy_to(self, write: Callable[[CaptureLine], None] | None) -> None:
        """Calls this with each line as well from now on; None: no longer. It must not raise."""
        self._copy = write

    def encode(self, address: Address, version: str, profile: str) -> bytes:
        """Returns what is kept as a recording, whose first line was at its start."""
        lines = [kept.make_line() if isinstance(kept, _Chunk) else kept for kept in self._kept]
        first_ms = self._first_ms
        started = datetime.now(UTC) - timedelta(milliseconds=self._count_ms() - first_ms)
        header = make_header(address, started, version, profile)
        shifted = (replace(line, ms=line.ms - first_ms) for line in lines)
        return b"".join(msgspec.json.encode(line) + b"\n" for line in (header, *shifted))

    def count_ms(self, time_ns: int) -> int:
        """Returns when that was, as the lines of the recording say it."""
        return (time_ns - self._start) // 1_000_000 - self._first_ms

    @property
    def _first_ms(self) -> int:
        return int(self._kept[0].ms) if self._kept else self._count_ms()

    def write_received(self, data: bytes) -> None:
        """Keeps a chunk from the board; of one with a camera its length, for a photograph begins anywhere in it."""
        if self._has_camera:
            self._write(CaptureLine(ms=self._count_ms(), left_out=len(data)))
        else:
            self._keep(_Chunk(self._count_ms(), data), len(data))

    def write_sent(self, data: bytes) -> None:
        """Keeps a chunk to the board."""
        self._keep(_Chunk(self._count_ms(), data, is_sent=True), len(data))

    def _write(self, line: CaptureLine) -> None:
        self._keep(line, 0)

    def _keep(self, kept: _Chunk | CaptureLine, size: int) -> None:
        if self._copy is not None:
            self._copy(kept.make_line() if isinstance(kept, _Chunk) else kept)
        self._kept.append(kept)
        self._bytes += size
        while len(self._kept) > MOST_LINES or self._bytes > MOST_BYTES:
            gone = self._kept.popleft()
            self._bytes -= len(gone.data) if isinstance(gone, _Chunk) else 0
