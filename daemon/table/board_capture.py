"""Records the raw traffic of a table's board into a file while the table is played on, as `oche capture` does alone.

The connection of the table is recorded as it is. A recording ends by itself after its time, when it is long, and when
the disk is full: one that is forgotten does no harm.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from daemon.release import read_version
from drivers.capture import CaptureError, CaptureLine, Recording
from drivers.session import LinkUp, Session

log = logging.getLogger("oche.table")

MOST_BYTES = 50_000_000


class BoardCapture:
    """A recording that begins now, of what `connect` is given a function for; None ends that.

    Raises OSError and CaptureError when the file cannot be written. `profile` is the id of the board's.
    """

    def __init__(
        self,
        file: Path,
        session: Session,
        profile: str,
        connect: Callable[[Callable[[CaptureLine], None] | None], None],
        seconds: float,
    ) -> None:
        self.file = file
        self._recording = Recording(file, session.address, version=read_version(), profile=profile)
        self._connect = connect
        self.is_over = False
        if isinstance(session.status, LinkUp):
            try:
                self._recording.write_copy(CaptureLine(ms=0, link="up"))
            except CaptureError:
                self._recording.close()
                raise
        self._end = asyncio.get_running_loop().call_later(seconds, self.stop)
        connect(self._write)

    @property
    def size(self) -> int:
        """How many bytes the file has."""
        return self.file.stat().st_size

    def stop(self) -> None:
        """Ends the recording, if it has not ended."""
        if self.is_over:
            return
        self.is_over = True
        self._end.cancel()
        self._connect(None)
        self._recording.close()
        log.info("%s: %s", self.file, self._recording.counts)

    def _write(self, line: CaptureLine) -> None:
        try:
            self._recording.write_copy(line)
            if self._recording.size > MOST_BYTES:
                self.stop()
        except CaptureError as error:
            log.warning("%s", error)
            self.stop()
