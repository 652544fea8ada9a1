"""Where a leg of X01 stands: what each side or player has left, and who is out, frozen or placed."""

from __future__ import annotations

from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from engine.finishing import Out, count_fewest, least
from engine.game import Turn, put
from engine.games.x01_options import Options
from protocol.segment import Dartboard


class Through(Struct, frozen=True):
    """A side that is out while others still have their turn: the darts of its last visit, and its score before."""

    side: int
    darts: int
    mine: int
    before: tuple[int, bool]


class X01State(Struct, frozen=True):
    """What remains and whether it has been opened, by side, or by player where partners do not share.

    `score_indices` are those of each side's scores, and `before` what both were at the start of the visit.
    `contenders` are the sides that can still win, `through` those that are out in this round. `cut`: a side has taken
    off four fifths.
    `dartboard` is what hangs on the wall.
    `ranks` are the sides that have their place, the winner first. `asked`: did the latest dart split the 11?
    `deciding` is what each side has in the visits that decide by their points alone; empty before them.
    For partners with separate scores: how many visits each side has begun (`thrown`), and the side at the oche (`at`).
    `names` are those of the players, where they can be frozen.
    """

    options: Options
    starts: tuple[int, ...]
    scores: tuple[int, ...]
    opened: tuple[bool, ...]
    score_indices: tuple[tuple[int, ...], ...]
    contenders: tuple[int, ...]
    thrown: tuple[int, ...]
    dartboard: Dartboard
    at: int | None = None
    before: tuple[int, bool] = (0, False)
    through: tuple[Through, ...] = ()
    cut: bool = False
    ranks: tuple[int, ...] = ()
    asked: bool = False
    deciding: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    def score_index(self, turn: Turn) -> int:
        """The index in `scores` that this visit counts on."""
        return turn.side if self.options.shared else turn.seat

    def back(self, mine: int, before: tuple[int, bool], reopen: bool = True) -> Self:
        """With the score `before` a visit; without `reopen` a score that it opened stays open."""
        score, opened = before
        return replace(self, scores=put(self.scores, mine, score), opened=put(self.opened, mine, opened or not reopen))

    def enter(self, mine: int) -> Out:
        """What the next dart on this score must hit to count."""
        return "straight" if self.opened[mine] else self.options.enter

    def is_perfect(self, turn: Turn) -> bool:
        """Whether this visit ends a leg in the fewest darts that the start score allows, if these are four or more."""
        mine, options = self.score_index(turn), self.options
        fewest = count_fewest(self.starts[mine], options.leave, options.bull, options.enter)
        visits = turn.round if options.shared else -(-self.thrown[turn.side] // len(self.score_indices[turn.side]))
        return fewest > 3 and 3 * (visits - 1) + turn.thrown == fewest

    def least(self) -> int:
        """The least that a visit may leave above zero."""
        return 1 if self.options.split_11 else least(self.options.leave)

    def left(self, turn: Turn) -> tuple[int, ...]:
        """The sides that have no place yet."""
        return tuple(side for side in turn.playing if side not in self.ranks) if self.ranks else turn.playing

    def average(self, side: int) -> float:
        """The average of what a side's players have left."""
        indices = self.score_indices[side]
        return sum(self.scores[index] for index in indices) / len(indices)

    def is_frozen(self, turn: Turn, seat: int | None = None) -> bool:
        """Whether the partner has more left than both opponents together; opponents who have left do not count.

        It is asked for the player at the oche, or for the one at this seat.
        """
        if self.options.freeze == "off" or len(turn.playing) < 2:
            return False
        left = [sum(self.scores[index] for index in indices) for indices in self.score_indices]
        seat = turn.seat if seat is None else seat
        side = next(side for side, seats in enumerate(self.score_indices) if seat in seats)
        return left[side] - self.scores[seat] > left[1 - side]
