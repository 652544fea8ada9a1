"""A tournament in words: what it is made of, what can be done in it, and what displays are shown of it.

The journal of a tournament has a `TournamentSpec` in its first line and one `Input` in each line after it. The engine
folds them (engine/tournament/), and what it finds is shown as `TournamentView`. An entrant is known by the number of
the line that entered it; a match by an id such as `winners-1-3`, which is compared whole and never taken apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from protocol.match_spec import Format, Index, Ordinal

Entrant = int
"""The line that entered a side, from 2 on; EMPTY is nobody, and UNKNOWN is not known yet."""
EMPTY, UNKNOWN = 0, -1
Kind = Literal["knock_out", "double_knock_out", "round_robin", "groups", "swiss", "ladder", "open"]
Stage = Literal["group", "round", "winners", "losers", "final", "third"]
"""What a match belongs to: a group, a round of a table of all, the two sides of a knock-out, its final, third place."""
TieBreak = Literal[
    "direct", "leg_difference", "level_leg_difference", "legs_won", "wins", "opponents", "average", "lots"
]
"""What decides between sides of equal points: the matches among two that are level, the difference of legs in all
matches or only among those that are level, legs won, matches won, the points of the opponents, the three-dart average
(marks for cricket), or a lot drawn from the seed."""
Phase = Literal["sign_up", "playing", "over"]
Status = Literal["waiting", "ready", "called", "playing", "played", "disputed", "walkover", "bye", "annulled"]
"""What a match waits for: its sides, a table, its first dart, its end; or how it came to its winner.

An annulled match is not played and counts nowhere: a side left the table, or the team match is decided without it.
"""
Name = Annotated[str, Meta(min_length=1, max_length=40)]
MOST_ENTRANTS = 256
MOST_IN_ROUND_ROBIN, MOST_IN_GROUP = 64, 32
"""Sides that all meet each other: of so many the view, which has every match, is made and sent within a moment.

Of teams there are fewer, since each of their matches has parts: see engine/tournament/specs.py."""
MOST_TABLES = 64


class Points(Struct, frozen=True):
    """What a match is worth in a table."""

    win: Index = 2
    draw: Index = 1
    loss: Index = 0


class Slot(Struct, frozen=True, omit_defaults=True):
    """One match of a team match: the places in the two rosters that play it, counted from 0, and its points."""

    home: tuple[Index, ...]
    away: tuple[Index, ...]
    points: Ordinal = 1
    game: str | None = None
    options: Mapping[str, Any] = {}  # Any: checked by the game's own Struct


class TournamentSpec(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a tournament is made of; the first line of its journal, which never changes.

    * `game`, `options`, `format`: as in a match record; `formats` has the format of stages or rounds that differ, by
      `STAGE` or `STAGE-ROUND` such as `winners-1`; of a knock-out the rounds are also called `last-16`, `last-8`
      (quarter-finals), `last-4` (semi-finals).
    * `side`: how many people play together, from 1 to 4; with `drawn`, people enter alone and their sides are drawn.
    * `slots`: what is played between two rosters, of a tournament of teams.
    * `third_place`: the losers of the semi-finals play for it. `second_final`: of a double knock-out, where the side
      that was beaten before wins the first.
    * `groups`, `through`: how many groups there are, and how many of each go on into the knock-out.
    * `twice`: each pair of a round robin or a group meets twice.
    * `rounds`: of a Swiss tournament; None: as few as find one winner.
    * `reach`: how many places above its own a side of a ladder may challenge.
    * `points`, `tie_breaks`: how a table is counted; the tie-breaks decide in their order.
    * `withdrawn`: what becomes of the matches of a side that leaves a table: `annul` strikes all of them if fewer than
      half are played; otherwise what is left is a walkover.
    * `confirm`: who signs up by the code has to be confirmed by the organiser.
    * `rest_s`: how long a person rests between two matches, in seconds.
    * `seeding`: how the organiser is proposed a draw. By `rating` those who have one come first, then by average.
    * `first`: who throws first in a match: `drawn` by the tournament, fairly, or the `bull`.
    """

    name: Name
    kind: Kind
    game: str = "x01"
    options: Mapping[str, Any] = {}  # Any: checked by the game's own Struct
    format: Format = Format()
    formats: Mapping[str, Format] = {}
    side: Annotated[int, Meta(ge=1, le=4)] = 1
    drawn: bool = False
    slots: tuple[Slot, ...] = ()
    third_place: bool = False
    second_final: bool = True
    groups: Annotated[int, Meta(ge=2, le=32)] = 2
    through: Annotated[int, Meta(ge=1, le=16)] = 2
    twice: bool = False
    rounds: Annotated[int, Meta(ge=1, le=32)] | None = None
    reach: Annotated[int, Meta(ge=1, le=32)] = 2
    points: Points = Points()
    tie_breaks: tuple[TieBreak, ...] = ("direct", "leg_difference", "legs_won")
    withdrawn: Literal["walkover", "annul"] = "walkover"
    confirm: bool = True
    rest_s: Annotated[int, Meta(ge=0, le=3600)] = 0
    seeding: Literal["draw", "hand", "average", "rating"] = "draw"
    first: Literal["drawn", "bull"] = "drawn"
    seed: str = ""


