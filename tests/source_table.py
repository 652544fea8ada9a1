"""The table of docs/rule-sources.md on where the rules come from, made from the transcripts that name a source.

A transcript with a `source` is a whole match as the text at that address, or of that title, has it. What none plays is
a house rule, and the rule sheet of its game says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from engine.games import GAMES, PRESETS, expand_preset, variant
from engine.options import read_options
from protocol.match_spec import read_header

BEGIN, END = "<!-- sources, written by make docs -->\n\n", "\n\n<!-- end of sources -->"
HOUSE_RULE = "house rule"
"""What the last line of a rule sheet says where something of the game has no source that was read."""
_FOLDER = Path(__file__).parent / "engine" / "transcripts"


class Sourced(NamedTuple):
    """A transcript that names its source: its file, the game, the variant as statistics name it, and the source."""

    file: Path
    game: str
    variant: str
    source: str


def with_sources(page: str) -> str:
    """The page with the table as it is now."""
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    assert found, "docs/rule-sources.md has lost a mark of the sources"
    return before + BEGIN + make_table() + END + after


@cache
def list_sourced() -> tuple[Sourced, ...]:
    """Every transcript that names a source, in the order of its files."""
    return tuple(_find())


def list_house_rules(game: str) -> list[str]:
    """The game itself and its presets, as far as no transcript that names a source plays them."""
    played = {each.variant for each in list_sourced() if each.game == game}
    return [name for name in (_plain(game), *_presets(game)) if name not in played]


def make_table() -> str:
    """Every game that ships, a row each."""
    rows = [f"| `{game}` | {_say_sources(game)} | {_say_names(list_house_rules(game)) or '–'} |" for game in GAMES]
    return "\n".join(["| game | variants that follow a published text | house rules |", "|---|---|---|", *rows])


def _find() -> Iterator[Sourced]:
    for file in sorted(_FOLDER.glob("*/*.jsonl")):
        with file.open(encoding="utf-8") as lines:
            header, first = json.loads(next(lines)), json.loads(next(lines))
        if "source" in first:
            spec = expand_preset(read_header(header))
            game = GAMES[spec.game]
            played = variant(game, read_options(game, dict(spec.options)))
            for source in [first["source"]] if isinstance(first["source"], str) else first["source"]:
                yield Sourced(file, game.id, played, source)


def _plain(game: str) -> str:
    return variant(GAMES[game], read_options(GAMES[game], {}))


def _presets(game: str) -> list[str]:
    return [name for name, preset in PRESETS.items() if preset.game == game and name != _plain(game)]


def _say_sources(game: str) -> str:
    order = [_plain(game), *_presets(game)]
    by_source: dict[str, list[str]] = {}
    for each in list_sourced():
        if each.game == game:
            by_source.setdefault(each.source, []).append(each.variant)
    for variants in by_source.values():
        variants.sort(key=lambda name: order.index(name) if name in order else len(order))
    said = [f"{_say_names(variants)}: {_link(source)}" for source, variants in by_source.items()]
    return "; ".join(said) or "–"


def _say_names(names: list[str]) -> str:
    return " ".join(f"`{name}`" for name in names)


def _link(source: str) -> str:
    address = urlsplit(source)
    return f"[{address.hostname}]({source})" if address.hostname else source
