"""What a daemon of a test says to its league."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from daemon.collect.received import Forget, Players, Received, Record, Sender, read_message
from protocol.league_messages import LeagueForget, LeagueOffer, LeaguePlayers, PlayerChange
from protocol.league_parts import PartsJoiner

NORTH, SOUTH = Sender("oche", "north"), Sender("oche", "south")
IDS = {NORTH: UUID(int=1), SOUTH: UUID(int=2)}


def make_text(players: Sequence[str] = ("Ann", "Bo"), darts: Sequence[str] = ("T20", "T19"), **more: object) -> bytes:
    """A match record of these darts."""
    header = {"oche": 1, "game": "501", "players": players, **more}
    return b"".join(msgspec.json.encode(line) + b"\n" for line in (header, *({"segment": dart} for dart in darts)))


def make_offer(text: bytes, match: str = "m1", sender: Sender = NORTH, **more: Any) -> LeagueOffer:  # Any: its fields
    """This record as it is offered; `packed` packs it."""
    record = base64.b64encode(zlib.compress(text)) if more.get("packed") else text
    given = {
        "bridge_id": IDS[sender].hex,
        "begun_at": "2026-09-01T19:00:00.000+00:00",
        "lines": text.count(b"\n"),
        "sha256": hashlib.sha256(text).hexdigest(),
        "record": record.decode(),
        **more,
    }
    return LeagueOffer(v=1, match=match, table="main", layout="standard", **given)


def read(kind: str, message: object, sender: Sender = NORTH) -> Received:
    """What a collector makes of a message."""
    found = read_message(kind, msgspec.json.encode(message), sender, PartsJoiner())
    assert found is not None
    return found


def record(
    text: bytes, match: str = "m1", sender: Sender = NORTH, **more: Any
) -> Record:  # Any: the fields of the offer
    """This record as it was received."""
    found = read("league_offer", make_offer(text, match, sender, **more), sender)
    assert isinstance(found, Record), found
    return found


def players(
    changes: Sequence[tuple[str, Sequence[str]]], sender: Sender = NORTH, order: int | UnsetType = UNSET
) -> Players:
    """What the daemon says of renamed players: their present names, and all of their names."""
    listed = tuple(PlayerChange(name, tuple(names)) for name, names in changes)
    sha256 = hashlib.sha256(msgspec.json.encode(listed)).hexdigest()
    found = read("league_players", LeaguePlayers(1, IDS[sender].hex, sha256, listed, order), sender)
    assert isinstance(found, Players)
    return found


def forget(
    *names: str,
    at: str = "2026-10-01T12:00:00Z",
    sender: Sender = NORTH,
    id: str = "f1",  # noqa: A002  its field
) -> Forget:
    """The daemon forgets a player of these names."""
    found = read("league_forget", LeagueForget(1, IDS[sender].hex, id, names, at), sender)
    assert isinstance(found, Forget)
    return found
