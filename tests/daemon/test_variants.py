"""What is told beside a title: matches that are called alike are told apart, in a few letters, in every language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from random import Random
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from daemon.languages import LANGUAGES, translate
from daemon.languages.game_words import AnyGame, find_wins, name_options, tell_game
from daemon.snapshot import take_snapshot
from engine.game import Preset, Translation
from engine.games import GAMES, PRESETS, add, forget_added, game
from engine.options import list_options, read_options, write_options
from engine.phrases import MOST_LETTERS, Phrases
from engine.variants import list_differing, tell_variant
from protocol.sentence import Sentence
from tests.engine.records import Record, header

MOST = 60
DRAWS = 40
"""Of random options, for each game."""


def say(found: AnyGame, options: Any, language: str = "en") -> str:  # Any: each has its own options
    sentence = tell_variant(found, options)
    return translate(sentence, language) if sentence else ""


def draw_options(found: AnyGame, random: Random) -> dict[str, Any]:  # Any: JSON
    """Some options that a record can have: a few differ, or nearly all."""
    share = random.random()
    about = {name: kind for name, kind in list_options(found).items() if name not in found.aside}
    return {name: draw_value(kind, random) for name, kind in about.items() if random.random() < share}


def draw_value(about: dict[str, Any], random: Random) -> Any:  # Any: JSON
    if "examples" in about:
        return random.choice(about["examples"])
    if "anyOf" in about:
        return draw_value(random.choice(about["anyOf"]), random)
    if "enum" in about:
        return random.choice(about["enum"])
    if "minimum" in about:
        return random.choice((about["minimum"], about["maximum"], random.randint(about["minimum"], about["maximum"])))
    return {"boolean": random.random() < 0.5, "null": None, "string": "D16"}[about["type"]]


def list_drawn(found: AnyGame) -> Iterator[Any]:  # Any: each has its own options
    random = Random(found.id)
    for _ in range(DRAWS):
        yield read_options(found, draw_options(found, random))


@pytest.mark.parametrize("found", [GAMES[name] for name in GAMES], ids=list(GAMES))
def test_it_is_short_and_in_words_for_any_options(found: AnyGame) -> None:
    told, titles = 0, set[str]()
    for options in list_drawn(found):
        titles.add(found.title(options))
        sentence = tell_variant(found, options)
        if sentence is None:
            continue
        told += 1
        for said in (translate(sentence, language) for language in LANGUAGES):
            assert len(said) <= MOST, said
            for part in said.removesuffix(" …").split(" · "):
                assert 0 < len(part) <= MOST_LETTERS, said
        assert sentence.key not in FALLBACKS, sentence
        assert not FALLBACKS & {getattr(value, "key", "") for value in sentence.values.values()}, sentence
    assert told or len(titles) > 1 or not list_options(found).keys() - found.aside


FALLBACKS = {"variant.option", "variant.with", "variant.without"}
"""What is told of an option without a phrase, as third parties may have."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_those_with_one_title_are_told_apart_and_the_first_is_usual(language: str) -> None:
    by_title = defaultdict[str, dict[str, str]](dict)
    for name in (*GAMES, *PRESETS):
        found = game(name)
        options = read_options(found, dict(PRESETS[name].options) if name in PRESETS else {})
        written = {key: value for key, value in msgspec.to_builtins(options).items() if key not in found.aside}
        by_title[f"{found.id} {found.title(options)}"][msgspec.json.encode(written).decode()] = say(
            found, options, language
        )
    for title, said in by_title.items():
        assert len(set(said.values())) == len(said), title
        assert list(said.values()).count("") == 1, title
    assert len(by_title["x01 501"]) == 6


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("501", {}, ""),
        ("soft_501", {}, "straight out · fat bull · 15 rounds"),
        ("equal_501", {}, "equal turns · one more round"),
        ("double_in_301", {}, "double in"),
        ("quickie_301", {"rounds": 12}, "12 rounds"),
        ("501", {"rounds": 1}, "1 round"),
        ("501", {"starts": [501, 301]}, "handicap"),
        ("501", {"bust_counts_3": True, "doubles": [[16]]}, ""),  # they change no rule
        ("x01", {"start": 345}, ""),  # the title says it
        ("x01", {"start": 345, "out": "master"}, "master out"),
        ("freeze_301", {}, ""),
        ("freeze_301", {"freeze": "bust"}, "freeze is bust"),
        ("new_team_cricket", {}, "one may close"),
        ("mickey_mouse", {}, ""),
        ("mickey_mouse", {"scoring": "cut_throat"}, "cut-throat · lowest 12"),  # that is called Tactics
        ("501", {"in": "double", "out": "master", "bull": "50/50", "rounds": 9}, "double in · master out · fat bull …"),
    ],
)
def test_what_is_told(name: str, options: dict[str, Any], said: str) -> None:
    found = game(name)
    chosen = {**(PRESETS[name].options if name in PRESETS else {}), **options}
    assert say(found, read_options(found, chosen)) == said


