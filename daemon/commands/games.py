"""`oche games`: lists the games, shows the rules and options of one, and checks a game of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from daemon.commands.shared import with_plugins
from daemon.errors import UserError, to_user_error
from daemon.plugins import loader
from engine.game import Game
from engine.games import GAMES, PRESETS, game
from engine.options import format_value


@click.command()
@click.argument("words", nargs=-1, metavar="[NAME | check FILE]")
@with_plugins
def command(words: tuple[str, ...]) -> None:
    """List the games, or print the rule sheet and the options of one.

    "check FILE" tries the games in a Python file of your own as the daemon would, and names the first mistake.
    """
    match words:
        case ():
            _list_all()
        case ("check", file):
            for name in loader.add_file(Path(file)):
                click.echo(f"{file}: {name} can be played: {GAMES[name].line}")
        case ("check",):
            raise UserError("name the file of the game: oche games check FILE", 2)
        case (name,):
            _show(name)
        case _:
            raise UserError("name one game, or check one FILE", 2)


def _list_all() -> None:
    width = max(*map(len, GAMES), *(2 + len(name) for name in PRESETS))
    for each in GAMES.values():
        click.echo(f"{each.id:<{width}}  {each.line}")
        for variant in PRESETS.values():
            if variant.game == each.id:
                click.echo(f"  {variant.id:<{width - 2}}  {variant.line}")


def _show(name: str) -> None:
    with to_user_error(ValueError, status=2):
        found = game(name)
    preset = PRESETS.get(name)
    if preset is not None:
        given = ", ".join(f"{key} = {_word(value)}" for key, value in preset.options.items())
        click.echo(f"{name}: {preset.line}\n\nThis is {found.id} with {given}. The rules of {found.id}:\n")
    click.echo(found.rule_sheet)
    click.echo("\nOptions:")
    for line in _options(found, preset.options if preset else {}):
        click.echo(f"  {line}")


def _options(found: Game[Any, Any], usual: Mapping[str, Any]) -> list[str]:  # Any: each game has its own options
    """The options, a line each; `usual` are the defaults of a preset."""
    schema = msgspec.json.schema(found.options_type)["$defs"][found.options_type.__name__]
    return [
        f"{key}: {_values(about)} (default {_word(usual.get(key, about.get('default')))})"
        for key, about in schema.get("properties", {}).items()
    ]


def _values(about: dict[str, Any]) -> str:  # Any: JSON Schema
    if "examples" in about:
        return f"{about['description']}, such as {format_value(about['examples'][0])}"
    if "enum" in about:
        return ", ".join(_word(value) for value in about["enum"])
    if "anyOf" in about:
        return " or ".join(_values(each) for each in about["anyOf"])
    if "minimum" in about:
        return f"{about['minimum']} to {about['maximum']}"
    kind: str = about["type"]
    return {"boolean": "true, false", "null": "none", "integer": "a whole number"}.get(kind, kind)


def _word(value: object) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else format_value(value)
