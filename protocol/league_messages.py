"""What a daemon tells others of its finished matches and their players, and what they answer.

Two kinds of others take a record: whoever asked for the match with a `ref` (the daemon that holds a tournament), and
the collectors of a league. Each acknowledges for itself. The messages work the same with MQTT 3.1.1 and 5: what is
offered is said again, ever less often, until it is taken, so it may be lost, repeated and overtaken.

The shapes are a contract that other software is written against: fields are only ever added.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from protocol.match_spec import Index, Ordinal, Ref, TableName

MOST_NAMES = 64
"""Names of one player in the records of one daemon."""
MOST_RESULTS = 2000
"""In one message."""
BridgeId = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
"""The UUID of a daemon in hexadecimal, kept in its `state_dir`."""
MOST_ORDER = 2**53 - 1
Order = Annotated[int, Meta(ge=0, le=MOST_ORDER)]
"""Of two messages of a daemon on the same thing that with the higher number is the newer one, whichever comes first.

It is the time in milliseconds (Unix), or more: it only grows. If the clock was set back since an earlier run, the
league answers what it knows, and the daemon goes on from there. An older oche sends none: what comes last counts.
"""
By = Literal["league"]
"""Who takes: a collector of the league. Left out: whoever asked for the match with a `ref`."""


class LeagueOffer(Struct, frozen=True, omit_defaults=True):
    """A finished match, for whoever asked for it with this `ref`, and with a `bridge_id` for the league too.

    `record` is the whole match record with its `lines` lines; `sha256` is that of its text in UTF-8, in hexadecimal. Of
    a record of more than 64 kB it is compressed: with `packed`, it is base64 of zlib. Where `record` would be longer
    than 200 kB it comes in several messages: each has the part number `part`, from 1, of `parts`, and the other fields
    are the same in all of them. `layout` is that of the board. `begun_at` is when the match began (ISO 8601, UTC).
    Of two records of a match the one with the higher `order` is the newer.
    """

    v: Literal[1]
    match: str
    table: str
    layout: str
    lines: Ordinal
    sha256: str
    record: str
    ref: Ref | UnsetType = UNSET
    packed: bool = False
    bridge_id: BridgeId | UnsetType = UNSET
    begun_at: str | UnsetType = UNSET
    part: Ordinal = 1
    parts: Annotated[int, Meta(ge=1, le=1000)] = 1
    order: Order | UnsetType = UNSET


class LeagueTaken(Struct, frozen=True, omit_defaults=True):
    """The answer to an offer: with the answer `kept`, this record of the match is kept elsewhere, and offered no more.

    Each who takes answers for itself, a league with `by`. The league may also answer `known_more`: its record of this
    match begins with the offered one and has more, `lines` in all; the daemon was restored from an old backup, and can
    fetch it. `not_taken`: it does not take this record, and why is the `reason`; the offer is not said again before the
    daemon restarts. `older`: the league has another record of this match, whose order is `older_than`; an offer that
    still holds is said again with a higher one.

    With an empty `match`, all that is still offered to whoever answers is said again at once: it is there again; and
    with `again`, what was taken before is offered once more too, because who took it is lost.
    """

    match: str
    sha256: str
    by: By | UnsetType = UNSET
    table: str | UnsetType = UNSET
    answer: Literal["kept", "known_more", "not_taken", "older"] = "kept"
    lines: Ordinal | UnsetType = UNSET
    reason: Annotated[str, Meta(max_length=500)] | UnsetType = UNSET
    again: bool = False
    older_than: Order | UnsetType = UNSET


class PlayerChange(Struct, frozen=True, omit_defaults=True):
    """What a daemon says of one player: `names` are all that records have of the player, `name` is the present one."""

    name: str
    names: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MOST_NAMES)]


class LeaguePlayers(Struct, frozen=True, omit_defaults=True):
    """The players of a daemon who have been renamed or joined: all of them, each time one changes.

    `sha256` is that of `players` as JSON in the order in which they are here; it is what the answer names. Of two such
    messages the one with the higher `order` is the newer.
    """

    v: Literal[1]
    bridge_id: BridgeId
    sha256: str
    players: tuple[PlayerChange, ...]
    order: Order | UnsetType = UNSET


class LeagueForget(Struct, frozen=True):
    """A player of a daemon is forgotten: what has one of these names in matches begun before `at` loses it.

    `id` is made by the daemon and names this message in the answer. `at` is ISO 8601, UTC.
    """

    v: Literal[1]
    bridge_id: BridgeId
    id: Annotated[str, Meta(min_length=1, max_length=64)]
    names: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MOST_NAMES)]
    at: str


class ResultByHand(Struct, frozen=True, omit_defaults=True):
    """How a match of a tournament ended, as its organiser has entered it.

    `match` is its id in the tournament, and `sides` are the numbers by which the tournament knows those who play it;
    there are no names. `winner` is the place in `sides`, 0 or 1; left out, it is a draw. `legs` and `sets` are what
    each has won (of a match of teams, `legs` are its points). `walkover`: it was given away. With `void` the match has
    no result: it was called back, or its result was, and what tables say of its attempts up to this one does not count.
    """

    match: Annotated[str, Meta(pattern="^[a-z0-9/-]{1,40}$")]
    sides: tuple[Ordinal, Ordinal]
    winner: Literal[0, 1] | UnsetType = UNSET
    legs: tuple[Index, Index] = (0, 0)
    sets: tuple[Index, Index] = (0, 0)
    walkover: bool = False
    void: Ordinal | UnsetType = UNSET


class LeagueResults(Struct, frozen=True, omit_defaults=True):
    """The results of a tournament that its organiser has entered: all that stand now, each time that one changes.

    It is said, too, that there are none, once one was taken back, and at the end of the tournament.

    They are for the seasons of the league, whose match days are tournaments. A result that a table has said is not
    here: it comes as the record of its match. `id` names this message in the answer. `line` is that of the latest line
    of the tournament: of two daemons that have it, the one that is further on counts. Of two messages of a daemon on
    the same tournament the one with the higher `order` is the newer.
    """

    v: Literal[1]
    bridge_id: BridgeId
    id: Annotated[str, Meta(min_length=1, max_length=64)]
    tournament: Annotated[str, Meta(pattern="^[a-z0-9]{8}$")]
    line: Ordinal
    results: Annotated[tuple[ResultByHand, ...], Meta(max_length=MOST_RESULTS)]
    order: Order | UnsetType = UNSET


class LeagueHeard(Struct, frozen=True, omit_defaults=True):
    """The league's answer: `of` is the `sha256` of all players, or the `id` of a forgetting or of results.

    After a forgetting, `matches` is in how many matches of the league the name was, and `left` says in one sentence
    where it may still be, such as backups of the database.

    With `older_than` it was not taken: the league has heard something else, of that order. What still holds is said
    again with a higher one.
    """

    of: str
    matches: int | UnsetType = UNSET
    left: str | UnsetType = UNSET
    older_than: Order | UnsetType = UNSET


class LeagueInput(Struct, frozen=True, omit_defaults=True):
    """An input of a table that plays along in a match at another table, which is `to`; kept until it is acknowledged.

    `input` is a line of a match record, or `{"join": true}` or `{"leave": true}`: the table plays along from now on, or
    does not. `seq` counts the inputs of a `session` from 1; a session lasts for one match, also over restarts of the
    sending daemon. All before `first` are acknowledged. `visit` is the visit that the input is for: in another one it
    does not count. `timer`: a timer or a button wrote it. `mono_ms` is the monotonic clock of the sender in
    milliseconds.
    """

    v: Literal[1]
    to: TableName
    match: str
    session: Annotated[str, Meta(pattern="^[0-9a-f]{8,32}$")]
    seq: Ordinal
    first: Ordinal
    mono_ms: int
    input: dict[str, Any]  # Any: JSON, decoded as an input line of a record
    visit: Ordinal | UnsetType = UNSET
    timer: bool = False


class LeagueInputTaken(Struct, frozen=True, omit_defaults=True):
    """What the referee's table has made of the inputs of a lent table: all up to `seq` of this `session` are decided.

    `refused` has the reasons of the latest of those that did not count, by their numbers. What counts is on the disk.
    """

    v: Literal[1]
    match: str
    session: str
    seq: int
    refused: dict[str, str] = {}
