"""Where a leg of X01 stands: what everybody has left.

A side has one score, or each of its players has one (`shared`): `scores` is then by player, and whose turn it is says
which of them a dart counts on.
"""

from __future__ import annotations

from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Turn
from engine.games.x01_options import Options
from engine.tuples import put


class Through(Struct, frozen=True):
    """A side that is out while others still have their turn: with how many darts of its visit, and from where."""

    side: int
    darts: int
    mine: int
    before: tuple[int, bool]


class State(Struct, frozen=True):
    """What remains and whether it has been opened, by side, or by player where partners do not share.

    `places` are where each side's scores are, and `before` what both were at the start of the visit. `contenders` are
    the sides that can still win, `through` those that are out in this round. `cut`: somebody has taken off four fifths.
    For partners with scores of their own: how many visits each side has begun, and which side is at the oche.
    """

    options: Options
    starts: tuple[int, ...]
    scores: tuple[int, ...]
    opened: tuple[bool, ...]
    places: tuple[tuple[int, ...], ...]
    contenders: tuple[int, ...]
    thrown: tuple[int, ...]
    at: int | None = None
    before: tuple[int, bool] = (0, False)
    through: tuple[Through, ...] = ()
    cut: bool = False

    def mine(self, turn: Turn) -> int:
        """Where the score is that this visit counts on."""
        return turn.side if self.options.shared else turn.seat

    def back(self, mine: int, before: tuple[int, bool], reopen: bool = True) -> Self:
        """With what was there before a visit; without `reopen` what has been opened stays so."""
        score, opened = before
        return replace(self, scores=put(self.scores, mine, score), opened=put(self.opened, mine, opened or not reopen))

    def average(self, side: int) -> float:
        """What a side's players have left on average."""
        places = self.places[side]
        return sum(self.scores[place] for place in places) / len(places)

    def is_frozen(self, turn: Turn) -> bool:
        """Has the partner more left than both opponents together? Opponents who have left hold nobody back."""
        if self.options.freeze == "off" or len(turn.playing) < 2:
            return False
        left = [sum(self.scores[place] for place in places) for places in self.places]
        return left[turn.side] - self.scores[turn.seat] > left[1 - turn.side]
