"""`oche league`: the pages of a league, and the tokens for them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from daemon.collect.libraries import check_libraries
from daemon.commands.shared import Subcommands

if TYPE_CHECKING:
    from daemon.collect.config import LeagueConfig
    from daemon.collect.database import AsyncDatabase

T = TypeVar("T")
_FILE = Path("/etc/oche/league.toml")


@click.group(cls=Subcommands, invoke_without_command=True)
@click.option(
    "--config", type=click.Path(path_type=Path), default=_FILE, show_default=True, help="The file of the league."
)
@click.pass_context
def command(ctx: click.Context, config: Path) -> None:
    """Serve the statistics pages of a league, until SIGTERM or Ctrl-C.

    They only read: as many as you like may run at a time, for the same database.
    """
    check_libraries()
    ctx.obj = config
    if ctx.invoked_subcommand is None:
        from daemon.collect.config import set_time_zone
        from daemon.service import logs

        found = _read(ctx)
        logs.set_up()
        set_time_zone(found.league)
        with suppress(asyncio.CancelledError):
            asyncio.run(_serve(found))


async def _serve(config: LeagueConfig) -> None:
    from daemon.collect.questions import Questions
    from daemon.collect.server import LeagueServer
    from daemon.http.addresses import format_host_port
    from daemon.http.connection import open_port

    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    questions = Questions(config.database)
    try:
        async with open_port(config.web.host, config.web.port) as port:
            click.echo(f"the pages of the league: http://{format_host_port(config.web.host, port.number)}/")
            await LeagueServer(config, port, questions).run()
    finally:
        questions.close()


def _read(ctx: click.Context) -> LeagueConfig:
    from daemon.collect.config import read_league_config

    return read_league_config(ctx.obj)


def _ask(ctx: click.Context, ask: Callable[[AsyncDatabase], Awaitable[T]]) -> T:
    """Returns what this finds or does in the database, as the login that writes, in one transaction."""
    from daemon.collect.database import open_database

    async def run() -> T:
        async with open_database(_read(ctx).database) as db:
            return await ask(db)

    return asyncio.run(run())


@command.group("token", cls=Subcommands)
def token() -> None:
    """Make and remove the tokens that the pages of the league ask for."""


@token.command("add")
@click.argument("name")
@click.option("--viewer", is_flag=True, help="Make it for people, who only see the pages; NAME is any name.")
@click.pass_context
def add(ctx: click.Context, name: str, viewer: bool) -> None:
    """Make the token of the daemon NAME, and show it once."""
    from daemon.collect.tokens import add_token

    click.echo(_ask(ctx, lambda db: add_token(db, name, is_viewer=viewer)))


@token.command("list")
@click.pass_context
def list_all(ctx: click.Context) -> None:
    """List the tokens, one per line: name, daemon, and when it was made."""
    from daemon.collect.tokens import list_tokens

    for each in _ask(ctx, list_tokens):
        click.echo(f"{each.name}  {each.topic or '-'}  {each.made_at.astimezone().strftime('%Y-%m-%d %H:%M')}")


@token.command("remove")
@click.argument("name")
@click.pass_context
def remove(ctx: click.Context, name: str) -> None:
    """End the token of NAME."""
    from daemon.collect.tokens import remove_token

    _ask(ctx, lambda db: remove_token(db, name))
