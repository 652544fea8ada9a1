"""What other daemons publish of themselves and of their tables, as far as a tournament reads it."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct

from daemon.mqtt.message import IncomingMessage
from protocol.match_spec import Format, MatchSpec
from protocol.messages import CONTRACT, Plan, Record, State

T = TypeVar("T")


class BridgeInfo(Struct):
    """What is read of the info of a bridge."""

    contract: int
    tables: tuple[str, ...]

    @property
    def is_old(self) -> bool:
        """Whether it knows no `ref`."""
        return self.contract < CONTRACT


class Bridge(Struct):
    """Another daemon: its tables, and since when it is there (None: it is away).

    `old_tables` are those of one that knows no `ref`. It `is_settled` a moment later, when it has said which results it
    has.
    """

    tables: tuple[str, ...] = ()
    old_tables: tuple[str, ...] = ()
    since_s: float | None = None
    is_settled: bool = False


class Board(Struct):
    """What is read of the info of a board."""

    address: str


class Known(Struct):
    """What is known of a table; the record is that of its current match, and since `changed_s` its line is the same.

    A board of which nothing is known is there: an access list may keep that to itself.
    """

    state: State | None = None
    changed_s: float = 0.0
    plan: Plan | None = None
    record: Record | None = None
    has_board: bool = True
    is_board_online: bool = True


def decode(message: IncomingMessage, kind: type[T]) -> T | None:
    """What is in a message; None for what is emptied, and for what cannot be read."""
    try:
        return msgspec.json.decode(message.payload, type=kind) if message.payload else None
    except (ValueError, RecursionError):
        return None


def is_begun(state: State) -> bool:
    """Whether a dart of its match is thrown."""
    return bool(state.turn.darts) or state.turn.visit > 1


def make_header(state: State, ref: str | None) -> MatchSpec:
    """What a state says of the header of its match, which is no more than who plays which game."""
    players = tuple(player for side in state.sides for player in side.players)
    return MatchSpec(state.game, players, format=Format(state.format.legs, state.format.sets), ref=ref)
