"""The games and their presets by id: those that ship, and those that a user has added.

To ship one more, write its file with its `GAMES` and `PRESETS`, and list the file here. To add one without shipping
it, see docs/plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
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
    challenge,
    checkout_drills,
    count_up,
    courses,
    cricket,
    cricket_count_up,
    dards,
    english_cricket,
    football,
    fox_hunt,
    golf,
    gotcha,
    ground_round,
    halve_it,
    hammer_cricket,
    jdc,
    killer,
    lives,
    nine_dart_century,
    prisoner,
    random_checkout,
    round_the_clock,
    scram,
    segment_training,
    shanghai,
    shove_hapenny,
    snooker,
    sudden_death,
    tactics,
    three_dice,
    tic_tac_toe,
    wild_mouse,
    x01,
    yatzy_dart,
)
from engine.options import read_options
from engine.routines import SHIPPED
from protocol.match_spec import Format, MatchSpec, Unreadable
from protocol.routine import Routine
from protocol.sentence import Refusal, get_reason, say
from protocol.spelling import suggest_nearest

_FAMILIES: tuple[ModuleType, ...] = (
    x01,
    checkout_drills,
    random_checkout,
    halve_it,
    dards,
    three_dice,
    yatzy_dart,
    ground_round,
    cricket,
    tactics,
    wild_mouse,
    hammer_cricket,
    scram,
    english_cricket,
    cricket_count_up,
    shove_hapenny,
    count_up,
    nine_dart_century,
    shanghai,
    round_the_clock,
    around_the_world,
    baseball,
    golf,
    killer,
    blind_killer,
    lives,
    sudden_death,
    challenge,
    gotcha,
    all_fives,
    tic_tac_toe,
    football,
    courses,
    prisoner,
    fox_hunt,
    snooker,
    bobs_27,
    jdc,
    a1_drill,
    segment_training,
    bulls,
    bull_off,
)
"""The files of the games, in the order in which they are listed: those that belong together side by side."""
GAMES: dict[str, Game[Any, Any]] = {game.id: game for family in _FAMILIES for game in family.GAMES}  # Any: own options
PRESETS: dict[str, Preset] = {preset.id: preset for family in _FAMILIES for preset in getattr(family, "PRESETS", ())}
ORDERS = {"bull": bull_off.BullOff.id}
"""The ways to decide in which order sides throw, and the game of each: its option `then` is what it is played for."""
ROUTINES: dict[str, Routine] = {routine.name: routine for routine in SHIPPED}
"""The routines by name: those that ship, and those of the configuration."""
_SHIPPED_NAMES = frozenset((*GAMES, *PRESETS, *ROUTINES))
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
    """Marks a name as a game that could not be loaded: `game` raises ValueError with this reason, a sentence."""
    _WITHHELD[name] = reason


def set_routines(own: Sequence[Routine]) -> None:
    """Has these routines beside those that ship, and no others, but for those with a game that could not be loaded.

    Raises ValueError for one that cannot be.
    """
    for name in [name for name in ROUTINES if name not in _SHIPPED_NAMES]:
        del ROUTINES[name]
    for routine in own:
        if any(routine.name in names for names in (GAMES, PRESETS, ROUTINES)):
            raise ValueError(f"the name {routine.name!r} is taken by a game or another routine: choose another")
        for exercise in routine.exercises:
            if exercise.game in ROUTINES:
                raise ValueError(f"{exercise.game!r} is a routine: exercises are games")
            if not is_withheld(exercise.game):
                read_options(game(exercise.game), exercise.options)
        if not any(is_withheld(exercise.game) for exercise in routine.exercises):
            ROUTINES[routine.name] = routine


def forget_added() -> None:
    """Removes every game and preset that does not ship, and what was withheld."""
    for registry in (GAMES, PRESETS):
        for name in [name for name in registry if name not in _SHIPPED_NAMES]:
            registry.pop(name)
    _WITHHELD.clear()


def is_withheld(name: str) -> bool:
    """Whether this is the name of a game that could not be loaded."""
    return name in _WITHHELD


def is_shipped(name: str) -> bool:
    """Whether the game or the preset of this id ships with oche."""
    return name in _SHIPPED_NAMES


def game(name: str) -> Game[Any, Any]:
    """The game of that id, of the preset of that id, or of the first exercise of the routine of that name.

    Raises ValueError with the nearest spelling.
    """
    if name in ROUTINES:
        name = ROUTINES[name].exercises[0].game
    preset = PRESETS.get(name)
    try:
        return GAMES[preset.game if preset else name]
    except KeyError:
        if name in _WITHHELD:
            raise ValueError(_WITHHELD[name]) from None
        hint = suggest_nearest(name, [*GAMES, *PRESETS, *ROUTINES], "; oche games lists them")
        raise Refusal(say("refused.no_game", "there is no game {given}{hint}", given=repr(name), hint=hint)) from None


def variant(game: Game[Any, Any], options: Any) -> str:  # Any: each game has its own options
    """The name of the variant that these options make, so that figures of different variants are never mixed.

    It is the id of the preset with these options; the game's id for its defaults; else that id with the options that
    differ. Options that the game lists in `aside` do not count.
    """
    own = _compared_options(game, options)
    for preset in PRESETS.values():
        if preset.game == game.id and _compared_options(game, read_options(game, dict(preset.options))) == own:
            return preset.id
    usual = _compared_options(game, game.options_type())
    differing = [f"{name} {_write_value(value)}" for name, value in own.items() if value != usual[name]]
    return f"{game.id} ({', '.join(differing)})" if differing else game.id


def _compared_options(game: Game[Any, Any], options: Any) -> dict[str, Any]:  # Any: JSON
    spelled: dict[str, Any] = msgspec.to_builtins(options)
    return {name: value for name, value in spelled.items() if name not in game.aside}


def _write_value(value: Any) -> str:  # Any: JSON
    if isinstance(value, list | tuple):
        return " ".join(map(_write_value, value)) or "none"
    return "none" if value is None else str(value).lower()


def expand_preset(header: MatchSpec) -> MatchSpec:
    """The header with a preset replaced by its game and options; those that were given win. Raises Unreadable.

    A routine is replaced by its first exercise, which is one leg.
    """
    if header.game in ROUTINES:
        routine = ROUTINES[header.game]
        if header.options:
            raise Unreadable(
                say(
                    "refused.routine_options",
                    "{routine} is a routine: its exercises have their own options",
                    routine=routine.title,
                )
            )
        first = routine.exercise
        header = replace(header, game=first.game, options=first.options, format=Format(), routine=routine)
    try:
        chosen = game(header.game)
    except ValueError as error:
        raise Unreadable(get_reason(error)) from None
    preset = PRESETS.get(header.game)
    return replace(header, game=chosen.id, options={**preset.options, **header.options}) if preset else header
