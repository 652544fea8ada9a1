"""What a leg that was won counts for, in legs, sets and the match; and how many darts missed the win of the match."""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec import UNSET

from engine.game import Game
from engine.position import Position
from engine.ranking import leaders
from protocol.match_spec import Format


class LegCount(NamedTuple):
    """The legs and sets of each side after a leg, and who has won the set and the match; None: the match goes on."""

    legs: tuple[int, ...]
    sets: tuple[int, ...]
    set_over: bool
    set_winners: tuple[int, ...]
    match_winners: tuple[int, ...] | None


def is_single(format: Format) -> bool:
    """Whether the first leg is the match."""
    return format.legs == format.sets == 1 and format.clear_legs is UNSET


def count_leg(format: Format, position: Position, winners: tuple[int, ...]) -> LegCount:
    """Counts the leg that is played in this position for these sides, who share it.

    Where all legs are played, a set and the match are won by who has most, of those who have not left.
    """
    visit, plays_all = position.visit, format.play == "all"
    legs = tuple(won + (side in winners) for side, won in enumerate(position.legs))
    if plays_all:
        set_over = visit.leg >= format.legs
        set_winners = _find_most(position, legs) if set_over else ()
    else:
        set_winners = tuple(side for side in winners if format.wins_set(side, legs, position.sets))
        set_over = bool(set_winners)
    sets = tuple(won + (side in set_winners) for side, won in enumerate(position.sets))
    if plays_all:
        match_winners = _find_most(position, sets) if set_over and visit.set >= format.sets else None
    else:
        best = tuple(side for side in winners if sets[side] >= format.sets)
        match_winners = best if best or is_single(format) else None
    return LegCount(legs, sets, set_over, set_winners, match_winners)


def count_missed(game: Game[Any, Any], format: Format, position: Position) -> int:  # Any: own options and state
    """How many darts of this visit missed where a hit would have won the match, in a game whose finish wins the leg."""
    visit = position.visit
    if not visit.at_finish or visit.checkout or position.leg_winners is not None:
        return 0
    is_decided = bool(game.ranks(position.state))  # others throw for the places
    return visit.at_finish if not is_decided and _is_match_point(format, position) else 0


def _is_match_point(format: Format, position: Position) -> bool:
    """Whether the side at the oche wins the match if it wins this leg, and may not if another that is there does."""
    side = position.visit.side
    won = count_leg(format, position, (side,)).match_winners
    if won is None or side not in won:
        return False
    others = (other for other in range(len(position.legs)) if other != side and other not in position.retired)
    return any(count_leg(format, position, (other,)).match_winners != won for other in others)


def _find_most(position: Position, won: tuple[int, ...]) -> tuple[int, ...]:
    """The sides still there that have won most legs or sets; none where nobody has won any."""
    return leaders((s for s, count in enumerate(won) if count and s not in position.retired), won.__getitem__)
