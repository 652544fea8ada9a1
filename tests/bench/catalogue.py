"""How much code is a game? Prints every family's file, its lines, and the games and presets they are shared by.

Run it with `python -m tests.bench.catalogue`. Lines are those that are not blank, rule sheets among them; what a family
has split off into a second file counts with it.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.game import Game
from engine.games import GAMES, PRESETS


def main() -> None:
    """Prints the table."""
    families: dict[ModuleType, list[Game[Any, Any]]] = defaultdict(list)  # Any: each has its own options
    for game in GAMES.values():
        module = inspect.getmodule(type(game))
        assert module is not None
        families[module].append(game)
    print(f"{'lines':>6} {'sheet':>6} {'games':>6} {'presets':>8} {'a variant':>10}   family")
    total = 0
    for module, games in sorted(families.items(), key=lambda each: each[0].__name__):
        lines = sum(_lines(path) for path in _files(module))
        sheets = sum(len([line for line in game.rule_sheet.splitlines() if line.strip()]) for game in games)
        presets = [preset for preset in PRESETS.values() if any(preset.game == game.id for game in games)]
        total += lines
        names = ", ".join(game.id for game in games)
        each = lines / (len(games) + len(presets))
        print(f"{lines:>6} {sheets:>6} {len(games):>6} {len(presets):>8} {each:>10.0f}   {names}")
    each = total / (len(GAMES) + len(PRESETS))
    print(f"{total:>6} {'':>6} {len(GAMES):>6} {len(PRESETS):>8} {each:>10.0f}   all")


def _files(module: ModuleType) -> list[Path]:
    """The family's own file and those of its parts, told by the beginning of their name or by who imports them."""
    own = Path(inspect.getfile(module))
    shipped = {Path(inspect.getfile(type(game))) for game in GAMES.values()}
    parts = {
        Path(inspect.getfile(part))
        for value in vars(module).values()
        if (part := inspect.getmodule(value)) is not None and part.__name__.startswith("engine.games.")
    }
    return [own, *(parts - shipped)]


def _lines(path: Path) -> int:
    return sum(1 for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


if __name__ == "__main__":
    main()
