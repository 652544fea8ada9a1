"""A season of a league: what it is made of, what can be done in it, and what is shown of it.

A season is one file, TOML or JSON, of a `SeasonSpec`. Its fixtures follow from it: they are not in the file. Results
come from the records of its matches; what no record can tell is entered as a `SeasonInput`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from protocol.match_spec import Format, Index, Ordinal
from protocol.tournament import Name, Slot, TieBreak

SeasonId = Annotated[str, Meta(pattern="^[a-z0-9-]{1,40}$")]
Date = Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
"""A day such as 2026-10-01, in the time zone of the league."""
FixtureId = Annotated[str, Meta(pattern="^[0-9]{1,3}-[0-9]{1,3}-[0-9]{1,3}$")]
"""A fixture by its division, its match day and its number on that day, each counted from 1: `1-3-2`."""
MOST_SIDES = 32
"""Of a division."""
MOST_DIVISIONS = 40
FixtureStatus = Literal["open", "playing", "played", "forfeit", "annulled"]
"""`playing`: some parts of a team match have a result. `forfeit`: it was given away. `annulled`: it counts nowhere,
because both sides gave it away, or one has withdrawn."""


class SeasonPoints(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a match is worth in the table of a season. Legs are points of the slots where teams play slots.

    * `win`, `draw`, `loss`: by its result. `leg`: for each leg won.
    * `clean`: more for a win in which the other side wins no leg.
    * `close`: more for a loss by at most `close_by` legs.
    * `forfeit`: what whoever gives a match away has less. `forfeit_legs`: the legs of the winner of such a match.
    """

    win: Index = 2
    draw: Index = 1
    loss: Index = 0
    leg: Index = 0
    clean: Index = 0
    close: Index = 0
    close_by: Ordinal = 1
    forfeit: Index = 0
    forfeit_legs: Index = 0


class SeasonSide(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A team with its roster in the order of the slots; with no `people` a player, called `name`.

    `place` is where it plays at home, `table` the name of its table at the daemon there.
    """

    name: Name
    people: tuple[Name, ...] = ()
    place: Annotated[str, Meta(max_length=60)] = ""
    table: Annotated[str, Meta(pattern="^[a-z0-9-]{1,40}$")] | None = None

    @property
    def roster(self) -> tuple[str, ...]:
        """Who plays."""
        return self.people or (self.name,)


class Division(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Sides that all meet, in the order of the tables of Berger.

    The first `promoted` of its table go up after the season, the last `relegated` go down.
    """

    name: Name
    sides: Annotated[tuple[SeasonSide, ...], Meta(min_length=2, max_length=MOST_SIDES)]
    promoted: Index = 0
    relegated: Index = 0


class SeasonSpec(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a season is made of.

    * `id`: the name that addresses and commands have. It never changes.
    * `begins`, `ends`: its first and its last day. `days`: the dates of the match days, or none.
    * `twice`: all meet once at home and once away; the second half is the first one with the sides turned round.
    * `game`, `options`, `format`, `side`, `slots`, `first`: of each match, as of a tournament.
    * `points`, `tie_breaks`: how a table is counted; the tie-breaks decide in their order.
    * `withdrawn`: what becomes of the matches of a side that withdraws: `annul` strikes all of them if fewer than half
      are played; otherwise those that are left are given away.
    * `seed`: for lots.
    """

    id: SeasonId
    name: Name
    begins: Date
    ends: Date
    divisions: Annotated[tuple[Division, ...], Meta(min_length=1, max_length=MOST_DIVISIONS)]
    days: tuple[Date, ...] = ()
    twice: bool = True
    game: str = "x01"
    options: Mapping[str, Any] = {}  # Any: checked by the game's own Struct
    format: Format = Format()
    side: Annotated[int, Meta(ge=1, le=4)] = 1
    slots: tuple[Slot, ...] = ()
    points: SeasonPoints = SeasonPoints()
    tie_breaks: tuple[TieBreak, ...] = ("direct", "leg_difference", "legs_won")
    withdrawn: Literal["walkover", "annul"] = "annul"
    first: Literal["drawn", "bull"] = "drawn"
    seed: str = ""


class EnterResult(Struct, frozen=True, tag="result", tag_field="do", omit_defaults=True):
    """A result by hand, which counts before any record: the legs of the home side and of the other one.

    With a `slot`, from 1, it is that of one part of a team match.
    """

    fixture: FixtureId
    legs: tuple[Index, Index]
    slot: Ordinal | None = None


class Forfeit(Struct, frozen=True, tag="forfeit", tag_field="do"):
    """One side, or both, give the match away."""

    fixture: FixtureId
    by: Literal["home", "away", "both"]


class Postpone(Struct, frozen=True, tag="postpone", tag_field="do"):
    """The match is played on another day."""

    fixture: FixtureId
    to: Date


class Deduct(Struct, frozen=True, tag="deduct", tag_field="do", omit_defaults=True):
    """Takes points from a side; a negative number gives them."""

    side: Name
    points: int
    reason: Annotated[str, Meta(max_length=200)] = ""


class Withdraw(Struct, frozen=True, tag="withdraw", tag_field="do"):
    """A side plays no more in this season."""

    side: Name


SeasonInput = EnterResult | Forfeit | Postpone | Deduct | Withdraw


class SeasonLine(Struct, frozen=True):
    """An input with the number by which it is taken back, and when it was entered (ISO 8601)."""

    number: Ordinal
    at: str
    input: SeasonInput


class FixtureView(Struct, frozen=True):
    """A fixture. `score` are the legs (of a team match the points of its slots) of the home side and the other one.

    `tournament` is the id of the tournament that it is played as. `unclear` are the ids of matches played for it by
    people who are on no roster of the two, so that nobody knows which side won.
    """

    id: str
    day: Ordinal
    date: str
    home: str
    away: str
    place: str
    status: FixtureStatus
    score: tuple[int, int] | None
    postponed: bool
    by_hand: bool
    tournament: str
    unclear: tuple[str, ...] = ()


class SeasonRow(Struct, frozen=True):
    """A line of a table. Sides that nothing separates have the same `place`, counted from 1.

    `points` are all points, of which `bonus` came beside wins, draws and losses, less `deducted`.
    """

    place: Ordinal
    side: str
    played: Index
    won: Index
    drawn: Index
    lost: Index
    legs: tuple[Index, Index]
    points: int
    bonus: int
    deducted: int
    average: float | None
    mark: Literal["promoted", "relegated"] | None
    withdrawn: bool


class DivisionView(Struct, frozen=True):
    """A division: its table, and its fixtures in the order of the match days. `rests`: who rests, by match day."""

    name: str
    rows: tuple[SeasonRow, ...]
    fixtures: tuple[FixtureView, ...]
    rests: tuple[str | None, ...]


class SeasonView(Struct, frozen=True, kw_only=True):
    """A season as it stands."""

    v: Literal[1] = 1
    id: str
    name: str
    begins: str
    ends: str
    divisions: tuple[DivisionView, ...]
    lines: tuple[SeasonLine, ...]


class SeasonSummary(Struct, frozen=True):
    """A season in a list."""

    id: str
    name: str
    begins: str
    ends: str
