"""What players read of a game: its line, its rule sheet, and what its options and their values are called.

`options/<code>.json` has the names of options; an option that several games have may have another name in one of them,
under `option_game` (a context of i18next). What is not named there is named by its key: `cut_throat` is "Cut throat".
`games/<code>.json` has the rule sheets, a list of paragraphs each, and the lines of the presets. English ones stand in
the games themselves; `games/en.json` is written from them for translators. A game of a third
party brings its own, or is shown in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from engine.game import Game, Preset, Translation
from engine.options import list_options, write_options
from protocol.spelling import suggest_nearest

FOLDER = Path(__file__).parent
AnyGame = Game[Any, Any]  # Any: each has its own options and state
T = TypeVar("T")
_MARKED = re.compile(r"`([^`]+)`")
_WINS = {
    "en": re.compile(r"\b(?:wins?|winner|won)\b"),
    "de": re.compile(r"\b(?:gewinn\w*|Sieg\w*|siegt)\b"),
    "nl": re.compile(r"\b(?:win|wint|winnen|winnaars?|winst|gewonnen)\b"),
    "fr": re.compile(r"\b(?:gagn\w+|victoires?|vainqueurs?)\b"),
    "es": re.compile(r"\b(?:[Gg]ana\w*|[Vv]ictorias?)\b"),
}
"""What a sentence has in it that says how one wins; a language without it has none of them."""
_COLON = {"fr": "\u00a0:"}
"""How a colon is written after a label, where it is not written as in English."""
_SPACE = re.compile(r"[ \n]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_ASIDE = re.compile(r"\([^)]*\)")
_MOST_WINS = 2
_WORD = re.compile(r"[a-z]+(_[a-z\d]+)*")


class OptionNames(Struct, frozen=True):
    """What an option is called, and those of its values that have a name: texts, and `null`.

    `hint` is what is to be typed, where that cannot be chosen.
    """

    label: str
    values: dict[str, str]
    hint: str = ""


class GameText(Struct, frozen=True):
    """A game or a preset in one language, the one that it was found in.

    `line` says what it is, `rules` is its sheet, with an empty line between paragraphs.
    """

    language: str
    line: str
    rules: str


class _OptionTexts(Struct, frozen=True):
    label: dict[str, str]
    value: dict[str, dict[str, str]]
    hint: dict[str, str]


def tell_game(game: AnyGame, preset: Preset | None, language: str) -> GameText:
    """Returns what the game says of itself, or of this preset, in this language; in English where it has no words."""
    texts = read_games(language).get(game.id) or game.translations.get(language)
    line = (texts.presets.get(preset.id) if preset else texts.rules[0]) if texts and texts.rules else None
    if texts is None or line is None:
        return GameText("en", preset.line if preset else game.line, game.rule_sheet)
    return GameText(language, line, "\n\n".join(texts.rules))


def name_options(game: AnyGame, language: str) -> dict[str, OptionNames]:
    """Returns the names of the game's options, by option."""
    return {key: name_option(game, key, about, language) for key, about in list_options(game).items()}


def name_option(game: AnyGame, key: str, about: Mapping[str, Any], language: str) -> OptionNames:  # Any: JSON Schema
    """Returns the names of this option of the game; `about` is its schema."""
    texts, own = read_options(language), game.translations.get(language, Translation())
    return OptionNames(
        own.labels.get(key) or texts.label.get(f"{key}_{game.id}") or texts.label.get(key) or _spell_out(key),
        {value: name for value in list_values(about) if (name := _name_value(texts, own, key, value))},
        texts.hint.get(key) or about.get("description", ""),
    )


def list_values(about: Mapping[str, Any]) -> Iterator[str]:  # Any: JSON Schema
    """Yields the values of an option that are texts, and `null` where it may be that."""
    for each in about.get("anyOf", [about]):
        yield from (value for value in each.get("enum", ()) if isinstance(value, str))
        if each.get("type") == "null":
            yield "null"


def is_word(value: str) -> bool:
    """Whether a value is a word of English, so that other languages have their own; 25/50 and 1-20 are none."""
    return bool(_WORD.fullmatch(value))


@cache
def read_games(language: str) -> Mapping[str, Translation]:
    """Returns the translated games; none for English, which is in the games."""
    return {} if language == "en" else _read("games", language, dict[str, Translation])


