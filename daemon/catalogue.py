"""What can be played, as a form shows it: the games of a board's face with their presets, and each with its options.

A game is asked through the door of daemon/rules.py. One that is withdrawn, or fails at its own name, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from daemon import rules
from engine.game import Game
from engine.games import GAMES, ORDERS, PRESETS, game
from engine.options import read_options


class Offer(Struct, frozen=True, kw_only=True):
    """A game or a preset that can be chosen: by its `name`, which is a preset's or that of the `game` itself.

    `sides` and `team_size` are the fewest and the most.
    """

    name: str
    game: str
    title: str
    line: str
    sides: tuple[int, int]
    team_size: tuple[int, int]


class Sheet(Offer, frozen=True, kw_only=True):
    """All of one: its rule sheet, the JSON Schema of its options, and what they are unless somebody chooses.

    `by_side` and `by_player` name the options that are a list with an element for each of them.
    """

    rules: str
    options: dict[str, Any]  # Any: JSON Schema
    chosen: dict[str, Any]  # Any: JSON
    by_side: list[str]
    by_player: list[str]


T = TypeVar("T", bound=Offer)
AnyGame = Game[Any, Any]  # Any: each has its own options and state


def offers(face: str) -> Iterator[Offer]:
    """What a board of this face can play, the presets of a game after it; not what only decides an order."""
    for found in GAMES.values():
        if face in found.layouts and found.id not in ORDERS.values():
            variants = [preset.id for preset in PRESETS.values() if preset.game == found.id]
            for name in (found.id, *variants):
                with suppress(rules.RulesFailed):
                    yield _asked(name, found, Offer)


def sheet(name: str) -> Sheet:
    """The game or preset of this name. Raises ValueError with the nearest spelling, and RulesFailed."""
    return _asked(name, game(name), Sheet)


def _asked(name: str, found: AnyGame, kind: type[T]) -> T:
    """What the game says of itself under this name, once it is known to be JSON. Raises RulesFailed."""
    with rules.asking(found, is_vital=False, may_refuse=False):
        preset = PRESETS.get(name)
        options = read_options(found, dict(preset.options) if preset else {})
        told: dict[str, Any] = {
            "name": name,
            "game": found.id,
            "title": found.title(options),
            "line": preset.line if preset else found.line,
            "sides": (found.sides[0], found.sides[-1]),
            "team_size": (found.team_size[0], found.team_size[-1]),
        }
        if kind is Sheet:
            told |= {"rules": found.rule_sheet, "options": _schema(found), "chosen": msgspec.to_builtins(options)}
            told |= {"by_side": sorted(found.by_side), "by_player": sorted(found.by_player)}
        return msgspec.convert(msgspec.to_builtins(told), kind)
    raise AssertionError("what goes wrong above is raised as RulesFailed")


def _schema(found: AnyGame) -> dict[str, Any]:  # Any: JSON Schema
    """The schema of its options, by itself."""
    further: dict[str, Any] = msgspec.json.schema(found.options_type)["$defs"]
    own = further.pop(found.options_type.__name__)
    return {**own, "$defs": further} if further else own
