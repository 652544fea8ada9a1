"""Where the log goes: into systemd's journal, an event with its fields, when standard error leads there; else as lines.

The journal's own protocol is spoken by hand (one datagram an event, see "Native Journal Protocol" of systemd): the
library for it has to be compiled. A call that knows more than its sentence says so in `extra`, by the words of
`FIELDS`. Whatever a name holds, a sentence stays one line, so nobody can forge another; a traceback, which only a
mistake of ours leaves, is a field of its own there and indented here.
"""

from __future__ import annotations

import fcntl
import logging
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

FIELDS = ("table", "board", "match", "game", "event", "part", "broker")
"""What `extra` may hold; in the journal OCHE_TABLE and so on."""

SOCKET = Path("/run/systemd/journal/socket")

_PRIORITIES = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL


def set_up() -> None:
    """Sends what is logged, from INFO on, where it belongs."""
    lines = logging.StreamHandler()
    lines.setFormatter(OneLine("%(levelname)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[Journal(SOCKET, lines) if is_on_journal() else lines])


def is_on_journal() -> bool:
    """Whether standard error is the stream to the journal that the manager has opened for us."""
    with suppress(OSError, ValueError):
        found = os.fstat(sys.stderr.fileno())
        return os.environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"
    return False


class OneLine(logging.Formatter):
    """A sentence is one line; the lines of a traceback begin with spaces."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  logging's name
        """The line."""
        return _one_line(super().formatMessage(record))

    def formatException(self, ei: logging._SysExcInfoType) -> str:  # noqa: N802  logging's name
        """The traceback."""
        return "\n".join(f"    {_one_line(line)}" for line in super().formatException(ei).splitlines())


class Journal(logging.Handler):
    """Speaks to the socket at `path`; what cannot be said there goes to `instead`, a full socket excepted."""

    def __init__(self, path: Path, instead: logging.Handler) -> None:
        super().__init__()
        self.setFormatter(OneLine("%(message)s"))
        self._path = path
        self._instead = instead

    def emit(self, record: logging.LogRecord) -> None:
        """One event. A journal that is too busy to take it loses it: a dart is not kept waiting for a line."""
        message = self._message(record)
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
            self._instead.handle(record)

    def _message(self, record: logging.LogRecord) -> bytes:
        level = max((each for each in _PRIORITIES if each <= record.levelno), default=logging.DEBUG)
        fields = {
            "MESSAGE": _one_line(record.getMessage()),
            "PRIORITY": str(_PRIORITIES[level]),
            "SYSLOG_IDENTIFIER": "oche",
            "LOGGER": record.name,
            "CODE_FILE": record.pathname,
            "CODE_LINE": str(record.lineno),
            "CODE_FUNC": record.funcName or "",
        }
        fields |= {f"OCHE_{each.upper()}": str(vars(record)[each]) for each in FIELDS if each in vars(record)}
        if record.exc_info and self.formatter is not None:
            fields["EXCEPTION_TEXT"] = self.formatter.formatException(record.exc_info)
        return b"".join(_field(name, value) for name, value in fields.items())


def _field(name: str, value: str) -> bytes:
    data = value.encode(errors="backslashreplace")
    if b"\n" not in data:
        return f"{name}=".encode() + data + b"\n"
    return f"{name}\n".encode() + len(data).to_bytes(8, "little") + data + b"\n"


def _send_file(wire: socket.socket, message: bytes) -> None:
    """A file in memory that nobody can change any more, instead of a datagram."""
    number = os.memfd_create("oche-log", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with os.fdopen(number, "wb", buffering=0) as file:
        file.write(message)
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, _SEALS)
        socket.send_fds(wire, [b""], [number])


def _one_line(text: str) -> str:
    """Each character that is not for printing as its escape."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
