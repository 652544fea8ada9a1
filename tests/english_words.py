"""The English that stands in the code, in the format of the other languages: what translators begin with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from daemon.home_assistant.entities import list_names
from daemon.languages.game_words import AnyGame
from engine.games import GAMES, PRESETS, is_shipped
from protocol.sentence import LABELS

ROOT = Path(__file__).parent.parent


class Sheet(Struct, omit_defaults=True):
    """A rule sheet by paragraphs, and the lines of the presets."""

    rules: list[str]
    presets: dict[str, str] = {}


_KEY = re.compile(r"([a-z]\w*)\.([a-z]\w*)")
_SPEAKS = re.compile(r"^def say\(|^from protocol\.(sentence import|commands import .*\brefuse\b)", re.MULTILINE)
_PLACE = re.compile(r"{(\w+)}")


def read_sentences() -> dict[str, dict[str, str]]:
    """Returns the templates of all sentences that engine, daemon, drivers and protocol say, by group and name."""
    names = {key: _PLACE.sub(r"{{\1}}", name) for key, name in list_names().items()}
    found: dict[str, dict[str, str]] = {"label": dict(LABELS), "entity": names}
    for file in list_speaking_files():
        for key, template in _pairs(ast.parse(file.read_text(encoding="utf-8"))):
            if match := _KEY.fullmatch(key):
                found.setdefault(match[1], {})[match[2]] = _PLACE.sub(r"{{\1}}", template)
    return found


def list_speaking_files() -> list[Path]:
    """Returns the files in which sentences for players stand."""
    files = [
        file for room in ("daemon", "drivers", "engine", "protocol") for file in sorted((ROOT / room).rglob("*.py"))
    ]
    return [file for file in files if _SPEAKS.search(file.read_text(encoding="utf-8"))]


def _pairs(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yields each text that is followed by another one, in a call or a tuple."""
    for node in ast.walk(tree):
        parts = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
        for key, text in pairwise(parts):
            values = [each.value for each in (key, text) if isinstance(each, ast.Constant)]
            if len(values) == 2 and all(isinstance(value, str) for value in values):
                yield str(values[0]), str(values[1])


def list_shipped_games() -> list[AnyGame]:
    """Returns the games that ship."""
    return [game for game in GAMES.values() if is_shipped(game.id)]


def preset_lines(game: AnyGame) -> dict[str, str]:
    """Returns the lines of the game's presets."""
    return {preset.id: preset.line for preset in PRESETS.values() if preset.game == game.id}


def read_sheets() -> dict[str, Sheet]:
    """Returns the rule sheets of the games that ship, a list of paragraphs each, and the lines of their presets."""
    return {
        game.id: Sheet([" ".join(paragraph.split()) for paragraph in game.rule_sheet.split("\n\n")], preset_lines(game))
        for game in list_shipped_games()
    }
