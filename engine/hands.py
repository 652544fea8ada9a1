"""Which matches can be played with secret hands, but are not by themselves: whoever starts one may be asked."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.game import Game, Seating
from engine.options import read_options
from protocol.match_spec import Side

AnyGame = Game[Any, Any]  # Any: each has its own options and state
JSON = dict[str, Any]


def find_hands(game: AnyGame, options: Any) -> dict[int, JSON]:  # Any: options
    """By the numbers of sides that have hands with the `hands` of the game: what it fills in of these options alone.

    Raises Unreadable where they cannot be read together.
    """
    if not game.hands:
        return {}
    own = msgspec.to_builtins(options)
    with_hands = read_options(game, {**own, **game.hands})
    found = {}
    for count in game.sides:
        resolved, having = _resolve(game, options, count), _resolve(game, with_hands, count)
        if resolved is not None and having is not None and game.has_secrets(having):
            known = msgspec.to_builtins(resolved)
            found[count] = {name: known[name] for name, value in own.items() if known[name] != value}
    return found


def can_choose_hands(game: AnyGame) -> bool:
    """Whether some number of sides has hands with the `hands` of the game, and none by default."""
    usual = game.options_type()
    return any(not game.has_secrets(_resolve(game, usual, count)) for count in find_hands(game, usual))


def _resolve(game: AnyGame, options: Any, count: int) -> Any:  # Any: options
    """What so many sides would play with; None where they cannot."""
    size = game.team_size[0]
    sides = [Side(f"{side + 1}", tuple(range(side * size, side * size + size))) for side in range(count)]
    sides += [Side(name, ()) for name in game.extra_sides(options)]
    try:
        return game.resolve(options, Seating(tuple(f"{seat + 1}" for seat in range(count * size)), tuple(sides)))
    except ValueError:
        return None
