"""The daemon put together, until it is told to stop: first its tables, then what is around them (parts.py)."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from daemon.config.reader import Setup
from daemon.errors import UserError
from daemon.service.lock import lock_folder
from daemon.table.journal_errors import StoreError
from daemon.table.table import Table
from protocol.match_spec import Unreadable
from protocol.messages import BoardInfo

if TYPE_CHECKING:
    from daemon.mqtt.link import MqttLink
    from daemon.table.listener import Listener
    from daemon.web.server import WebServer
    from simulator.board import SimulatedBoard

log = logging.getLogger("oche")

_PATIENCE_S = 10.0
"""The start does not wait longer for a disk."""


class RunningDaemon(NamedTuple):
    """What runs: the tables by name, the link to the broker, the page, and its address (None: not served).

    `listeners` are the connections of the tables to their boards; `boards` holds the simulated ones among these.
    """

    tables: Mapping[str, Table]
    listeners: Mapping[str, Listener]
    link: MqttLink | None
    web: WebServer
    page: str | None
    boards: Mapping[str, SimulatedBoard]

    @property
    def mqtt(self) -> MqttLink:
        """The link to the broker, where the configuration has not switched it off."""
        assert self.link is not None
        return self.link


@asynccontextmanager
async def run_daemon(setup: Setup) -> AsyncIterator[RunningDaemon]:
    """The daemon while the block lasts; leaving it stops everything cleanly. Raises UserError when it cannot start."""
    async with AsyncExitStack() as stack:
        stack.enter_context(lock_folder(Path(setup.config.bridge.state_dir)))
        opening = asyncio.create_task(open_tables(setup, stack))
        await asyncio.sleep(0)  # it begins, and waits for the disk: that takes as long as to load the rest
        from daemon.parts import run_parts  # noqa: PLC0415  at the top it would come before the disk

        tables, unusable = await opening
        running = await stack.enter_async_context(run_parts(setup.config, tables, unusable))
        yield RunningDaemon(tables, *running)


async def open_tables(setup: Setup, stack: AsyncExitStack) -> tuple[dict[str, Table], dict[str, BoardInfo]]:
    """The tables by name, and what displays are told of those that cannot be used. Raises UserError when none can.

    All journals are opened at once, each in its own thread. What may pass by itself (a full disk, a slow one) stops no
    table from being there: it comes up in trouble, and goes on when it can. The stack closes them.
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
    errors = await asyncio.gather(*map(_open_journal, tables.values()))
    failures |= {name: error for name, error in zip(tables, errors, strict=True) if error is not None}
    unusable: dict[str, BoardInfo] = {}
    for config, codebook in zip(setup.config.table, setup.codebooks, strict=True):
        if (failure := failures.get(config.name)) is not None:
            if len(setup.config.table) == 1:
                raise UserError(f"table {config.name}: {failure}")
            log.error("table %s: %s", config.name, failure, extra={"table": config.name})
            unusable[config.name] = BoardInfo(codebook.profile.id, config.board, str(failure))
    usable = {name: table for name, table in tables.items() if name not in failures}
    if not usable:
        raise UserError("no table can be used: mend what was said of each, and start oche again")
    return usable, unusable


async def _open_journal(table: Table) -> Exception | None:
    """Opens the journal of a table; returns the error of one that cannot be used."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            await table.open()
    except TimeoutError:
        pass  # the table goes on trying once it runs
    except (StoreError, Unreadable) as error:
        return error
    return None
