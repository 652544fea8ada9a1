"""`oche help`: the help of a command, for people who type it as they would say it."""

from __future__ import annotations

import click


@click.command()
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def command(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of COMMAND, such as `oche help history export`. Without COMMAND, list all commands."""
    assert ctx.parent is not None
    shown, found = ctx.parent, ctx.parent.command
    for name in names:
        if not isinstance(found, click.Group):
            raise click.UsageError(f"{shown.command_path} has no subcommands: leave out {name!r}", shown)
        further = found.get_command(shown, name)
        if further is None:
            raise click.UsageError(f"there is no command {name!r}", shown)
        found = further
        shown = click.Context(found, parent=shown, info_name=name)
    click.echo(found.get_help(shown))
