"""What is published of a tournament over MQTT, for displays: names and words where its view has numbers and ids.

Like protocol/messages.py this is a contract that other software is written against, so fields are only ever added.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from protocol.match_spec import Index, Ordinal


class TournamentMatch(Struct, frozen=True, omit_defaults=True):
    """A match of a tournament. `sides` are names: null for one that is not known yet, "" for nobody.

    `winner` is the side that won, 0 or 1. `score` are sets if the match is played in sets, otherwise legs (points in a
    match of teams). `due` is when it is expected to begin, `writer` who keeps the score.
    """

    match: str
    sides: tuple[str | None, str | None]
    status: Literal["waiting", "ready", "called", "playing", "played", "disputed", "walkover", "bye", "annulled"]
    table: str | UnsetType = UNSET
    winner: Index | UnsetType = UNSET
    score: tuple[int, int] | UnsetType = UNSET
    due: str | UnsetType = UNSET
    writer: str | UnsetType = UNSET


class TournamentState(Struct, frozen=True):
    """A tournament at a glance, in at most 4 kB: `calls` and `next` are cut to what fits.

    `game` is the title of its game. `calls` are the matches that have a table, called or playing, and `next` those that
    follow, in the order in which they should be called. Of the `matches` known so far `played` are over. `round` is the
    current one of a tournament that is paired round by round, otherwise 0. `ends` is when it is expected to end, and in
    four of five cases it does so from `ends_early` to `ends_late`; they are null while nothing is expected.
    """

    v: Literal[1]
    name: str
    kind: Literal["knock_out", "double_knock_out", "round_robin", "groups", "swiss", "ladder", "open"]
    game: str
    phase: Literal["sign_up", "playing", "over"]
    entrants: Index
    matches: Index
    played: Index
    round: Index
    calls: tuple[TournamentMatch, ...]
    next: tuple[TournamentMatch, ...]
    winner: str | None = None
    ends: str | None = None
    ends_early: str | None = None
    ends_late: str | None = None


class TournamentRound(Struct, frozen=True):
    """A round, in at most 16 kB; `left_out` counts the matches that did not fit: byes first, then those played.

    `stage` is what it belongs to, and `round` its number there. `last` is how many sides are left in a round of a
    knock-out: 2 is the final, 4 the semi-finals; otherwise null.
    """

    v: Literal[1]
    stage: Literal["group", "round", "winners", "losers", "final", "third"]
    round: Ordinal
    last: int | None
    matches: tuple[TournamentMatch, ...]
    left_out: Index = 0


class TournamentTable(Struct, frozen=True):
    """A table of a tournament: the match that is called or played there, and the next one.

    `status`: `else` where it plays a match that is not of this tournament. With `paper`, results are entered by the
    organiser.
    """

    v: Literal[1]
    table: str
    title: str
    paper: bool
    status: Literal["free", "called", "playing", "else", "away"]
    match: TournamentMatch | None
    next: TournamentMatch | None


class TournamentPlace(Struct, frozen=True):
    """The places from `first` to `last`, counted from 1, that these sides share."""

    first: Ordinal
    last: Ordinal
    sides: tuple[str, ...]


class TournamentRow(Struct, frozen=True):
    """A side in a table of standings. Sides that nothing separates have the same `place`; `legs` are won and lost."""

    place: Ordinal
    side: str
    played: Index
    won: Index
    drawn: Index
    lost: Index
    legs: tuple[Index, Index]
    points: int


class TournamentStandings(Struct, frozen=True):
    """The standings of a group (counted from 0), or of all."""

    group: Index | None
    rows: tuple[TournamentRow, ...]


class TournamentPlaces(Struct, frozen=True):
    """The places that are decided, and the standings of groups, in at most 16 kB: the last standings are cut first."""

    v: Literal[1]
    places: tuple[TournamentPlace, ...]
    standings: tuple[TournamentStandings, ...]


class TournamentEvent(Struct, frozen=True, omit_defaults=True):
    """What happened in a tournament; `name` is the tournament's.

    `called`: `match`, its `sides`, and the `table` that it is called to. `match_won`: also the name of the `winner` and
    the `score`; `walkover` is true if it was given away. `round_over`: the `stage` and the `round` of it. `winner`: the
    name of the `winner` of the tournament.
    """

    event_type: Literal["called", "match_won", "round_over", "winner"]
    name: str
    match: str | UnsetType = UNSET
    sides: tuple[str | None, str | None] | UnsetType = UNSET
    table: str | UnsetType = UNSET
    winner: str | UnsetType = UNSET
    score: tuple[int, int] | UnsetType = UNSET
    walkover: bool = False
    stage: str | UnsetType = UNSET
    round: Ordinal | UnsetType = UNSET
