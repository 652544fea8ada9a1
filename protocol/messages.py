"""What is said to the outside, as values: the snapshot of a table and the single events.

The same snapshot goes over MQTT, to the page and out of `oche replay`; its shape is a contract that other software is
written against, so fields are only ever added.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

Phase = Literal["throwing", "deciding", "takeout", "over"]
Availability = Literal["online", "offline"]
ErrorCode = Literal["illegal", "stale", "unknown", "busy", "invalid", "unavailable"]
Index = Annotated[int, Meta(ge=0)]
"""The number of a side or a seat, counted from 0; or how many there are of something."""
Ordinal = Annotated[int, Meta(ge=1)]
"""Counted from 1: lines of a match, visits, rounds, legs."""


class Dart(Struct, frozen=True):
    """A dart: the journal line it came from, where it landed, its face value."""

    line: Ordinal
    segment: str
    points: Index


class Turn(Struct, frozen=True):
    """The visit at the oche. `visit` counts over all sides from 1; sides and seats from 0."""

    side: Index
    seat: Index
    player: str
    visit: Ordinal
    darts_left: Index
    darts: tuple[Dart, ...]


class LastVisit(Struct, frozen=True):
    """The visit before this one; `points` is what it was worth in the game."""

    side: Index
    visit: Ordinal
    points: int
    darts: tuple[Dart, ...]


class Side(Struct, frozen=True):
    """A player or a team. `score` is the number on the wall, `detail` what only this game has."""

    name: str
    players: tuple[str, ...]
    score: int
    legs: Index
    sets: Index
    out: bool
    detail: Mapping[str, Any]  # Any: JSON


class Prompt(Struct, frozen=True):
    """An open question. A secret one has no options, values and default in public."""

    id: str
    seat: Index
    text: str
    options: tuple[str, ...] | None
    pattern: str | None
    values: Mapping[str, int] | None
    default: str | None
    blocking: bool
    secret: bool


class State(Struct, frozen=True):
    """Everything a display needs, in one message. `session` and `seq` only where it is published."""

    v: Literal[1]
    match: str | None
    game: str
    title: str
    line: Ordinal
    phase: Phase
    round: Ordinal
    leg: Ordinal
    set: Ordinal
    turn: Turn
    last: LastVisit | None
    sides: tuple[Side, ...]
    targets: tuple[str, ...]
    hint: tuple[str, ...]
    prompts: tuple[Prompt, ...]
    board: Mapping[str, Any]  # Any: JSON
    winners: tuple[Index, ...]
    session: str | UnsetType = UNSET
    seq: Ordinal | UnsetType = UNSET


EventType = Literal[
    "hit",
    "dart",
    "visit",
    "bust",
    "halved",
    "closed",
    "claimed",
    "eliminated",
    "award",
    "leg_won",
    "set_won",
    "match_won",
    "turn_changed",
    "takeout_started",
    "takeout_finished",
    "prompt",
    "corrected",
    "undone",
    "match_started",
    "match_stopped",
    "retired",
    "stray",
    "board_online",
    "board_offline",
    "board_problem",
]


class Event(Struct, frozen=True, kw_only=True):
    """One thing that happened, never repeated. Each type carries what the contract lists for it, and no more."""

    event_type: EventType
    session: str
    seq: Ordinal
    match: str | UnsetType = UNSET
    line: Ordinal | UnsetType = UNSET
    side: Index | UnsetType = UNSET
    player: str | UnsetType = UNSET
    segment: str | UnsetType = UNSET
    points: int | UnsetType = UNSET
    score: int | UnsetType = UNSET
    darts: tuple[str, ...] | UnsetType = UNSET
    target: str | UnsetType = UNSET
    cell: str | UnsetType = UNSET
    award: str | UnsetType = UNSET
    winners: tuple[Index, ...] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    seat: Index | UnsetType = UNSET
    game: str | UnsetType = UNSET
    problem: str | UnsetType = UNSET


class BridgeInfo(Struct, frozen=True):
    """What this daemon is: never a secret in it.

    `games` maps ids to the JSON Schema of their options, `presets` further ids to a game and the options they stand
    for: both can be chosen and started.
    """

    version: str
    contract: int
    tables: tuple[str, ...]
    games: Mapping[str, Any]  # Any: JSON Schema
    presets: Mapping[str, Any] = {}  # Any: JSON


class TableHealth(Struct, frozen=True):
    """Counts of one table since the daemon started; `drops` is what `dropped` is made of, by reason.

    `stuck` names the segments that do not open now, "?" for one that the board does not name. `trouble` says in one
    sentence why what is thrown cannot be kept now, null while it can: darts are then strays, commands are refused.
    `remark` is what became of the table's journal since the daemon started, where somebody should look at it.
    """

    reconnects: Index
    hits: Index
    dropped: Index
    stray: Index
    garbage: Index
    queue: Index
    drops: Mapping[str, Index] = {}
    stuck: tuple[str, ...] = ()
    trouble: str | None = None
    remark: str | None = None


class Health(Struct, frozen=True):
    """How the daemon is; `uptime_s` in whole seconds."""

    uptime_s: Index
    broker_reconnects: Index
    tables: Mapping[str, TableHealth]


class BoardInfo(Struct, frozen=True):
    """The hardware. `text` is one sentence on the link; `battery` in percent. `stuck`, `trouble`: see TableHealth.

    `signal_dbm` is how loud a board on the radio was heard when it was found.
    `last_hit_s` are the whole seconds since its last hit, as of when this was said: with each health report again.
    """

    profile: str
    address: str
    text: str
    battery: Annotated[int, Meta(ge=0, le=100)] | None = None
    firmware: str | None = None
    stuck: tuple[str, ...] = ()
    last_hit_s: Index | None = None
    signal_dbm: int | None = None
    trouble: str | None = None


class Response(Struct, frozen=True, omit_defaults=True):
    """The answer to a request."""

    status: Literal["ok", "error"]
    transaction: str | None
    data: Mapping[str, Any] | UnsetType = UNSET  # Any: JSON
    error: Mapping[str, str] | UnsetType = UNSET


class Plan(Struct, frozen=True):
    """The match that the next `start` begins: what `game` has chosen so far, or the same again.

    `game` is the name that was chosen, an id or a preset's; `options` are all that it would be played with. A side
    whose name in `team_names` is empty is called after its players. `problem` says in one sentence why it cannot begin
    like this, null when it can.
    """

    game: str
    title: str
    players: tuple[str, ...]
    teams: tuple[tuple[Index, ...], ...] | None
    team_names: tuple[str, ...] | None
    options: Mapping[str, Any]  # Any: JSON
    format: Mapping[str, Ordinal]
    problem: str | None = None


class SeatView(Struct, frozen=True):
    """What one seat sees of the game beside what everybody sees."""

    targets: tuple[str, ...]
    hint: tuple[str, ...]
    board: Mapping[str, Any]  # Any: JSON


class SeatState(Struct, frozen=True):
    """What only one seat may see: its hand, and its questions with all their options."""

    seat: Index
    match: str | None
    line: Ordinal
    view: SeatView
    prompts: tuple[Prompt, ...]