def test_what_depends_on_the_players_is_usual_for_them() -> None:
    """Dards of two is played as rapid Dards, and nobody has chosen that."""
    assert Record(header("dards")).state["variant"] is None
    chosen = Record(header("dards", options={"mode": "dealt"}))
    assert chosen.state["variant"]["text"] == "dealt cards"


def test_a_state_tells_it_with_key_and_values() -> None:
    usual = Record(header("x01"))
    assert usual.state["variant"] is None
    several = Record(header("x01", options={"in": "double", "rounds": 12}))
    assert several.state["variant"] == {
        "key": "variant.two",
        "values": {
            "first": {"key": "variant.double_in", "values": {}, "text": "double in"},
            "second": {"key": "variant.rounds", "values": {"count": 12}, "text": "12 rounds"},
        },
        "text": "double in · 12 rounds",
    }
    state = take_snapshot(several.match)
    assert state.variant is not None
    assert translate(state.variant, "de") == "Double In · 12 Runden"


class Pace(Struct, frozen=True, forbid_unknown_fields=True):
    speed: Literal["usual", "quick"] = "usual"
    rounds: Annotated[int, Meta(ge=1, le=20)] = 8
    loud_music: bool = False
    lamps: Annotated[int, Meta(ge=0, le=9)] = 1


class Pacing(type(GAMES["bobs_27"])):  # type: ignore[misc]  # its rules do not matter here
    """A game of a third party.

    It is told beside the title.
    """

    id = "pacing"
    options_type = Pace
    phrases: ClassVar[Phrases] = {"speed": {"quick": ("pacing.quick", "at a run")}}
    translations: ClassVar[Mapping[str, Translation]] = {
        "de": Translation(
            sentences={"pacing.quick": "im Lauf", "pacing.laps_one": "{count} Bahn", "pacing.laps": "{count} Bahnen"}
        ),
        "fr": Translation(sentences={"pacing.laps_one": "{count} tour", "pacing.laps_other": "{count} tours"}),
    }

    def title(self, options: Pace) -> str:
        return "Pacing"


@pytest.fixture
def pacing() -> Iterator[AnyGame]:
    found: AnyGame = Pacing()
    add(found, [Preset("pacing_late", "pacing", {"rounds": 20}, "Late.")])
    yield found
    forget_added()


def test_a_game_of_a_third_party_has_its_own_phrases_ours_or_the_names_of_its_options(pacing: AnyGame) -> None:
    for options, english, german in (
        ({"rounds": 20}, "20 rounds", "20 Runden"),
        ({"rounds": 20, "speed": "quick"}, "at a run · 20 rounds", "im Lauf · 20 Runden"),
        ({"loud_music": True}, "loud music", "loud music"),
        ({"lamps": 3, "speed": "quick"}, "at a run · lamps 3", "im Lauf · lamps 3"),
    ):
        chosen = read_options(pacing, options)
        assert (say(pacing, chosen), say(pacing, chosen, "de")) == (english, german)


@pytest.mark.parametrize(
    ("language", "said"),
    [("de", ["0 Bahnen", "1 Bahn", "2 Bahnen"]), ("fr", ["0 tour", "1 tour", "2 tours"])],
)
def test_a_language_has_its_own_counts_of_one(pacing: AnyGame, language: str, said: list[str]) -> None:
    laps = [Sentence("pacing.laps", "{count} laps", {"count": count}) for count in range(3)]
    assert [translate(each, language) for each in laps] == said


class Mixed(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Names of options that ours have, too, with values of other kinds."""

    start: Literal["low", "high"] = "low"
    rounds: Literal["short", "long"] = "short"
    target: Annotated[float, Meta(ge=0, le=9)] = 1.0
    goal: Annotated[int, Meta(ge=1, le=9)] | None = 3
    allow_negative: bool = False


class Mixing(type(GAMES["bobs_27"])):  # type: ignore[misc]  # as above
    """A game of a third party that was written before there were phrases.

    The last one wins.

    Source: a third party.
    """

    id = "mixing"
    options_type = Mixed
    phrases: ClassVar[Phrases] = {"goal": {"*": ("mixing.goal", "to {count}")}}

    def title(self, options: Mixed) -> str:
        return "Mixing"


@pytest.fixture
def mixing() -> Iterator[AnyGame]:
    found: AnyGame = Mixing()
    add(found, [])
    yield found
    forget_added()


def test_an_option_called_like_ours_may_have_values_of_another_kind(mixing: AnyGame) -> None:
    for options, said in (
        ({"start": "high"}, "start high"),
        ({"rounds": "long"}, "rounds long"),
        ({"target": 2.5}, "target 2.5"),
        ({"goal": None}, "no goal"),
        ({"goal": 5}, "to 5"),
    ):
        assert say(mixing, read_options(mixing, options)) == said


def test_options_that_are_left_out_by_default_are_told_like_others(mixing: AnyGame) -> None:
    assert Record(header("mixing")).state["variant"] is None
    chosen = Record(header("mixing", options={"goal": 5})).match
    assert list_differing(mixing, chosen.options, chosen.seating) == {"goal": 5}
    text, names = tell_game(mixing, None, "en"), name_options(mixing, "en")
    assert find_wins(mixing, text, names, write_options(mixing, chosen.options)) == ["The last one wins."]
