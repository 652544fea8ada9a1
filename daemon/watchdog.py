"""Feeds the manager's watchdog while there is real progress, and asks for a new start where only that can help.

It is fed from the event loop, so a loop that does not turn (a rule that never returns) starves it: the manager ends the
daemon, whose threads then say where they are, and starts it again. A part that nothing keeps going any more, or a table
that leaves inputs lying although the disk answers, turns that same key at once.

A new start would not help against a board or broker that is away, a disk that is full (the table says so itself, and
refuses what comes instead of leaving it) or one that does not answer: so it is fed. And one broken table must not end
the evening of the others: for the same one there is one new start an hour, unless no table moves. That is remembered in
the manager's runtime directory, which outlives the daemon and not the machine; where nothing can be remembered there is
none.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from daemon.notify import notify, watchdog_s
from daemon.table import Table

log = logging.getLogger("oche")

_APART_S = 3600.0


class Watchdog:
    """The watchdog of these tables, whose journals are in `folder`, and these parts. Run it as a task."""

    def __init__(self, tables: Mapping[str, Table], parts: Collection[asyncio.Task[None]], folder: Path) -> None:
        self._tables = tables
        self._parts = parts
        self._probe_file = folder / "watchdog.probe"
        self._memory = Path(os.environ.get("RUNTIME_DIRECTORY", "/run/oche")) / "restarts.json"
        self._probe: threading.Thread | None = None
        self._told: set[str] = set()

    async def run(self) -> None:
        """Looks and feeds until cancelled; without a manager that watches it does nothing."""
        if (period_s := watchdog_s()) is None:
            await asyncio.Event().wait()
            return
        while True:
            still = await self._standing_still(period_s)
            for part in still - self._told:
                self._ask_for_restart(part, is_all=len(still) >= len(self._tables))
            self._told = still
            notify(WATCHDOG=1)
            await asyncio.sleep(period_s / 4)

    async def _standing_still(self, patience_s: float) -> set[str]:
        """The parts that do not move, or have ended, and that a new start may help."""
        ended = {part.get_name() for part in self._parts if part.done()}
        if self._stuck(patience_s) and await self._disk_answers(patience_s / 4):
            return ended | self._stuck(patience_s)
        return ended

    def _stuck(self, patience_s: float) -> set[str]:
        return {f"the table {name}" for name, table in self._tables.items() if table.waiting_s > patience_s}

    def _ask_for_restart(self, part: str, *, is_all: bool) -> None:
        if self._is_first(part) or is_all:
            log.error("%s does not move: oche is started again", part, extra={"part": part})
            notify(STATUS=f"{part} does not move", WATCHDOG="trigger")
        else:
            log.error("%s still does not move: the others go on without it", part, extra={"part": part})

    def _is_first(self, part: str) -> bool:
        """Whether there was no new start for this one in the last hour; from now on there was."""
        restarts: dict[str, float] = {}
        with suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):
            restarts = msgspec.json.decode(self._memory.read_bytes(), type=dict[str, float])
        now = time.monotonic()  # of the machine: the same for the next of us
        if part in restarts and 0 <= now - restarts[part] < _APART_S:
            return False
        try:
            self._memory.write_bytes(msgspec.json.encode({**restarts, part: now}))
        except OSError:
            return False
        return True

    async def _disk_answers(self, within_s: float) -> bool:
        """Whether a file can be written there, or is refused: both are an answer."""
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
