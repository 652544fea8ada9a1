"""Records the raw traffic of a table's board into a file while the table is played on, as `oche capture` does alone.

The connection of the table is recorded as it is. A recording ends by itself after its time, when it is long, and when
the disk is full: one that is forgotten does no harm.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic_ns

from daemon.release import read_version
from drivers.capture import CaptureError, CaptureLine, Recording
from drivers.session import Session
from protocol.events import LinkUp

log = logging.getLogger("oche.table")

MOST_BYTES = 50_000_000


class BoardCapture:
    """A recording of what `connect` is given a function for; None ends that. It is written in a thread of its own.

    `profile` is the id of the board's.
    """

    def __init__(
        self,
        file: Path,
        session: Session,
        profile: str,
        connect: Callable[[Callable[[CaptureLine], None] | None], None],
    ) -> None:
        self.file = file
        self.is_over = False
        self._session = session
        self._profile = profile
        self._connect = connect
        self._writer = ThreadPoolExecutor(1, "capture")
        self._loop = asyncio.get_running_loop()
        self._end: asyncio.TimerHandle | None = None
        self._recording: Recording | None = None
        """What the thread writes into."""
        self._at_ns = monotonic_ns()
        """When the line has come that is written."""

    async def begin(self, seconds: float) -> None:
        """Begins it: what comes while the file is opened is in it. Raises OSError and CaptureError."""
        is_up = isinstance(self._session.status, LinkUp)
        self._connect(self._take)
        self._end = self._loop.call_later(seconds, self.stop)
        try:
            await self._loop.run_in_executor(self._writer, self._open, is_up)
        except BaseException:
            self.stop()
            raise

    async def measure(self) -> int:
        """Returns how many bytes the file has, once all is written that has come. Raises OSError."""
        return (await self._loop.run_in_executor(self._writer, self.file.stat)).st_size

    def stop(self) -> None:
        """Ends the recording, if it has not ended."""
        if self.is_over:
            return
        self.is_over = True
        if self._end is not None:
            self._end.cancel()
        self._connect(None)
        self._writer.submit(self._close)

    def _take(self, line: CaptureLine) -> None:
        self._writer.submit(self._write, line, monotonic_ns())

    def _open(self, is_up: bool) -> None:
        address, version = self._session.address, read_version()
        recording = Recording(self.file, address, version=version, profile=self._profile, clock=lambda: self._at_ns)
        try:
            if is_up:
                recording.write_copy(CaptureLine(ms=0, link="up"))
        except CaptureError:
            recording.close()
            raise
        self._recording = recording

    def _close(self) -> None:
        if self._recording is not None:
            self._recording.close()
            log.info("%s: %s", self.file, self._recording.counts)

    def _write(self, line: CaptureLine, at_ns: int) -> None:
        if self._recording is None:  # it could not be opened
            return
        self._at_ns = at_ns
        try:
            self._recording.write_copy(line)
        except CaptureError as error:
            if not self.is_over:
                log.warning("%s", error)
        else:
            if self._recording.size <= MOST_BYTES:
                return
        self._loop.call_soon_threadsafe(self.stop)
