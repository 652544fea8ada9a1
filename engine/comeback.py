"""Who leads after a round, and whether a leg or a match that is won was a comeback: how far each side was behind.

A leg of a game with a length (X01) is one if the winner was, after some round of it, a third of that length behind.
With a handicap the lengths differ: what counts is the share of its own length that each side has made. A leg of another
game of two sides that says who leads is one if the other led alone after each of the latest rounds, five or more. A
match is one if its winner was two legs behind, or two sets where there are several.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from engine.game import Game
from engine.leg_count import LegCount
from engine.position import Lag, Position
from engine.ranking import find_leader
from protocol.facts import Comeback, Fact, LeadTaken
from protocol.match_spec import Format

_ROUNDS = 5
_MATCH = 2


def note_round(game: Game[Any, Any], position: Position, facts: list[Fact]) -> Position:  # Any: own options and state
    """The position that knows who leads after this round, and how far each side is behind.

    A leg that is won, or played on for the places, has no leader any more.
    """
    if position.leg_winners is not None or game.ranks(position.state):
        return position
    leader, before = find_leader(game, position), position.leader
    position = _note_lags(game, position, leader)
    if leader is None or leader == before:
        return position
    if before is not None and before not in position.retired and before not in game.out(position.state):
        facts.append(LeadTaken(side=leader))
    return replace(position, leader=leader)


def note_leg(format: Format, position: Position, won: LegCount) -> Position:
    """The position that knows how far each side is behind in the match after this leg."""
    counts = won.sets if format.sets > 1 else won.legs
    best = max(counts)
    lags = tuple(
        replace(lag, match=max(lag.match, best - count)) for lag, count in zip(position.lags, counts, strict=True)
    )
    return position if lags == position.lags else replace(position, lags=lags)


def find_comeback(
    game: Game[Any, Any],  # Any: as above
    format: Format,
    position: Position,
    winners: tuple[int, ...],
    won: LegCount,
) -> Comeback | None:
    """The comeback with which this leg was won by these sides, or the match by it."""
    if len(position.lags) - len(position.retired) < 2:  # the others have left
        return None
    if won.match_winners is not None and len(won.match_winners) == 1:
        side = won.match_winners[0]
        if (behind := position.lags[side].match) >= _MATCH:
            return Comeback(side=side, behind=behind, of="sets" if format.sets > 1 else "legs")
    if len(winners) != 1:
        return None
    side, lag = winners[0], position.lags[winners[0]]
    length = game.leg_length(position.state, side)
    if not length:
        is_duel = len(position.lags) == 2  # of many sides most win after they were behind
        return Comeback(side=side, behind=lag.rounds, of="rounds") if is_duel and lag.rounds >= _ROUNDS else None
    return Comeback(side=side, behind=lag.points, of="points") if 3 * lag.points >= length else None


def _note_lags(game: Game[Any, Any], position: Position, leader: int | None) -> Position:  # Any: as above
    """The position that knows how far each side is behind after this round; `leader` is the one ahead alone."""
    behind = _measure(game, position)
    lags = tuple(
        Lag(
            points=max(lag.points, behind.get(side, 0)),
            rounds=0 if leader in (None, side) else lag.rounds + 1,
            match=lag.match,
        )
        for side, lag in enumerate(position.lags)
    )
    return position if lags == position.lags else replace(position, lags=lags)


def _measure(game: Game[Any, Any], position: Position) -> dict[int, int]:  # Any: as above
    """How many points of its leg each side still there is behind; of none where the game has no length."""
    gone, state = position.retired | game.out(position.state), position.state
    found = ((side, game.leg_length(state, side)) for side in range(len(position.lags)) if side not in gone)
    lengths = {side: length for side, length in found if length}
    made = {side: length - game.score(state, side) for side, length in lengths.items()}
    best = max((made[side] / length for side, length in lengths.items()), default=0.0)
    return {side: round(best * length) - made[side] for side, length in lengths.items()}
