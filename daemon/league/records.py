"""What is offered, as values: which matches, and the records that were read of them."""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from protocol.league_messages import LeagueOffer, PlayerChange

Taker = Literal["asked", "league"]
"""For whom an offer is: whoever asked for the match with a `ref`, or the league."""
Key = tuple[str, Taker]
"""The id of a match, and for whom it is offered."""
Answer = Literal["kept", "known_more", "not_taken", "older"]


class Wanted(Struct, frozen=True):
    """A finished match that is to be offered. `stamp` changes when another record would be offered of it."""

    by: Taker
    table: str
    match: str
    begun_at: str
    layout: str
    stamp: str
    ref: str | None = None

    @property
    def key(self) -> Key:
        """By which it is known."""
        return self.match, self.by


class Taken(Struct, frozen=True):
    """The latest answer to offers of a match. `lines` is how many the league knows, of an answer `known_more`."""

    by: Taker
    table: str
    match: str
    stamp: str
    sha256: str
    answer: Answer
    lines: int | None = None
    reason: str = ""

    @property
    def key(self) -> Key:
        """As of Wanted."""
        return self.match, self.by


class Found(Struct, frozen=True):
    """What is to be offered, the oldest first, and the players in matches of the league whose name has changed.

    `unforgotten` are the forgettings, by their ids, whose players are still in the journals. `is_partial`: a journal
    could not be read, or is not there, so there may be more.
    """

    wanted: tuple[Wanted, ...]
    players: tuple[PlayerChange, ...] = ()
    unforgotten: frozenset[str] = frozenset()
    is_partial: bool = False


class Made(Struct, frozen=True):
    """The record of a match as it is offered, in one message or more.

    `known` is an earlier answer to the same record; there is nothing to offer then. Of a match that cannot be read
    `trouble` says why.
    """

    wanted: Wanted
    sha256: str = ""
    offers: tuple[LeagueOffer, ...] = ()
    known: Taken | None = None
    trouble: str = ""


class Reading(Protocol):
    """What reads the journals, and what players are called, in the process beside the daemon. Raises UserError."""

    async def find(self, only: tuple[str, str] | None = None) -> Found:
        """What is to be offered and was not taken yet, as far as `league.db` says; only of this table and match."""

    async def read(self, wanted: tuple[Wanted, ...]) -> list[Made]:
        """The records of these, of at least one, and no more than are good to have in the memory."""

    async def stamp(self) -> object:
        """What is another one once a player is called otherwise, or matches were fetched from the league."""
