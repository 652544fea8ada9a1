"""The games that ship, by id. To add one: write its file, add its class here."""

from __future__ import annotations

from typing import Any

from engine.game import Game
from engine.games.halve_it import BurmaRoad
from engine.games.x01 import X01
from protocol.spelling import nearest

GAMES: dict[str, Game[Any, Any]] = {game.id: game for game in (X01(), BurmaRoad())}  # Any: each has its own options


def game(name: str) -> Game[Any, Any]:
    """The game of that id; raises ValueError with the nearest spelling."""
    try:
        return GAMES[name]
    except KeyError:
        raise ValueError(f"there is no game {name!r}{nearest(name, list(GAMES))}") from None
