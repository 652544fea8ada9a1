"""The games and their presets by id: those that ship, and those that a user has added.

To ship one more, write its file with its `GAMES` and `PRESETS`, and list the file here; `make docs` puts them into the
index, by which a file is loaded when one of its games is asked for. To add one without shipping it, see docs/plugins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeVar, cast

import msgspec
from msgspec.structs import replace

from engine.game import Game, Preset
from engine.games import index
from engine.options import read_options
from engine.routines import SHIPPED
from protocol.match_spec import Format, MatchSpec, Unreadable
from protocol.routine import Routine
from protocol.sentence import Refusal, get_reason, say
from protocol.spelling import suggest_nearest

T = TypeVar("T")

FILES = (
    "x01",
    "checkout_drills",
    "halve_it",
    "dards",
    "three_dice",
    "yatzy_dart",
    "ground_round",
    "cricket",
    "tactics",
    "wild_mouse",
    "hammer_cricket",
    "scram",
    "english_cricket",
    "cricket_count_up",
    "shove_hapenny",
    "count_up",
    "nine_dart_century",
    "shanghai",
    "round_the_clock",
    "around_the_world",
    "baseball",
    "golf",
    "killer",
    "blind_killer",
    "lives",
    "sudden_death",
    "challenge",
    "gotcha",
    "all_fives",
    "tic_tac_toe",
    "football",
    "courses",
    "prisoner",
    "fox_hunt",
    "snooker",
    "bobs_27",
    "jdc",
    "a1_drill",
    "segment_training",
    "bulls",
    "bull_off",
)
"""In the order in which `oche games` lists their games: those that belong together side by side."""


class _Registry(MutableMapping[str, T]):
    """Games or presets by id. Those that ship are loaded when they are asked for, all of a file together."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._found: dict[str, T | str] = dict(files)
        """What was not loaded yet is the name of its file."""

    def __getitem__(self, name: str) -> T:
        if isinstance(self._found[name], str):
            _load(str(self._found[name]))
        return cast("T", self._found[name])

    def __setitem__(self, name: str, value: T) -> None:
        self._found[name] = value

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def _load(file: str) -> None:
    module = import_module(f"engine.games.{file}")
    GAMES.update((game.id, game) for game in module.GAMES)
    PRESETS.update((preset.id, preset) for preset in getattr(module, "PRESETS", ()))


def read_entry(file: str) -> index.Entry:
    """What the index has of this file, from the file itself."""
    module = import_module(f"engine.games.{file}")
    games = {game.id: game.layouts for game in module.GAMES}
    return games, {preset.id: preset.game for preset in getattr(module, "PRESETS", ())}


_INDEX = {file: index.FILES.get(file) or read_entry(file) for file in FILES}  # a new file is not in it yet
_LAYOUTS = {name: layouts for games, _ in _INDEX.values() for name, layouts in games.items()}
_GAME_OF = {name: game_id for _, presets in _INDEX.values() for name, game_id in presets.items()}
GAMES = _Registry[Game[Any, Any]]({name: file for file, (games, _) in _INDEX.items() for name in games})  # Any: options
PRESETS = _Registry[Preset]({name: file for file, (_, presets) in _INDEX.items() for name in presets})
ORDERS = {"bull": "bull_off"}
"""The ways to decide in which order sides throw, and the game of each: its option `then` is what it is played for."""
Routines = Mapping[str, Routine]
"""Routines by name."""
ROUTINES: Routines = MappingProxyType({routine.name: routine for routine in SHIPPED})
"""Those that ship. Those of a configuration beside them are what `collect_routines` returns."""
_SHIPPED_NAMES = frozenset((*GAMES, *PRESETS, *ROUTINES))
_WITHHELD: dict[str, str] = {}


def add(added: Game[Any, Any], presets: Sequence[Preset] = ()) -> None:
    """Adds a game that does not ship, with its presets. Raises ValueError when a name is taken."""
    names = [added.id, *(preset.id for preset in presets)]
    for place, name in enumerate(names):
        if name in GAMES or name in PRESETS or name in names[:place]:
            owner = "that of a shipped game" if name in _SHIPPED_NAMES else "already taken"
            raise ValueError(f"the id {name!r} is {owner}: choose another")
    GAMES[added.id] = added
    PRESETS.update((preset.id, preset) for preset in presets)


def withhold(name: str, reason: str) -> None:
    """Marks a name as a game that could not be loaded: `game` raises ValueError with this reason, a sentence."""
    _WITHHELD[name] = reason