class Enter(Struct, frozen=True, tag="enter", tag_field="do", omit_defaults=True):
    """Enters a side, or with `drawn` a person. `name` is the team's, by default the people's names.

    `seed` is a place in the seeding, from 1; `average` that of the last 90 days, from this many `darts`; `rating` that
    in the game of the tournament. What comes by the code of the tournament is not `confirmed`, unless the tournament
    says so.
    """

    people: tuple[Name, ...]
    name: str = ""
    seed: Ordinal | None = None
    average: float | None = None
    darts: Index = 0
    paid: bool = False
    confirmed: bool = True
    rating: float | None = None


class Change(Struct, frozen=True, tag="change", tag_field="do", omit_defaults=True):
    """Changes what is known of an entrant; what is None stays."""

    entrant: Entrant
    people: tuple[Name, ...] | None = None
    name: str | None = None
    seed: int | None = None
    """0: none."""
    paid: bool | None = None
    confirmed: bool | None = None


class Leave(Struct, frozen=True, tag="leave", tag_field="do"):
    """A side leaves: before the draw it is no longer entered, after it others walk over."""

    entrant: Entrant


class DrawSides(Struct, frozen=True, tag="draw_sides", tag_field="do"):
    """The drawn sides, each of people who have entered alone. The first of them stands for the side."""

    sides: tuple[tuple[Entrant, ...], ...]


class DrawSeats(Struct, frozen=True, tag="draw_seats", tag_field="do"):
    """The draw of a knock-out: who sits on each seat, from top to bottom; 0 is an empty one.

    After groups it may be left to the tournament, which then seats by their places.
    """

    seats: tuple[Entrant, ...]


class DrawGroups(Struct, frozen=True, tag="draw_groups", tag_field="do"):
    """The draw of groups, or of a round robin as one group: who is in each, in the order of the tables of Berger."""

    groups: tuple[tuple[Entrant, ...], ...]


class DrawRound(Struct, frozen=True, tag="draw_round", tag_field="do"):
    """The pairs of the next round of a Swiss tournament, and who rests (0: nobody)."""

    pairs: tuple[tuple[Entrant, Entrant], ...]
    rests: Entrant = EMPTY


class DrawLadder(Struct, frozen=True, tag="draw_ladder", tag_field="do"):
    """The order in which a ladder begins, from the top; or who takes part in an open evening."""

    order: tuple[Entrant, ...]


class SeatLate(Struct, frozen=True, tag="seat_late", tag_field="do"):
    """Seats a late entrant where a match has an empty side whose partner has not begun its next match.

    In a round robin, a Swiss tournament, a ladder and an open evening `match` is "": the entrant joins at the end.
    """

    entrant: Entrant
    match: str = ""


class Pair(Struct, frozen=True, tag="pair", tag_field="do"):
    """A match of a ladder (the first challenges the second) or of an open evening."""

    sides: tuple[Entrant, Entrant]


class TableUse(Struct, frozen=True, omit_defaults=True):
    """A table: one of a daemon by its name, or on `paper`, where results are entered by the organiser."""

    name: Annotated[str, Meta(min_length=1, max_length=40)]
    paper: bool = False
    paused: bool = False


class SetTables(Struct, frozen=True, tag="set_tables", tag_field="do", omit_defaults=True):
    """The tables that play, in the order in which they are given matches: with `auto` by themselves, else by hand."""

    tables: tuple[TableUse, ...]
    auto: bool = True


