"""`oche games`: what can be played, and by which rules."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from daemon.errors import UserError
from engine.game import Game
from engine.games import GAMES, PRESETS, game

_WIDTH = max(*map(len, GAMES), *(2 + len(name) for name in PRESETS))


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the games, or print the rule sheet and the options of one."""
    if name is None:
        for each in GAMES.values():
            _list(each.id, each.line)
            for preset in PRESETS.values():
                if preset.game == each.id:
                    _list(f"  {preset.id}", preset.line)
        return
    try:
        found = game(name)
    except ValueError as error:
        raise UserError(str(error), 2) from None
    click.echo(found.rule_sheet)
    click.echo("\nOptions:")
    for line in _options(found):
        click.echo(f"  {line}")


def _list(name: str, line: str) -> None:
    click.echo(f"{name:<{_WIDTH}}  {line}")


def _options(found: Game[Any, Any]) -> list[str]:  # Any: each game has its own options
    schema = msgspec.json.schema(found.options_type)["$defs"][found.options_type.__name__]
    return [
        f"{key}: {_values(about)} (default {_word(about.get('default'))})"
        for key, about in schema["properties"].items()
    ]


def _values(about: dict[str, Any]) -> str:  # Any: JSON Schema
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
    return str(value).lower() if isinstance(value, bool) else str(value)
