"""The games that ship, by id. To add one: write its file, add its class here."""

from __future__ import annotations

from typing import Any

from engine.game import Game
from engine.games.dards import Dards
from engine.games.ground_round import GroundRound
from engine.games.halve_it import BurmaRoad
from engine.games.three_dice import ThreeDice
from engine.games.x01 import X01
from engine.games.yatzy_dart import YatzyDart
from protocol.spelling import nearest

_SHIPPED: tuple[Game[Any, Any], ...] = (  # Any: each has its own options
    X01(),
    BurmaRoad(),
    YatzyDart(),
    ThreeDice(),
    Dards(),
    GroundRound(),
)
GAMES = {game.id: game for game in _SHIPPED}


def game(name: str) -> Game[Any, Any]:
    """The game of that id; raises ValueError with the nearest spelling."""
    try:
        return GAMES[name]
    except KeyError:
        raise ValueError(f"there is no game {name!r}{nearest(name, list(GAMES))}") from None
