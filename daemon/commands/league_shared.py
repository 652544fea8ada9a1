"""What the commands of a league share: its configuration, its database, and that they run until they are stopped."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import click

from daemon.collect.config import DEFAULT_FILE
from daemon.commands.shared import config_option

if TYPE_CHECKING:
    from daemon.collect.config import LeagueConfig
    from daemon.collect.database import AsyncDatabase

T = TypeVar("T")

with_league_config = config_option("The file of the league.", default=DEFAULT_FILE)
"""Gives a command the file as `config`; the command makes it the object of its context, for what is below."""


def get_league_config(ctx: click.Context) -> LeagueConfig:
    """Returns the configuration of the league. Raises UserError."""
    from daemon.collect.config import read_league_config

    return read_league_config(ctx.obj)


def ask_database(ctx: click.Context, ask: Callable[[AsyncDatabase], Awaitable[T]]) -> T:
    """Returns what this finds or does in the database, as the login that writes, in one transaction.

    Raises UserError.
    """
    from daemon.collect.database import open_database

    async def run() -> T:
        async with open_database(get_league_config(ctx).database) as db:
            return await ask(db)

    return asyncio.run(run())


def run_until_stopped(work: Coroutine[object, object, None]) -> None:
    """Runs this until SIGTERM or Ctrl-C cancels it."""

    async def run() -> None:
        task = asyncio.current_task()
        assert task is not None
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        await work

    with suppress(asyncio.CancelledError):
        asyncio.run(run())
