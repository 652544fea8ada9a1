"""The games that ship, by id, and their presets. To add one: write its file, list what it holds here."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from engine.game import Game, Preset
from engine.games import dards, ground_round, halve_it, three_dice, x01, yatzy_dart
from engine.record import Header, Unreadable
from protocol.spelling import nearest

_SHIPPED: tuple[Game[Any, Any], ...] = (  # Any: each has its own options
    *x01.GAMES,
    *halve_it.GAMES,
    *yatzy_dart.GAMES,
    *three_dice.GAMES,
    *dards.GAMES,
    *ground_round.GAMES,
)
GAMES = {game.id: game for game in _SHIPPED}
PRESETS: dict[str, Preset] = {preset.id: preset for preset in (*x01.PRESETS,)}


def game(name: str) -> Game[Any, Any]:
    """The game of that id, or the one that the preset of that id is one of; ValueError with the nearest spelling."""
    preset = PRESETS.get(name)
    try:
        return GAMES[preset.game if preset else name]
    except KeyError:
        raise ValueError(f"there is no game {name!r}{nearest(name, [*GAMES, *PRESETS])}") from None


def spelled_out(header: Header) -> Header:
    """The header by the game's own id, a preset's options among those that were given. Raises Unreadable."""
    try:
        chosen = game(header.game)
    except ValueError as error:
        raise Unreadable(str(error)) from None
    preset = PRESETS.get(header.game)
    return replace(header, game=chosen.id, options={**preset.options, **header.options}) if preset else header
