"""A registered game is whole: what a player, a form, a checker and a display need of it is there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

import daemon
from engine.games import GAMES, PRESETS, game
from engine.options import read_options
from tests.engine.records import Record, header
from tests.engine.test_transcripts import NAMES, played

FACES = Path(daemon.__file__).parent / "page" / "faces.js"
LEAST = 3
TRANSCRIPTS = Counter(played(name).game for name in NAMES)


def faces() -> set[str]:
    """The faces that the page knows."""
    listed = re.search(r"Object\.entries\(\{(.*?)\}\)\)", FACES.read_text(encoding="utf-8"), re.DOTALL)
    assert listed, "faces.js lists its faces in one object"
    return set(re.findall(r"(\w+)(?=:|,)", re.sub(r":\s*\w+|\{\}", ":", listed[1])))


def lacks(name: str) -> list[str]:
    """What this game is without."""
    rules = GAMES[name]
    sheet = rules.rule_sheet.splitlines()
    schema = msgspec.json.schema(rules.options_type)
    options: dict[str, Any] = schema["$defs"][rules.options_type.__name__]["properties"]  # Any: JSON Schema
    told = {option for each in NAMES if (first := played(each)).game == name for option in first.options}
    players = ("Ann", "Bo", "Cy", "Di")[: max(2, rules.sides[0]) if 2 in rules.sides else rules.sides[0]]
    face = Record(header(name, players=players)).match.panel().face
    missing = {
        "a rule sheet": len(sheet) > 5,
        "a first line that says what it is": len(rules.line) <= 90 and rules.line.endswith(".") and not sheet[1],
        "the source of its rules": sheet[-1].startswith("Source: "),
        "a schema with a default for every option": all("default" in option for option in options.values()),
        f"{LEAST} transcripts": TRANSCRIPTS[name] >= LEAST,
        f"the face {face!r} on the page": face in faces(),
        **{
            f"a word on `{o}`": f"`{o}`" in rules.rule_sheet or f"{o.capitalize()}:" in rules.rule_sheet
            for o in options
        },
        **{f"`{option}` in a transcript": option in told for option in options},
    }
    return [what for what, is_there in missing.items() if not is_there]


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_whole(name: str) -> None:
    assert lacks(name) == []


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_a_game_with_options_that_it_has(name: str) -> None:
    preset = PRESETS[name]
    assert name not in GAMES
    assert len(preset.line) <= 90
    assert preset.line.endswith(".")
    plain = read_options(GAMES[preset.game], {})
    assert read_options(game(name), dict(preset.options)) != plain or name == "501", "it differs from the game itself"
