"""The recorder of a table: keeps its journal, in a thread of its own, so that a slow disk holds up no other table.

A disk that has failed once is not believed again before it was asked: after a full disk, or an error in writing, the
journal is closed, opened anew, read, and rehearsed with more than a dart takes. A journal that is damaged is set aside
under a name that nothing overwrites, and a new one begun with the match at hand, as far as we know it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TypeVar, TypeVarTuple

from daemon.store import Begin, Damaged, Line, Store, StoredMatch, StoreError, glance

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

log = logging.getLogger("oche.table")

_PATIENCE_S = 60.0
"""A journal that is damaged again so soon is not set aside again: the disk is broken, and would fill up with them."""


class Recorder:
    """The recorder of the table of this name, whose journal is at this path. Everything raises StoreError."""

    def __init__(self, table: str, path: Path) -> None:
        self.remark: str | None = None
        """What became of a damaged journal, in one sentence."""
        self._table = table
        self._path = path.resolve()
        self._store: Store | None = None
        self._kept: StoredMatch | None = None
        """The match at hand as it was committed."""
        self._refused: list[Begin | Line] = []
        """What was to be written and was not, as far as we know."""
        self._is_checked = False
        self._set_aside_s: float | None = None
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"journal {table}")

    @property
    def kept(self) -> StoredMatch | None:
        """The match at hand as it was committed, to be asked for when nothing is being written."""
        return self._kept

    async def open(self) -> StoredMatch | None:
        """Opens the journal (anew), to be read and written; the match begun last."""
        return await self._on_disk(self._open)

    async def glance(self) -> StoredMatch | None:
        """The match begun last, where the journal cannot be opened; None: nobody knows."""
        return await self._on_disk(glance, self._path)

    async def write(self, news: Sequence[Begin | Line]) -> None:
        """Commits all of them or none. After an error the journal is to be opened anew."""
        await self._on_disk(self._write, news)

    async def close(self) -> None:
        """Ends the use of the journal; whatever was written is in it."""
        await self._on_disk(self._shut)
        self._disk.shutdown()

    async def _on_disk(self, work: Callable[[*Ts], T], *args: *Ts) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._disk, work, *args)

    def _write(self, news: Sequence[Begin | Line]) -> None:
        if self._store is None:
            raise StoreError(f"the journal {self._path} is not open")
        try:
            self._store.write(news)
        except StoreError:
            self._refused += news
            raise
        for item in news:
            self._keep(item)

    def _keep(self, item: Begin | Line) -> None:
        if isinstance(item, Begin):
            self._kept = StoredMatch(item.match, item.header, [], item.at)
        elif self._kept is not None and self._kept.id == item.match:
            self._kept.lines.append(item)

    def _open(self) -> StoredMatch | None:
        self._shut()
        try:
            return self._read()
        except Damaged as error:
            self._set_aside(error)
            return self._read()

    def _read(self) -> StoredMatch | None:
        self._store = store = Store(self._path)
        stored = store.latest()
        if self._kept is None and stored is not None and _is_in_a_row(stored):
            self._kept = stored  # before the rest of the file is looked at: it may be all that can be had of it
        if store.was_cut and not self._is_checked:
            store.check()
        self._is_checked = True
        store.rehearse(self._refused)
        self._refused.clear()
        if lost := self._lost(store):
            store.write(lost)
        self._kept = store.latest()
        return self._kept

    def _lost(self, store: Store) -> list[Begin | Line]:
        """What the disk once had and has no more, although we were told it was safe there."""
        kept, stored = self._kept, store.latest()
        if kept is None:
            return []
        if stored is None or not store.has(kept.id):
            return [Begin(kept.id, kept.header, kept.at), *kept.lines]
        there = len(stored.lines)
        return [*kept.lines[there:]] if stored.id == kept.id and kept.lines[:there] == stored.lines else []

    def _set_aside(self, error: Damaged) -> None:
        """Out of the way, with all that belongs to it."""
        self._shut()
        now_s = time.monotonic()
        if self._set_aside_s is not None and now_s - self._set_aside_s < _PATIENCE_S:
            raise StoreError(f"{error}, and so was the one before: check the disk") from error
        name = _free_name(self._path)
        try:
            for ending in ("", "-wal", "-shm"):
                part = self._path.with_name(self._path.name + ending)
                if part.exists():
                    part.rename(self._path.with_name(name + ending))
        except OSError as failure:
            reason = (failure.strerror or str(failure)).lower()
            raise StoreError(f"{error}, and it cannot be renamed ({reason}): check the disk") from failure
        self._set_aside_s = now_s
        self.remark = f"the journal was damaged: it was set aside as {name}, and a new one begun"
        log.error("%s: %s; it was set aside as %s, and a new one is begun", self._table, error, name)

    def _shut(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None


def _free_name(path: Path) -> str:
    """A name for the damaged journal: main.sqlite3.damaged-2026-11-30, and then main.sqlite3.damaged-2026-11-30.2."""
    name = f"{path.name}.damaged-{datetime.now(UTC):%Y-%m-%d}"
    names = (name if n == 1 else f"{name}.{n}" for n in count(1))
    return next(name for name in names if not any(path.with_name(name + end).exists() for end in ("", "-wal", "-shm")))


def _is_in_a_row(stored: StoredMatch) -> bool:
    return [line.number for line in stored.lines] == [*range(2, len(stored.lines) + 2)]