def collect_routines(own: Iterable[Routine]) -> dict[str, Routine]:
    """Returns these routines by name beside those that ship, but for those with a game that could not be loaded.

    Raises ValueError for one that cannot be.
    """
    routines = {**ROUTINES}
    for routine in own:
        if any(routine.name in names for names in (GAMES, PRESETS, routines)):
            raise Refusal(
                say(
                    "settings.routine_taken",
                    "the name {given} is already used by a game or another routine: choose another",
                    given=repr(routine.name),
                )
            )
        for exercise in routine.exercises:
            if exercise.game in routines:
                raise Refusal(
                    say(
                        "settings.exercise",
                        "{given} is a routine: an exercise must be a game",
                        given=repr(exercise.game),
                    )
                )
            if not is_withheld(exercise.game):
                read_options(game(exercise.game, routines), exercise.options)
        if not any(is_withheld(exercise.game) for exercise in routine.exercises):
            routines[routine.name] = routine
    return routines


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


def game(name: str, routines: Routines = ROUTINES) -> Game[Any, Any]:
    """The game of that id, of the preset of that id, or of the first exercise of the routine of that name.

    Raises ValueError with the nearest spelling.
    """
    found = _find_id(name, routines)
    if found in GAMES:
        return GAMES[found]
    if found in _WITHHELD:
        raise ValueError(_WITHHELD[found])
    hint = suggest_nearest(found, [*GAMES, *PRESETS, *routines], "; oche games lists them")
    raise Refusal(say("refused.no_game", "there is no game {given}{hint}", given=repr(found), hint=hint))


def find_layouts(name: str, routines: Routines = ROUTINES) -> tuple[str, ...]:
    """The layouts of that game, without loading it; `name` as for `game`. Raises ValueError."""
    found = _find_id(name, routines)
    return _LAYOUTS[found] if found in _LAYOUTS else game(found).layouts


def list_presets(game_id: str) -> list[Preset]:
    """The presets of that game."""
    return [PRESETS[name] for name in PRESETS if _find_id(name) == game_id]


def _find_id(name: str, routines: Routines = ROUTINES) -> str:
    """The id of the game that is meant by the name of a game, a preset or a routine."""
    if name in routines:
        name = routines[name].exercises[0].game
    if name in _GAME_OF:
        return _GAME_OF[name]
    return PRESETS[name].game if name in PRESETS else name


def variant(game: Game[Any, Any], options: Any) -> str:  # Any: each game has its own options
    """The name of the variant that these options make, so that figures of different variants are never mixed.

    It is the id of the preset with these options; the game's id for its defaults; else that id with the options that
    differ. Options that the game lists in `aside` do not count.
    """
    own = _compared_options(game, options)
    for preset in list_presets(game.id):
        if _compared_options(game, read_options(game, dict(preset.options))) == own:
            return preset.id
    usual = _compared_options(game, game.options_type())
    others = {name: value for name, value in own.items() if name not in usual or value != usual[name]}
    differing = [f"{name} {_write_value(value)}" for name, value in others.items()]
    return f"{game.id} ({', '.join(differing)})" if differing else game.id


def is_handicapped(name: str) -> bool:
    """Whether the sides have different options in the variant of this name, such as start scores of their own."""
    head, _, options = name.partition(" (")
    known = GAMES.get(head)
    given = [f"{each} " for each in options.split(", ")]
    return known is not None and any(each.startswith(f"{option} ") for option in known.by_side for each in given)


def read_variant(name: str) -> tuple[Game[Any, Any], Any]:  # Any: as above
    """The game and the options of the variant of this name. Raises Unreadable; so it does where they are lists."""
    head, _, options = name.partition(" (")
    if head in PRESETS and not options:
        spec = expand_preset(MatchSpec(head, ()))
        return game(spec.game), read_options(game(spec.game), dict(spec.options))
    chosen = game(head)
    given = dict(each.split(" ", 1) for each in options.removesuffix(")").split(", ") if " " in each)
    try:
        values = {option: None if value == "none" else value for option, value in given.items()}
        return chosen, msgspec.convert(values, chosen.options_type, strict=False)
    except msgspec.ValidationError as error:
        raise Unreadable(str(error)) from None


def _compared_options(game: Game[Any, Any], options: Any) -> dict[str, Any]:  # Any: JSON
    spelled: dict[str, Any] = msgspec.to_builtins(options)
    return {name: value for name, value in spelled.items() if name not in game.aside}


def _write_value(value: Any) -> str:  # Any: JSON
    if isinstance(value, list | tuple):
        return " ".join(map(_write_value, value)) or "none"
    return "none" if value is None else str(value).lower()


def expand_preset(header: MatchSpec, routines: Routines = ROUTINES) -> MatchSpec:
    """The header with a preset replaced by its game and options; those that were given win. Raises Unreadable.

    A routine is replaced by its first exercise, which is one leg.
    """
    if header.game in routines:
        routine = routines[header.game]
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
        chosen = game(header.game, routines)
    except ValueError as error:
        raise Unreadable(get_reason(error)) from None
    preset = PRESETS.get(header.game)
    return replace(header, game=chosen.id, options={**preset.options, **header.options}) if preset else header
