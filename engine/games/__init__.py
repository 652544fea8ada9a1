"""The games by id, and their presets: those that ship, and those that somebody has added.

To ship one more: write its file, list what it holds here. To add one of your own: see docs/plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from engine.game import Game, Preset
from engine.games import (
    a1_drill,
    all_fives,
    around_the_world,
    baseball,
    blind_killer,
    bobs_27,
    bull_off,
    bulls,
    checkout_drills,
    count_up,
    cricket,
    cricket_count_up,
    dards,
    football,
    golf,
    gotcha,
    ground_round,
    halve_it,
    hammer_cricket,
    jdc,
    killer,
    lives,
    round_the_clock,
    scram,
    segment_training,
    shanghai,
    snooker,
    sudden_death,
    tactics,
    three_dice,
    tic_tac_toe,
    x01,
    yatzy_dart,
)
from engine.options import read_options
from engine.record import Header, Unreadable
from protocol.spelling import nearest

_SHIPPED: tuple[Game[Any, Any], ...] = (  # Any: each has its own options
    *x01.GAMES,
    *checkout_drills.GAMES,
    *halve_it.GAMES,
    *dards.GAMES,
    *three_dice.GAMES,
    *yatzy_dart.GAMES,
    *ground_round.GAMES,
    *cricket.GAMES,
    *tactics.GAMES,
    *hammer_cricket.GAMES,
    *scram.GAMES,
    *cricket_count_up.GAMES,
    *count_up.GAMES,
    *shanghai.GAMES,
    *round_the_clock.GAMES,
    *around_the_world.GAMES,
    *baseball.GAMES,
    *golf.GAMES,
    *killer.GAMES,
    *blind_killer.GAMES,
    *lives.GAMES,
    *sudden_death.GAMES,
    *gotcha.GAMES,
    *all_fives.GAMES,
    *tic_tac_toe.GAMES,
    *football.GAMES,
    *snooker.GAMES,
    *bobs_27.GAMES,
    *jdc.GAMES,
    *a1_drill.GAMES,
    *segment_training.GAMES,
    *bulls.GAMES,
    *bull_off.GAMES,
)
"""Families that belong together side by side; it is the order in which they are listed."""
GAMES = {game.id: game for game in _SHIPPED}
PRESETS: dict[str, Preset] = {
    preset.id: preset
    for preset in (
        *x01.PRESETS,
        *halve_it.PRESETS,
        *cricket.PRESETS,
        *tactics.PRESETS,
        *scram.PRESETS,
        *count_up.PRESETS,
        *shanghai.PRESETS,
        *baseball.PRESETS,
        *golf.PRESETS,
        *lives.PRESETS,
        *gotcha.PRESETS,
    )
}
ORDERS = {"bull": bull_off.BullOff.id}
"""The ways to decide in which order sides throw, and the game of each: its option `then` is what it is played for."""
_SHIPPED_NAMES = frozenset((*GAMES, *PRESETS))
_WITHHELD: dict[str, str] = {}


def add(added: Game[Any, Any], presets: Sequence[Preset] = ()) -> None:
    """Adds a game that does not ship, with its presets. Raises ValueError when a name is taken."""
    names = [added.id, *(preset.id for preset in presets)]
    for place, name in enumerate(names):
        if name in GAMES or name in PRESETS or name in names[:place]:
            owner = "of a game that ships" if name in _SHIPPED_NAMES else "taken"
            raise ValueError(f"the id {name!r} is {owner}: choose another")
    GAMES[added.id] = added
    PRESETS.update((preset.id, preset) for preset in presets)


def withhold(name: str, reason: str) -> None:
    """A game that somebody means to have and that cannot be had: `game` tells the reason, a sentence."""
    _WITHHELD[name] = reason


def forget_added() -> None:
    """Back to what ships."""
    for registry in (GAMES, PRESETS):
        for name in [name for name in registry if name not in _SHIPPED_NAMES]:
            registry.pop(name)
    _WITHHELD.clear()


def is_withheld(name: str) -> bool:
    """Is this a game that cannot be had, though somebody means to have it?"""
    return name in _WITHHELD


def is_shipped(name: str) -> bool:
    """Does the game or the preset of this id ship with oche?"""
    return name in _SHIPPED_NAMES


def game(name: str) -> Game[Any, Any]:
    """The game of that id, or the one that the preset of that id is one of; ValueError with the nearest spelling."""
    preset = PRESETS.get(name)
    try:
        return GAMES[preset.game if preset else name]
    except KeyError:
        if name in _WITHHELD:
            raise ValueError(_WITHHELD[name]) from None
        raise ValueError(
            f"there is no game {name!r}{nearest(name, [*GAMES, *PRESETS], '; oche games lists them')}"
        ) from None


def variant(game: Game[Any, Any], options: Any) -> str:  # Any: each game has its own options
    """What is played when it is played with these options, so that like is compared with like.

    The preset that has them; the game's id when they are its own; else its id with those that differ. Options that the
    game puts `aside` change nothing.
    """
    own = _rules(game, options)
    for preset in PRESETS.values():
        if preset.game == game.id and _rules(game, read_options(game, dict(preset.options))) == own:
            return preset.id
    usual = _rules(game, game.options_type())
    differing = [f"{name} {_said(value)}" for name, value in own.items() if value != usual[name]]
    return f"{game.id} ({', '.join(differing)})" if differing else game.id


def _rules(game: Game[Any, Any], options: Any) -> dict[str, Any]:  # Any: JSON
    spelled: dict[str, Any] = msgspec.to_builtins(options)
    return {name: value for name, value in spelled.items() if name not in game.aside}


def _said(value: Any) -> str:  # Any: JSON
    if isinstance(value, list | tuple):
        return " ".join(map(_said, value)) or "none"
    return "none" if value is None else str(value).lower()


def spelled_out(header: Header) -> Header:
    """The header by the game's own id, a preset's options among those that were given. Raises Unreadable."""
    try:
        chosen = game(header.game)
    except ValueError as error:
        raise Unreadable(str(error)) from None
    preset = PRESETS.get(header.game)
    return replace(header, game=chosen.id, options={**preset.options, **header.options}) if preset else header