class Call(Struct, frozen=True, tag="call", tag_field="do", omit_defaults=True):
    """Calls a match to a table; None calls it back. Each call raises the attempt of the match.

    With `writer`, this entrant keeps the score.
    """

    match: str
    table: str | None
    writer: Entrant = EMPTY


class SetWriter(Struct, frozen=True, tag="set_writer", tag_field="do"):
    """Has another entrant keep the score of a match that is called or played; EMPTY: nobody."""

    match: str
    writer: Entrant


class Begin(Struct, frozen=True, tag="begin", tag_field="do"):
    """The first dart of a match is thrown, said by its table."""

    match: str
    attempt: Ordinal


class Result(Struct, frozen=True, tag="result", tag_field="do", omit_defaults=True):
    """How a match ended. `winner` None: it is a draw.

    `sides` are the entrants that played it, in the order of the match; the result counts only where they still are its
    sides. `legs` are the legs that each won, `sets` likewise where there are several. `points` and `darts` are what
    each scored in how many darts (marks in cricket), for averages. With an `attempt` it comes from the table, whose
    match record has the id `record`; without one the organiser enters it. `walkover`: it was given away.
    """

    match: str
    sides: tuple[Entrant, Entrant]
    winner: Entrant | None
    legs: tuple[Index, Index] = (0, 0)
    sets: tuple[Index, Index] = (0, 0)
    points: tuple[Index, Index] = (0, 0)
    darts: tuple[Index, Index] = (0, 0)
    attempt: Ordinal | None = None
    record: str = ""
    walkover: bool = False


class TakeBack(Struct, frozen=True, tag="take_back", tag_field="do", omit_defaults=True):
    """The match has no result any more. With an `attempt` its table says so: it plays on there."""

    match: str
    attempt: Ordinal | None = None


class Seen(Struct, frozen=True):
    """How a match stood for whoever enters a Result or a TakeBack: `winner` and `score` as in its view."""

    winner: Entrant | None
    score: tuple[int, int] | None


class Expectation(Struct, frozen=True):
    """What may stand beside an input that is asked for; it comes into no journal.

    With `seen`, a Result or a TakeBack is refused where the match does not stand so any more: someone else was faster.
    """

    seen: Seen | None = None


class Outdated(Struct, frozen=True, tag="outdated", tag_field="do"):
    """What a table says of an attempt at a match that does not count: the match was called elsewhere since, or back.

    It is shown, and changes nothing: how the match ended at that table, or that it goes on there after all.
    """

    table: str
    said: Result | TakeBack


class Settle(Struct, frozen=True, tag="settle", tag_field="do"):
    """What a table said later of a disputed match does not count: the result on which others have begun stands."""

    match: str


class End(Struct, frozen=True, tag="end", tag_field="do"):
    """The tournament is over, whatever is left to play."""


class Undo(Struct, frozen=True, tag="undo", tag_field="do"):
    """Takes back the latest thing that the organiser did; what tables said stays."""


class Redo(Struct, frozen=True, tag="redo", tag_field="do"):
    """Does again what was undone."""


Input = (
    Enter
    | Change
    | Leave
    | DrawSides
    | DrawSeats
    | DrawGroups
    | DrawRound
    | DrawLadder
    | SeatLate
    | Pair
    | SetTables
    | Call
    | SetWriter
    | Begin
    | Result
    | TakeBack
    | Outdated
    | Settle
    | End
    | Undo
    | Redo
)
"""A line of the journal after its first."""
By = Literal["organiser", "table", "sign_up", "desk"]
"""Who did it: the organiser, a table, someone with the code of the tournament, or the desk that calls by itself."""


UnixTime = Annotated[int, Meta(ge=0, le=253_402_300_799)]
"""In seconds, to the end of the year 9999: what a calendar can say."""


class Line(Struct, frozen=True):
    """A line of the journal: its number (the spec is line 1), when it was written (Unix time), by whom, and what."""

    number: Ordinal
    at_s: UnixTime
    by: By
    input: Input


class EntrantView(Struct, frozen=True):
    """A side that has entered. `members` are the entrants drawn together into this side, otherwise empty."""

    id: Entrant
    name: str
    people: tuple[str, ...]
    seed: int | None
    average: float | None
    darts: int
    paid: bool
    confirmed: bool
    left: bool
    members: tuple[Entrant, ...]
    rating: float | None = None


