"""A table at which Ann and Bo play 301, with its outlets, beside no daemon."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from daemon.config.sections import TableConfig
from daemon.table.table import Table
from protocol.codebook import Codebook, shipped
from tests.commanding import give
from tests.plain_guard import PlainGuard

Run = Callable[[], Coroutine[None, None, None]]


async def open_table(folder: Path, book: Codebook | None = None, **table: Any) -> Table:  # Any: fields of TableConfig
    """Returns the table, which does not run yet."""
    wanted = {"options": {"start": 301}, "players": ("Ann", "Bo")} | table
    config = TableConfig(board="none", takeout="button", **wanted)
    played = Table(config, book or shipped("plain-standard"), folder / "main.sqlite3", "test", PlainGuard())
    await played.open()
    return played


@asynccontextmanager
async def keep_running(table: Table, *outlets: Run) -> AsyncIterator[None]:
    """Runs the table and its outlets while the block lasts; closes the table."""
    tasks = [asyncio.create_task(run()) for run in (table.run, *outlets)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await table.close()


async def throw(table: Table, *darts: str) -> float:
    """Throws these at once; returns when, by the clock of the loop."""
    for dart in darts:
        await give(table, {"throw": dart}, "page")
    return asyncio.get_running_loop().time()