@cache
def read_options(language: str) -> _OptionTexts:
    """Returns the names of options in this language."""
    return _read("options", language, _OptionTexts)


def _read(folder: Literal["games", "options"], language: str, kind: type[T]) -> T:
    return msgspec.json.decode((FOLDER / folder / f"{language}.json").read_bytes(), type=kind)


def _name_value(texts: _OptionTexts, own: Translation, key: str, value: str) -> str | None:
    named = own.values.get(key, {}).get(value) or texts.value.get(key, {}).get(value)
    return named or (_spell_out(value) if value != "null" and is_word(value) else None)


def _spell_out(key: str) -> str:
    return key.replace("_", " ").capitalize()


def find_wins(game: AnyGame, text: GameText, names: Mapping[str, OptionNames], chosen: Mapping[str, Any]) -> list[str]:
    """Returns at most two sentences of a rule sheet that say how one wins with these options.

    One that is for a value of an option is among them if that was chosen, and takes the place of those for all. One
    that says what is so as usual is left out if another value was chosen. Numbers that can be chosen are those that
    were.
    """
    wins = _WINS.get(text.language)
    if wins is None:
        return []
    usual = write_options(game, game.options_type())
    keys = {each.label: key for key, each in names.items()}
    changed = {key for key in names if chosen[key] != usual[key]}
    values = {name for each in names.values() for name in each.values.values()}
    having_values = {key for key, each in names.items() if each.values.keys() - {"null"}}
    active = {each.values.get(str(chosen[key])): key for key, each in names.items()}
    colon = _COLON.get(text.language, ":")
    always, own, added = list[str](), list[str](), list[str]()
    for paragraph in text.rules.split("\n\n")[1:-1]:
        condition: set[str] = set()
        for written in _SENTENCE.split(_SPACE.sub(" ", paragraph)):
            sentence = _ASIDE.sub(lambda aside: _say_chosen(aside[0], keys, chosen, colon), written)
            plain = _ASIDE.sub("", sentence)
            marked = set(_MARKED.findall(plain))
            labels = {
                keys[word]
                for word in marked & keys.keys()
                if _is_condition(plain, f"`{word}`{colon}", usual[keys[word]])
            }
            condition = marked & values or (set() if labels else condition)
            is_usual = any(keys[word] in changed & having_values for word in marked & keys.keys())
            if not wins.search(plain) or (is_usual and not marked & values):
                continue
            if condition:
                if condition <= active.keys():
                    (own if changed & {active[value] for value in condition} else added).append(sentence)
            elif labels:
                added += [sentence] if labels <= changed else []
            else:
                always.append(sentence)
    found = [*(own or always[:1]), *added, *always[1:]] if not own or added else own
    return found[:_MOST_WINS]


def _say_chosen(aside: str, keys: Mapping[str, str], chosen: Mapping[str, Any], colon: str) -> str:
    """Returns an aside on an option that is a number with the number that was chosen, in place of what can be."""
    label = next(iter(_MARKED.findall(aside)), "")
    value = chosen.get(keys.get(label, ""))
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return f"(`{label}`{colon} {value})" if is_number and aside.startswith(f"(`{label}`") else aside


def _is_condition(sentence: str, named: str, usual: object) -> bool:
    """Whether a sentence with a label is only for a changed option: a label with a colon names what has values."""
    return isinstance(usual, bool) or named not in sentence


def check_sheet(game: AnyGame, language: str) -> Iterator[str]:
    """Yields what players would look for in vain: an option that its rule sheet in this language names otherwise."""
    names = name_options(game, language)
    labels = [each.label for each in names.values()]
    known = {*labels, *(value for each in names.values() for value in each.values.values())}
    marked = list(dict.fromkeys(_MARKED.findall(" ".join(tell_game(game, None, language).rules.split()))))
    for key, each in names.items():
        if labels.count(each.label) > 1:
            yield f"two options are called {each.label}, one of them {key}"
        elif each.label not in marked:
            yield f"the rule sheet does not name the option {key}, which is shown as `{each.label}`"
    for word in marked:
        if word not in known:
            meant = suggest_nearest(word, sorted(known))
            yield f"the rule sheet names `{word}`, which is shown as no option and no value{meant}"
