"""Logging: to systemd's journal, with fields, where standard error leads there; else as lines.

The journal's protocol is spoken by hand (one datagram an event, see "Native Journal Protocol" of systemd): the library
for it has to be compiled. Fields are given in `extra`, by the names in `FIELDS`. A sentence stays one line whatever a
name holds, so that no other can be forged; a traceback is a field of its own in the journal, and indented lines here.
"""

from __future__ import annotations

import fcntl
import logging
import os
import socket
import sys
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from daemon.errors import escape_controls

FIELDS = ("table", "board", "match", "game", "event", "part", "broker")
"""What `extra` may hold; in the journal OCHE_TABLE and so on."""

SOCKET = Path("/run/systemd/journal/socket")

_PRIORITIES = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL


MOST_KEPT = 500
"""So many of the latest lines are kept in memory."""

_from_command_line: list[int] = []
"""The level that was asked for there; empty: none was."""


def set_up(level: int | None = None, identifier: str = "oche") -> None:
    """Sets up logging, from this level of the command line on; of libraries only from INFO on.

    Without a level it is INFO, until `set_level`. A later call changes only by what the journal knows this program.
    """
    root = logging.getLogger()
    if not root.hasHandlers():
        if level is not None:
            _from_command_line.append(level)
        level = level or logging.INFO
        lines = logging.StreamHandler()
        lines.setFormatter(OneLine("%(levelname)s %(message)s"))
        handler = JournaldHandler(SOCKET, lines) if is_on_journal() else lines
        logging.basicConfig(level=max(level, logging.INFO), handlers=[handler, latest])
        logging.getLogger("oche").setLevel(level)
    for each in root.handlers:
        if isinstance(each, JournaldHandler):
            each.identifier = identifier


def set_level(level: str) -> None:
    """Logs from this level of the configuration on, unless the command line asked for one."""
    if not _from_command_line:
        logging.getLogger("oche").setLevel(level.upper())


def is_on_journal() -> bool:
    """Returns whether standard error is the stream to the journal that systemd has opened."""
    with suppress(OSError, ValueError):
        found = os.fstat(sys.stderr.fileno())
        return os.environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"
    return False


class OneLine(logging.Formatter):
    """Formats a sentence as one line, and indents tracebacks."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  logging's name
        """The line."""
        return escape_controls(super().formatMessage(record))

    def formatException(self, ei: logging._SysExcInfoType) -> str:  # noqa: N802  logging's name
        """The traceback."""
        return "\n".join(f"    {escape_controls(line)}" for line in super().formatException(ei).splitlines())


class LogLine(NamedTuple):
    """A line of the log: its number, when it was written (ISO 8601), "info" or another level, and what it says."""

    number: int
    at: str
    level: str
    text: str


class LatestLines(logging.Handler):
    """Keeps the latest lines in memory, so that the page can show them."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(OneLine("%(message)s"))
        self._kept: deque[LogLine] = deque(maxlen=MOST_KEPT)
        self._count = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps one."""
        self._count += 1
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        self._kept.append(LogLine(self._count, at, record.levelname.lower(), self.format(record)))

    def list_since(self, number: int) -> list[LogLine]:
        """Returns those after the line of this number, the oldest first; all for a number of a process before."""
        return [line for line in self._kept if line.number > number or number > self._count]


latest = LatestLines()
"""The latest lines of this process: `set_up` has everything logged to it, too."""


class JournaldHandler(logging.Handler):
    """Logs to the journal's socket at `path`, and to `fallback` where there is none."""

    def __init__(self, path: Path, fallback: logging.Handler) -> None:
        super().__init__()
        self.setFormatter(OneLine("%(message)s"))
        self.identifier = "oche"
        self._path = path
        self._fallback = fallback

    def emit(self, record: logging.LogRecord) -> None:
        """Sends one event. It is lost if the journal is too busy to take it: a dart does not wait for a line of log."""
        message = self._encode_message(record)
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
                wire.setblocking(False)
                wire.connect(str(self._path))
                try:
                    wire.send(message)
                except BlockingIOError:
                    pass
                except OSError:  # too long for a datagram
                    _send_file(wire, message)
        except OSError:
            self._fallback.handle(record)

    def _encode_message(self, record: logging.LogRecord) -> bytes:
        level = max((each for each in _PRIORITIES if each <= record.levelno), default=logging.DEBUG)
        fields = {
            "MESSAGE": escape_controls(record.getMessage()),
            "PRIORITY": str(_PRIORITIES[level]),
            "SYSLOG_IDENTIFIER": self.identifier,
            "LOGGER": record.name,
            "CODE_FILE": record.pathname,
            "CODE_LINE": str(record.lineno),
            "CODE_FUNC": record.funcName or "",
        }
        fields |= {f"OCHE_{each.upper()}": str(vars(record)[each]) for each in FIELDS if each in vars(record)}
        if record.exc_info and self.formatter is not None:
            fields["EXCEPTION_TEXT"] = self.formatter.formatException(record.exc_info)
        return b"".join(_encode_field(name, value) for name, value in fields.items())


def _encode_field(name: str, value: str) -> bytes:
    data = value.encode(errors="backslashreplace")
    if b"\n" not in data:
        return f"{name}=".encode() + data + b"\n"
    return f"{name}\n".encode() + len(data).to_bytes(8, "little") + data + b"\n"


def _send_file(wire: socket.socket, message: bytes) -> None:
    """Sends the message in a sealed memory file, which may be longer than a datagram."""
    number = os.memfd_create("oche-log", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with os.fdopen(number, "wb", buffering=0) as file:
        file.write(message)
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, _SEALS)
        socket.send_fds(wire, [b""], [number])
