"""A registered game is complete: a player, a form, a checker and a display find in it what they need, and it ends."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from msgspec.structs import fields

import daemon
from daemon.languages.game_words import name_options
from engine.game import GROUPS
from engine.games import GAMES, ORDERS, PRESETS, game, is_handicapped, read_variant, variant
from engine.hands import can_choose_hands, find_hands
from engine.options import read_options
from tests.engine.records import Record, header
from tests.engine.side_by_side import PAIRS, play_out
from tests.engine.test_transcripts import NAMES, played
from tests.source_table import HOUSE_RULE, Sourced, list_house_rules, list_sourced

FACES = Path(daemon.__file__).parent / "web" / "page" / "faces" / "faces.js"
LEAST = 3
TRANSCRIPTS = Counter(name.partition("/")[0] for name in NAMES)


def faces() -> set[str]:
    """The faces that the page knows."""
    text = FACES.read_text(encoding="utf-8")
    shared = re.search(r"SHARED = new Map\(Object\.entries\(\{(.*?)\}\)\)", text)
    assert shared, "faces.js lists the faces that games share in one object"
    return set(re.findall(r"\w+", shared[1])).union(re.findall(r"(\w+): \(\) => import\(", text))


def lacks(name: str) -> list[str]:
    """What this game is without."""
    rules = GAMES[name]
    sheet = rules.rule_sheet.splitlines()
    schema = msgspec.json.schema(rules.options_type)
    options: dict[str, Any] = schema["$defs"][rules.options_type.__name__]["properties"]  # Any: JSON Schema
    told = {option for each in NAMES if each.startswith(f"{name}/") for option in played(each).options}
    players = ("Ann", "Bo", "Cy", "Di")[: max(2, rules.sides[0]) if 2 in rules.sides else rules.sides[0]]
    face = Record(header(name, players=players)).match.panel().face
    missing = {
        "a rule sheet": len(sheet) > 5,
        "a first line that says what it is": len(rules.line) <= 90 and rules.line.endswith(".") and not sheet[1],
        "the source of its rules": sheet[-1].startswith("Source: "),
        "a schema with a default for every option": all("default" in option for option in options.values()),
        "a group in the lobby": rules.group in GROUPS or name in ORDERS.values(),
        f"{LEAST} transcripts": TRANSCRIPTS[name] >= LEAST,
        f"the face {face!r} on the page": face in faces(),
        **{
            f"a word on {each.label}": f"`{each.label}`" in " ".join(rules.rule_sheet.split())
            for each in name_options(rules, "en").values()
        },
        **{f"`{option}` in a transcript": option in told for option in options},
    }
    return [what for what, is_there in missing.items() if not is_there]


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_whole(name: str) -> None:
    assert not (missing := lacks(name)), f"{name} lacks {', '.join(missing)}"


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_a_game_with_options_that_it_has(name: str) -> None:
    preset = PRESETS[name]
    assert name not in GAMES
    assert len(preset.line) <= 90
    assert preset.line.endswith(".")
    plain = read_options(GAMES[preset.game], {})
    assert read_options(game(name), dict(preset.options)) != plain or name == "501", "it differs from the game itself"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("fox_hunt", {"way": "doubles", "hare": 20}),
        ("football_field", {"fields": [20, 20]}),
        ("fifteen_contracts", {"contracts": "C 20 57 19 3S 18 3R 17 3C 16 T 15 D 14 B".split()}),
    ],
)
def test_options_that_change_nothing_make_no_variant(name: str, options: dict[str, Any]) -> None:
    match = Record(header(name, options=options)).match
    assert variant(match.game, match.options) == name


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_plays_as_its_game_with_its_options(name: str) -> None:
    preset = PRESETS[name]
    among: dict[str, Any] = {"players": ("Ann", "Bo", "Cy", "Di"), "teams": PAIRS} if name in FOR_PAIRS else {}
    given = Record(header(name, **among))
    assert given.encoded() == Record(header(preset.game, options=preset.options, **among)).encoded()
    assert (given.state["game"], given.state["phase"] == "over") == (preset.game, False)
    assert preset.game != "x01" or str(given.state["sides"][0]["score"]) in name


@pytest.mark.parametrize("each", list_sourced(), ids=lambda each: f"{each.game} {each.file.stem}")
def test_a_match_with_a_source_is_whole_and_names_what_was_read(each: Sourced) -> None:
    *_, last = [json.loads(line) for line in each.file.read_text(encoding="utf-8").splitlines()]
    assert last["state"]["phase"] == "over"
    assert last["state"]["winners"], "who has won, as the source says"
    own_line = GAMES[each.game].rule_sheet.splitlines()[-1]
    assert urlsplit(each.source).hostname or own_line == f"Source: {each.source}."


@pytest.mark.parametrize("name", GAMES)
def test_what_no_match_with_a_source_plays_is_called_a_house_rule(name: str) -> None:
    if without := list_house_rules(name):
        own_line = GAMES[name].rule_sheet.splitlines()[-1]
        assert HOUSE_RULE in own_line, f"{', '.join(without)}: play it in a transcript with a source, or call it so"


MOST = 2000
ALL = sorted({*GAMES, *PRESETS})
FOR_PAIRS = {"freeze_301", "team_cricket", "new_team_cricket"}


def least(name: str) -> int:
    """As few players as it takes, but two where two can play."""
    sides = game(name).sides
    return 2 if 2 in sides else sides[0]


@pytest.mark.parametrize("name", GAMES)
def test_good_players_finish(name: str) -> None:
    assert play_out(name, 12, "oche", MOST, least(name)).position.over


@pytest.mark.long
@pytest.mark.parametrize("sigma_mm", [8, 40])  # two who never miss could tie for ever
@pytest.mark.parametrize("name", ALL)
def test_players_of_every_skill_finish(name: str, sigma_mm: float) -> None:
    in_pairs = name in FOR_PAIRS
    for seed in "ab":
        players, teams = (4, PAIRS) if in_pairs else (least(name), None)
        assert play_out(name, sigma_mm, seed, 10 * MOST, players, teams).position.over


def game_told(name: str, **options: Any) -> str:  # Any: JSON
    chosen = game(name)
    given = {**PRESETS[name].options, **options} if name in PRESETS else options
    return variant(chosen, read_options(chosen, given))


def test_a_game_or_preset_as_it_comes_is_itself() -> None:
    assert {name: game_told(name) for name in ALL} == {name: name for name in ALL} | {"x01": "501"}


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("x01", {"start": 301}, "301"),
        ("501", {"out": "master"}, "master_501"),
        ("x01", {"start": 170, "out": "master"}, "x01 (start 170, out master)"),
        ("x01", {"doubles": [[20], [16, 8]], "bull_at_finish": "never", "bust_counts_3": True}, "501"),
        ("x01", {"starts": [301, 501]}, "x01 (starts 301 501)"),
        ("gotcha", {"rounds": None}, "gotcha (rounds none)"),
        ("golf_18", {"scoring": "maker", "playoff": 3}, "golf (holes 18, scoring maker, playoff 3)"),
        ("dards", {"cards": "manual"}, "dards"),
    ],
)
def test_options_make_a_variant(name: str, options: dict[str, Any], told: str) -> None:
    assert game_told(name, **options) == told


@pytest.mark.parametrize("name", [*PRESETS, "x01 (start 170, out master, rounds 10)", "golf (holes 18, scoring maker)"])
def test_a_variant_can_be_read_back(name: str) -> None:
    assert variant(*read_variant(name)) == name
    assert not is_handicapped(name)


def test_a_variant_with_lists_cannot_be_read_back_and_may_be_a_handicap() -> None:
    with pytest.raises(ValueError, match="array"):
        read_variant("x01 (starts 301 501)")
    with pytest.raises(ValueError, match="no game"):
        read_variant("x02 (start 301)")
    assert is_handicapped("x01 (start 301, starts 301 501)")
    assert is_handicapped("football_field (fields 10 20)")


def test_what_is_filled_in_for_these_people_is_no_other_variant() -> None:
    preset = Record(header("freeze_301", players=["Ann", "Bo", "Cy", "Dee"], teams=[[0, 1], [2, 3]]))
    alone = Record(header("d20_elimination", players=["Ann"]))
    assert [variant(each.game, each.match.options) for each in (preset, alone)] == ["freeze_301", "d20_elimination"]


def test_what_is_put_aside_is_an_option() -> None:
    for name, chosen in GAMES.items():
        assert chosen.aside <= {field.encode_name for field in fields(chosen.options_type)}, name


def test_hands_that_a_game_names_are_there_by_these_options_alone() -> None:
    named = [name for name, chosen in GAMES.items() if chosen.hands]
    assert named == ["dards"]
    assert [*find_hands(GAMES["dards"], read_options(GAMES["dards"], {"cards": "manual"}))] == [*range(2, 17)]
    assert can_choose_hands(GAMES["dards"])
    assert find_hands(GAMES["blind_killer"], GAMES["blind_killer"].options_type()) == {}
