"""Who leads, and who can still win: the questions at the end of almost every game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from engine.game import Game
from engine.game_check import InvalidGame
from engine.position import Position

Tie = Literal["share", "one_more_round"]
"""What sides do that are level after the last round: share the win, or throw until one is ahead."""


def leaders(sides: Iterable[int], rank: Callable[[int], Any]) -> tuple[int, ...]:  # Any: whatever can be compared
    """The sides whose rank is the highest, in their order; several are level. Where low is good, rank by `-score`."""
    ranked = [(rank(side), side) for side in sides]
    best = max((value for value, _ in ranked), default=None)
    return tuple(side for value, side in ranked if value == best)


def in_contention(contenders: tuple[int, ...], sides: Iterable[int]) -> tuple[int, ...]:
    """Of the sides that are there those that can still win: the contenders, or all once the contenders have left.

    So those who were level and throw on by themselves do not take the win with them when they go.
    """
    there = tuple(sides)
    return tuple(side for side in there if side in contenders) or there


def find_leader(game: Game[Any, Any], position: Position) -> int | None:  # Any: own options and state
    """The side ahead of all others in this leg; None while several are level, where it is not known, or at the end.

    Raises InvalidGame if the game names a side that is not in the match any more.
    """
    if position.over:
        return None
    if ranks := game.ranks(position.state):
        return ranks[0]
    out = game.out(position.state) | position.retired
    sides = tuple([side for side in range(len(position.legs)) if side not in out])
    found: Any = game.leading(position.state, sides) if len(sides) > 1 else ()  # Any: a game may err
    if not (isinstance(found, tuple) and set(sides).issuperset(found)):
        raise InvalidGame(f"leading of {game.id} must return some of {sides}, and returned {found!r:.99}", "leading")
    return found[0] if len(found) == 1 else None
