"""`oche league`: the pages of a league, and the tokens for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.collect.libraries import check_libraries
from daemon.commands.league_shared import ask_database, get_league_config, run_until_stopped, with_league_config
from daemon.commands.shared import Subcommands

if TYPE_CHECKING:
    from daemon.collect.config import LeagueConfig


@click.group(cls=Subcommands, invoke_without_command=True)
@with_league_config
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

        found = get_league_config(ctx)
        logs.set_up(identifier="oche-league")
        set_time_zone(found.league)
        run_until_stopped(_serve(found))


async def _serve(config: LeagueConfig) -> None:
    from daemon.collect.questions import Questions
    from daemon.collect.server import LeagueServer
    from daemon.http.addresses import format_host_port
    from daemon.http.connection import open_port

    questions = Questions(config.database)
    try:
        async with open_port(config.web.host, config.web.port) as port:
            click.echo(f"the pages of the league: http://{format_host_port(config.web.host, port.number)}/")
            await LeagueServer(config, port, questions).run()
    finally:
        questions.close()


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

    click.echo(ask_database(ctx, lambda db: add_token(db, name, is_viewer=viewer)))


@token.command("list")
@click.pass_context
def list_all(ctx: click.Context) -> None:
    """List the tokens, one per line: name, daemon, and when it was made."""
    from daemon.collect.tokens import list_tokens

    for each in ask_database(ctx, list_tokens):
        click.echo(f"{each.name}  {each.topic or '-'}  {each.made_at.astimezone().strftime('%Y-%m-%d %H:%M')}")


@token.command("remove")
@click.argument("name")
@click.pass_context
def remove(ctx: click.Context, name: str) -> None:
    """End the token of NAME."""
    from daemon.collect.tokens import remove_token

    ask_database(ctx, lambda db: remove_token(db, name))
