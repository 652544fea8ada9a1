"""What oche tells systemd: that the daemon is ready, in which state it is, and that it is alive (sd_notify(3)).

The protocol is spoken by hand, because it is a dozen lines: sdnotify has had no release since 2017, and python-systemd
has to be compiled on the machine.

The watchdog is fed from the event loop while there is real progress. So a loop that is blocked (a rule that never
returns) starves it: systemd ends the daemon, which then logs the stack of each thread, and starts it again. A part that
has ended, or a table that leaves inputs lying although the disk answers, triggers the same at once. A restart would not
help against a board or broker that is away, or a disk that is full or does not answer: so it is fed. And one broken
table must not end the evening of the others: it gets one restart an hour, unless no table moves. Restarts are noted in
the runtime directory, which outlives the daemon and not the machine; where nothing can be noted there are none.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from daemon.table.table import Table

log = logging.getLogger("oche")

_SOCKET, _WATCHDOG, _WATCHED = "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"
_APART_S = 3600.0


def notify(**words: str | int) -> bool:
    """Tells systemd for example `READY=1` or `STATUS=…`, one line each. Never waits and never raises.

    Returns False when systemd is too busy to take it now: tell it again later. True if there is no systemd to tell.
    """
    address = os.environ.get(_SOCKET, "")
    if not address.startswith(("/", "@")):
        return True
    lines = (f"{key}={value}" for key, value in words.items())
    message = "\n".join("".join(each if each.isprintable() else " " for each in line) for line in lines)
    if address.startswith("@"):
        address = "\0" + address[1:]  # an abstract socket
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
            wire.setblocking(False)
            wire.sendto(message.encode(), address)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def read_watchdog_s() -> float | None:
    """Returns after how many seconds without a sign of life systemd restarts the daemon; None: never."""
    with suppress(ValueError):
        usec = int(os.environ.get(_WATCHDOG, "0"))
        if usec > 0 and int(os.environ.get(_WATCHED, os.getpid())) == os.getpid():
            return usec / 1e6
    return None


class Feeder:
    """Feeds the watchdog from a thread while the daemon starts or ends, which may take longer than systemd waits.

    Only a first start is not watched by systemd: one within the process is.
    """

    def __init__(self) -> None:
        self._end = threading.Event()
        self._end.set()

    def start(self) -> None:
        """Feeds from now on; does nothing where there is no watchdog."""
        if self._end.is_set() and (period_s := read_watchdog_s()) is not None:
            self._end = threading.Event()
            threading.Thread(target=self._feed, args=(self._end, period_s / 4), name="watchdog", daemon=True).start()

    def stop(self) -> None:
        """Feeds no more."""
        self._end.set()

    @staticmethod
    def _feed(end: threading.Event, each_s: float) -> None:
        notify(WATCHDOG=1)
        while not end.wait(each_s):
            notify(WATCHDOG=1)


class Watchdog:
    """Watches these tables, whose journals are in `folder`, and these parts of the daemon. Run it as a task."""

    def __init__(self, tables: Mapping[str, Table], parts: Collection[asyncio.Task[None]], folder: Path) -> None:
        self._tables = tables
        self._parts = parts
        self._probe_file = folder / "watchdog.probe"
        self._memory = Path(os.environ.get("RUNTIME_DIRECTORY", "/run/oche")) / "restarts.json"
        self._probe: threading.Thread | None = None
        self._reported: set[str] = set()

    async def run(self) -> None:
        """Feeds systemd's watchdog until cancelled; does nothing where there is none."""
        if (period_s := read_watchdog_s()) is None:
            await asyncio.Event().wait()
            return
        while True:
            stuck = await self._find_stuck(period_s)
            for part in stuck - self._reported:
                self._request_restart(part, is_all=len(stuck) >= len(self._tables))
            self._reported = stuck
            notify(WATCHDOG=1)
            await asyncio.sleep(period_s / 4)

    async def _find_stuck(self, patience_s: float) -> set[str]:
        """Returns the parts that do not move, or have ended, where a restart may help."""
        ended = {part.get_name() for part in self._parts if part.done()}
        if self._find_waiting_tables(patience_s) and await self._test_disk(patience_s / 4):
            return ended | self._find_waiting_tables(patience_s)
        return ended

    def _find_waiting_tables(self, patience_s: float) -> set[str]:
        return {f"the table {name}" for name, table in self._tables.items() if table.backlog.waiting_s > patience_s}

    def _request_restart(self, part: str, *, is_all: bool) -> None:
        if self._is_first(part) or is_all:
            log.error("%s hangs: oche restarts", part, extra={"part": part})
            notify(STATUS=f"{part} hangs", WATCHDOG="trigger")
        else:
            log.error("%s hangs again: oche goes on without it", part, extra={"part": part})

    def _is_first(self, part: str) -> bool:
        """Returns whether this is its first restart within an hour, and remembers it."""
        restarts: dict[str, float] = {}
        with suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):
            restarts = msgspec.json.decode(self._memory.read_bytes(), type=dict[str, float])
        now = time.monotonic()  # since the machine has started: comparable after a restart of the daemon
        if part in restarts and 0 <= now - restarts[part] < _APART_S:
            return False
        try:
            self._memory.write_bytes(msgspec.json.encode({**restarts, part: now}))
        except OSError:
            return False
        return True

    async def _test_disk(self, within_s: float) -> bool:
        """Returns whether a file can be written there, or is refused: both are an answer."""
        if self._probe is None:
            self._probe = threading.Thread(target=self._write, name="disk probe", daemon=True)
            self._probe.start()
        await asyncio.sleep(within_s)
        if self._probe.is_alive():
            return False
        self._probe = None
        return True

    def _write(self) -> None:
        with suppress(OSError):
            with self._probe_file.open("wb") as file:
                file.write(b"\n")
                file.flush()
                os.fsync(file.fileno())
            self._probe_file.unlink()
