"""What is generated from the registries: `make docs` writes it, and a test compares it with what is checked in."""

from __future__ import annotations

import inspect
import json
import os
import sys
from pathlib import Path
from pprint import pformat
from typing import Any

import msgspec

from daemon.admin.faces.mqtt import BODIES as REQUESTS
from daemon.admin.requests import ASKED
from drivers.udev import make_rules
from engine.badges import BADGES, TIERS
from engine.games import FILES, GAMES, PRESETS, game, is_shipped, read_entry
from engine.options import make_schema, read_options
from protocol.asyncapi import make_asyncapi
from protocol.codebook import list_shipped, shipped
from protocol.contract import (
    make_bridge_table,
    make_command_table,
    make_event_table,
    make_page_facts,
    make_schemas,
    make_topic_table,
)
from tests import command_table, configuration_keys, english_words, entity_table, game_table, source_table

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "mqtt.md"
HOME_ASSISTANT = DOCS / "home-assistant.md"
ARCHITECTURE = DOCS / "architecture.md"
CONFIGURATION = DOCS / "configuration.md"
COMMANDS = DOCS / "commands.md"
OWN_GAME = DOCS / "games.md"
STATISTICS = DOCS / "statistics.md"
RULE_SOURCES = DOCS / "rule-sources.md"
SCHEMAS = DOCS / "mqtt" / "schemas"
FACTS = DOCS.parent / "daemon" / "web" / "page" / "wall" / "facts.js"
SHIPPED_GAMES = DOCS.parent / "daemon" / "shipped_games.json"
"""What the bridge's info says of the shipped games: to ask all games for it takes a tenth of the daemon's start."""
INDEX = DOCS.parent / "engine" / "games" / "index.py"
LANGUAGES = DOCS.parent / "daemon" / "languages"
_OF_SETUP = json.loads((LANGUAGES / "setup_de.json").read_text(encoding="utf-8")).keys()
"""The groups of sentences that only who sets oche up meets."""
UDEV = DOCS.parent / "systemd" / "udev" / "70-oche.rules"

_UDEV_HEAD = """\
# Who may use the USB boards that oche knows; why, says drivers/udev.py. Written by make docs from the profiles.
# Rules for others (oche boards udev PROFILE prints them) belong in /etc/udev/rules.d/70-oche-local.rules.
"""

_INDEX_HEAD = '''\
"""Which games and presets each file has, so that a file is loaded when one of its own is asked for.

Written by make docs.
"""
# fmt: off

Entry = tuple[dict[str, tuple[str, ...]], dict[str, str]]
"""The games of a file with their layouts, and its presets with their games."""
FILES: dict[str, Entry] = \\
'''


def generated() -> dict[Path, str]:
    """Every file that is generated, or has parts that are, with what should be in it."""
    page = PAGE.read_text(encoding="utf-8")
    for name, table in (
        ("topics", make_topic_table()),
        ("commands", make_command_table()),
        ("requests to the bridge", make_bridge_table(REQUESTS)),
        ("events", make_event_table()),
    ):
        page = _replace_table(page, name, table)
    home = HOME_ASSISTANT.read_text(encoding="utf-8")
    sentences = english_words.read_sentences()
    files = {
        PAGE: page,
        ARCHITECTURE: _replace_table(ARCHITECTURE.read_text(encoding="utf-8"), "maintenance requests", _list_care()),
        HOME_ASSISTANT: entity_table.with_table(home),
        OWN_GAME: game_table.with_interface(OWN_GAME.read_text(encoding="utf-8")),
        RULE_SOURCES: source_table.with_sources(RULE_SOURCES.read_text(encoding="utf-8")),
        STATISTICS: _replace_table(STATISTICS.read_text(encoding="utf-8"), "badges", _list_badges()),
        COMMANDS: command_table.with_commands(COMMANDS.read_text(encoding="utf-8")),
        CONFIGURATION: configuration_keys.with_keys(CONFIGURATION.read_text(encoding="utf-8")),
        DOCS / "mqtt" / "asyncapi.json": _json(make_asyncapi(REQUESTS)),
        FACTS: make_page_facts(),
        SHIPPED_GAMES: _json(_describe_games()),
        INDEX: _make_index(),
        LANGUAGES / "en.json": _json({group: words for group, words in sentences.items() if group not in _OF_SETUP}),
        LANGUAGES / "setup_en.json": _json({group: words for group, words in sentences.items() if group in _OF_SETUP}),
        LANGUAGES / "games" / "en.json": _json(msgspec.to_builtins(english_words.read_sheets())),
        UDEV: _UDEV_HEAD + make_rules(shipped(name).profile for name in list_shipped()),
    }
    return files | {SCHEMAS / f"{name}.json": _json(schema) for name, schema in make_schemas(REQUESTS).items()}