Awaited = tuple[Literal["winner", "loser", "place"], str]
"""What a side of a match waits for: the winner or loser of the match of this id, or a place such as `2-1`: place 1 of
group 2."""


class MatchView(Struct, frozen=True):
    """A match. `sides` may be EMPTY or UNKNOWN; for UNKNOWN, `awaits` has what decides it.

    `score` are sets if the match is played in sets, otherwise legs (points in a team match). `group` counts from 0.
    `slot` counts the parts of the team match `of`, from 0. `last` is how many sides are left in a round of a knock-out:
    2 is a final, 4 the semi-finals. `due_s` is when it is expected to begin (Unix time).
    """

    id: str
    stage: Stage
    round: Ordinal
    number: Ordinal
    sides: tuple[Entrant, Entrant]
    awaits: tuple[Awaited | None, Awaited | None]
    status: Status
    winner: Entrant | None
    score: tuple[int, int] | None
    table: str | None
    attempt: Index
    writer: Entrant
    group: Index | None = None
    of: str | None = None
    slot: Index | None = None
    last: int | None = None
    due_s: int | None = None
    played_s: int | None = None


class OldAttempt(Struct, frozen=True):
    """How an attempt at a match ended at its table that counts nowhere: the match was called elsewhere since, or back.

    `winner` and `score` are as in the view of a match.
    """

    match: str
    attempt: Index
    table: str
    winner: Entrant | None
    score: tuple[int, int]


class Row(Struct, frozen=True):
    """A line of a table. Sides that nothing separates have the same `place`, counted from 1."""

    place: Ordinal
    entrant: Entrant
    played: Index
    won: Index
    drawn: Index
    lost: Index
    legs: tuple[Index, Index]
    points: int
    average: float | None


class Standings(Struct, frozen=True):
    """A table: of a group (counted from 0), or of all."""

    group: Index | None
    rows: tuple[Row, ...]


class Place(Struct, frozen=True):
    """The places that these sides share, counted from 1: `first` to `last`."""

    first: Ordinal
    last: Ordinal
    entrants: tuple[Entrant, ...]


class TableView(Struct, frozen=True):
    """A table of the tournament. `status`: `else` where it plays a match that is not of this tournament.

    With `board_away` its board is not connected: darts can be entered by hand.
    """

    name: str
    title: str
    paper: bool
    paused: bool
    status: Literal["free", "called", "playing", "else", "away"]
    match: str | None
    next: str | None
    board_away: bool = False


class FoundTable(Struct, frozen=True):
    """A table that a tournament or a match in two places can be given.

    `bridge` is the daemon that has it; None: the one that is asked. An older oche gives no results to others: its
    tables are offered on `paper`.
    """

    name: str
    title: str
    bridge: str | None = None
    paper: bool = False


class Forecast(Struct, frozen=True):
    """When the tournament is expected to end (Unix time), and the range that it does so in four of five cases."""

    end_s: int
    early_s: int
    late_s: int


class TournamentView(Struct, frozen=True):
    """All of a tournament, as pages show it. `line` is the number of the latest line.

    `may` are the kinds of inputs that the organiser is offered now. `next` are matches in the order in which they
    should be called. `round` is the current round of a table of rounds. `undo` and `redo` are the lines that Undo would
    take back and Redo do again. `outdated` is what tables have said of matches that were called elsewhere since.
    """

    v: int
    id: str
    line: int
    spec: TournamentSpec
    phase: Phase
    made_s: int
    entrants: tuple[EntrantView, ...]
    matches: tuple[MatchView, ...]
    standings: tuple[Standings, ...]
    places: tuple[Place, ...]
    tables: tuple[TableView, ...]
    next: tuple[str, ...]
    may: tuple[str, ...]
    round: Index = 0
    winner: Entrant | None = None
    ladder: tuple[Entrant, ...] = ()
    forecast: Forecast | None = None
    undo: Line | None = None
    redo: Line | None = None
    auto: bool = True
    """Matches are called by themselves."""
    outdated: tuple[OldAttempt, ...] = ()


class TournamentSummary(Struct, frozen=True):
    """A tournament in a list."""

    id: str
    name: str
    kind: Kind
    phase: Phase
    made_s: int
    entrants: Index
    played: Index
    matches: Index
    winner: str | None
