"""Where a match stands: one frozen value, computed from the journal, never stored, never inverted."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from engine.game import Prompt
from engine.tally import Tally
from protocol.segment import Segment


class Thrown(Struct, frozen=True):
    """A dart, and the line of the journal it came from."""

    line: int
    segment: Segment


class Visit(Struct, frozen=True):
    """One side's turn at the oche. It keeps its number and side from the moment it was opened."""

    number: int
    side: int
    seat: int
    round: int
    leg: int
    set: int
    darts: tuple[Thrown, ...] = ()
    allowed: int = 3
    points: int = 0
    ended: bool = False
    """The game said that no dart may follow: a bust, a checkout."""
    judged: bool = False
    """`visit_over` has run."""
    tallied: bool = False
    """It is in the figures; judged once more after an answer that gave darts, it is not counted again."""

    @property
    def darts_left(self) -> int:
        """0 once the visit is thrown."""
        return 0 if self.ended else max(0, self.allowed - len(self.darts))


class Position(Struct, frozen=True):
    """Where a match stands. Tuples without a name are indexed by side."""

    state: Any  # Any: the game's own Struct
    visit: Visit
    last: Visit | None
    queue: tuple[int, ...]
    """The sides still to throw in this round, after this visit."""
    legs: tuple[int, ...]
    sets: tuple[int, ...]
    leg_visits: tuple[int, ...]
    """How many visits each side has had in this leg, this one included."""
    leg_darts: tuple[int, ...]
    tallies: tuple[Tally, ...]
    """Indexed by seat."""
    retired: frozenset[int] = frozenset()
    prompts: tuple[Prompt, ...] = ()
    round_closed: bool = False
    """`round_over` has run for this round."""
    leg_winners: tuple[int, ...] | None = None
    """The leg is over; the next one opens when the visit is closed."""
    leg_counted: bool = False
    set_over: bool = False
    over: bool = False
    stopped: bool = False
    """Over because somebody said so; undo does not bring it back."""
    winners: tuple[int, ...] = ()

    @property
    def blocking(self) -> Prompt | None:
        """The oldest prompt that must be answered before anything else."""
        return next((p for p in self.prompts if p.blocking), None)

    @property
    def mover(self) -> int:
        """The seat whose move it is: whoever is asked what must be answered, else whoever is at the oche."""
        return self.blocking.seat if self.blocking else self.visit.seat

    @property
    def phase(self) -> Literal["throwing", "deciding", "takeout", "over"]:
        """What may be done now; see the referee."""
        if self.over:
            return "over"
        if self.blocking:
            return "deciding"
        return "throwing" if self.visit.darts_left and self.leg_winners is None else "takeout"
