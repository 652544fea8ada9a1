"""What comes from the daemons, decoded: a record, a message on players, or what cannot be read, with its reason.

Whose a message is follows from its topic, which the broker guards. Everything else in it may be anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from msgspec import UNSET, Struct

from daemon.admin.players.names import is_neutral_name
from daemon.errors import escape_controls
from protocol.json_depth import check_depth
from protocol.league_messages import LeagueForget, LeagueOffer, LeaguePlayers, LeagueResults
from protocol.league_parts import PartsJoiner, unpack_record
from protocol.match_spec import Unreadable
from protocol.player_names import name_key
from protocol.topics import TopicError, check_name

_MOST_KEPT = 65_536
"""Bytes that are kept of what cannot be read."""
_MOST_ID = 64
_MOST_NAME = 200
"""Characters of a name; the names of players have fewer."""
_DEEDS = {"league_players": LeaguePlayers, "league_forget": LeagueForget, "league_results": LeagueResults}


class Sender(NamedTuple):
    """The daemon that a message is from, as the topic has it."""

    base: str
    name: str


class Key(NamedTuple):
    """What names a match of the league."""

    bridge_id: UUID
    table: str
    match: str


class Record(Struct, frozen=True):
    """A record as it was offered. `text` is its header and its inputs, each line with its line feed.

    `order` tells which of two of a match is the newer; None: an older oche offers it, and the last to come counts.
    """

    sender: Sender
    key: Key
    layout: str
    begun_at: datetime | None
    lines: int
    sha256: str
    text: bytes
    header: dict[str, Any]  # Any: JSON
    order: int | None = None


class Players(Struct, frozen=True):
    """What a daemon says of its renamed and joined players."""

    sender: Sender
    message: LeaguePlayers


class Forget(Struct, frozen=True):
    """A player of a daemon is forgotten."""

    sender: Sender
    message: LeagueForget
    at: datetime


class Results(Struct, frozen=True):
    """What the organiser of a tournament of a daemon has entered."""

    sender: Sender
    message: LeagueResults


class Poison(Struct, frozen=True):
    """What cannot be read, and why. `match` and `sha256` are "" where not even these could be read.

    `payload` is the beginning of the message and `digest` the checksum of the whole.
    """

    sender: Sender
    reason: str
    digest: bytes
    payload: bytes
    table: str = ""
    match: str = ""
    sha256: str = ""


Received = Record | Players | Forget | Results | Poison


class _Named(Struct):
    """What an offer is read for when it cannot be read as one, so that it can be answered."""

    match: str
    sha256: str
    table: str = ""


def read_message(kind: str, payload: bytes, sender: Sender, joiner: PartsJoiner) -> Received | None:
    """Returns what this message is; None: a part of it is still missing, or it is for others. Never raises."""
    try:
        check_depth(payload)
        if kind == "league_offer":
            return _read_offer(payload, sender, joiner)
        message = msgspec.json.decode(payload, type=_DEEDS[kind])
        if isinstance(message, LeaguePlayers):
            return Players(sender, message)
        if isinstance(message, LeagueResults):
            return Results(sender, message)
        return Forget(sender, message, _read_time(message.at))
    except (ValueError, RecursionError) as error:
        return _make_poison(payload, sender, str(error))


def _read_offer(payload: bytes, sender: Sender, joiner: PartsJoiner) -> Record | Poison | None:
    """Raises ValueError."""
    offer = msgspec.json.decode(payload, type=LeagueOffer)
    if offer.bridge_id is UNSET:  # for whoever asked for the match, not for a league
        return None
    whole = joiner.join(sender, offer)
    if whole is None:
        return None
    text = unpack_record(whole)
    for what in (offer.match, offer.layout):
        if not 0 < len(what) <= _MOST_ID or not what.isprintable():
            raise Unreadable(f"{what[:_MOST_ID]!r} is no name of a match or a layout")
    try:
        key = Key(UUID(hex=offer.bridge_id), check_name(offer.table, "table"), offer.match)
    except TopicError as error:
        raise Unreadable(str(error)) from None
    begun_at = None if offer.begun_at is UNSET else _read_time(offer.begun_at)
    header = _read_lines(text, offer.lines)
    order = None if offer.order is UNSET else offer.order
    return Record(sender, key, offer.layout, begun_at, offer.lines, offer.sha256, text, header, order)


def _read_lines(text: bytes, count: int) -> dict[str, Any]:  # Any: JSON
    """Returns the header. Raises Unreadable where the text is no record of so many lines."""
    *lines, rest = text.split(b"\n")
    if rest or len(lines) != count:
        raise Unreadable(f"it has {len(lines)} lines in place of {count}")
    for number, line in enumerate(lines, 1):
        try:
            check_depth(line)
            is_object = isinstance(msgspec.json.decode(line), dict)
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"line {number} is not JSON: {error}") from None
        if not is_object:
            raise Unreadable(f"line {number} is no object")
    header: dict[str, Any] = msgspec.json.decode(lines[0])  # Any: JSON
    players = header.get("players")
    if not isinstance(players, list) or not all(isinstance(name, str) and _is_name(name) for name in players):
        raise Unreadable("its header names no players")
    for key in ("bots", "ghosts", "like", "team_names"):
        if not isinstance(header.get(key) or [], list):
            raise Unreadable(f"{key} in its header is no list")
    return header


def _read_time(text: str) -> datetime:
    """Raises Unreadable, also at the ends of the calendar, where not each time zone has such a day."""
    try:
        found = datetime.fromisoformat(text)
        moment = (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        moment = None
    if moment is None or not MINYEAR < moment.year < MAXYEAR:
        raise Unreadable(f"{text[:40]!r} is no date")
    return moment


def _make_poison(payload: bytes, sender: Sender, reason: str) -> Poison:
    digest, kept = hashlib.sha256(payload).digest(), payload[:_MOST_KEPT]
    reason = escape_controls(reason)[:500]
    try:
        named = msgspec.json.decode(payload, type=_Named)
    except (ValueError, RecursionError):
        return Poison(sender, reason, digest, kept)
    match, table = (escape_controls(each)[:_MOST_ID] for each in (named.match, named.table))
    return Poison(sender, reason, digest, kept, table, match, named.sha256[:_MOST_ID])


def list_people(header: dict[str, Any]) -> list[str]:  # Any: JSON
    """Returns the people in a header by the names that they have there, bots aside."""
    bots = header.get("bots") or []
    return [name for seat, name in enumerate(header["players"]) if not (seat < len(bots) and bots[seat] is not None)]


def list_keys(header: dict[str, Any]) -> list[str]:  # Any: JSON
    """Returns the folded names of the people in a header, also of those whom a bot throws like, or whose leg."""
    models = [each for key in ("ghosts", "like") for each in header.get(key) or [] if isinstance(each, dict)]
    named = [each.get("player") for each in models]
    return list_name_keys([*list_people(header), *(name for name in named if isinstance(name, str))])


def list_name_keys(names: Iterable[str]) -> list[str]:
    """Returns these names folded, each once; not what has no visible character, nor the names of forgotten players."""
    return sorted({key for each in names if _is_name(each) and (key := name_key(each)) and not is_neutral_name(each)})


def _is_name(name: str) -> bool:
    return len(name) <= _MOST_NAME and "\0" not in name  # which PostgreSQL has in no text
