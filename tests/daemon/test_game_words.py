"""What players read of a game is there in every language, and names options as the form does.

Who adds a game without speaking a language puts its id into UNTRANSLATED: players of it read it in English until then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

import aiohttp
import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import fields, replace

from daemon.http.limits import ConnectionLimit
from daemon.http.messages import HttpRequest, HttpResponse, find_route
from daemon.languages import LANGUAGES, translate
from daemon.languages.game_words import (
    AnyGame,
    check_sheet,
    find_wins,
    is_word,
    list_values,
    name_options,
    read_games,
    read_options,
    tell_game,
)
from daemon.web.page_files import PageFiles
from engine import games, options
from engine.game import Translation
from engine.games import GAMES, PRESETS
from engine.options import list_options
from protocol.sentence import say
from tests.daemon.serving import serve_http
from tests.engine.toy import Toy
from tests.english_words import list_shipped_games, preset_lines, read_sheets

UNTRANSLATED: dict[str, set[str]] = {"de": set(), "nl": set(), "fr": set(), "es": set()}
OTHERS = [language for language in LANGUAGES if language != "en"]
SHIPPED = list_shipped_games()
_ASIDE = re.compile(r" \([^)]*\)")
LEVEL = (
    "`When level`: sides that are level share the win; "
    "with `One more round` they play another round until one is ahead."
)
LAST = "After the last round (`Rounds`: {}) the highest total wins."
CUT_THROAT = (
    "`Scoring`: with `Cut throat` your points go to every opponent who has the row open, and you win when you have "
    "closed all rows and no opponent has fewer points."
)


@pytest.mark.parametrize("language", OTHERS)
def test_every_game_and_preset_is_translated_and_none_is_left_over(language: str) -> None:
    told, waiting = read_games(language), UNTRANSLATED.get(language, set())
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
    assert list(check_sheet(game, language)) == []


class NearbyOptions(Struct, frozen=True):
    """What is said of them in the sheet below is wrong."""

    goal: bool = True
    way: Literal["slow", "quick"] = "slow"


class Nearby(Toy):
    """Hit a bed near the goal.

    The `Goall` says when it is over; `Way` how, and `Way` again.

    Source: made up for this test.
    """

    id = "nearby"
    translations: ClassVar[Mapping[str, Translation]] = {
        "en": Translation(labels={"way": "Goal"}),
        "de": Translation(
            rules=("Triff in die Nähe.", "Bis zum `Ziel`, `Wie` zählt `Schnell`."),
            labels={"goal": "Ziel", "way": "Wie"},
            values={"way": {"quick": "Schnell"}},
            sentences={"nearby.aim": "Noch {{points}}", "nearby.wrong": "Noch {{punkte}}"},
        ),
    }

    options_type = NearbyOptions  # type: ignore[assignment]


def test_a_sheet_that_calls_an_option_otherwise_than_the_form_does_is_noticed() -> None:
    game = Nearby()
    assert list(check_sheet(game, "en")) == [
        "two options are called Goal, one of them goal",
        "two options are called Goal, one of them way",
        "the rule sheet names `Goall`, which is shown as no option and no value; did you mean 'Goal'?",
        "the rule sheet names `Way`, which is shown as no option and no value; possible here: Goal, Quick, Slow",
    ]
    assert list(check_sheet(game, "de")) == []


def test_a_game_of_a_third_party_brings_its_own_words_or_is_told_in_english() -> None:
    game = Toy()
    told = tell_game(game, None, "de")
    assert (told.language, told.line, told.rules) == ("en", game.line, game.rule_sheet)
    own = tell_game(Nearby(), None, "de")
    assert (own.language, own.line) == ("de", "Triff in die Nähe.")
    assert name_options(Nearby(), "de")["way"].values == {"slow": "Slow", "quick": "Schnell"}


@pytest.fixture
def nearby() -> Iterator[None]:
    games.add(Nearby(), ())
    yield
    games.forget_added()


@pytest.mark.usefixtures("nearby")
async def test_its_sentences_reach_the_page_and_every_other_display() -> None:
    assert translate(say("nearby.aim", "{points} left", points=5), "de") == "Noch 5"
    assert translate(say("nearby.other", "Another way"), "de") == "Another way"
    assert translate(say("nearby.wrong", "{points} left", points=5), "de") == "5 left", "it has no such place"
    routes = PageFiles().routes

    async def respond(request: HttpRequest) -> HttpResponse:
        return await find_route(routes, request).respond(request)

    async with (
        serve_http(respond, ConnectionLimit(each=9, most=9)) as port,
        aiohttp.request("GET", f"http://127.0.0.1:{port}/static/de.json") as answer,
    ):
        told = await answer.json()
    assert told["nearby"]["aim"] == "Noch {{points}}"
    assert told["task"]["takeout"] == translate(say("task.takeout", "Pull your darts"), "de")


def test_choices_stand_in_the_order_of_the_type() -> None:
    for game in SHIPPED:
        hints = get_type_hints(game.options_type)
        for field in fields(game.options_type):
            for choice in (hints[field.name], *get_args(hints[field.name])):
                if get_origin(choice) is Literal:
                    key = field.encode_name
                    about = list_options(game)[key]
                    (values,) = [each["enum"] for each in about.get("anyOf", [about]) if "enum" in each]
                    assert values == list(get_args(choice)), (game.id, key)


def test_an_option_is_called_as_it_is_in_this_game() -> None:
    assert name_options(GAMES["football"], "de")["bull"].label == "Bull für den Ballgewinn"
    assert name_options(GAMES["x01"], "de")["bull"].label == "Bull"
    assert name_options(GAMES["x01"], "en")["tie"].values == {
        "share": "Share the win",
        "one_more_round": "One more round",
        "deciding_visit": "Deciding visit",
        "highest_visit": "Highest visit",
    }
    assert tell_game(GAMES["knockout"], PRESETS["legs"], "de").line.startswith("Schlag die Aufnahme vor dir")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_says_how_one_wins_in_two_sentences_of_its_rules(language: str) -> None:
    for name in (*(game.id for game in SHIPPED), *PRESETS):
        found, preset = games.game(name), PRESETS.get(name)
        told, names = tell_game(found, preset, language), name_options(found, language)
        chosen = msgspec.to_builtins(options.read_options(found, dict(preset.options) if preset else {}))
        wins = find_wins(found, told, names, chosen)
        assert 1 <= len(wins) <= 2, name
        rules = _ASIDE.sub("", re.sub(r"[ \n]+", " ", told.rules))  # these have the numbers that were chosen
        assert all(_ASIDE.sub("", each) in rules for each in wins), name


def test_a_language_without_words_for_winning_shows_no_sentence() -> None:
    found = GAMES["cricket"]
    told, names = tell_game(found, None, "en"), name_options(found, "en")
    chosen = msgspec.to_builtins(found.options_type())
    assert find_wins(found, replace(told, language="it"), names, chosen) == []


@pytest.mark.parametrize(
    ("name", "given", "wins"),
    [
        ("501", {}, ["The first side to reach exactly zero wins the leg."]),
        (
            "501",
            {"rounds": 12},
            [
                "The first side to reach exactly zero wins the leg.",
                "With a limit of `Rounds` the lowest score wins after the last one.",
            ],
        ),
        ("cricket", {}, ["You win when you have closed all seven rows and no opponent has more points."]),
        ("cricket", {"scoring": "cut_throat"}, [CUT_THROAT]),
        (
            "equal_501",
            {},
            [
                "If several sides go out in the same round, the one that needed the fewest darts in its visit wins.",
                LEVEL,
            ],
        ),
        ("count_up", {}, [LAST.format(8)]),
        ("high_score", {}, [LAST.format(7)]),
        ("nine_dart_shootout", {}, [LAST.format(3)]),  # that those who are level share the win is so as usual only
    ],
)
def test_how_one_wins_is_told_for_the_options(name: str, given: dict[str, Any], wins: list[str]) -> None:
    found, preset = games.game(name), PRESETS.get(name)
    chosen = msgspec.to_builtins(options.read_options(found, {**(preset.options if preset else {}), **given}))
    assert find_wins(found, tell_game(found, None, "en"), name_options(found, "en"), chosen) == wins


def test_how_one_wins_keeps_the_spaces_of_french() -> None:
    found, names = GAMES["count_up"], name_options(GAMES["count_up"], "fr")
    told, chosen = tell_game(found, None, "fr"), msgspec.to_builtins(options.read_options(found, {"rounds": 5}))
    assert find_wins(found, told, names, chosen) == [
        "Après le dernier tour (`Tours`\u00a0: 5), le total le plus haut gagne."
    ]
    told = replace(told, rules="...\n\nLe meilleur\ngagne\u202f!\n\n...")
    assert find_wins(found, told, names, chosen) == ["Le meilleur gagne\u202f!"]
