"""What happened, as a closed set of values: displays, lamps and voices react to a type, never to prose.

A game tells Bust, Halved, Closed, Claimed, Eliminated and Award; the referee and the journal tell the rest. Each tag
is the `event_type` the outside sees.
"""

from __future__ import annotations

from msgspec import Struct


class Fact(Struct, frozen=True, kw_only=True, tag_field="event_type"):
    """Something that happened to a side (None: to the match as a whole)."""

    side: int | None = None


class Dart(Fact, frozen=True, kw_only=True, tag="dart"):
    """A dart was scored: face value, and the side's score after it."""

    segment: str
    points: int
    score: int


class Visit(Fact, frozen=True, kw_only=True, tag="visit"):
    """The visit is thrown: what it was worth in this game, and its darts."""

    points: int
    darts: tuple[str, ...]


class Bust(Fact, frozen=True, kw_only=True, tag="bust"):
    """The visit does not count."""


class Halved(Fact, frozen=True, kw_only=True, tag="halved"):
    """The score was halved."""


class Closed(Fact, frozen=True, kw_only=True, tag="closed"):
    """A target was closed."""

    target: str


class Claimed(Fact, frozen=True, kw_only=True, tag="claimed"):
    """A cell of the board was taken."""

    cell: str


class Eliminated(Fact, frozen=True, kw_only=True, tag="eliminated"):
    """The side is out of the leg."""


class Award(Fact, frozen=True, kw_only=True, tag="award"):
    """Something to celebrate: `180`, `shanghai`, `three_in_a_bed`."""

    award: str


class LegWon(Fact, frozen=True, kw_only=True, tag="leg_won"):
    """The side won the leg."""


class SetWon(Fact, frozen=True, kw_only=True, tag="set_won"):
    """The side won the set."""


class MatchWon(Fact, frozen=True, kw_only=True, tag="match_won"):
    """The match is over; several winners share it, none means nobody won."""

    winners: tuple[int, ...]


class TurnChanged(Fact, frozen=True, kw_only=True, tag="turn_changed"):
    """A new visit is open, for this side."""


class TakeoutStarted(Fact, frozen=True, kw_only=True, tag="takeout_started"):
    """The darts are to be pulled."""


class TakeoutFinished(Fact, frozen=True, kw_only=True, tag="takeout_finished"):
    """The darts are out."""


class PromptOpened(Fact, frozen=True, kw_only=True, tag="prompt"):
    """A question is open; never the answer's options, which may be secret."""

    id: str
    seat: int


class Retired(Fact, frozen=True, kw_only=True, tag="retired"):
    """The side left the match."""


class MatchStopped(Fact, frozen=True, kw_only=True, tag="match_stopped"):
    """The match was abandoned."""


class Corrected(Fact, frozen=True, kw_only=True, tag="corrected"):
    """The input of that line was changed or brought back; what followed from it is in the state alone."""

    line: int


class Undone(Fact, frozen=True, kw_only=True, tag="undone"):
    """The input of that line was taken back."""

    line: int
