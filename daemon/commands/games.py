"""`oche games`: lists the games, shows the rules and options of one, and checks a game of one's own."""

from __future__ import annotations

from pathlib import Path

import click

from daemon.commands.shared import with_plugins
from daemon.errors import UserError, to_user_error
from daemon.languages.game_words import check_sheet, name_options
from daemon.plugins import loader
from engine.game import GROUPS
from engine.games import GAMES, PRESETS, ROUTINES, game, list_presets
from engine.options import describe_options, format_word


@click.command()
@click.argument("words", nargs=-1, metavar="[NAME | check FILE]")
@with_plugins
def command(words: tuple[str, ...]) -> None:
    """List the games, or print the rules and options of one.

    "check FILE" tries the games in your own Python file as the daemon would, and names the first mistake.
    """
    match words:
        case ():
            _list_all()
        case ("check", file):
            for name in loader.add_file(Path(file)):
                click.echo(f"{file}: {name} can be played: {GAMES[name].line}")
                if GAMES[name].group is None:
                    among = f"give it one of {', '.join(GROUPS)}"
                    click.echo(f"{file}: {name} has no group, so the lobby lists it under More games: {among}")
                _check_words(name)
        case ("check",):
            raise UserError("name the file with the game: oche games check FILE", 2)
        case (name,):
            _show(name)
        case _:
            raise UserError("name one game, or check one FILE", 2)


def _check_words(name: str) -> None:
    """Raises UserError for the first option that a rule sheet of this game calls otherwise than the form does."""
    for language in ("en", *GAMES[name].translations):
        for mistake in check_sheet(GAMES[name], language):
            raise UserError(f"{name}, {language}: {mistake}")


def _list_all() -> None:
    width = max(*map(len, GAMES), *(2 + len(name) for name in PRESETS))
    for each in GAMES.values():
        click.echo(f"{each.id:<{width}}  {each.line}")
        for variant in list_presets(each.id):
            click.echo(f"  {variant.id:<{width - 2}}  {variant.line}")
    click.echo("\nRoutines, exercises one after the other:")
    for routine in ROUTINES.values():
        click.echo(f"  {routine.name:<{width - 2}}  {', '.join(each.game for each in routine.exercises)}")


def _show(name: str) -> None:
    with to_user_error(ValueError, status=2):
        found = game(name)
    if name in ROUTINES:
        routine = ROUTINES[name]
        click.echo(f"{name}: {routine.title}, one after the other:")
        for exercise in routine.exercises:
            given = ", ".join(f"{key} = {format_word(value)}" for key, value in exercise.options.items())
            click.echo(f"  {exercise.game}{given and f' with {given}'}")
        return
    preset = PRESETS.get(name)
    if preset is not None:
        given = ", ".join(f"{key} = {format_word(value)}" for key, value in preset.options.items())
        click.echo(f"{name}: {preset.line}\n\nThis is {found.id} with {given}. The rules of {found.id}:\n")
    click.echo(found.rule_sheet)
    click.echo("\nOptions:")
    names = name_options(found, "en")
    for key, line in describe_options(found, preset.options if preset else {}).items():
        click.echo(f"  {key} ({names[key].label}): {line}")
