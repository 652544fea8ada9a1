"""What players read of a game is there in every language, and names options as the form does.

Who adds a game without speaking a language puts its id into UNTRANSLATED: players of it read it in English until then.
"""

from __future__ import annotations

import re

import pytest

from daemon.languages import LANGUAGES
from daemon.languages.game_words import (
    AnyGame,
    is_word,
    list_options,
    list_values,
    name_options,
    read_games,
    read_options,
    tell_game,
)
from engine.games import GAMES, PRESETS
from tests.engine.toy import Toy
from tests.english_words import list_shipped_games, preset_lines, read_sheets

UNTRANSLATED: dict[str, set[str]] = {"de": set()}
OTHERS = [language for language in LANGUAGES if language != "en"]
SHIPPED = list_shipped_games()


def sheet(game: AnyGame, language: str) -> str:
    """Its rule sheet without the breaks of lines."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", tell_game(game, None, language).rules)


@pytest.mark.parametrize("language", OTHERS)
def test_every_game_and_preset_is_translated_and_none_is_left_over(language: str) -> None:
    told, waiting = read_games(language), UNTRANSLATED[language]
    assert told.keys() == {game.id for game in SHIPPED} - waiting, "see CONTRIBUTING.md: What players read"
    english = read_sheets()
    for game in SHIPPED:
        if game.id not in waiting:
            assert told[game.id].presets.keys() == preset_lines(game).keys(), game.id
            assert len(told[game.id].rules) == len(english[game.id].rules), f"the paragraphs of {game.id}"
            lines = [told[game.id].rules[0], *told[game.id].presets.values()]
            assert not [line for line in lines if len(line) > 100 or not line.endswith(".")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_option_and_value_has_a_name_and_none_is_left_over(language: str) -> None:
    texts = read_options(language)
    keys = {(game.id, key) for game in SHIPPED for key in list_options(game)}
    known = {key for _, key in keys} | {f"{key}_{game}" for game, key in keys}
    values = {
        (key, value) for game in SHIPPED for key, about in list_options(game).items() for value in list_values(about)
    }
    named = {(key, value) for key, names in texts.value.items() for value in names}
    assert texts.label.keys() <= known
    assert texts.hint.keys() <= known
    assert named <= values
    if language != "en":
        assert {key for game, key in keys if not {key, f"{key}_{game}"} & texts.label.keys()} == set()
        assert {(key, value) for key, value in values if is_word(value) or value == "null"} <= named
        hinted = {key for game in SHIPPED for key, about in list_options(game).items() if about.get("description")}
        assert hinted == texts.hint.keys()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", SHIPPED, ids=lambda game: game.id)
def test_a_rule_sheet_names_each_option_by_its_label(game: AnyGame, language: str) -> None:
    names = name_options(game, language)
    labels = [each.label for each in names.values()]
    marked = set(re.findall(r"`([^`]+)`", sheet(game, language)))
    assert len(set(labels)) == len(labels), "two options are called the same"
    assert set(labels) <= marked
    assert marked <= {*labels, *(value for each in names.values() for value in each.values.values())}


def test_a_game_of_a_third_party_is_told_in_english() -> None:
    game = Toy()
    told = tell_game(game, None, "de")
    assert (told.language, told.line, told.rules) == ("en", game.line, game.rule_sheet)


def test_an_option_is_called_as_it_is_in_this_game() -> None:
    assert name_options(GAMES["football"], "de")["bull"].label == "Bull für den Ball"
    assert name_options(GAMES["x01"], "de")["bull"].label == "Bull"
    assert name_options(GAMES["x01"], "en")["tie"].values == {
        "share": "Share the win",
        "one_more_round": "One more round",
    }
    assert tell_game(GAMES["knockout"], PRESETS["legs"], "de").line.startswith("Schlag die Aufnahme vor dir")
