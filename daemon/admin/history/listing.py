"""All matches of a history as a list, also the one at the oche and those that cannot be replayed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal, NamedTuple

from msgspec import Struct

from daemon.admin.history.history import History
from daemon.admin.history.played_matches import PlayedMatch, ScoreOf
from daemon.errors import UserError
from daemon.journal.stored import Head, StoredJournal
from protocol.player_names import name_key
from protocol.spelling import suggest_nearest

Standing = Literal["over", "stopped", "open", "unreadable"]


class SideScore(Struct, frozen=True):
    """What a side of these players came to."""

    players: tuple[str, ...]
    score: int
    won: bool


class ListedMatch(Struct, frozen=True):
    """A match. `at` is when it began (ISO 8601, UTC), `problem` why it is unreadable.

    `sides` are the sides of a match that is over, with their `score_of`: sets or legs where the match had more than one
    to win, else the score. Empty where the rules of the game have changed since.
    """

    match: str
    at: str
    table: str
    game: str
    title: str
    standing: Standing
    players: tuple[str, ...]
    winners: tuple[str, ...] = ()
    darts: int = 0
    sides: tuple[SideScore, ...] = ()
    score_of: ScoreOf = "score"
    problem: str | None = None


class MatchFilter(NamedTuple):
    """Which matches: of this player, at this table, begun since and before these moments."""

    player: str | None = None
    table: str | None = None
    since: datetime | None = None
    before: datetime | None = None

    def has(self, entry: ListedMatch) -> bool:
        """Whether this match is one of them."""
        if self.table is not None and entry.table != self.table:
            return False
        if self.player is not None and name_key(self.player) not in map(name_key, entry.players):
            return False
        begun = datetime.fromisoformat(entry.at)
        return not ((self.since and begun < self.since) or (self.before and begun >= self.before))


class Listing:
    """The list, oldest first. Making it reads the journals; raises UserError."""

    def __init__(self, history: History, played: Iterable[PlayedMatch]) -> None:
        self._places = {head.id: (journal, head) for journal, head in history.find_matches()}
        self._names = history.names
        listed = [list_match(match) for match in played if match.id in self._places]
        self.entries = sorted(listed, key=lambda entry: entry.at)

    def filter(self, wanted: MatchFilter) -> list[ListedMatch]:
        """The matches that pass this filter."""
        if wanted.player is not None:
            wanted = wanted._replace(player=self._names.get(wanted.player))
        return [entry for entry in self.entries if wanted.has(entry)]

    def has(self, name: str) -> bool:
        """Whether the id of a match begins so."""
        return bool(name) and any(entry.match.startswith(name) for entry in self.entries)

    def find(self, name: str) -> ListedMatch:
        """The match of this id, or of the only id that begins so. Raises UserError."""
        found = [entry for entry in self.entries if entry.match.startswith(name)] if name else []
        if len(found) == 1:
            return found[0]
        if found:
            raise UserError(f"{len(found)} matches begin with {name!r}: write more of the id", 2)
        near = suggest_nearest(name, [entry.match for entry in self.entries], "; oche history list has their ids")
        raise UserError(f"there is no match {name!r}{near}", 2)

    def place(self, entry: ListedMatch) -> tuple[StoredJournal, Head]:
        """The journal that has this match, and its head there."""
        return self._places[entry.match]


def list_match(played: PlayedMatch) -> ListedMatch:
    """A match with all who are in its header, also those who have not thrown."""
    return ListedMatch(
        match=played.id,
        at=played.at,
        table=played.table,
        game=played.game,
        title=played.title or played.game,
        standing=_find_standing(played),
        players=played.players,
        winners=tuple(part.player for part in played.parts if part.won),
        darts=played.darts,
        sides=tuple(
            SideScore(tuple(played.players[seat] for seat in side.seats), side.score, side.won)
            for side in played.standings
        ),
        score_of=played.score_of,
        problem=played.problem,
    )


def _find_standing(played: PlayedMatch) -> Standing:
    if played.problem is not None:
        return "unreadable"
    if not played.is_over:
        return "open"
    return "stopped" if played.was_stopped else "over"
