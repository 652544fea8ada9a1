"""Where the history is asked: the journals of one daemon, or the database of a league.

Both answer the same questions alike. `select` has what most answers are made of; what would need every match there is,
and what only one of them can know, are questions of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from daemon.admin.history.digest import Shown
from daemon.admin.history.league import MonthBook
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import PlayerSummary, Selection
from daemon.admin.history.ratings import RatingBook
from daemon.admin.players.names import PlayerNames
from daemon.admin.requests import Goal
from daemon.journal.lines import Result, StoredMatch
from protocol.segment import Layout

EVERYBODY: frozenset[str] = frozenset()


class Wanted(NamedTuple):
    """Which matches are wanted: all of these conditions hold for each.

    `players` are the keys of present names (name_key), one of which is in the header; with `together`, all are.
    `game` is what Selection has. `latest` is how many are wanted at most, of those begun last; `first`, begun first.
    """

    players: frozenset[str] = EVERYBODY
    together: bool = False
    game: str | None = None
    table: str | None = None
    since: datetime | None = None
    before: datetime | None = None
    matches: Collection[str] | None = None
    latest: int | None = None
    first: int | None = None


class FoundMatch(NamedTuple):
    """A match whose record is there, with what its players are called now. `stamp` changes with the record.

    `read` returns the match as it was recorded, and its result where that is kept; it waits, and raises UserError. So
    does `is_latest`, which tells whether none has begun at its table since.
    """

    id: str
    stamp: str
    at: str
    table: str
    layout: Layout | None
    names: PlayerNames
    read: Callable[[], tuple[StoredMatch, Result | None]]
    is_latest: Callable[[], bool]


class HistorySource(Protocol):
    """Every method waits, and raises UserError."""

    def read_names(self, *names: str) -> PlayerNames:
        """Returns what players are called now; at least those who have one of these names."""

    def count_unread(self) -> int:
        """Returns how many matches and journals could not be read."""

    def select(self, wanted: Wanted) -> Sequence[PlayedMatch]:
        """Returns these of the matches that count, oldest first."""

    def rank_players(self, selection: Selection) -> list[PlayerSummary]:
        """Returns a line for each player, as player_figures.rank_players has them."""

    def rate_players(self) -> tuple[RatingBook, Shown]:
        """Returns the ratings after all matches, and what the players are called."""

    def add_up_month(self, month: str) -> tuple[MonthBook, Shown]:
        """Returns what the matches between two people in the month (2026-11) come to, and what they are called."""

    def list_people(self) -> Iterable[str]:
        """Returns the present names of all people who have a part in a match."""

    def list_months(self) -> Iterable[str]:
        """Returns the months, as in 2026-11, in which two people have played against each other, the latest first."""

    def list_goals(self, name: str) -> Sequence[Goal]:
        """Returns the goals that the player of this name has chosen."""

    def find_matches(self, match: str) -> Iterator[FoundMatch]:
        """Yields what there is of the match of this id: two of them where the folder has a copy of a journal."""
