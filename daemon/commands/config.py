"""`oche config check`: whether the daemon would start with this configuration."""

from __future__ import annotations

from pathlib import Path

import click

from daemon.commands.shared import Subcommands
from daemon.config.reader import DEFAULT_FILE, read_config
from daemon.config.unconfigured import is_unconfigured
from daemon.errors import UserError
from daemon.plugins import loader


@click.group(cls=Subcommands)
def command() -> None:
    """Check a configuration file."""


@command.command()
@click.argument("file", type=click.Path(path_type=Path), default=DEFAULT_FILE)
def check(file: Path) -> None:
    """Read FILE as the daemon would, and name the first mistake with its line and what would be right."""
    if file == DEFAULT_FILE and is_unconfigured(None):
        click.echo(f"There is no {file}, so oche run takes what it finds, and prints the lines that keep it so.")
        return
    setup = read_config(file)
    for broken in loader.load(file.parent):
        click.echo(f"oche: {broken}", err=True)
    for table, book in zip(setup.config.table, setup.codebooks, strict=True):
        click.echo(f"table {table.name}: {table.game} on {table.board} ({table.profile or book.profile.id})")
    if setup.remarks:
        raise UserError("; ".join(map(str, setup.remarks)))
    click.echo(f"{file} is right.")
