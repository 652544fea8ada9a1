"""Collects: what the daemons of a league offer is written into the database, and acknowledged once it is there.

It may end at any moment, and as many as one likes may run: nothing is acknowledged before it is committed, and what is
not acknowledged is offered again.
"""

from __future__ import annotations

import asyncio
import logging
from random import Random

import psycopg
from psycopg_pool import PoolTimeout

from daemon.collect.backlog import Backlog, Waiting
from daemon.collect.config import LeagueConfig
from daemon.collect.database import Pool, explain, find_trouble, make_pool
from daemon.collect.intake import Answer, Refused, take
from daemon.collect.listener import Listener
from daemon.collect.migrations import check_schema
from daemon.collect.received import Sender, read_message
from daemon.collect.records import drop_old_editions
from daemon.collect.unreadable import drop_old_unreadable
from daemon.errors import UserError
from drivers.backoff import Backoff
from protocol.league_parts import PartsJoiner

log = logging.getLogger("oche.league")

_AGAIN = Backoff(0.5, 30.0)
_CLEAN_EVERY_S = 3600.0


class Collector:
    """Runs until cancelled."""

    def __init__(self, config: LeagueConfig) -> None:
        self._config = config
        self._joiner = PartsJoiner()
        self._backlog = Backlog()
        self._listener = Listener(config, self._receive)
        self._dropped = 0
        self._trouble = ""
        """What was last said of the database."""
        self._random = Random()
        self._is_ready = asyncio.Event()
        """The database was there, with the right tables."""

    def _receive(self, kind: str, payload: bytes, sender: Sender) -> None:
        received = read_message(kind, payload, sender, self._joiner)
        if received is not None:
            self._backlog.put(received)

    async def run(self) -> None:
        """Raises UserError where the database is that of another oche."""
        errors: list[Exception] = []
        try:
            async with make_pool(self._config.database, 2) as pool, asyncio.TaskGroup() as tasks:
                tasks.create_task(self._listener.run())
                tasks.create_task(self._write(pool))
                tasks.create_task(self._clean(pool))
        except* UserError as group:
            errors += group.exceptions
        raise errors[0]

    async def _write(self, pool: Pool) -> None:
        batch: list[Waiting] = []
        failures = 0
        while True:
            try:
                answers = await self._take(pool, batch, is_checked=self._is_ready.is_set() and not failures)
            except psycopg.Error as error:
                await self._tell(error)
                failures += 1
                self._backlog.put_back(batch)
                batch = []
                await asyncio.sleep(_AGAIN.delay_s(failures, self._random))
                continue
            if self._trouble:
                log.info("the database is there again")
            self._trouble, failures = "", 0
            self._is_ready.set()
            self._listener.send(answers)
            batch = await self._backlog.take()

    async def _take(self, pool: Pool, batch: list[Waiting], *, is_checked: bool) -> list[Answer]:
        """Commits these messages; returns the answers.

        Raises UserError where the tables are not those of this program, and psycopg.Error where there is no database.
        """
        if self._backlog.dropped != self._dropped:
            log.warning("%d messages came too fast: they will be offered again", self._backlog.dropped - self._dropped)
            self._dropped = self._backlog.dropped
        async with pool.connection() as db:
            if not is_checked:
                await check_schema(db)
            try:
                return await take(db, [each.received for each in batch])
            except Refused:  # as are messages that cannot even be kept as unreadable
                log.exception("%d messages cannot be kept", len(batch))
                return []

    async def _tell(self, error: psycopg.Error) -> None:
        if isinstance(error, PoolTimeout):  # which does not say why
            error = await find_trouble(self._config.database) or error
        said = explain(error)
        if said != self._trouble:
            log.error("%s", said)
        self._trouble = said

    async def _clean(self, pool: Pool) -> None:
        await self._is_ready.wait()
        while True:
            try:
                async with pool.connection() as db:
                    await drop_old_editions(db)
                    await drop_old_unreadable(db)
            except psycopg.Error as error:
                await self._tell(error)
            await asyncio.sleep(_CLEAN_EVERY_S)
