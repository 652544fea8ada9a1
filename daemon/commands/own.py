"""The option of commands that need no configuration, but know the games and boards that lie beside one."""

from __future__ import annotations

from pathlib import Path

import click

from daemon import plugins
from daemon.config import DEFAULT_FILE


def _load(ctx: click.Context, _: click.Parameter, file: Path) -> None:
    for broken in plugins.load(file.parent):
        click.echo(f"oche: {broken}", err=True)


with_plugins = click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=DEFAULT_FILE,
    show_default=True,
    is_eager=True,
    expose_value=False,
    callback=_load,
    help="The configuration whose games and boards are known too.",
)
"""Loads the plug-ins before the command begins, and tells on standard error which are broken."""
