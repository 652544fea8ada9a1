"""The tables as the configuration has them, each with its journal opened: all at once, each in its own thread.

What may pass by itself (a full disk, a slow one) stops no table from being there: it comes up in trouble, and goes on
when it can.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from daemon.config import Setup
from daemon.errors import UserError
from daemon.store import StoreError
from daemon.table import Table
from engine.record import Unreadable
from protocol.messages import BoardInfo

log = logging.getLogger("oche")

_PATIENCE_S = 10.0
"""A disk that takes longer is not waited for."""


async def open_tables(setup: Setup, stack: AsyncExitStack) -> tuple[dict[str, Table], dict[str, BoardInfo]]:
    """The tables by name, and what displays are told of those that cannot be used. Raises UserError when none can.

    The stack closes them.
    """
    session, folder = secrets.token_hex(4), Path(setup.config.bridge.state_dir)
    tables: dict[str, Table] = {}
    failures: dict[str, Exception] = {}
    for config, codebook in zip(setup.config.table, setup.codebooks, strict=True):
        try:
            tables[config.name] = Table(config, codebook, folder / f"{config.name}.sqlite3", session)
        except Unreadable as error:
            failures[config.name] = error
    for table in tables.values():
        stack.push_async_callback(table.close)
    failures |= await _open(tables)
    unusable: dict[str, BoardInfo] = {}
    for config, codebook in zip(setup.config.table, setup.codebooks, strict=True):
        if (failure := failures.get(config.name)) is None:
            continue
        if len(setup.config.table) == 1:
            raise UserError(f"table {config.name}: {failure}")
        log.error("table %s: %s", config.name, failure, extra={"table": config.name})
        unusable[config.name] = BoardInfo(codebook.profile.id, config.board, str(failure))
    usable = {name: table for name, table in tables.items() if name not in failures}
    if not usable:
        raise UserError("no table can be used: mend what was said of each, and start oche again")
    return usable, unusable


async def _open(tables: Mapping[str, Table]) -> dict[str, Exception]:
    """Opens their journals; what stands against those that are not for us."""
    if not tables:
        return {}
    tasks = {name: asyncio.create_task(table.open()) for name, table in tables.items()}
    try:
        await asyncio.wait(tasks.values(), timeout=_PATIENCE_S)
    finally:
        for task in tasks.values():
            task.cancel()  # its table tries on, once it runs
        await asyncio.wait(tasks.values())
    failures: dict[str, Exception] = {}
    for name, task in tasks.items():
        if not task.cancelled() and (error := task.exception()) is not None:
            if not isinstance(error, StoreError | Unreadable):
                raise error
            failures[name] = error
    return failures