def _replace_table(page: str, name: str, table: str) -> str:
    begin, end = f"<!-- {name}, written by make docs -->\n", f"\n<!-- end of {name} -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    assert found, f"a page has lost a mark of {name}"
    return f"{before}{begin}\n{table}\n{end}{after}"


def _list_care() -> str:
    """The requests of daemon/admin/requests/, as a table in Markdown."""
    lines = [
        "| request | what it is for | right | on the page | over MQTT | command | |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind, asked in ASKED.items():
        about = " ".join((kind.__doc__ or "").split())
        ways = (asked.page, asked.mqtt, asked.command and f"oche {asked.command}")
        cells = (asked.page and asked.role, *(way and f"`{way}`" for way in ways))
        marks = ", ".join(name for name in ("changes", "alone") if getattr(asked, name))
        lines.append(f"| `{kind.__name__}` | {about} | {' | '.join(cells)} | {marks} |")
    return "\n".join(lines)


def _list_badges() -> str:
    """The badges of engine/badges.py, as a table in Markdown."""
    lines = [f"| badge | id | for | {' | '.join(TIERS)} |", "|---|---|---|---|---|---|"]
    for badge in BADGES.values():
        needs = [f"{needed:,}" for needed in badge.thresholds]
        cells = ["–"] * (badge.first_tier - 1) + needs
        cells += ["–"] * (len(TIERS) - len(cells))
        lines.append(f"| {badge.name} | `{badge.id}` | {badge.about} | {' | '.join(cells)} |")
    return "\n".join(lines)


def write() -> None:
    """Writes them all; a schema that nothing has any more goes."""
    files = generated()
    SCHEMAS.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        file.write_text(text, encoding="utf-8")
    for file in set(SCHEMAS.iterdir()) - set(files):
        file.unlink()


def _make_index() -> str:
    return _INDEX_HEAD + pformat({file: read_entry(file) for file in FILES}, width=119, sort_dicts=False) + "\n"


def _describe_games() -> dict[str, object]:
    games = {name: _describe_options(game.options_type) for name, game in GAMES.items() if is_shipped(name)}
    presets = {name: preset for name, preset in PRESETS.items() if is_shipped(name)}
    told = {name: {"game": preset.game, "options": preset.options} for name, preset in presets.items()}
    titles = {name: _find_title(name) for name in (*games, *presets)}
    return {"games": games, "presets": msgspec.to_builtins(told), "titles": titles}


def _find_title(name: str) -> str:
    found, options = game(name), PRESETS[name].options if name in PRESETS else {}
    return found.title(read_options(found, dict(options)))


def _describe_options(kind: type) -> dict[str, Any]:  # Any: JSON Schema
    schema = make_schema(kind)
    for each in schema["$defs"].values():
        if "description" in each:  # Python 3.13 takes the indentation off docstrings, 3.12 does not
            each["description"] = inspect.cleandoc(each["description"])
    return schema


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if (index := _make_index()) != INDEX.read_text(encoding="utf-8"):  # the registry is made by it
        INDEX.write_text(index, encoding="utf-8")
        os.execv(sys.executable, [sys.executable, "-m", "tests.contract"])
    write()
