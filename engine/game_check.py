"""Checks a game that does not ship before a dart is thrown: its attributes, methods, options and presets.

The sentences are for its author: each names what is missing and what would be right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from engine.game import GROUPS, Game, Preset, Prompt, Translation
from engine.hands import can_choose_hands
from engine.options import list_options, read_options
from engine.phrases import MOST_LETTERS, Phrases
from engine.tally import Figure
from protocol import layouts
from protocol.sentence import list_places

_ID = re.compile(r"[a-z][a-z0-9_]{0,31}")
_LANGUAGE = re.compile("[a-z]{2}")
_LINE = 90
_MOST_PLAYERS = 64


class InvalidGame(ValueError):
    """This is no game that can be played; `said` is what to change.

    `method` is the method of the game whose answer cannot be used, where it is one.
    """

    def __init__(self, said: str, method: str | None = None) -> None:
        super().__init__(said)
        self.said = said
        self.method = method


def check_game(given: object) -> Game[Any, Any]:  # Any: each has its own options and state
    """The game, if this is one. Raises InvalidGame."""
    if isinstance(given, type):
        raise InvalidGame(f"{given.__name__} is a class: list an instance of it, {given.__name__}()")
    if not isinstance(given, Game):
        raise InvalidGame(f"{given!r} is not a Game: derive its class from engine.game.Game")
    kind = type(given)
    _check_id(getattr(given, "id", None), f"id of {kind.__name__}")
    for name, usual in vars(Game).items():
        if not (name.startswith("_") or callable(usual)) and callable(getattr(given, name)):
            raise InvalidGame(f"{given.id}.{name} is a method, and Game has an attribute of that name: rename it")
    sheet = (kind.__doc__ or "").strip()
    if not sheet:
        raise InvalidGame(f"{given.id} has no rule sheet: write its rules into the docstring of {kind.__name__}")
    if len(given.line) > _LINE:
        raise InvalidGame(f"the first line of the rule sheet of {given.id} is longer than {_LINE} characters")
    _check_options(given)
    _check_numbers(given)
    _check_hands(given)
    _check_phrases(given)
    _check_translations(given)
    return given


def check_preset(given: object, games: list[str]) -> Preset:
    """The preset, if it is one of these games. Raises InvalidGame."""
    if not isinstance(given, Preset):
        raise InvalidGame(f"{given!r} is not a Preset: write Preset(id, game, options, line)")
    _check_id(given.id, "id of a preset")
    if given.game not in games:
        raise InvalidGame(f"the preset {given.id} is of {given.game!r}, which is not a game of this file")
    _check_tile(given.tile, f"the tile of the preset {given.id}")
    return given


def check_preset_options(preset: Preset, game: Game[Any, Any]) -> None:  # Any: as above
    """Raises InvalidGame for options that the game has not."""
    try:
        read_options(game, dict(preset.options))
    except ValueError as error:
        raise InvalidGame(f"the preset {preset.id}: {error}") from None


def _check_id(given: object, what: str) -> None:
    if not isinstance(given, str) or not _ID.fullmatch(given):
        raise InvalidGame(f"the {what} is {given!r}: use a to z, 0 to 9 and _, a letter first, at most 32 characters")


def _check_options(game: Game[Any, Any]) -> None:  # Any: as above
    kind = getattr(game, "options_type", None)
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind.__struct_config__.frozen):
        raise InvalidGame(f"{game.id}.options_type must be a class such as Options(Struct, frozen=True)")
    for field in msgspec.structs.fields(kind):
        if field.required:
            raise InvalidGame(f"the option {field.name} of {game.id} has no default")
    try:
        properties = list_options(game)
        usual = msgspec.json.decode(msgspec.json.encode(kind()), type=kind)
    except (TypeError, KeyError, msgspec.MsgspecError) as error:
        raise InvalidGame(f"the options of {game.id} cannot be written as JSON: {error}") from None
    if usual != kind():
        raise InvalidGame(f"the options of {game.id} change when they are written as JSON and read again")
    for name, about in properties.items():
        if not _is_plain(about):
            raise InvalidGame(
                f"the option {name} of {game.id} has a type that no form can show: use bool, Literal[…], a whole "
                "number with ge and le, one of these or None, or give it Meta(description=…, examples=[…])"
            )


def _check_tile(given: object, what: str) -> None:
    if given is not None and (type(given) is not int or given < 1):
        raise InvalidGame(f"{what} is {given!r}: write its place among the tiles, 1 for the first, or None")


def _is_plain(about: dict[str, Any]) -> bool:  # Any: JSON Schema
    if "description" in about and about.get("examples"):
        return True
    return all(
        "enum" in kind or ("type" in kind and ("minimum" in kind) == ("maximum" in kind))
        for kind in about.get("anyOf", [about])
    )


def _check_numbers(game: Game[Any, Any]) -> None:  # Any: as above
    given: object = game.layouts
    if not (isinstance(given, tuple) and given and set(given) <= {*layouts.list_layouts()}):
        raise InvalidGame(
            f"{game.id}.layouts is {given!r}: write a tuple with some of {', '.join(layouts.list_layouts())}"
        )
    for name in ("sides", "team_size"):
        allowed: object = getattr(game, name)
        if not (isinstance(allowed, range) and len(allowed) and allowed[0] >= 1 and allowed[-1] <= _MOST_PLAYERS):
            raise InvalidGame(f"{game.id}.{name} is {allowed!r}: write a range such as range(1, 9), for 1 to 8")
    rules: object = game.rules
    if not isinstance(rules, int) or rules < 1:
        raise InvalidGame(f"{game.id}.rules is {rules!r}: write the version of its rules, 1 at first")
    if game.group not in (None, *GROUPS):
        raise InvalidGame(f"{game.id}.group is {game.group!r}: write one of {', '.join(GROUPS)}, or None")
    _check_tile(game.tile, f"{game.id}.tile")
    if game.figure not in get_args(Figure):
        raise InvalidGame(f"{game.id}.figure is {game.figure!r}: write {' or '.join(get_args(Figure))}")
    unknown = set(game.aside) - {field.encode_name for field in msgspec.structs.fields(game.options_type)}
    if unknown:
        raise InvalidGame(f"{game.id}.aside names {min(unknown)!r}, which is not one of its options")


def _check_hands(game: Game[Any, Any]) -> None:  # Any: as above
    given: object = game.hands
    if not isinstance(given, Mapping):
        raise InvalidGame(f'{game.id}.hands is {given!r}: write options with their values, such as {{"mode": "dealt"}}')
    try:
        read_options(game, dict(given))
    except ValueError as error:
        raise InvalidGame(f"{game.id}.hands: {error}") from None
    if given and not can_choose_hands(game):
        raise InvalidGame(
            f"{game.id}.hands: has_secrets returns False with these options, or True without them, for every number "
            "of sides"
        )


def _check_phrases(game: Game[Any, Any]) -> None:  # Any: as above
    try:
        given = msgspec.convert(game.phrases, Phrases)
    except msgspec.ValidationError:
        raise InvalidGame(
            f'{game.id}.phrases must look like {{"speed": {{"fast": ("{game.id}.fast", "fast")}}}}'
        ) from None
    if unknown := given.keys() - list_options(game).keys():
        raise InvalidGame(f"{game.id}.phrases names {min(unknown)!r}, which is not one of its options")
    for phrases in given.values():
        for key, template in phrases.values():
            if not key.startswith(f"{game.id}."):
                raise InvalidGame(
                    f"{game.id}.phrases has {key!r}: the keys of a game's own sentences begin with {game.id}."
                )
            if len(template) > MOST_LETTERS:
                raise InvalidGame(
                    f"{game.id}.phrases says {template!r}, which has more than {MOST_LETTERS} characters: "
                    "three must fit beside the title"
                )
            if unknown := list_places(template) - {"count", "given"}:
                raise InvalidGame(
                    f"{game.id}.phrases says {template!r}: its places are {{count}} for a number and {{given}} for a "
                    f"text, not {{{min(unknown)}}}"
                )


def _check_translations(game: Game[Any, Any]) -> None:  # Any: as above
    given: object = game.translations
    if not (isinstance(given, Mapping) and all(isinstance(each, Translation) for each in given.values())):
        raise InvalidGame(f'{game.id}.translations must look like {{"de": Translation(rules=(…,))}}')
    options = list_options(game)
    for language, words in given.items():
        what = f"{game.id}.translations[{language!r}]"
        if not (isinstance(language, str) and _LANGUAGE.fullmatch(language)):
            raise InvalidGame(f"{what}: write the code of a language, such as de")
        try:
            msgspec.convert(msgspec.structs.asdict(words), Translation)
        except msgspec.ValidationError as error:
            raise InvalidGame(f"{what}: {error}") from None
        if unknown := (words.labels.keys() | words.values.keys()) - options.keys():
            raise InvalidGame(f"{what} names {min(unknown)!r}, which is not one of its options")
        for key in words.sentences:
            if not key.startswith(f"{game.id}."):
                raise InvalidGame(
                    f"{what} has the sentence {key!r}: the keys of a game's own sentences begin with {game.id}."
                )


def check_prompt(prompt: Prompt, seats: int) -> None:
    """Raises InvalidGame for a prompt that no player can answer, which would block the table for ever."""
    if prompt.seat not in range(seats):
        raise InvalidGame(f"the prompt {prompt.id} asks seat {prompt.seat}, which does not exist", "prompts")
    if prompt.options is not None and not prompt.options:
        raise InvalidGame(f"the prompt {prompt.id} has no options", "prompts")
    if prompt.options is None and not prompt.pattern:
        raise InvalidGame(f"the prompt {prompt.id} has neither options nor a pattern", "prompts")
    if prompt.pattern is not None:
        try:
            re.compile(prompt.pattern)
        except re.error as error:
            raise InvalidGame(f"the pattern of the prompt {prompt.id} cannot be read: {error}", "prompts") from None
    if prompt.default is not None and prompt.options is not None and prompt.default not in prompt.options:
        raise InvalidGame(f"the default of the prompt {prompt.id} is not one of its options", "prompts")
