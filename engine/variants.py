"""What the options of a match differ in from what its title usually means: two that are called "501" can be told apart.

Usual are the options of the first game or preset with the same title, as the catalogue lists them; where none has it,
the defaults of the game, without those that the title says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from engine.game import Game, Preset, Seating
from engine.games import list_presets
from engine.options import list_options, read_options, write_options
from engine.phrases import tell_options
from protocol.match_spec import Unreadable
from protocol.sentence import Sentence

AnyGame = Game[Any, Any]  # Any: each has its own options and state
JSON = Mapping[str, Any]


def tell_variant(game: AnyGame, options: Any, seating: Seating | None = None) -> Sentence | None:
    """What a player should know of these options beside the title; None where they are the usual ones.

    With a `seating` they are what `resolve` made of them for these players.
    """
    return tell_options(list_differing(game, options, seating), game.phrases)


def list_differing(game: AnyGame, options: Any, seating: Seating | None = None) -> dict[str, Any]:  # Any: JSON
    """The options that are not as usual, with their values.

    Left out are those that change no rule, that stand in the title, or that follow from the others for these players.
    """
    title, known = game.title(options), write_options(game, options)
    name, usual = find_usual(game, options, seating)
    is_named = name is not None
    resolved = write_options(game, _resolve(game, usual, seating))
    differing = {name: value for name, value in known.items() if name not in game.aside and value != resolved[name]}
    left = write_options(game, usual)
    return {
        name: value
        for name, value in differing.items()
        if (is_named or not _is_in_title(game, known, name, title))
        and not (seating and _follows(game, known, name, left[name], seating))
    }


def find_usual(game: AnyGame, options: Any, seating: Seating | None = None) -> tuple[str | None, Any]:
    """The name of the game or preset whose title these options have, and its options; None and the defaults if none."""
    title = game.title(options)
    for name, usual in _list_usual(game):
        if game.title(_resolve(game, usual, seating)) == title:
            return name, usual
    return None, game.options_type()


def find_preset(game: AnyGame, options: Any, seating: Seating | None = None) -> Preset | None:
    """The preset that is just this match; None if there is none."""
    for preset in list_presets(game.id):
        with suppress(Unreadable):
            if _resolve(game, read_options(game, dict(preset.options)), seating) == options:
                return preset
    return None


def _list_usual(game: AnyGame) -> Iterator[tuple[str, Any]]:  # Any: options
    yield game.id, game.options_type()
    for preset in list_presets(game.id):
        with suppress(Unreadable):
            yield preset.id, read_options(game, dict(preset.options))


def _resolve(game: AnyGame, options: Any, seating: Seating | None) -> Any:  # Any: options
    """The options as these players would play with them; as they are where they cannot."""
    if seating is not None:
        with suppress(ValueError):
            return game.resolve(options, seating)
    return options


def _is_in_title(game: AnyGame, known: JSON, name: str, title: str) -> bool:
    """Whether the title would be another with any other value of this option; of a number, with the usual one."""
    about = list_options(game)[name]
    others = [each for each in about.get("enum", ()) if each != known[name]] or [about.get("default")]
    with suppress(ValueError):
        return all(game.title(read_options(game, {**known, name: other})) != title for other in others)
    return False


def _follows(game: AnyGame, known: JSON, name: str, usual: object, seating: Seating) -> bool:
    """Whether these players would play with this value of the option, too, if only the others had been chosen."""
    with suppress(ValueError):
        left = game.resolve(read_options(game, {**known, name: usual}), seating)
        return bool(write_options(game, left)[name] == known[name])
    return False
